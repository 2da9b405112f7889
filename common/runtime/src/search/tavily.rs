//! Tavily's search: a POST that returns web results with a snippet each.

use serde_json::{Value, json};

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below};
use super::result_page::{ResultPage, hits, list};

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut body = json!({
        "query": asked.query,
        "max_results": asked.results,
        "search_depth": "basic",
        "include_answer": false,
        "include_raw_content": false,
    });
    if !asked.allow_domains.is_empty() {
        body["include_domains"] = json!(asked.allow_domains);
    }
    if !asked.deny_domains.is_empty() {
        body["exclude_domains"] = json!(asked.deny_domains);
    }
    if let Some(since) = asked.since {
        body["start_date"] = json!(since.to_string());
    }
    ProviderRequest { url: below(own.base, &["search"]), body: Some(body) }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    Ok(ResultPage::from_hits(hits(list(body, "/results")?, ["url", "title", "content"], "published_date")?))
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_is_a_post_with_its_conditions() {
        let (url, body) = request_parts(SearchKind::Tavily, &provider_query("dams"));
        assert_eq!(url, "https://api.tavily.com/search");
        let plain = json!({ "query": "dams", "max_results": 2, "search_depth": "basic", "include_answer": false, "include_raw_content": false });
        assert_eq!(body, Some(plain));
        let (allow, deny) = (["a.org".to_owned()], ["b.org".to_owned()]);
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (_, body) = request_parts(
            SearchKind::Tavily,
            &ProviderQuery { allow_domains: &allow, deny_domains: &deny, since, ..provider_query("dams") },
        );
        let body = body.expect("a body");
        assert_eq!(
            (&body["include_domains"], &body["exclude_domains"], &body["start_date"]),
            (&json!(["a.org"]), &json!(["b.org"]), &json!("2024-02-29"))
        );
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Tavily,
            r#"{"query":"dams","follow_up_questions":null,"answer":null,"images":[],"results":[
                {"title":"Dams","url":"https://example.org/dams","content":"A dam holds water.","score":0.98,"raw_content":null},
                {"title":"News","url":"https://example.org/news","content":"A dam broke.","score":0.5,"raw_content":null,"published_date":"Tue, 04 Mar 2025 07:00:00 GMT"}
              ],"response_time":1.09,"request_id":"123"}"#,
        )
        .expect("an answer");
        let seen: Vec<_> =
            page.hits.iter().map(|h| (h.url.as_str(), h.snippet.as_str(), h.published.is_some())).collect();
        assert_eq!(
            seen,
            [
                ("https://example.org/dams", "A dam holds water.", false),
                ("https://example.org/news", "A dam broke.", true)
            ]
        );
        assert_eq!(read(SearchKind::Tavily, r#"{"results":[]}"#).expect("nothing found").hits, []);
    }
}
