//! References to the fields of a state that are stored as pages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::ContentRef;

/// The fields that may be stored as pages, by their names in the state; each comment says what one item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PagedField {
    /// One item, a text.
    Query,
    /// An item per source.
    Sources,
    /// An item per finding.
    Findings,
    /// One item, a text.
    Draft,
    /// One item.
    Answer,
    /// An item per warning.
    Warnings,
    /// An item per model call.
    Calls,
    /// An item per answer: the job and its answer.
    Gathered,
    /// An item per record: phase, source and record.
    ContentFidelity,
    /// An item per source.
    DroppedContentIds,
    /// An item per archived text: source and hash.
    ContentArchiveHashes,
    /// An item per note.
    RawNotes,
    /// An item per layer of each call.
    TokenUsage,
}

/// The pages of the fields that are stored outside the message. Empty if the state is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Pages(pub BTreeMap<PagedField, PageList>);

/// The pages of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageList {
    /// Number of items on all pages.
    pub items: u64,
    /// Size of all pages, in bytes.
    pub bytes: u64,
    /// 0 if `pages` contain items; otherwise they are arrays of references to pages one level below.
    #[serde(default)]
    pub depth: u8,
    /// References to the pages, in the order of the items.
    pub pages: Vec<ContentRef>,
}

impl Pages {
    /// Returns whether no field is stored as pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the size of all pages together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|list| list.bytes).sum()
    }
}
