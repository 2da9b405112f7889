//! Deserializes texts and sequences from other programs with bounded memory.
//!
//! A value over its limit is cut to one more than the limit while it is read: memory stays bounded, and the later validation still finds
//! it too long and can report where. A cut value therefore never passes validation.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::source::CONTENT_PROOF_CHARS;

/// Reads a string and keeps at most `limit + 1` bytes, rounded up to a whole character.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D, limit: usize) -> Result<String, D::Error> {
    deserializer.deserialize_str(TextVisitor { limit })
}

/// Reads a string like [`text`], or `null`.
pub(crate) fn optional_text<'de, D: Deserializer<'de>>(
    deserializer: D,
    limit: usize,
) -> Result<Option<String>, D::Error> {
    deserializer.deserialize_option(OptionalText { limit })
}

/// Reads an optional content proof, see [`CONTENT_PROOF_CHARS`].
pub(crate) fn content_proof<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    optional_text(deserializer, CONTENT_PROOF_CHARS)
}

/// Reads a sequence and keeps at most `limit + 1` elements.
pub(crate) fn sequence<'de, D, T>(deserializer: D, limit: usize) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(Sequence { limit, element: PhantomData })
}

struct TextVisitor {
    limit: usize,
}

impl Visitor<'_> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        // At least one byte more than the limit is kept, if there is one: otherwise a cut text would pass validation.
        Ok(text[..text.ceil_char_boundary(self.limit + 1)].to_owned())
    }
}

struct OptionalText {
    limit: usize,
}

impl<'de> Visitor<'de> for OptionalText {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or null")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        text(deserializer, self.limit).map(Some)
    }
}

struct Sequence<T> {
    limit: usize,
    element: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Sequence<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut kept = Vec::new();
        while kept.len() <= self.limit {
            match elements.next_element()? {
                Some(element) => kept.push(element),
                None => return Ok(kept),
            }
        }
        // The rest has to be parsed to reach the end of the JSON, but is not kept.
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(json: &str, limit: usize) -> String {
        text(&mut serde_json::Deserializer::from_str(json), limit).expect("a string")
    }

    #[test]
    fn a_text_is_kept_to_its_limit_and_cut_beyond() {
        for (chars, kept) in [(3, 3), (4, 4), (5, 5), (6, 5), (1_000_000, 5)] {
            assert_eq!(read_text(&format!("\"{}\"", "x".repeat(chars)), 4).len(), kept, "{chars}");
        }
        // Never within a character, and never shorter than the limit.
        assert_eq!(read_text("\"aaaéé\"", 4), "aaaé");
        assert_eq!(read_text("\"aaa\\u00e9\\u00e9\"", 3), "aaaé");
    }

    #[test]
    fn an_optional_text_may_be_null() {
        let read = |json: &str| optional_text(&mut serde_json::Deserializer::from_str(json), 2).expect("reads");
        assert_eq!((read("null"), read("\"ab\""), read("\"abcd\"")), (None, Some("ab".into()), Some("abc".into())));
    }

    #[test]
    fn a_sequence_is_kept_to_its_limit_and_cut_beyond() {
        for (elements, kept) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (100_000, 3)] {
            let json = serde_json::to_string(&vec![7_u8; elements]).expect("numbers");
            let read: Vec<u8> = sequence(&mut serde_json::Deserializer::from_str(&json), 2).expect("numbers");
            assert_eq!(read.len(), kept, "{elements}");
        }
        let broken = sequence::<_, u8>(&mut serde_json::Deserializer::from_str("[1,2,3,4,"), 2);
        assert!(broken.is_err(), "what is not kept must still be JSON");
    }
}
