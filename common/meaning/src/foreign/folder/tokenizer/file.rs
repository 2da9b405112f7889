//! What a `tokenizer.json` has.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::foreign::folder::error::FolderError;
use crate::limits::MAX_VOCABULARY;
use crate::tokens::Pieces;

pub(super) const FILE: &str = "tokenizer.json";

/// The file. How texts are shortened and filled up is not read: both are done in our own way.
#[derive(Deserialize)]
pub(super) struct TokenizerFile {
    #[serde(default)]
    pub(super) added_tokens: Vec<AddedToken>,
    #[serde(default)]
    pub(super) normalizer: Value,
    #[serde(default)]
    pub(super) pre_tokenizer: Value,
    #[serde(default)]
    pub(super) post_processor: Value,
    pub(super) model: ModelOfFile,
}

/// A token that is found in a text before anything else. Ours are never found in one: a text cannot name them.
#[derive(Deserialize)]
pub(super) struct AddedToken {
    pub(super) id: u32,
    pub(super) content: String,
    #[serde(default)]
    pub(super) special: bool,
}

#[derive(Deserialize)]
pub(super) struct ModelOfFile {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(rename = "vocab")]
    pub(super) vocabulary: Vocabulary,
    pub(super) unk_id: Option<u32>,
    pub(super) unk_token: Option<String>,
    #[serde(default)]
    pub(super) byte_fallback: bool,
    pub(super) continuing_subword_prefix: Option<String>,
    pub(super) max_input_chars_per_word: Option<u32>,
    pub(super) merges: Option<IgnoredAny>,
}

/// The pieces of a model.
pub(super) enum Vocabulary {
    /// Each with its score, in the order of their numbers.
    Scored(Vec<(String, f64)>),
    /// Each with its number.
    Numbered(Vec<(String, u32)>),
}

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vocabulary;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a vocabulary of at most {MAX_VOCABULARY} pieces")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vocabulary, A::Error> {
        let mut pieces = Vec::new();
        while let Some(piece) = from.next_element()? {
            pieces.push(piece);
            check_count(pieces.len())?;
        }
        Ok(Vocabulary::Scored(pieces))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Vocabulary, A::Error> {
        let mut pieces = Vec::new();
        while let Some(piece) = from.next_entry()? {
            pieces.push(piece);
            check_count(pieces.len())?;
        }
        Ok(Vocabulary::Numbered(pieces))
    }
}

fn check_count<E: Error>(count: usize) -> Result<(), E> {
    if count > MAX_VOCABULARY { Err(E::custom(format!("more than {MAX_VOCABULARY} pieces"))) } else { Ok(()) }
}

impl TokenizerFile {
    /// The pieces in the order of their numbers. Those of added tokens are empty: no text has them.
    pub(super) fn pieces(&self, mut named: Vec<&str>) -> Result<Pieces, FolderError> {
        for token in &self.added_tokens {
            let at = token.id as usize;
            if at >= MAX_VOCABULARY {
                return Err(FolderError::invalid(FILE, format!("the token \"{}\" is number {at}", token.content)));
            }
            if at >= named.len() {
                named.resize(at + 1, "");
            }
            named[at] = "";
        }
        let (mut ends, mut bytes) = (Vec::with_capacity(named.len()), Vec::new());
        for piece in named {
            bytes.extend_from_slice(piece.as_bytes());
            ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        }
        Pieces::new(ends, bytes).ok_or_else(|| FolderError::invalid(FILE, "a piece of its vocabulary is too long"))
    }
}
