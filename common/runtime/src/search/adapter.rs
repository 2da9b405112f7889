//! The provider formats: builds a request from a search and reads results from a response. No I/O; one file per provider.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::kind::SearchKind;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig};
use super::result_page::{ResultPage, bad};
use super::{arxiv, brave, crossref, exa, google, openalex, perplexity, searxng, semantic_scholar, tavily, wikipedia};

/// Builds the request of `kind` for a search.
pub(super) fn request(kind: SearchKind, asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    match kind {
        SearchKind::Tavily => tavily::request(asked, own),
        SearchKind::Brave => brave::request(asked, own),
        SearchKind::Exa => exa::request(asked, own),
        SearchKind::Searxng => searxng::request(asked, own),
        SearchKind::SemanticScholar => semantic_scholar::request(asked, own),
        SearchKind::Openalex => openalex::request(asked, own),
        SearchKind::Crossref => crossref::request(asked, own),
        SearchKind::Arxiv => arxiv::request(asked, own),
        SearchKind::Wikipedia => wikipedia::request(asked, own),
        SearchKind::Perplexity => perplexity::request(asked, own),
        SearchKind::Google => google::request(asked, own),
    }
}

/// Reads the results in the body of a 200.
///
/// # Errors
/// [`SearchCode::BadAnswer`](super::failure::SearchCode::BadAnswer) if it is not in the documented format; other codes for an error
/// reported in the body.
pub(super) fn answer(
    kind: SearchKind,
    body: &[u8],
    asked: &ProviderQuery<'_>,
    own: &RequestConfig<'_>,
) -> Result<ResultPage, ProviderFailure> {
    if kind == SearchKind::Arxiv {
        return arxiv::answer(body);
    }
    let body = json(body)?;
    match kind {
        SearchKind::Tavily => tavily::answer(&body),
        SearchKind::Brave => brave::answer(&body),
        SearchKind::Exa => exa::answer(&body),
        SearchKind::Searxng => searxng::answer(&body),
        SearchKind::SemanticScholar => semantic_scholar::answer(&body),
        SearchKind::Openalex => openalex::answer(&body),
        SearchKind::Crossref => crossref::answer(&body),
        SearchKind::Wikipedia => wikipedia::answer(&body, asked, own),
        SearchKind::Perplexity => perplexity::answer(&body),
        SearchKind::Google => google::answer(&body),
        SearchKind::Arxiv => Err(bad("arxiv responds in Atom, not JSON")),
    }
}

fn json(body: &[u8]) -> Result<Value, ProviderFailure> {
    if body.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'<') {
        return Err(bad("the response is an HTML page instead of JSON"));
    }
    // Report only the position: the content there may be anything.
    serde_json::from_slice(body).map_err(|e| bad(format!("invalid JSON at line {} column {}", e.line(), e.column())))
}

#[cfg(test)]
pub(super) mod fixture {
    use url::Url;

    use super::*;

    /// A search for two results, without conditions.
    pub(in crate::search) fn provider_query(query: &str) -> ProviderQuery<'_> {
        ProviderQuery {
            query,
            results: 2,
            allow_domains: &[],
            deny_domains: &[],
            since: None,
            language: None,
            today: jiff::civil::date(2026, 7, 1),
        }
    }

    pub(in crate::search) fn base(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    pub(in crate::search) fn own(base: &Url) -> RequestConfig<'_> {
        RequestConfig { base, contact: None, cx: None }
    }

    /// URL and body of the request of `kind` to its vendor.
    pub(in crate::search) fn request_parts(kind: SearchKind, asked: &ProviderQuery<'_>) -> (String, Option<Value>) {
        let base = base(kind.home().unwrap_or("http://localhost:8888"));
        let own = RequestConfig { contact: Some("me@example.org"), cx: Some("0123:abc"), base: &base };
        let ProviderRequest { url, body } = request(kind, asked, &own);
        (url.as_str().to_owned(), body)
    }

    /// Reads the results of `kind` in `body`.
    pub(in crate::search) fn read(kind: SearchKind, body: &str) -> Result<ResultPage, ProviderFailure> {
        let base = base(kind.home().unwrap_or("http://localhost:8888"));
        answer(kind, body.as_bytes(), &provider_query("dams"), &own(&base))
    }
}

#[cfg(test)]
mod tests {
    use super::super::failure::SearchCode;
    use super::fixture::read;
    use super::*;

    #[test]
    fn an_undocumented_shape_is_a_failure_and_never_no_results() {
        for kind in SearchKind::ALL {
            for body in [
                "",
                "null",
                "[]",
                "{}",
                "\"no results\"",
                "{\"results\": null}",
                "{\"results\": [1, 2]}",
                "{\"results\": {\"url\": \"https://example.org\"}}",
                "{\"results\": [{\"url\": 7}], \"data\": [{\"url\": 7}]",
                "{\"error\": \"something\"}",
                "<!DOCTYPE html><html><title>Attention Required! | Cloudflare</title></html>",
                "<html><body>Please solve this captcha</body></html>",
                "Rate exceeded.",
                "\u{0}\u{1}",
            ] {
                let found = read(kind, body).map_err(|failure| failure.code);
                assert_eq!(found, Err(SearchCode::BadAnswer), "{kind}: {body}");
            }
        }
    }
}
