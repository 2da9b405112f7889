//! Wikipedia's page search: a GET to the wiki of a language.

use serde_json::Value;
use url::Url;

use super::failure::{ProviderFailure, SearchCode};
use super::kind::SearchKind;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with};
use super::result_page::{RawHit, ResultPage, list, some_text, text};

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let parameters = [
        ("action", "query".to_owned()),
        ("list", "search".to_owned()),
        ("srsearch", asked.query.to_owned()),
        ("srlimit", asked.results.to_string()),
        ("srprop", "snippet|timestamp".to_owned()),
        ("format", "json".to_owned()),
        ("formatversion", "2".to_owned()),
        ("maxlag", "5".to_owned()),
    ];
    ProviderRequest { url: with(below(&wiki(own.base, asked.language), &["w", "api.php"]), &parameters), body: None }
}

/// Returns the wiki of `language`, unless the configuration names another server.
fn wiki(base: &Url, language: Option<&str>) -> Url {
    let home = SearchKind::Wikipedia.home().and_then(|home| Url::parse(home).ok());
    let of_language = language.filter(|_| home.as_ref().is_some_and(|home| home.origin() == base.origin()));
    let of_language = of_language.and_then(|language| Url::parse(&format!("https://{language}.wikipedia.org")).ok());
    of_language.unwrap_or_else(|| base.clone())
}

pub(super) fn answer(
    body: &Value,
    asked: &ProviderQuery<'_>,
    own: &RequestConfig<'_>,
) -> Result<ResultPage, ProviderFailure> {
    if let Some(code) = body["error"]["code"].as_str() {
        let kind = match code {
            "maxlag" | "readonly" => SearchCode::ServerError,
            "ratelimited" => SearchCode::RateLimited,
            _ => SearchCode::Refused,
        };
        let word: String = code.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        return Err(ProviderFailure::new(kind, word));
    }
    let wiki = wiki(own.base, asked.language);
    Ok(ResultPage::from_hits(
        list(body, "/query/search")?.iter().map(|entry| hit(entry, &wiki)).collect::<Result<_, _>>()?,
    ))
}

fn hit(entry: &Value, wiki: &Url) -> Result<RawHit, ProviderFailure> {
    let title = text(entry, "title")?;
    // Without a title there is no URL either, so the filter drops the result.
    let url = if title.is_empty() { String::new() } else { below(wiki, &["wiki", &title.replace(' ', "_")]).into() };
    // `timestamp` is the time of the last change.
    Ok(RawHit { url, title, snippet: text(entry, "snippet")?, published: some_text(entry, "timestamp")?, text: None })
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{base, own, provider_query, read, request_parts};
    use super::*;

    #[test]
    fn a_search_goes_to_the_wiki_of_its_language() {
        let path = "/w/api.php?action=query&list=search&srsearch=dams&srlimit=2&srprop=snippet%7Ctimestamp&format=json&formatversion=2&maxlag=5";
        assert_eq!(
            request_parts(SearchKind::Wikipedia, &provider_query("dams")).0,
            format!("https://en.wikipedia.org{path}")
        );
        let german = ProviderQuery { language: Some("de"), ..provider_query("dams") };
        assert_eq!(request_parts(SearchKind::Wikipedia, &german).0, format!("https://de.wikipedia.org{path}"));
        let own_wiki = base("http://localhost:1/x");
        assert_eq!(request(&german, &own(&own_wiki)).url.as_str(), format!("http://localhost:1/x{path}"));
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Wikipedia,
            r#"{"batchcomplete":true,"continue":{"sroffset":2,"continue":"-||"},"query":{"searchinfo":{"totalhits":1},"search":[
              {"ns":0,"title":"Hoover Dam","pageid":1,"snippet":"<span class=\"searchmatch\">Hoover</span> Dam is a dam","timestamp":"2026-01-02T03:04:05Z"},
              {"ns":0,"title":"C++ / AC/DC?","pageid":2,"snippet":"x"}]}}"#,
        )
        .expect("an answer");
        let seen: Vec<_> = page.hits.iter().map(|h| (h.url.as_str(), h.published.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("https://en.wikipedia.org/wiki/Hoover_Dam", Some("2026-01-02T03:04:05Z")),
                ("https://en.wikipedia.org/wiki/C++_%2F_AC%2FDC%3F", None),
            ]
        );
    }

    #[test]
    fn a_wiki_refusal_in_a_200_differs_from_no_results() {
        for (code, want) in [
            ("maxlag", SearchCode::ServerError),
            ("ratelimited", SearchCode::RateLimited),
            ("srsearch-error", SearchCode::Refused),
        ] {
            let body = format!(r#"{{"error":{{"code":"{code}","info":"Waiting"}},"servedby":"mw1"}}"#);
            assert_eq!(read(SearchKind::Wikipedia, &body).expect_err("a refusal").code, want, "{code}");
        }
    }
}
