//! Addresses in canonical text. Offsets count Unicode scalar values from 0, end exclusive, like a Python slice.
//!
//! ```
//! use precis_proto::CharRange;
//!
//! let sentence = CharRange::new(4, 20);
//! assert_eq!(sentence.len(), 16);
//! assert!(sentence.contains(&CharRange::new(4, 20)) && !sentence.contains(&CharRange::new(3, 5)));
//! ```

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A half-open range of characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CharRange {
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

impl CharRange {
    /// Creates the range from `start` up to, but not including, `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the number of characters; 0 if the range is reversed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the range contains no character.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether `other` is completely inside this range.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// The position of a quote: `char:{start}-{end}` in the whole text, or `page:{n}:char:{start}-{end}` within a page (from 1).
///
/// ```
/// use precis_proto::{CharRange, Locator};
///
/// let locator: Locator = "page:2:char:10-15".parse()?;
/// assert_eq!((locator.page, locator.range), (Some(2), CharRange::new(10, 15)));
/// assert_eq!(locator.to_string(), "page:2:char:10-15");
/// assert!("char:15-10".parse::<Locator>().is_err());
/// # Ok::<(), precis_proto::locator::LocatorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator {
    /// Page number from 1; absent if the text has no pages.
    pub page: Option<u32>,
    /// Characters of the page, or of the text if it has no pages.
    pub range: CharRange,
}

/// Why a text is not a locator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a locator: expected char:START-END or page:N:char:START-END")]
pub struct LocatorError(String);

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(page) = self.page {
            write!(f, "page:{page}:")?;
        }
        write!(f, "char:{}-{}", self.range.start, self.range.end)
    }
}

impl FromStr for Locator {
    type Err = LocatorError;

    /// Parses exactly the format that [`fmt::Display`] writes: plain decimal digits, no sign, no leading zero, no space, start before end.
    fn from_str(text: &str) -> Result<Self, LocatorError> {
        let fail = || LocatorError(text.chars().take(80).collect());
        let (page, rest) = match text.strip_prefix("page:") {
            Some(rest) => {
                let (page, rest) = rest.split_once(':').ok_or_else(fail)?;
                let page = u32::try_from(number(page).ok_or_else(fail)?).map_err(|_| fail())?;
                if page == 0 {
                    return Err(fail());
                }
                (Some(page), rest)
            }
            None => (None, text),
        };
        let (start, end) = rest.strip_prefix("char:").and_then(|r| r.split_once('-')).ok_or_else(fail)?;
        let range = CharRange::new(number(start).ok_or_else(fail)?, number(end).ok_or_else(fail)?);
        if range.start >= range.end {
            return Err(fail());
        }
        Ok(Self { page, range })
    }
}

fn number(text: &str) -> Option<usize> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

impl Serialize for Locator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Locator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Locator {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Locator".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(page:[1-9][0-9]*:)?char:(0|[1-9][0-9]*)-[1-9][0-9]*$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_reads_back_what_it_wrote() {
        for text in ["char:0-1", "char:1500-1800", "page:3:char:200-450"] {
            assert_eq!(text.parse::<Locator>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn anything_but_the_two_forms_is_refused() {
        for text in [
            "",
            "char:",
            "char:1",
            "char:1-1",
            "char:2-1",
            "char:-1-2",
            "char:+1-2",
            "char:01-2",
            "char: 1-2",
            "page:0:char:1-2",
            "page:1:1-2",
            "page::char:1-2",
            "page:1:char:1-2 ",
            "char:1-99999999999999999999999",
            "page:4294967296:char:0-1",
            "CHAR:0-1",
            "char:٠-١",
        ] {
            assert!(text.parse::<Locator>().is_err(), "{text}");
        }
    }
}
