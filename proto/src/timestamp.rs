//! Timestamps on the wire: UTC, milliseconds, RFC 3339.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time in milliseconds since the Unix epoch, written as `2026-01-31T12:00:00.000Z`.
///
/// ```
/// use precis_proto::Timestamp;
///
/// let day = Timestamp::start_of("2026-01").expect("a month");
/// assert_eq!(day.to_string(), "2026-01-01T00:00:00.000Z");
/// assert_eq!(day.plus_ms(86_400_000).day(), "2026-01-02");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns the timestamp `ms` milliseconds later, or earlier if `ms` is negative; saturates.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Returns the start of a day, month or year given as `2019-03-01`, `2019-03` or `2019`; `None` for anything else.
    #[must_use]
    pub fn start_of(day: &str) -> Option<Self> {
        let whole = match day.len() {
            4 => format!("{day}-01-01"),
            7 => format!("{day}-01"),
            10 => day.to_owned(),
            _ => return None,
        };
        let at: jiff::Timestamp = format!("{whole}T00:00:00Z").parse().ok()?;
        Some(Self(at.as_millisecond()))
    }

    /// Returns its day in UTC, as `2019-03-01`, the format that [`Timestamp::start_of`] accepts.
    #[must_use]
    pub fn day(self) -> String {
        self.to_string().split('T').next().unwrap_or_default().to_owned()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => f.write_str("9999-12-30T22:00:00.000Z"),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let at: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(at.as_millisecond()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_a_month_and_a_year_start_at_midnight() {
        for (day, at) in [
            ("2019-03-02", Some("2019-03-02T00:00:00.000Z")),
            ("2019-03", Some("2019-03-01T00:00:00.000Z")),
            ("2019", Some("2019-01-01T00:00:00.000Z")),
            ("2019-13", None),
            ("2019-02-30", None),
            ("abcd", None),
            ("", None),
            ("2019-03-02T10:00:00Z", None),
        ] {
            assert_eq!(Timestamp::start_of(day).map(|at| at.to_string()).as_deref(), at, "{day}");
            assert_eq!(Timestamp::start_of(day).map(Timestamp::day).as_deref(), at.map(|at| &at[..10]), "{day}");
        }
    }

    #[test]
    fn a_timestamp_reads_back_what_it_wrote() {
        for ms in [0, 1, 999, 1_700_000_000_123] {
            let text = serde_json::to_string(&Timestamp(ms)).expect("serialises");
            assert!(text.ends_with("Z\""), "{text}");
            assert_eq!(serde_json::from_str::<Timestamp>(&text).expect("reads"), Timestamp(ms));
        }
        assert_eq!(Timestamp(1_700_000_000_120).to_string(), "2023-11-14T22:13:20.120Z");
    }
}
