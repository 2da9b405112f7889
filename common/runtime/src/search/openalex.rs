//! OpenAlex's search of works: a GET. Abstracts arrive as an inverted index and are reassembled.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with};
use super::result_page::{RawHit, ResultPage, bad, list, some_text, text};
use super::retraction::mark_title;

const FIELDS: &str =
    "id,doi,display_name,publication_date,is_retracted,open_access,primary_location,abstract_inverted_index";
/// Most words of an abstract: an index may name any number of positions.
const MAX_WORDS: usize = 5_000;

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![
        ("search", asked.query.to_owned()),
        ("per_page", asked.results.to_string()),
        ("select", FIELDS.to_owned()),
    ];
    let since = asked.since.map(|since| format!("from_publication_date:{since}"));
    let language = asked.language.map(|language| format!("language:{language}"));
    let filters: Vec<String> = since.into_iter().chain(language).collect();
    if !filters.is_empty() {
        parameters.push(("filter", filters.join(",")));
    }
    parameters.extend(own.contact.map(|contact| ("mailto", contact.to_owned())));
    ProviderRequest { url: with(below(own.base, &["works"]), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    if !body["meta"].is_object() {
        return Err(bad("no `meta`"));
    }
    Ok(ResultPage::from_hits(list(body, "/results")?.iter().map(hit).collect::<Result<_, _>>()?))
}

fn hit(entry: &Value) -> Result<RawHit, ProviderFailure> {
    let title = text(entry, "display_name")?;
    let is_retracted = entry["is_retracted"] == true;
    let summary = abstract_of(&entry["abstract_inverted_index"]);
    let landing = entry["primary_location"]["landing_page_url"].as_str();
    let url = match entry["open_access"]["oa_url"].as_str().or(landing) {
        Some(url) => url.to_owned(),
        None => some_text(entry, "doi")?.map_or_else(|| text(entry, "id"), Ok)?,
    };
    Ok(RawHit {
        url,
        title: if is_retracted { mark_title(&title) } else { title },
        snippet: summary.clone().unwrap_or_default(),
        published: some_text(entry, "publication_date")?,
        text: summary,
    })
}

/// Returns the words of an inverted index in the order of their positions.
fn abstract_of(index: &Value) -> Option<String> {
    let mut words: Vec<(u64, &str)> = Vec::new();
    for (word, places) in index.as_object()? {
        words.extend(places.as_array().into_iter().flatten().filter_map(Value::as_u64).map(|at| (at, word.as_str())));
    }
    words.sort_unstable();
    words.truncate(MAX_WORDS);
    let text = words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_has_its_conditions_in_the_address() {
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (url, _) = request_parts(
            SearchKind::Openalex,
            &ProviderQuery { since, language: Some("de"), ..provider_query("dams") },
        );
        let head = "https://api.openalex.org/works?search=dams&per_page=2&select=id%2Cdoi%2C";
        let end = "&filter=from_publication_date%3A2024-02-29%2Clanguage%3Ade&mailto=me%40example.org";
        assert!(url.starts_with(head) && url.ends_with(end), "{url}");
    }

    #[test]
    fn an_abstract_is_assembled_and_a_retraction_is_reported() {
        let page = read(
            SearchKind::Openalex,
            r#"{"meta":{"count":2,"db_response_time_ms":60,"page":1,"per_page":2},"results":[
              {"id":"https://openalex.org/W1","doi":"https://doi.org/10.1/x","display_name":"Dams","publication_date":"2019-03-01","is_retracted":true,
               "open_access":{"is_oa":true,"oa_status":"gold","oa_url":"https://example.org/x.pdf"},"primary_location":null,
               "abstract_inverted_index":{"water.":[3],"A":[0],"dam":[1],"holds":[2]}},
              {"id":"https://openalex.org/W3","doi":null,"display_name":"RETRACTED ARTICLE: Weirs","publication_date":null,"is_retracted":true,
               "open_access":{"is_oa":false,"oa_url":null},"primary_location":null,"abstract_inverted_index":null},
              {"id":"https://openalex.org/W2","doi":null,"display_name":null,"publication_date":null,"is_retracted":false,
               "open_access":{"is_oa":false,"oa_url":null},"primary_location":{"landing_page_url":null},"abstract_inverted_index":null}],"group_by":[]}"#,
        )
        .expect("an answer");
        let seen: Vec<_> = page.hits.iter().map(|h| (h.url.as_str(), h.title.as_str(), h.snippet.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("https://example.org/x.pdf", "RETRACTED: Dams", "A dam holds water."),
                ("https://openalex.org/W3", "RETRACTED: Weirs", ""),
                ("https://openalex.org/W2", "", "")
            ]
        );
    }
}
