//! Sources: the documents of a session, their texts and reductions.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::DigestPayload;
use crate::fidelity::FidelityLevel;
use crate::ids::sha256_hex;
use crate::label::Public;
use crate::{SourceId, Timestamp};

/// Hexadecimal digits of the proof of a `content_ref`, an HMAC-SHA256 tag.
pub const CONTENT_PROOF_CHARS: usize = 64;

/// Reference to bytes in the content store: `sha256:` and the 64 hexadecimal digits of their hash.
///
/// ```
/// use precis_proto::source::ContentRef;
///
/// let reference = ContentRef::from_bytes(b"text");
/// assert_eq!(reference.to_string(), format!("sha256:{}", reference.hex()));
/// assert_eq!(reference.to_string().parse::<ContentRef>(), Ok(reference));
/// assert!("sha256:12".parse::<ContentRef>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentRef(String);

/// Why a text is not a content reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a content reference must be `sha256:` and 64 lower-case hexadecimal digits")]
pub struct ContentRefError;

impl ContentRef {
    /// Returns the reference to `bytes`.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(sha256_hex(bytes))
    }

    /// Returns the 64 digits without the prefix.
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

/// How much a source is trusted before it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Low; the `auto` policy does not digest it.
    Low,
    /// Medium, the default.
    #[default]
    Medium,
    /// High: reviewed, official or primary.
    High,
}

/// Where the bytes of a source come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The content store.
    Content(ContentRef),
    /// A page, fetched with the guarded client.
    Url(String),
}

impl Origin {
    /// Returns the address of a page to fetch, for disclosure to its server. A source has an address only because the user gave it or a web
    /// search found it, never because it occurs in a text.
    ///
    /// # Errors
    /// The content reference, if the bytes are already in the content store.
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
    /// Id, unique in the session.
    pub source_id: SourceId,
    /// Title shown to readers; an empty one is replaced by the title found in the document.
    pub title: String,
    /// Address at which readers find the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the bytes come from.
    pub origin: Origin,
    /// MIME type: a hint until extraction, afterwards the detected type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// How much the source is trusted before reading.
    #[serde(default)]
    pub quality: Quality,
    /// When the source was published, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// Whether the source is protected: it is not dropped as long as the budget allows.
    #[serde(default)]
    pub protected: bool,
    /// Relevance to the question, 0 to 1; left out until the source is ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// The canonical text, once extracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<SourceText>,
    /// The reduction used instead of the whole text, once reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionRef>,
    /// Why the source has no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SourceFailure>,
    /// Excerpt or abstract known before reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Path in the searched folder; absent if the source was given, or is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The searches that found the source; empty if it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
    /// SHA-256 of the model of meaning whose vectors of all its passages came with its corpus; absent if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors_by: Option<String>,
}

impl Source {
    /// Returns the reference to the original bytes; `None` for a page, whose bytes are not kept.
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
    /// Reference to the UTF-8 bytes; also `source_text_hash` and the file name in the archive.
    pub content: ContentRef,
    /// Number of Unicode scalar values.
    pub chars: u64,
    /// Number of tokens by the counter of the session.
    pub tokens: u64,
    /// Number of pages; 0 if the text has none.
    pub pages: u32,
    /// Reference to its [`Block`](crate::Block)s, a JSON array in the content store; absent if the structure is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<ContentRef>,
}

/// A [`Reduction`] in the content store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReductionRef {
    /// Reference to the JSON of the [`Reduction`].
    pub content: ContentRef,
    /// Level reached.
    pub level: FidelityLevel,
    /// Number of tokens kept.
    pub tokens: u64,
}

/// The reduction of a source: prose for models, verbatim passages for citations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reduction {
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub key_points: Vec<String>,
    /// Verbatim pieces, best first.
    pub passages: Vec<crate::finding::Passage>,
    /// For each key point, the indices in `passages`, from 0, of those that support it; empty if there are none, and in reductions of older
    /// workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub point_passages: Vec<Vec<usize>>,
    /// The digest it was made from, which replaces the content of the source; absent if the source was not digested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestPayload>,
}

/// Why a source has no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFailure {
    /// Stable code.
    pub code: String,
    /// Message for users.
    pub message: String,
    /// The source with the same text, if the code is [`DUPLICATE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<SourceId>,
}

/// Code of a source with the same bytes or text as another one.
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
