//! `Prefer: wait=N` (RFC 7240): how long a caller likes to wait.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName};

use crate::limits::MAX_WAIT_SECONDS;

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// Returns how long the caller likes to wait, at most [`MAX_WAIT_SECONDS`]. A preference that cannot be read is none: it is not an error.
pub(super) fn wait(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(',')).map(str::trim);
    let seconds = preferences.find_map(|preference| {
        let (name, value) = preference.split(';').next().unwrap_or_default().split_once('=')?;
        let is_wait = name.trim().eq_ignore_ascii_case("wait");
        value.trim().trim_matches('"').parse::<u64>().ok().filter(|_| is_wait)
    });
    seconds.filter(|seconds| *seconds > 0).map(|seconds| Duration::from_secs(seconds.min(MAX_WAIT_SECONDS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_up_to_its_limit() {
        for (given, seconds) in [
            ("wait=1", Some(1)),
            ("wait=59", Some(59)),
            ("wait=60", Some(60)),
            ("wait=61", Some(60)),
            ("wait=99999999999", Some(60)),
            ("respond-async, Wait=5", Some(5)),
            ("wait=\"5\"; x=y", Some(5)),
            ("wait=0", None),
            ("wait=-1", None),
            ("wait", None),
            ("waiting=5", None),
        ] {
            let headers = [(PREFER, given.parse().expect("a value"))].into_iter().collect();
            assert_eq!(wait(&headers).map(|time| time.as_secs()), seconds, "{given}");
        }
        assert_eq!(wait(&HeaderMap::new()), None);
    }
}
