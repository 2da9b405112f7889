//! Google's Programmable Search Engine: a GET with at most ten results; if nothing was found, the result list is missing.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, with, with_site};
use super::result_page::{ResultPage, bad, hits, list};

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![
        ("q", with_site(asked)),
        ("num", asked.results.to_string()),
        ("cx", own.cx.unwrap_or_default().to_owned()),
    ];
    let days = asked.since.and_then(|since| asked.today.since(since).ok()).map(|span| span.get_days().max(1));
    parameters.extend(days.map(|days| ("dateRestrict", format!("d{days}"))));
    // Google has no plain `zh`; use simplified Chinese.
    let language = asked.language.map(|language| if language == "zh" { "zh-CN" } else { language });
    parameters.extend(language.map(|language| ("lr", format!("lang_{language}"))));
    // The base URL is already the complete endpoint.
    ProviderRequest { url: with(own.base.clone(), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    if body["kind"] != "customsearch#search" {
        return Err(bad("`kind` is not `customsearch#search`"));
    }
    if body["items"].is_null() {
        return Ok(ResultPage::default());
    }
    Ok(ResultPage::from_hits(hits(list(body, "/items")?, ["link", "title", "snippet"], "")?))
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_has_its_conditions_in_the_address() {
        let head = "https://www.googleapis.com/customsearch/v1?q=dams&num=2&cx=0123%3Aabc";
        assert_eq!(request_parts(SearchKind::Google, &provider_query("dams")), (head.to_owned(), None));
        let since = Some(jiff::civil::date(2026, 6, 1));
        let (url, _) =
            request_parts(SearchKind::Google, &ProviderQuery { since, language: Some("zh"), ..provider_query("dams") });
        assert_eq!(url, format!("{head}&dateRestrict=d30&lr=lang_zh-CN"));
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Google,
            r#"{"kind":"customsearch#search","url":{"type":"application/json"},"queries":{},"searchInformation":{"totalResults":"1"},
              "items":[{"kind":"customsearch#result","title":"Dams","htmlTitle":"<b>Dams</b>","link":"https://example.org/dams",
              "displayLink":"example.org","snippet":"A dam holds water.","htmlSnippet":"A <b>dam</b>"}]}"#,
        )
        .expect("an answer");
        assert_eq!(
            (page.hits[0].url.as_str(), page.hits[0].snippet.as_str()),
            ("https://example.org/dams", "A dam holds water.")
        );
        let nothing = r#"{"kind":"customsearch#search","searchInformation":{"totalResults":"0"}}"#;
        assert_eq!(read(SearchKind::Google, nothing).expect("nothing found").hits, []);
    }
}
