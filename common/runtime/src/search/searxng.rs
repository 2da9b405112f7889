//! A SearXNG instance: a GET that returns JSON if its operator enabled it. The number of results cannot be set.

use serde_json::Value;

use super::failure::{ProviderFailure, SearchCode};
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with, with_site};
use super::result_page::{ResultPage, hits, list};

/// Time ranges that an instance supports, in days, shortest first.
const SPANS: [(i32, &str); 3] = [(1, "day"), (31, "month"), (366, "year")];

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![("q", with_site(asked)), ("format", "json".to_owned())];
    parameters.extend(asked.language.map(|language| ("language", language.to_owned())));
    let days = asked.since.and_then(|since| asked.today.since(since).ok()).map(|span| span.get_days());
    let span = days.and_then(|days| SPANS.iter().find(|(longest, _)| days <= *longest));
    parameters.extend(span.map(|(_, name)| ("time_range", (*name).to_owned())));
    ProviderRequest { url: with(below(own.base, &["search"]), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    let entries = list(body, "/results")?;
    let silent: Vec<&str> = body["unresponsive_engines"].as_array().into_iter().flatten().filter_map(name).collect();
    if entries.is_empty() && !silent.is_empty() {
        let detail = format!("nothing found, and no answer from the engines {}", silent.join(", "));
        return Err(ProviderFailure::new(SearchCode::EnginesUnresponsive, detail));
    }
    Ok(ResultPage::from_hits(hits(entries, ["url", "title", "content"], "publishedDate")?))
}

/// Returns the name of an engine that did not answer, given as a pair of name and reason.
fn name(engine: &Value) -> Option<&str> {
    engine.get(0).unwrap_or(engine).as_str()
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_has_its_conditions_in_the_address() {
        let head = "http://localhost:8888/search?q=dams&format=json";
        assert_eq!(request_parts(SearchKind::Searxng, &provider_query("dams")), (head.to_owned(), None));
        for (since, end) in [
            ((2026, 6, 30), "&time_range=day"),
            ((2026, 6, 29), "&time_range=month"),
            ((2026, 1, 1), "&time_range=year"),
            ((2020, 1, 1), ""),
        ] {
            let since = Some(jiff::civil::date(since.0, since.1, since.2));
            let asked = ProviderQuery { since, language: Some("de"), ..provider_query("dams") };
            assert_eq!(request_parts(SearchKind::Searxng, &asked).0, format!("{head}&language=de{end}"));
        }
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Searxng,
            r#"{"query":"dams","number_of_results":0,"results":[{"template":"default.html","engine":"duckduckgo","url":"https://example.org/dams",
              "title":"Dams","content":"A dam holds water.","img_src":"","thumbnail":"","priority":"","engines":["duckduckgo"],"positions":[1],
              "score":1.0,"category":"general","parsed_url":["https","example.org","/dams","","",""],"publishedDate":null}],
              "answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[["google","timeout"]]}"#,
        )
        .expect("an answer");
        assert_eq!((page.hits.len(), page.hits[0].title.as_str()), (1, "Dams"));
    }

    #[test]
    fn nothing_found_by_engines_that_did_not_answer_is_a_failure() {
        let nothing = r#"{"query":"x","results":[],"unresponsive_engines":[]}"#;
        assert_eq!(read(SearchKind::Searxng, nothing).expect("nothing found").hits, []);
        let silent =
            r#"{"query":"x","results":[],"unresponsive_engines":[["google","CAPTCHA"],["brave","too many requests"]]}"#;
        let failure = read(SearchKind::Searxng, silent).expect_err("nobody answered");
        assert_eq!(failure.code, SearchCode::EnginesUnresponsive);
        assert_eq!(failure.detail, "nothing found, and no answer from the engines google, brave");
    }
}
