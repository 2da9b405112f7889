//! The report a research was forked from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionId;
use crate::source::ContentRef;

/// The report a research was forked from, and how much of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forked {
    /// Session of that report.
    pub session: SessionId,
    /// Hash of its `report.json`.
    pub report: ContentRef,
    /// Number of the last kept round; 0 if none is kept. Later rounds are new.
    pub round: u32,
    /// Number of hits of the kept searches that are left out: they are in documents that were not read, whose text a report does not keep.
    #[serde(default)]
    pub hits_left_out: u32,
}
