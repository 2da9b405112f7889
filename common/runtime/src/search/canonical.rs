//! The identity of a page: one normal form for all URLs of the same page. It is only compared, never fetched; readers and the fetch client
//! keep the URL as given.
//!
//! URLs have the same identity if they differ only in scheme (http, https) on the usual ports, the case of scheme and host, a leading
//! `www.`, Wikipedia's mobile host, the default port, a trailing slash, the spelling of escapes, the order of parameters, tracking
//! parameters, or the fragment. A DOI and an arXiv paper have one identity each, for every resolver, format and version.

use std::borrow::Cow;

use url::Url;

/// Tracking parameters, which do not select the page.
const TRACKING: [&str; 24] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "icid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "ref_src",
    "ref_url",
    "vero_id",
    "wbraid",
    "yclid",
    "zanpid",
];
/// Prefixes of further tracking parameters.
const TRACKING_PREFIXES: [&str; 3] = ["utm_", "pk_", "mtm_"];
/// The prefix under which arXiv registers its papers.
const ARXIV_DOI: &str = "10.48550/arxiv.";

/// Returns the identity of the page at `url`; for schemes other than http and https, the URL itself.
#[must_use]
pub fn identity(url: &Url) -> String {
    if !matches!(url.scheme(), "http" | "https") {
        return url.as_str().to_owned();
    }
    let host = host(url);
    if let Some(id) = arxiv_id(&host, url.path()) {
        return format!("https://arxiv.org/abs/{id}");
    }
    if let Some(doi) = doi(&host, url.path()) {
        return match doi.strip_prefix(ARXIV_DOI) {
            Some(id) => format!("https://arxiv.org/abs/{}", strip_version(id)),
            None => format!("https://doi.org/{doi}"),
        };
    }
    // `port` is `None` for the default port of the scheme.
    let place = match url.port() {
        None | Some(80 | 443) => format!("https://{host}"),
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
    };
    let path = plain_escapes(url.path());
    let path = match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    format!("{place}{path}{}{}", parameters(url), hashbang(url))
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let mut host = host;
    while let Some(rest) = host.strip_prefix("www.").filter(|rest| rest.contains('.')) {
        host = rest;
    }
    match host.strip_suffix(".m.wikipedia.org") {
        Some(language) => format!("{language}.wikipedia.org"),
        None => host.to_owned(),
    }
}

/// Returns the parameters without tracking ones, sorted by name.
fn parameters(url: &Url) -> String {
    let Some(query) = url.query() else { return String::new() };
    let name = |part: &str| part.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let is_tracking =
        |name: &str| TRACKING.contains(&name) || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let mut parts: Vec<Cow<'_, str>> =
        query.split('&').filter(|part| !part.is_empty() && !is_tracking(&name(part))).map(plain_escapes).collect();
    // A stable sort: the order of parameters with the same name may matter.
    parts.sort_by_key(|part| name(part));
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}

/// Returns a fragment that begins with `#!`, which selects a page on script-driven sites; else nothing.
fn hashbang(url: &Url) -> String {
    url.fragment().filter(|fragment| fragment.starts_with('!')).map_or_else(String::new, |f| format!("#{f}"))
}

