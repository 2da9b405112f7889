//! Reads the wait that a response asks for, from all header variants.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::HeaderMap;

/// Header names, most trusted first; LiteLLM prefixes the headers of its upstream with `llm_provider-`.
const MILLISECONDS: [&str; 2] = ["retry-after-ms", "llm_provider-retry-after-ms"];
const SECONDS_OR_DATE: [&str; 2] = ["retry-after", "llm_provider-retry-after"];
/// Longer waits are cut to this, so that no clock arithmetic can overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Returns the wait that `headers` ask for at `now`; `None` if there is none or it is invalid. A date in the past gives zero.
pub(crate) fn read(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let millis = MILLISECONDS.iter().find_map(|n| text(n)?.parse::<f64>().ok()).map(|ms| ms / 1_000.0);
    let seconds = millis.or_else(|| SECONDS_OR_DATE.iter().find_map(|n| seconds(text(n)?, now)))?;
    if !seconds.is_finite() || seconds < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
}

fn seconds(text: &str, now: Timestamp) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds);
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(date.duration_since(now).as_secs_f64().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    #[test]
    fn every_spelling_of_a_wait_is_read() {
        let now: Timestamp = "2015-10-21T07:28:00Z".parse().expect("a time");
        let seconds = Duration::from_secs_f64;
        for (name, value, wait) in [
            ("retry-after", "7", Some(seconds(7.0))),
            ("retry-after", " 0.5 ", Some(seconds(0.5))),
            ("llm_provider-retry-after", "7", Some(seconds(7.0))),
            ("retry-after-ms", "250", Some(seconds(0.25))),
            ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT", Some(seconds(30.0))),
            ("llm_provider-retry-after", "Wed, 21 Oct 2015 07:28:30 GMT", Some(seconds(30.0))),
            ("retry-after", "Wed, 21 Oct 2015 07:27:30 GMT", Some(seconds(0.0))),
            ("retry-after", "0", Some(seconds(0.0))),
            ("retry-after", "86399", Some(seconds(86_399.0))),
            ("retry-after", "86400", Some(LONGEST)),
            ("retry-after", "86401", Some(LONGEST)),
            ("retry-after", "1e300", Some(LONGEST)),
            ("retry-after", "", None),
            ("retry-after", "-1", None),
            ("retry-after", "NaN", None),
            ("retry-after", "soon", None),
            ("x-other", "7", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            assert_eq!(read(&headers, now), wait, "{name}: {value}");
        }
    }
}
