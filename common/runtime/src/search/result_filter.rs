//! Turns a provider's results into hits: drops and counts those that are not web pages, not wanted or repeated. No I/O.

use std::collections::BTreeSet;

use jiff::civil::Date;
use url::Url;

use super::answer::{DroppedResults, WebHit};
use super::call::lies_in;
use super::canonical::identity;
use super::kind::SearchKind;
use super::plain_text::{MAX_SNIPPET_CHARS, MAX_TEXT_CHARS, MAX_TITLE_CHARS, is_invisible, plain};
use super::provider_request::ProviderQuery;
use super::result_page::RawHit;
use crate::fetch::MAX_URL_BYTES;

/// Returns the hits of a search, at most `wanted`, and the counts of results left out.
pub(super) fn choose(
    kind: SearchKind,
    base: &Url,
    asked: &ProviderQuery<'_>,
    wanted: usize,
    raw: Vec<RawHit>,
) -> (Vec<WebHit>, DroppedResults) {
    let (mut hits, mut dropped, mut seen) = (Vec::new(), DroppedResults::default(), BTreeSet::new());
    for hit in raw {
        if hits.len() == wanted {
            dropped.beyond += 1;
            continue;
        }
        let given = hit.url.trim();
        // URL parsers drop line breaks, and direction marks are invisible: a reader would see a different address than is fetched.
        let is_plain = given.len() <= MAX_URL_BYTES && !given.chars().any(|c| c.is_control() || is_invisible(c));
        let parsed = Url::parse(given).ok().filter(|_| is_plain);
        let Some(url) = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) else {
            dropped.not_web += 1;
            continue;
        };
        let published = hit.published.as_deref().and_then(day);
        let identity = identity(&url);
        let counter = if names_a_user(given, &url) {
            &mut dropped.credentials
        } else if kind.may_list_itself() && is_own(&url, base) {
            &mut dropped.own_instance
        } else if !is_allowed(&url, asked) {
            &mut dropped.other_domain
        } else if published.as_deref().is_some_and(|day| is_older(day, asked.since)) {
            &mut dropped.too_old
        } else if !seen.insert(identity.clone()) {
            &mut dropped.repeated
        } else {
            let title = plain(&hit.title, MAX_TITLE_CHARS);
            hits.push(WebHit {
                url: given.to_owned(),
                identity,
                title: if title.is_empty() { given.to_owned() } else { title },
                snippet: plain(&hit.snippet, MAX_SNIPPET_CHARS),
                rank: u32::try_from(hits.len() + 1).unwrap_or(u32::MAX),
                published,
                text: hit.text.map(|text| plain(&text, MAX_TEXT_CHARS)).filter(|text| !text.is_empty()),
            });
            continue;
        };
        *counter += 1;
    }
    (hits, dropped)
}

/// Whether a URL has a user part, even an empty one: a reader may take the text before the `@` for the host.
fn names_a_user(given: &str, url: &Url) -> bool {
    let behind_scheme = given.split_once(':').map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let authority = behind_scheme.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    !url.username().is_empty() || url.password().is_some() || authority.contains('@')
}

/// Paths of a metasearch engine's own pages. Only these are dropped: the same host may serve other pages that are worth finding.
const OWN_PAGES: [&str; 8] = ["", "search", "about", "info", "preferences", "stats", "opensearch.xml", "image_proxy"];

/// Whether `url` is a page of the engine at `base`: same host, same or usual port, and a typical path of a search engine.
fn is_own(url: &Url, base: &Url) -> bool {
    let is_there = url.host() == base.host() && (url.port().is_none() || url.port() == base.port());
    // An engine below a path may name its pages from the root.
    let below = url.path().strip_prefix(base.path().trim_end_matches('/')).unwrap_or(url.path());
    let first = below.trim_start_matches('/').split('/').next().unwrap_or_default();
    is_there && OWN_PAGES.contains(&first)
}

fn is_allowed(url: &Url, asked: &ProviderQuery<'_>) -> bool {
    let host = url.host_str().unwrap_or_default();
    (asked.allow_domains.is_empty() || lies_in(host, asked.allow_domains)) && !lies_in(host, asked.deny_domains)
}

/// Whether all of `day`, which may be a year or a month, is before `since`.
fn is_older(day: &str, since: Option<Date>) -> bool {
    // ISO dates sort as text; a year or month is compared with the same part of `since`.
    since.is_some_and(|since| day < &since.to_string()[..day.len()])
}

/// Returns the date in `text`: the beginning of an ISO 8601 date, or an RFC 2822 date; `None` if it is neither.
fn day(text: &str) -> Option<String> {
    let text = text.trim();
    let iso = [10, 7, 4].into_iter().filter_map(|length| text.get(..length)).find(|part| is_day(part));
    if let Some(iso) = iso {
        return Some(iso.to_owned());
    }
    let mail = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text).ok()?;
    Some(mail.date().to_string())
}

