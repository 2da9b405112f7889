//! Semantic Scholar's paper search: a GET that returns papers with abstracts, by default sorted by relevance.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with};
use super::result_page::{RawHit, ResultPage, bad, list, some_text, text};

const FIELDS: &str = "title,abstract,url,publicationDate,year,externalIds,openAccessPdf,tldr";

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![
        // Semantic Scholar finds nothing for a word with a hyphen.
        ("query", asked.query.replace('-', " ")),
        ("limit", asked.results.to_string()),
        ("fields", FIELDS.to_owned()),
    ];
    parameters.extend(asked.since.map(|since| ("publicationDateOrYear", format!("{since}:"))));
    ProviderRequest { url: with(below(own.base, &["paper", "search"]), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    // The list may be missing if nothing was found.
    if body["total"] == 0 && body["data"].is_null() {
        return Ok(ResultPage::default());
    }
    if body["total"].as_u64().is_none() {
        return Err(bad("`total` is not a number"));
    }
    Ok(ResultPage::from_hits(list(body, "/data")?.iter().map(hit).collect::<Result<_, _>>()?))
}

fn hit(entry: &Value) -> Result<RawHit, ProviderFailure> {
    let summary = entry["abstract"].as_str().map(str::to_owned).filter(|text| !text.is_empty());
    let short = entry["tldr"]["text"].as_str().map(str::to_owned);
    let year = entry["year"].as_u64().map(|year| year.to_string());
    Ok(RawHit {
        url: place(entry)?,
        title: text(entry, "title")?,
        snippet: summary.clone().or(short).unwrap_or_default(),
        published: some_text(entry, "publicationDate")?.or(year),
        text: summary,
    })
}

/// Returns a URL where the paper can be read: Semantic Scholar's own page shows at most an abstract.
fn place(entry: &Value) -> Result<String, ProviderFailure> {
    let id = |name: &str| entry["externalIds"][name].as_str().filter(|id| !id.is_empty());
    let open = entry["openAccessPdf"]["url"].as_str().filter(|url| !url.is_empty());
    Ok(match (id("ArXiv"), open, id("DOI")) {
        (Some(arxiv), _, _) => format!("https://arxiv.org/abs/{arxiv}"),
        (None, Some(open), _) => open.to_owned(),
        (None, None, Some(doi)) => format!("https://doi.org/{doi}"),
        (None, None, None) => text(entry, "url")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_asks_for_the_fields_that_are_read() {
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (url, body) =
            request_parts(SearchKind::SemanticScholar, &ProviderQuery { since, ..provider_query("multi-hop dams") });
        let fields = "title%2Cabstract%2Curl%2CpublicationDate%2Cyear%2CexternalIds%2CopenAccessPdf%2Ctldr";
        let head = "https://api.semanticscholar.org/graph/v1/paper/search?query=multi+hop+dams&limit=2";
        assert_eq!((url, body), (format!("{head}&fields={fields}&publicationDateOrYear=2024-02-29%3A"), None));
    }

    #[test]
    fn a_paper_leads_to_where_it_can_be_read() {
        let page = read(
            SearchKind::SemanticScholar,
            r#"{"total":3,"offset":0,"next":2,"data":[
              {"paperId":"204e","title":"Attention","abstract":"The dominant models.","url":"https://www.semanticscholar.org/paper/204e","year":2017,
               "publicationDate":"2017-06-12","externalIds":{"DBLP":"x","ArXiv":"1706.03762","DOI":"10.1/x"},"openAccessPdf":{"url":"","status":null},"tldr":null},
              {"paperId":"a","title":"Open","abstract":null,"url":"https://www.semanticscholar.org/paper/a","year":2020,"publicationDate":null,
               "externalIds":{"DOI":"10.1/y"},"openAccessPdf":{"url":"https://example.org/y.pdf","status":"GOLD"},"tldr":{"model":"tldr@v2","text":"It is short."}},
              {"paperId":"b","title":"Closed","abstract":null,"url":"https://www.semanticscholar.org/paper/b","year":null,"publicationDate":null,
               "externalIds":{"DOI":"10.1/z"},"openAccessPdf":null,"tldr":null}]}"#,
        )
        .expect("an answer");
        let seen: Vec<_> =
            page.hits.iter().map(|h| (h.url.as_str(), h.snippet.as_str(), h.published.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("https://arxiv.org/abs/1706.03762", "The dominant models.", Some("2017-06-12")),
                ("https://example.org/y.pdf", "It is short.", Some("2020")),
                ("https://doi.org/10.1/z", "", None),
            ]
        );
        assert_eq!(read(SearchKind::SemanticScholar, r#"{"total":0,"offset":0}"#).expect("nothing found").hits, []);
        assert!(read(SearchKind::SemanticScholar, r#"{"total":2,"offset":0}"#).is_err());
    }
}
