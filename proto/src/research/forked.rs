//! Which report a research was forked from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionId;
use crate::source::ContentRef;

/// The report that a research was forked from, and how much of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forked {
    /// The session of that report.
    pub session: SessionId,
    /// Hash of its `report.json`.
    pub report: ContentRef,
    /// The last of its rounds that is kept; 0 where none is. The rounds behind it are this research's own.
    pub round: u32,
    /// Hits of the kept searches that are not told here: they stand in documents that were not read, of which a report keeps no text.
    #[serde(default)]
    pub hits_left_out: u32,
}
