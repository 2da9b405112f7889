//! Where the fields are that a state message only refers to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::ContentRef;

/// The fields that may travel as pages, by their names in the state.
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
    /// An item per answer: its job and what it says.
    Gathered,
    /// An item per record: its phase, its source and the record.
    ContentFidelity,
    /// An item per source.
    DroppedContentIds,
    /// An item per archived text: its source and its hash.
    ContentArchiveHashes,
    /// An item per note.
    RawNotes,
    /// An item per layer of each call.
    TokenUsage,
}

/// Where the fields are that a message only refers to. Empty in a state that is whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Pages(pub BTreeMap<PagedField, PageList>);

/// The pages of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageList {
    /// Items on all of them.
    pub items: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// 0 where `pages` are pages of items; otherwise they are arrays of references to pages of the depth below.
    #[serde(default)]
    pub depth: u8,
    /// In the order of the items.
    pub pages: Vec<ContentRef>,
}

impl Pages {
    /// Whether nothing is elsewhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of all pages together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|list| list.bytes).sum()
    }
}
