//! A time as a person writes it. Pure.

use precis_proto::Timestamp;

const SECOND_MS: i64 = 1_000;

/// Reads a time: RFC 3339 (`2026-03-01T12:00:00Z`), the start by UTC of a day, month or year (`2026-03-01`, `2026-03`, `2026`), or so much
/// before `now` (`90s`, `30m`, `12h`, `7d`); `None` for anything else.
#[must_use]
pub fn moment(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Some(start) = Timestamp::start_of(text) {
        return Some(start);
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(time.as_millisecond()));
    }
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count = digits.parse::<i64>().ok().filter(|_| is_plain)?;
    Some(now.plus_ms(-count.checked_mul(seconds * SECOND_MS)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_absolute_or_before_now() {
        let now = Timestamp(1_764_288_000_000);
        let day = 86_400_000;
        for (text, expected) in [
            ("2025-11-28", Some(now.0)),
            ("2025-11-28T00:00:01Z", Some(now.0 + 1_000)),
            ("2025-11-28T02:00:00+02:00", Some(now.0)),
            ("0s", Some(now.0)),
            ("90s", Some(now.0 - 90_000)),
            ("30m", Some(now.0 - 1_800_000)),
            ("12h", Some(now.0 - day / 2)),
            ("7d", Some(now.0 - 7 * day)),
            ("", None),
            ("d", None),
            ("-7d", None),
            ("7w", None),
            ("7é", None),
            ("99999999999999999d", None),
            ("2025-13-01", None),
            ("yesterday", None),
        ] {
            assert_eq!(moment(text, now).map(|time| time.0), expected, "{text}");
        }
    }
}
