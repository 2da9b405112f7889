//! Crossref's search of works: a GET that returns the metadata publishers registered, with the abstract if they registered one.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with};
use super::result_page::{RawHit, ResultPage, bad, list, some_text, text};
use super::retraction::mark_title;

const FIELDS: &str = "DOI,title,abstract,issued,URL,updated-by";
/// Update types that withdraw a work. The notice itself has `update-to` instead and is not a withdrawn work.
const TAKEN_BACK: [&str; 3] = ["retraction", "withdrawal", "removal"];

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![
        ("query.bibliographic", asked.query.to_owned()),
        ("rows", asked.results.to_string()),
        ("select", FIELDS.to_owned()),
    ];
    parameters.extend(asked.since.map(|since| ("filter", format!("from-pub-date:{since}"))));
    parameters.extend(own.contact.map(|contact| ("mailto", contact.to_owned())));
    ProviderRequest { url: with(below(own.base, &["works"]), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    if body["status"] != "ok" {
        return Err(bad("`status` is not `ok`"));
    }
    Ok(ResultPage::from_hits(list(body, "/message/items")?.iter().map(hit).collect::<Result<_, _>>()?))
}

fn hit(entry: &Value) -> Result<RawHit, ProviderFailure> {
    // Add spaces: an HTML parser does not know JATS paragraphs and would join their words.
    let spaced = |text: String| text.replace("</jats:p>", "</jats:p> ").replace("</jats:title>", "</jats:title> ");
    let summary = some_text(entry, "abstract")?.map(spaced);
    let title = entry["title"].get(0).and_then(Value::as_str).unwrap_or_default();
    let url = match some_text(entry, "DOI")? {
        Some(doi) => format!("https://doi.org/{doi}"),
        None => text(entry, "URL")?,
    };
    Ok(RawHit {
        url,
        title: if is_taken_back(entry) { mark_title(title) } else { title.to_owned() },
        snippet: summary.clone().unwrap_or_default(),
        published: date(&entry["issued"]["date-parts"][0]),
        text: summary,
    })
}

/// Whether the publisher or Retraction Watch registered a withdrawal; a correction or an expression of concern does not count.
fn is_taken_back(entry: &Value) -> bool {
    let updates = entry["updated-by"].as_array();
    updates.into_iter().flatten().filter_map(|update| update["type"].as_str()).any(|kind| TAKEN_BACK.contains(&kind))
}

/// Formats `[2019, 3, 1]` as a date, as precise as the parts given.
fn date(parts: &Value) -> Option<String> {
    let parts: Vec<u64> = parts.as_array()?.iter().map_while(Value::as_u64).take(3).collect();
    let words: Vec<String> = parts.iter().map(|part| format!("{part:02}")).collect();
    (!words.is_empty()).then(|| words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_has_its_conditions_in_the_address() {
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (url, _) = request_parts(SearchKind::Crossref, &ProviderQuery { since, ..provider_query("dams") });
        assert_eq!(
            url,
            "https://api.crossref.org/works?query.bibliographic=dams&rows=2&select=DOI%2Ctitle%2Cabstract%2Cissued%2CURL%2Cupdated-by\
             &filter=from-pub-date%3A2024-02-29&mailto=me%40example.org"
        );
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Crossref,
            r#"{"status":"ok","message-type":"work-list","message-version":"1.0.0","message":{"facets":{},"total-results":2,"items":[
              {"DOI":"10.1000/Dams.1","abstract":"<jats:p>A dam holds water.</jats:p>","title":["Dams"],"issued":{"date-parts":[[2019,3]]},"URL":"https://doi.org/10.1000/dams.1"},
              {"title":[],"issued":{"date-parts":[[null]]},"URL":"https://doi.org/10.1000/2"}],"items-per-page":2,"query":{"start-index":0,"search-terms":null}}}"#,
        )
        .expect("an answer");
        let seen: Vec<_> =
            page.hits.iter().map(|h| (h.url.as_str(), h.title.as_str(), h.published.as_deref())).collect();
        assert_eq!(
            seen,
            [("https://doi.org/10.1000/Dams.1", "Dams", Some("2019-03")), ("https://doi.org/10.1000/2", "", None)]
        );
    }

    #[test]
    fn only_a_retracted_work_is_marked_not_its_notice_or_correction() {
        let update = |kind: &str, source: &str| {
            format!(
                r#"{{"updated":{{"date-parts":[[2010,2,6]],"date-time":"2010-02-06T00:00:00Z","timestamp":1265414400000}},"DOI":"10.1000/notice","type":"{kind}","source":"{source}","label":"Label","record-id":"1"}}"#
            )
        };
        let both = format!("{},{}", update("correction", "publisher"), update("retraction", "retraction-watch"));
        for (title, relation, updates, want) in [
            ("Dams", "updated-by", update("retraction", "publisher"), "RETRACTED: Dams"),
            ("Dams", "updated-by", both, "RETRACTED: Dams"),
            ("RETRACTED: Dams", "updated-by", update("retraction", "publisher"), "RETRACTED: Dams"),
            ("Dams", "updated-by", update("withdrawal", "publisher"), "RETRACTED: Dams"),
            ("Dams", "updated-by", update("removal", "publisher"), "RETRACTED: Dams"),
            ("Dams", "updated-by", update("correction", "publisher"), "Dams"),
            ("Dams", "updated-by", update("expression_of_concern", "publisher"), "Dams"),
            ("Retraction of Dams", "update-to", update("retraction", "publisher"), "Retraction of Dams"),
            ("Dams", "updated-by", String::new(), "Dams"),
        ] {
            let body = format!(
                r#"{{"status":"ok","message-type":"work-list","message-version":"1.0.0","message":{{"facets":{{}},"total-results":1,"items":[
                  {{"DOI":"10.1000/dams","title":["{title}"],"{relation}":[{updates}],"issued":{{"date-parts":[[2004]]}}}}],"items-per-page":1}}}}"#
            );
            let page = read(SearchKind::Crossref, &body).expect("an answer");
            assert_eq!(page.hits[0].title, want, "{relation} {updates}");
        }
    }
}