/// Decodes escapes of unreserved characters in `text` and writes the others in upper case.
fn plain_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.get(1..3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(|_| rest.as_bytes()[1].is_ascii_hexdigit()) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                plain.push(char::from(byte));
                rest = &rest[3..];
            }
            Some(byte) => {
                plain.push_str(&format!("%{byte:02X}"));
                rest = &rest[3..];
            }
            None => {
                plain.push('%');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Returns the id of the paper that an arXiv URL names, without its version.
fn arxiv_id(host: &str, path: &str) -> Option<String> {
    let is_arxiv =
        matches!(host, "arxiv.org" | "export.arxiv.org" | "browse.arxiv.org" | "ar5iv.labs.arxiv.org" | "ar5iv.org");
    let rest = path.strip_prefix('/').filter(|_| is_arxiv)?;
    let (form, id) = rest.split_once('/')?;
    if !matches!(form, "abs" | "pdf" | "html" | "ps" | "format") {
        return None;
    }
    let id = id.trim_end_matches('/');
    let id = strip_version(id.strip_suffix(".pdf").unwrap_or(id));
    let is_id = id.contains(|c: char| c.is_ascii_digit())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-'));
    is_id.then(|| id.to_ascii_lowercase())
}

fn strip_version(id: &str) -> &str {
    let is_version = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut id = id;
    while let Some((bare, _)) = id.rsplit_once('v').filter(|(_, version)| is_version(version)) {
        if !bare.ends_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        id = bare;
    }
    id
}

/// Returns the DOI that a resolver URL names, in lower case, since DOIs are case-insensitive.
fn doi(host: &str, path: &str) -> Option<String> {
    let path = path.strip_prefix('/').filter(|_| matches!(host, "doi.org" | "dx.doi.org"))?;
    let doi = plain_escapes(path).replace("%2F", "/").to_ascii_lowercase();
    let doi = doi.trim_end_matches('/');
    (doi.starts_with("10.") && doi.contains('/')).then(|| doi.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> String {
        identity(&Url::parse(url).expect("an address"))
    }

    #[test]
    fn addresses_of_one_page_have_one_identity() {
        for (page, addresses) in [
            (
                "https://example.org/a/b",
                &[
                    "https://example.org/a/b",
                    "http://example.org/a/b",
                    "HTTPS://Example.ORG:443/a/b/",
                    "http://example.org:80/a/b",
                    "https://www.example.org/a/b#part",
                    "https://example.org./a/b?",
                    "https://example.org/a/b?utm_source=x&UTM_Medium=y&fbclid=1&gclid=2",
                    "https://example.org/%61/b",
                ][..],
            ),
            (
                "https://example.org/",
                &["https://example.org", "http://www.example.org/#top", "https://example.org/?utm_id=1"],
            ),
            (
                "https://example.org/?a=1&b=2",
                &["https://example.org/?b=2&a=1", "https://example.org?a=1&utm_term=z&b=2"],
            ),
            ("https://example.org/?a=1&a=2", &["https://example.org/?a=1&a=2&_ga=3"]),
            ("https://example.org/a%20b/%C3%A9", &["https://example.org/a b/é", "https://example.org/a%20b/%c3%a9/"]),
            ("https://example.org/app#!/page", &["https://example.org/app#!/page"]),
            ("http://127.0.0.1:8080/x", &["http://127.0.0.1:8080/x/", "http://127.0.0.1:8080/x#y"]),
            (
                "https://de.wikipedia.org/wiki/Ulm",
                &["http://de.m.wikipedia.org/wiki/Ulm", "https://de.wikipedia.org/wiki/Ulm#Turm"],
            ),
            (
                "https://arxiv.org/abs/1706.03762",
                &[
                    "http://arxiv.org/abs/1706.03762v7",
                    "https://arxiv.org/pdf/1706.03762",
                    "https://www.arxiv.org/pdf/1706.03762v5.pdf",
                    "https://export.arxiv.org/html/1706.03762v7/",
                    "https://doi.org/10.48550/arXiv.1706.03762",
                ],
            ),
            ("https://arxiv.org/abs/hep-th/9901001", &["https://arxiv.org/pdf/hep-th/9901001v3.pdf"]),
            (
                "https://doi.org/10.1000/xyz(1)",
                &[
                    "http://dx.doi.org/10.1000/XYZ(1)",
                    "https://www.doi.org/10.1000%2Fxyz(1)",
                    "https://doi.org/10.1000/xyz(1)/",
                ],
            ),
        ] {
            for address in addresses {
                assert_eq!(of(address), page, "{address}");
            }
        }
    }

    #[test]
    fn other_pages_keep_apart() {
        for (one, other) in [
            ("https://example.org/a", "https://example.org/A"),
            ("https://example.org/a", "https://example.org/a?page=2"),
            ("https://example.org/?a=1&a=2", "https://example.org/?a=2&a=1"),
            ("https://a.example.org/", "https://example.org/"),
            ("https://example.org/", "https://example.org:8443/"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/"),
            ("https://example.org/app#!/one", "https://example.org/app#!/two"),
            ("https://example.org/a%2Fb", "https://example.org/a/b"),
            ("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03763"),
            ("https://arxiv.org/list/cs/new", "https://arxiv.org/abs/cs/new"),
            ("https://doi.org/", "https://doi.org/10.1000/1"),
            ("https://www.org/", "https://org/"),
        ] {
            assert_ne!(of(one), of(other), "{one} {other}");
        }
    }

    /// Every address made of these parts, 4,608 of them.
    fn addresses() -> impl Iterator<Item = String> {
        fn product(heads: Vec<String>, tails: &[&str]) -> Vec<String> {
            heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
        }
        let schemes: Vec<String> = vec!["http://".to_owned(), "https://".to_owned()];
        const HOSTS: [&str; 8] = [
            "www.example.org",
            "www.www.x.org",
            "en.m.wikipedia.org",
            "arxiv.org",
            "dx.doi.org",
            "[::1]",
            "münchen.de",
            "h.",
        ];
        const PORTS: [&str; 4] = ["", ":80", ":443", ":8080"];
        const PATHS: [&str; 12] = [
            "",
            "/",
            "//",
            "/a//",
            "/%7eb/%2f%",
            "/pdf/1706.03762v2.pdf",
            "/abs/1706.03762v2v3",
            "/10.1000/A%2FB/",
            "/10.48550/arXiv.1v1v2",
            "/%25%34%31",
            "/é",
            "/abs/v1",
        ];
        const QUERIES: [&str; 3] = ["", "?b=%7e&a=1&utm_x=1", "?&&utm_source=%"];
        const FRAGMENTS: [&str; 2] = ["#x", "#!x"];
        let all: Vec<String> = [&HOSTS[..], &PORTS, &PATHS, &QUERIES, &FRAGMENTS].into_iter().fold(schemes, product);
        all.into_iter()
    }

    #[test]
    fn the_identity_of_an_identity_is_itself() {
        let mut seen = 0;
        for address in addresses() {
            let once = of(&address);
            assert_eq!(of(&once), once, "{address}");
            seen += 1;
        }
        assert_eq!(seen, 4_608);
    }
}
