//! The version of a page that was read, for conditional requests that the server may answer with "unchanged".

use reqwest::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use serde::{Deserialize, Serialize};

/// Longest validator that is kept, in bytes: some servers put session data into it.
const MAX_VALIDATOR_BYTES: usize = 256;

/// The validators of a page version. Source: RFC 9110, sections 8.8 and 13.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageVersion {
    /// The URL of the page after all redirects; the validators are valid only for it.
    pub url: String,
    /// `ETag`, as received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl PageVersion {
    /// Reads the version from the response `headers` of `url`; `None` if there are no validators.
    pub(super) fn from_headers(url: &str, headers: &HeaderMap) -> Option<Self> {
        let value = |name: HeaderName| {
            let text = headers.get(name)?.to_str().ok()?.trim();
            (1..=MAX_VALIDATOR_BYTES).contains(&text.len()).then(|| text.to_owned())
        };
        let (etag, last_modified) = (value(ETAG), value(LAST_MODIFIED));
        (etag.is_some() || last_modified.is_some()).then(|| Self { url: url.to_owned(), etag, last_modified })
    }

    /// Builds the headers of a conditional request for `url`; empty if the version is of another URL.
    pub(super) fn conditions(&self, url: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut add = |name: HeaderName, value: &Option<String>| {
            if let Some(value) = value.as_deref().and_then(|v| HeaderValue::from_str(v).ok()) {
                headers.insert(name, value);
            }
        };
        if self.url == url {
            add(IF_NONE_MATCH, &self.etag);
            add(IF_MODIFIED_SINCE, &self.last_modified);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(HeaderName, &str)]) -> HeaderMap {
        headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a value"))).collect()
    }

    #[test]
    fn a_version_is_asked_about_where_it_was_found_and_nowhere_else() {
        let headers = answer(&[(ETAG, "W/\"x\""), (LAST_MODIFIED, "Sun, 06 Nov 1994 08:49:37 GMT")]);
        let version = PageVersion::from_headers("https://a.org/", &headers).expect("a version");
        let asked = version.conditions("https://a.org/");
        assert_eq!(asked.get(IF_NONE_MATCH).map(HeaderValue::as_bytes), Some(&b"W/\"x\""[..]));
        assert_eq!(asked.get(IF_MODIFIED_SINCE), headers.get(LAST_MODIFIED));
        assert!(version.conditions("https://b.org/").is_empty());
    }

    #[test]
    fn an_answer_without_a_name_for_its_version_has_none() {
        assert_eq!(PageVersion::from_headers("https://a.org/", &answer(&[])), None);
        for (bytes, kept) in [(255, true), (256, true), (257, false)] {
            let headers = answer(&[(ETAG, &"x".repeat(bytes))]);
            assert_eq!(PageVersion::from_headers("https://a.org/", &headers).is_some(), kept, "{bytes}");
        }
    }
}
