//! A text in the archive: its file, named by its hash, and its sidecar.

use std::io::{self, ErrorKind};

use precis_proto::source::ContentRef;
use precis_proto::{Block, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

/// Most bytes of an archived text: the longest that `max_document_chars` allows, at four bytes per character.
pub const MAX_TEXT_BYTES: u64 = 400_000_000;

/// Largest sidecar that is read, in bytes: a title, an address and the blocks of the text. Chosen, not measured.
pub(super) const MAX_SIDECAR_BYTES: u64 = 32 << 20;

/// A text in the archive, identified by the 64 digits of its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedText {
    /// The digits; the contents are checked against them when the text is read.
    pub hex: String,
    /// When it was last put.
    pub archived_at: Timestamp,
}

/// The sidecar of an archived text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The source of the text.
    pub source_id: SourceId,
    /// The title, for readers.
    pub title: String,
    /// The URL of the original.
    pub url: Option<String>,
    /// The content type of the original.
    pub content_type: Option<String>,
    /// Hash of the original bytes, `sha256:` and 64 digits; absent if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_sha256: Option<ContentRef>,
    /// Characters of the text.
    pub chars: u64,
    /// Pages marked in the text; 0 if there are none.
    pub pages: u32,
    /// When it was last put.
    pub archived_at: Timestamp,
    /// Structure of the text; empty if it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
}

impl Sidecar {
    /// When the text was last put, from the sidecar in `bytes`; the epoch if it cannot be read, so that such a text counts as old.
    pub(super) fn archived_at(bytes: &[u8]) -> Timestamp {
        serde_json::from_slice::<Self>(bytes).map_or(Timestamp(0), |sidecar| sidecar.archived_at)
    }
}

/// Returns `bytes` if they match the hash `name`.
pub(super) fn check_hash(name: &ContentRef, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    match ContentRef::from_bytes(&bytes) == *name {
        true => Ok(bytes),
        false => Err(io::Error::new(ErrorKind::InvalidData, format!("the text does not match its hash {name}"))),
    }
}

/// Returns the 64 digits of the hash in a file name that has `ending`.
pub(super) fn hash_named<'n>(file_name: &'n str, ending: &str) -> Option<&'n str> {
    let hex = file_name.strip_suffix(ending)?;
    format!("sha256:{hex}").parse::<ContentRef>().is_ok().then_some(hex)
}
