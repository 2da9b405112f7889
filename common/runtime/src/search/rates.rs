//! Reads rate limits from response headers. The values may have any form and are not trusted.

use std::time::Duration;

use reqwest::header::HeaderMap;

/// Longer pauses are cut to this, so that no clock arithmetic can overflow.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// A longer reset, in seconds, is a point in time rather than a wait: some providers send one instead of the other.
const LONGEST_WAIT_SECONDS: f64 = 40.0 * 86_400.0;

/// Returns the pause to keep after a response with `headers`; `now` is in seconds since 1970.
///
/// Two forms are in use. `x-ratelimit-remaining` and `x-ratelimit-reset` (seconds) give the time until more requests are allowed, as
/// lists if there are several windows (Brave): the longest wait of the exhausted windows counts. `x-rate-limit-limit` and
/// `x-rate-limit-interval` (Crossref) give the requests allowed per interval: the pause is the interval divided by them.
pub(super) fn pause(headers: &HeaderMap, now: f64) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let numbers = |name: &str| -> Vec<Option<f64>> {
        text(name).into_iter().flat_map(|text| text.split(',')).map(|part| part.trim().parse().ok()).collect()
    };
    let resets = numbers("x-ratelimit-reset");
    let used_up = numbers("x-ratelimit-remaining").into_iter().zip(resets);
    let waits = used_up.filter_map(|(left, reset)| match (left, reset) {
        (Some(left), Some(reset)) if left < 1.0 => Some(if reset > LONGEST_WAIT_SECONDS { reset - now } else { reset }),
        _ => None,
    });
    let interval = text("x-rate-limit-interval").and_then(|text| text.trim().trim_end_matches('s').parse::<f64>().ok());
    let limit = text("x-rate-limit-limit").and_then(|text| text.trim().parse::<f64>().ok());
    let share = interval.zip(limit).filter(|(_, limit)| *limit >= 1.0).map(|(interval, limit)| interval / limit);
    let seconds = waits.chain(share).filter(|wait| wait.is_finite() && *wait > 0.0).fold(0.0, f64::max);
    (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    #[test]
    fn every_form_of_a_rate_is_read_and_nonsense_is_rejected() {
        let now = 1_800_000_000.0;
        let seconds = |s: f64| Some(Duration::from_secs_f64(s));
        for (given, expected) in [
            (&[("x-ratelimit-remaining", "0, 1432"), ("x-ratelimit-reset", "1, 1419704")][..], seconds(1.0)),
            (&[("x-ratelimit-remaining", "0, 0"), ("x-ratelimit-reset", "1, 1419704")], Some(LONGEST)),
            (&[("x-ratelimit-remaining", "1, 14523"), ("x-ratelimit-reset", "1, 1419704")], None),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000030")], seconds(30.0)),
            (&[("x-ratelimit-remaining", "0.0004"), ("x-ratelimit-reset", "7")], seconds(7.0)),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000000")], None),
            (&[("x-ratelimit-remaining", "0")], None),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "-5")], None),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "NaN, inf, soon")], None),
            (&[("x-ratelimit-remaining", ",,,0"), ("x-ratelimit-reset", ",,,2")], seconds(2.0)),
            (&[("x-rate-limit-limit", "50"), ("x-rate-limit-interval", "1s")], seconds(0.02)),
            (
                &[("x-rate-limit-limit", "5"), ("x-rate-limit-interval", "1s"), ("x-concurrency-limit", "3")],
                seconds(0.2),
            ),
            (&[("x-rate-limit-limit", "0"), ("x-rate-limit-interval", "1s")], None),
            (&[("x-rate-limit-limit", "many"), ("x-rate-limit-interval", "a while")], None),
            (&[("x-rate-limit-limit", "1"), ("x-rate-limit-interval", "1e300s")], Some(LONGEST)),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(pause(&headers, now), expected, "{given:?}");
        }
        let mut headers = HeaderMap::new();
        headers.insert("x-ratelimit-reset", HeaderValue::from_bytes(b"\xff\xfe").expect("bytes"));
        headers.insert("x-ratelimit-remaining", HeaderValue::from_static("0"));
        assert_eq!(pause(&headers, now), None);
    }
}
