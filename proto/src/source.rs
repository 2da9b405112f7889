//! Sources: what was given, what it became, and how much of it is still carried.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::DigestPayload;
use crate::fidelity::FidelityLevel;
use crate::ids::sha256_hex;
use crate::label::Public;
use crate::{SourceId, Timestamp};

/// Digits of the proof of a `content_ref`: a tag of HMAC-SHA256.
pub const CONTENT_PROOF_CHARS: usize = 64;

/// Name of some bytes in the content store: `sha256:` and 64 hexadecimal digits of their hash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentRef(String);

/// Why a text is not a content reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a content reference is `sha256:` and 64 lower-case hexadecimal digits")]
pub struct ContentRefError;

impl ContentRef {
    /// The name of `bytes`.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(sha256_hex(bytes))
    }

    /// The 64 digits without the prefix.
    #[must_use]
    pub fn hex(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl FromStr for ContentRef {
    type Err = ContentRefError;

    fn from_str(text: &str) -> Result<Self, ContentRefError> {
        let hex = text.strip_prefix("sha256:").ok_or(ContentRefError)?;
        let plain = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if plain { Ok(Self(hex.to_owned())) } else { Err(ContentRefError) }
    }
}

impl Serialize for ContentRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ContentRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ContentRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" })
    }
}

/// How much a source is trusted before anything is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Not to be digested by the `auto` policy.
    Low,
    /// The default.
    #[default]
    Medium,
    /// Reviewed, official or primary.
    High,
}

/// Where the bytes of a source come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From the content store.
    Content(ContentRef),
    /// From a page, through the guarded client.
    Url(String),
}

impl Origin {
    /// Border: the address of a page to fetch. A source has one where its user gave it or a search of the web found it, and never because
    /// it stands in a text.
    ///
    /// # Errors
    /// The content, where its bytes are there already.
    pub fn address(&self) -> Result<Public<&str>, &ContentRef> {
        match self {
            Self::Url(address) => Ok(Public::of_user(address)),
            Self::Content(content) => Err(content),
        }
    }
}

/// A document of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Unique in the session.
    pub source_id: SourceId,
    /// For readers; the document's own title replaces an empty one.
    pub title: String,
    /// Where a reader finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where its bytes come from.
    pub origin: Origin,
    /// MIME type: a hint until extraction, then what the content is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Trust before reading.
    #[serde(default)]
    pub quality: Quality,
    /// When it was published, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// Never dropped.
    #[serde(default)]
    pub protected: bool,
    /// How much it has to do with the question, 0 to 1; left out until it was ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// Its canonical text, once extracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<SourceText>,
    /// What is carried instead of the whole text, once reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionRef>,
    /// Why there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SourceFailure>,
    /// What was known of its text before it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Its path in the folder that was searched; absent where it was given, or is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The searches that found it; empty where it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
}

impl Source {
    /// The name of the bytes it was given as, where those were given: a page is fetched, and its bytes are kept by nobody.
    #[must_use]
    pub fn original(&self) -> Option<&ContentRef> {
        match &self.origin {
            Origin::Content(content) => Some(content),
            Origin::Url(_) => None,
        }
    }
}

/// The canonical text of a source, by reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceText {
    /// The UTF-8 bytes; also `source_text_hash` and the archive's file name.
    pub content: ContentRef,
    /// Unicode scalar values.
    pub chars: u64,
    /// Tokens by the session's counter.
    pub tokens: u64,
    /// Pages; 0 where the text has none.
    pub pages: u32,
    /// Its [`Block`](crate::Block)s, a JSON array in the content store; absent where the structure is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<ContentRef>,
}

/// A [`Reduction`] in the content store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReductionRef {
    /// JSON bytes of the [`Reduction`].
    pub content: ContentRef,
    /// Level reached.
    pub level: FidelityLevel,
    /// Tokens carried on.
    pub tokens: u64,
}

/// What a source was reduced to: prose for models, verbatim passages for citations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reduction {
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub key_points: Vec<String>,
    /// Verbatim pieces, best first.
    pub passages: Vec<crate::finding::Passage>,
    /// For each key point, the places in `passages` of those it stands on, counted from 0; empty where none carries it, and
    /// where an older worker wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub point_passages: Vec<Vec<usize>>,
    /// The digest that it was made of, which is the content of its source from then on; absent where it is no digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestPayload>,
}

/// Why a source has no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFailure {
    /// Stable code.
    pub code: String,
    /// For people.
    pub message: String,
    /// The source that holds the same text, where the code is [`DUPLICATE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<SourceId>,
}

/// Code of a source whose bytes or text another one carries.
pub const DUPLICATE: &str = "duplicate";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lower_case_sha256_is_a_content_reference() {
        let good = ContentRef::from_bytes(b"").to_string();
        assert_eq!(good, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert!(good.parse::<ContentRef>().is_ok());
        for bad in ["", "sha256:", &good.to_uppercase(), &good[..70], "sha256:../../etc/passwd"] {
            assert!(bad.parse::<ContentRef>().is_err(), "{bad}");
        }
    }
}
