//! References to the fields of a state that are stored as pages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::source::ContentRef;

closed_words! {
    /// The fields that may be stored as pages, by their names in the state; each comment says what one item is.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum PagedField: serde {
        /// One item, a text.
        Query => "query",
        /// An item per source.
        Sources => "sources",
        /// An item per finding.
        Findings => "findings",
        /// One item, a text.
        Draft => "draft",
        /// One item.
        Answer => "answer",
        /// An item per warning.
        Warnings => "warnings",
        /// An item per model call.
        Calls => "calls",
        /// An item per answer: the job and its answer.
        Gathered => "gathered",
        /// An item per record: phase, source and record.
        ContentFidelity => "content_fidelity",
        /// An item per source.
        DroppedContentIds => "dropped_content_ids",
        /// An item per archived text: source and hash.
        ContentArchiveHashes => "content_archive_hashes",
        /// An item per note.
        RawNotes => "raw_notes",
        /// An item per layer of each call.
        TokenUsage => "token_usage",
    }
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