/// Whether `part` is a valid `2019`, `2019-03` or `2019-03-01`.
fn is_day(part: &str) -> bool {
    let digits =
        part.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    digits && format!("{part}{}", &"0000-01-01"[part.len()..]).parse::<Date>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{base, provider_query};
    use super::*;

    fn raw(url: &str) -> RawHit {
        RawHit { url: url.to_owned(), title: "Title".to_owned(), ..RawHit::default() }
    }

    fn chosen(asked: &ProviderQuery<'_>, wanted: usize, raw: Vec<RawHit>) -> (Vec<String>, DroppedResults) {
        let (hits, dropped) =
            choose(SearchKind::Searxng, &base("http://search.example.net:8888/x"), asked, wanted, raw);
        assert!(hits.iter().zip(1..).all(|(hit, rank)| hit.rank == rank));
        (hits.into_iter().map(|hit| hit.url).collect(), dropped)
    }

    #[test]
    fn what_is_no_page_of_the_web_is_left_out_and_counted() {
        let urls = [
            "https://example.org/a",
            "",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "https://",
            "not an address",
            "htt\r\nps://example.org/b",
            "https://example.org/\u{202e}gpj.b",
            "https://user@example.org/",
            "https://:secret@example.org/",
            "https:/@example.org/b?q=1#x",
            "http://search.example.net:8888/preferences",
            "http://search.example.net/about",
            "http://search.example.net:1/other",
            "http://example.org/a#again",
            "http://127.0.0.1:9/left to the guard of fetching",
            "https://example.org/@somebody",
        ];
        let (hits, dropped) = chosen(&provider_query("x"), 20, urls.map(raw).into());
        let left = [
            "https://example.org/a",
            "http://search.example.net:1/other",
            "http://127.0.0.1:9/left to the guard of fetching",
            "https://example.org/@somebody",
        ];
        assert_eq!(hits, left);
        let expected =
            DroppedResults { not_web: 8, credentials: 3, own_instance: 2, repeated: 1, ..DroppedResults::default() };
        assert_eq!((dropped, dropped.total() as usize + hits.len()), (expected, urls.len()));
    }

    #[test]
    fn an_address_is_too_long_beyond_its_limit() {
        let long = |bytes: usize| raw(&format!("https://e.org/{}", "a".repeat(bytes - 14)));
        for (bytes, kept) in [(MAX_URL_BYTES - 1, 1), (MAX_URL_BYTES, 1), (MAX_URL_BYTES + 1, 0)] {
            let (hits, dropped) = chosen(&provider_query("x"), 20, vec![long(bytes)]);
            assert_eq!((hits.len(), dropped.not_web as usize), (kept, 1 - kept), "{bytes}");
        }
    }

    #[test]
    fn no_more_come_back_than_were_asked_for_however_many_there_are() {
        let many = |n: usize| (0..n).map(|n| raw(&format!("https://example.org/{n}"))).collect::<Vec<_>>();
        for (given, hits, beyond) in [(0, 0, 0), (4, 4, 0), (5, 5, 0), (6, 5, 1), (10_000, 5, 9_995)] {
            let (found, dropped) = chosen(&provider_query("x"), 5, many(given));
            assert_eq!((found.len(), dropped.beyond), (hits, beyond));
        }
    }

    #[test]
    fn domains_and_days_are_seen_to_whatever_the_provider_does() {
        let (allow, deny) = (["example.org".to_owned()], ["bad.example.org".to_owned()]);
        let dated = |url: &str, day: &str| RawHit { published: Some(day.to_owned()), ..raw(url) };
        let asked = ProviderQuery {
            allow_domains: &allow,
            deny_domains: &deny,
            since: Some(jiff::civil::date(2024, 2, 29)),
            ..provider_query("x")
        };
        let given = vec![
            raw("https://www.example.org/1"),
            raw("https://bad.example.org/2"),
            raw("https://example.com/3"),
            dated("https://example.org/4", "2024-02-28T23:59:59Z"),
            dated("https://example.org/5", "2024-02-29"),
            dated("https://example.org/6", "2024"),
            dated("https://example.org/7", "2023"),
            dated("https://example.org/8", "2 days ago"),
        ];
        let (hits, dropped) = chosen(&asked, 20, given);
        let ends: Vec<&str> = hits.iter().map(|url| &url[url.len() - 1..]).collect();
        assert_eq!(ends, ["1", "5", "6", "8"]);
        assert_eq!((dropped.other_domain, dropped.too_old), (2, 2));
    }

    #[test]
    fn a_day_is_read_to_the_precision_given() {
        for (text, read) in [
            ("2019-03-01", Some("2019-03-01")),
            ("2019-03-01T12:00:00.000Z", Some("2019-03-01")),
            ("2019-03", Some("2019-03")),
            ("2019", Some("2019")),
            ("Tue, 04 Mar 2025 07:00:00 GMT", Some("2025-03-04")),
            ("2019-13-45", Some("2019")),
            ("2019-02-30", Some("2019-02")),
            ("May 1, 2024", None),
            ("2 days ago", None),
            ("größer", None),
            ("", None),
        ] {
            assert_eq!(day(text).as_deref(), read, "{text}");
        }
    }

    #[test]
    fn an_untitled_page_is_named_by_address_with_plain_texts() {
        let hit = RawHit {
            title: "<b> </b>".to_owned(),
            snippet: "a <em>b</em>".to_owned(),
            text: Some(" ".to_owned()),
            ..raw("https://example.org/a ")
        };
        let (hits, _) =
            choose(SearchKind::Brave, &base("https://api.search.brave.com"), &provider_query("x"), 1, vec![hit]);
        assert_eq!(
            (hits[0].title.as_str(), hits[0].snippet.as_str(), &hits[0].text),
            ("https://example.org/a", "a b", &None)
        );
    }

    #[test]
    fn what_is_searched_may_be_the_provider_itself() {
        let own = base("https://en.wikipedia.org");
        let (hits, _) = choose(
            SearchKind::Wikipedia,
            &own,
            &provider_query("x"),
            1,
            vec![raw("https://en.wikipedia.org/wiki/Dam")],
        );
        assert_eq!(hits.len(), 1);
    }
}
