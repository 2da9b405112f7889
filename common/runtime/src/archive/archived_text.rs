//! A text as it lies in the archive: its file, named by its hash, and what lies beside it.

use std::io::{self, ErrorKind};

use precis_proto::source::ContentRef;
use precis_proto::{Block, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

/// Most bytes of an archived text: the longest that `max_document_chars` allows, at four bytes a character.
pub const MAX_TEXT_BYTES: u64 = 400_000_000;

/// A text that lies in the archive, by the 64 digits of its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedText {
    /// The digits; what the file holds is proved when it is read.
    pub hex: String,
    /// When it was last put here.
    pub archived_at: Timestamp,
}

/// What lies beside an archived text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The source it is the text of.
    pub source_id: SourceId,
    /// For readers.
    pub title: String,
    /// Where a reader finds the original.
    pub url: Option<String>,
    /// What the original was.
    pub content_type: Option<String>,
    /// Hash of the original bytes, `sha256:` and 64 digits; absent where they were not kept track of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_sha256: Option<ContentRef>,
    /// Characters of the text.
    pub chars: u64,
    /// Pages marked in the text; 0 where it has none.
    pub pages: u32,
    /// When it was last put here.
    pub archived_at: Timestamp,
    /// Structure of the text; empty where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
}

impl Sidecar {
    /// When the text was last put here, as the sidecar in `bytes` says; before all others where it says nothing.
    pub(super) fn archived_at(bytes: &[u8]) -> Timestamp {
        serde_json::from_slice::<Self>(bytes).map_or(Timestamp(0), |sidecar| sidecar.archived_at)
    }
}

/// `bytes`, where they are what `name` says.
pub(super) fn checked(name: &ContentRef, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    match ContentRef::from_bytes(&bytes) == *name {
        true => Ok(bytes),
        false => Err(io::Error::new(ErrorKind::InvalidData, format!("the text is not {name}"))),
    }
}

/// The 64 digits of a hash that a file of the archive is named by, before `ending`.
pub(super) fn hash_named<'n>(file_name: &'n str, ending: &str) -> Option<&'n str> {
    let hex = file_name.strip_suffix(ending)?;
    format!("sha256:{hex}").parse::<ContentRef>().is_ok().then_some(hex)
}
