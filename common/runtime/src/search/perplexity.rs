//! Perplexity's search: a POST that returns web results with long snippets.

use serde_json::{Value, json};

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below};
use super::result_page::{ResultPage, hits, list};

/// Most domains it accepts; allowed and denied ones cannot be combined.
const MAX_DOMAINS: usize = 20;
/// Tokens of a page that become its snippet.
const TOKENS_PER_PAGE: u64 = 256;

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut body = json!({
        "query": asked.query,
        "max_results": asked.results,
        "max_tokens_per_page": TOKENS_PER_PAGE,
    });
    let domains: Vec<String> = match (asked.allow_domains, asked.deny_domains) {
        ([], deny) => deny.iter().take(MAX_DOMAINS).map(|domain| format!("-{domain}")).collect(),
        (allow, _) if allow.len() <= MAX_DOMAINS => allow.to_vec(),
        // Sending only some of the allowed domains would hide the others; the results are filtered afterwards instead.
        _ => Vec::new(),
    };
    if !domains.is_empty() {
        body["search_domain_filter"] = json!(domains);
    }
    if let Some(since) = asked.since {
        body["search_after_date_filter"] = json!(since.strftime("%m/%d/%Y").to_string());
    }
    if let Some(language) = asked.language {
        body["search_language_filter"] = json!([language]);
    }
    ProviderRequest { url: below(own.base, &["search"]), body: Some(body) }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    Ok(ResultPage::from_hits(hits(list(body, "/results")?, ["url", "title", "snippet"], "date")?))
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    fn filter(allow: &[String], deny: &[String]) -> Value {
        let asked = ProviderQuery { allow_domains: allow, deny_domains: deny, ..provider_query("dams") };
        request_parts(SearchKind::Perplexity, &asked).1.expect("a body")["search_domain_filter"].clone()
    }

    #[test]
    fn a_search_is_a_post_with_its_conditions() {
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (url, body) = request_parts(
            SearchKind::Perplexity,
            &ProviderQuery { since, language: Some("de"), ..provider_query("dams") },
        );
        assert_eq!(url, "https://api.perplexity.ai/search");
        let expected = json!({ "query": "dams", "max_results": 2, "max_tokens_per_page": 256,
            "search_after_date_filter": "02/29/2024", "search_language_filter": ["de"] });
        assert_eq!(body, Some(expected));
    }

    #[test]
    fn domains_are_sent_as_far_as_the_provider_takes_them() {
        let names = |n: usize| (0..n).map(|n| format!("d{n}.org")).collect::<Vec<_>>();
        assert_eq!(filter(&names(2), &names(1)), json!(["d0.org", "d1.org"]));
        assert_eq!(filter(&[], &names(2)), json!(["-d0.org", "-d1.org"]));
        assert_eq!(filter(&names(20), &[]).as_array().map(Vec::len), Some(20));
        assert_eq!(filter(&names(21), &[]), Value::Null);
        assert_eq!(filter(&[], &names(21)).as_array().map(Vec::len), Some(20));
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Perplexity,
            r#"{"results":[{"title":"Dams","url":"https://example.org/dams","snippet":"A dam holds water.","date":"2025-03-20","last_updated":"2025-09-19"}],
              "id":"e38104d5"}"#,
        )
        .expect("an answer");
        assert_eq!(page.hits[0].published.as_deref(), Some("2025-03-20"));
    }
}
