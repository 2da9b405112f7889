//! The seam of the wire: a request out of a search, results out of an answer. Pure; one file per provider behind it.

use jiff::civil::Date;
use serde_json::Value;
use url::Url;

use super::failure::{ProviderFailure, SearchCode};
use super::kind::SearchKind;
use super::{arxiv, brave, crossref, exa, google, openalex, perplexity, searxng, semantic_scholar, tavily, wikipedia};

/// A search as adapters see it: the query fits, the domains are bare, the number is within the provider's own limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) query: &'a str,
    pub(super) results: usize,
    pub(super) allow_domains: &'a [String],
    pub(super) deny_domains: &'a [String],
    pub(super) since: Option<Date>,
    /// Two lower-case letters.
    pub(super) language: Option<&'a str>,
    /// The day of the search, for providers that count back from it.
    pub(super) today: Date,
}

/// What of the configuration is part of requests; no key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own<'a> {
    pub(super) base: &'a Url,
    pub(super) contact: Option<&'a str>,
    pub(super) cx: Option<&'a str>,
}

/// A request without its key: a POST where there is a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) url: Url,
    pub(super) body: Option<Value>,
}

/// A result as the provider gave it: nothing is checked yet, and texts may hold markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawHit {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) snippet: String,
    /// As the provider writes it.
    pub(super) published: Option<String>,
    /// A text that comes with the result, such as an abstract.
    pub(super) text: Option<String>,
}

/// An answer as read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Page {
    pub(super) hits: Vec<RawHit>,
    /// What the provider says that it charges.
    pub(super) usd: Option<f64>,
}

impl Page {
    pub(super) fn of(hits: Vec<RawHit>) -> Self {
        Self { hits, usd: None }
    }
}

/// The request of `kind` for a search.
pub(super) fn request(kind: SearchKind, asked: &Asked<'_>, own: &Own<'_>) -> Request {
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

/// The results in the body of a 200.
///
/// # Errors
/// [`SearchCode::BadAnswer`] where it is not the documented shape; whatever else an adapter finds said in it.
pub(super) fn answer(kind: SearchKind, body: &[u8], asked: &Asked<'_>, own: &Own<'_>) -> Result<Page, ProviderFailure> {
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
        SearchKind::Arxiv => Err(bad("arxiv answers in Atom")),
    }
}

fn json(body: &[u8]) -> Result<Value, ProviderFailure> {
    if body.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'<') {
        return Err(bad("an HTML page instead of results"));
    }
    // What the parser says of the place is enough; what stands there may be anything.
    serde_json::from_slice(body).map_err(|e| bad(format!("no JSON: line {} column {}", e.line(), e.column())))
}

/// An answer that is not the documented shape.
pub(super) fn bad(detail: impl Into<String>) -> ProviderFailure {
    ProviderFailure::new(SearchCode::BadAnswer, detail)
}

/// `base` with further parts of a path.
pub(super) fn below(base: &Url, parts: &[&str]) -> Url {
    let mut url = base.clone();
    // Addresses of http and https have a path to add to.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    url
}

/// `url` with `parameters`, escaped.
pub(super) fn with(mut url: Url, parameters: &[(&str, String)]) -> Url {
    url.query_pairs_mut().extend_pairs(parameters);
    url
}

/// `query` bound to the one domain that is allowed, as search engines write it; several are seen to afterwards.
pub(super) fn with_site(asked: &Asked<'_>) -> String {
    match asked.allow_domains {
        [domain] => format!("{} site:{domain}", asked.query),
        _ => asked.query.to_owned(),
    }
}

/// The list at `pointer`, each entry an object.
pub(super) fn list<'a>(body: &'a Value, pointer: &str) -> Result<&'a [Value], ProviderFailure> {
    let name = pointer.trim_start_matches('/').replace('/', ".");
    let list = body.pointer(pointer).and_then(Value::as_array).ok_or_else(|| bad(format!("no list `{name}`")))?;
    match list.iter().all(Value::is_object) {
        true => Ok(list),
        false => Err(bad(format!("an entry of `{name}` is no object"))),
    }
}

/// The text of `key`; empty where there is none.
///
/// # Errors
/// [`SearchCode::BadAnswer`] where it is something else than a text or null.
pub(super) fn text(entry: &Value, key: &str) -> Result<String, ProviderFailure> {
    match &entry[key] {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(bad(format!("`{key}` of a result is no text"))),
    }
}

/// The text of `key`, where there is one that is not empty.
pub(super) fn some_text(entry: &Value, key: &str) -> Result<Option<String>, ProviderFailure> {
    Ok(Some(text(entry, key)?).filter(|text| !text.trim().is_empty()))
}

/// Results out of a list of plain entries, by the keys of their title, snippet and date.
pub(super) fn hits(
    entries: &[Value],
    [url, title, snippet]: [&str; 3],
    published: &str,
) -> Result<Vec<RawHit>, ProviderFailure> {
    let hit = |entry: &Value| {
        Ok(RawHit {
            url: text(entry, url)?,
            title: text(entry, title)?,
            snippet: text(entry, snippet)?,
            published: some_text(entry, published)?,
            text: None,
        })
    };
    entries.iter().map(hit).collect()
}

#[cfg(test)]
pub(super) mod fixture {
    use super::*;

    /// A search for two results, without conditions.
    pub(in crate::search) fn asked(query: &str) -> Asked<'_> {
        Asked {
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

    pub(in crate::search) fn own(base: &Url) -> Own<'_> {
        Own { base, contact: None, cx: None }
    }

    /// Address and body of the request of `kind` at its own home.
    pub(in crate::search) fn sent(kind: SearchKind, asked: &Asked<'_>) -> (String, Option<Value>) {
        let base = base(kind.home().unwrap_or("http://localhost:8888"));
        let own = Own { contact: Some("me@example.org"), cx: Some("0123:abc"), base: &base };
        let Request { url, body } = request(kind, asked, &own);
        (url.as_str().to_owned(), body)
    }

    /// The results of `kind` in `body`.
    pub(in crate::search) fn read(kind: SearchKind, body: &str) -> Result<Page, ProviderFailure> {
        let base = base(kind.home().unwrap_or("http://localhost:8888"));
        answer(kind, body.as_bytes(), &asked("dams"), &own(&base))
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::read;
    use super::*;

    #[test]
    fn what_is_not_the_documented_shape_is_a_failure_and_never_no_results() {
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

    #[test]
    fn one_domain_is_part_of_the_query_where_engines_know_no_other_way() {
        let domains = ["a.org".to_owned(), "b.org".to_owned()];
        let asked = |domains| Asked { allow_domains: domains, ..fixture::asked("dams") };
        assert_eq!(with_site(&asked(&domains[..1])), "dams site:a.org");
        assert_eq!(with_site(&asked(&domains)), "dams");
    }
}
