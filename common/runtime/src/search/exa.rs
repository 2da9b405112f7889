//! Exa's search: a POST. The passages of a page that match the query are its snippet; the response contains the price.

use serde_json::{Value, json};

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below};
use super::result_page::{RawHit, ResultPage, list, some_text, text};

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut body = json!({
        "query": asked.query,
        "type": "auto",
        "numResults": asked.results,
        "contents": { "highlights": true },
    });
    if !asked.allow_domains.is_empty() {
        body["includeDomains"] = json!(asked.allow_domains);
    }
    if !asked.deny_domains.is_empty() {
        body["excludeDomains"] = json!(asked.deny_domains);
    }
    if let Some(since) = asked.since {
        body["startPublishedDate"] = json!(format!("{since}T00:00:00.000Z"));
    }
    ProviderRequest { url: below(own.base, &["search"]), body: Some(body) }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    let hits = list(body, "/results")?.iter().map(hit).collect::<Result<_, _>>()?;
    Ok(ResultPage { hits, usd: body["costDollars"]["total"].as_f64() })
}

fn hit(entry: &Value) -> Result<RawHit, ProviderFailure> {
    let highlights = entry["highlights"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let highlights = highlights.collect::<Vec<_>>().join(" … ");
    let snippet = if highlights.is_empty() { text(entry, "summary")? } else { highlights };
    Ok(RawHit {
        url: text(entry, "url")?,
        title: text(entry, "title")?,
        snippet,
        published: some_text(entry, "publishedDate")?,
        text: some_text(entry, "text")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_is_a_post_with_its_conditions() {
        let (url, body) = request_parts(
            SearchKind::Exa,
            &ProviderQuery { since: Some(jiff::civil::date(2024, 2, 29)), ..provider_query("dams") },
        );
        assert_eq!(url, "https://api.exa.ai/search");
        let expected = json!({ "query": "dams", "type": "auto", "numResults": 2, "contents": { "highlights": true },
            "startPublishedDate": "2024-02-29T00:00:00.000Z" });
        assert_eq!(body, Some(expected));
    }

    #[test]
    fn an_answer_as_recorded_is_read_with_its_price() {
        let page = read(
            SearchKind::Exa,
            r#"{"requestId":"b5947044","resolvedSearchType":"neural","results":[{"id":"https://example.org/dams",
              "url":"https://example.org/dams","title":"Dams","publishedDate":"2023-11-16T01:36:32.547Z","author":null,
              "highlights":["A dam holds water.","It is built of earth."],"highlightScores":[0.46,0.3]},
              {"id":"x","url":"https://example.org/x","title":null}],
              "costDollars":{"total":0.009,"search":{"neural":0.007}}}"#,
        )
        .expect("an answer");
        assert_eq!(
            (page.usd, page.hits[0].snippet.as_str()),
            (Some(0.009), "A dam holds water. … It is built of earth.")
        );
        assert_eq!(page.hits[1], RawHit { url: "https://example.org/x".to_owned(), ..RawHit::default() });
    }
}
