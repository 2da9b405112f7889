//! How often something is done: an interval as people write it, `10s`, `5m`, `2h` or `1d`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Longest interval: a year.
pub const MAX_EVERY: Duration = Duration::from_secs(366 * DAY);
/// Shortest interval.
pub const MIN_EVERY: Duration = Duration::from_secs(1);
const DAY: u64 = 24 * 3_600;
/// The units, the longest first.
const UNITS: [(&str, u64); 4] = [("d", DAY), ("h", 3_600), ("m", 60), ("s", 1)];

/// An interval of whole seconds between [`MIN_EVERY`] and [`MAX_EVERY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every(u64);

impl Every {
    /// Returns the interval.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::from_secs(self.0)
    }
}

impl TryFrom<u64> for Every {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Self, String> {
        if (MIN_EVERY.as_secs()..=MAX_EVERY.as_secs()).contains(&seconds) {
            return Ok(Self(seconds));
        }
        Err(format!("expected an interval from 1s to 366d, got {seconds} seconds"))
    }
}

impl From<Every> for u64 {
    fn from(every: Every) -> Self {
        every.0
    }
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected a number with a unit, such as 10s, 5m, 2h or 1d, got `{text}`");
        let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit)).ok_or_else(expected)?;
        let number: u32 = text.strip_suffix(unit).unwrap_or_default().parse().map_err(|_| expected())?;
        Self::try_from(u64::from(number) * seconds)
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divides = |(_, seconds): &(&str, u64)| self.0.is_multiple_of(*seconds);
        let (unit, seconds) = UNITS.into_iter().find(divides).unwrap_or(("s", 1));
        write!(f, "{}{unit}", self.0 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_number_with_a_unit() {
        for (text, seconds) in [("10s", 10), ("5m", 300), ("2h", 7_200), ("1d", DAY), ("90s", 90)] {
            assert_eq!(text.parse::<Every>().map(u64::from), Ok(seconds));
            assert_eq!(text.parse::<Every>().expect("an interval").to_string(), text);
        }
        for wrong in ["", "5", "m", "-5m", "1.5h", "5 m", "5w", "99999999999d"] {
            assert!(wrong.parse::<Every>().expect_err(wrong).contains("such as 10s"), "{wrong}");
        }
    }

    #[test]
    fn an_interval_lies_between_a_second_and_a_year() {
        let most = MAX_EVERY.as_secs();
        for (seconds, fits) in [(0, false), (1, true), (2, true), (most - 1, true), (most, true), (most + 1, false)] {
            assert_eq!(Every::try_from(seconds).is_ok(), fits, "{seconds}");
        }
        assert!("367d".parse::<Every>().expect_err("too long").contains("366d"));
    }
}
