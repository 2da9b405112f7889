//! How much of a source survives each phase, and why.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Phase, SourceId, Timestamp};

/// Version of the fidelity fields of a result.
pub const CONTENT_FIDELITY_SCHEMA_VERSION: &str = "v1";

/// How much of an item survives, from everything to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FidelityLevel {
    /// Unchanged. Older writers said `full`.
    #[serde(alias = "full")]
    Raw,
    /// About half.
    Condensed,
    /// About a quarter.
    KeyPoints,
    /// About a tenth.
    Headline,
    /// A query-conditioned digest with evidence.
    Digest,
    /// Cut off at a boundary.
    Truncated,
    /// Nothing.
    Dropped,
}

impl FidelityLevel {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Condensed => "condensed",
            Self::KeyPoints => "key_points",
            Self::Headline => "headline",
            Self::Digest => "digest",
            Self::Truncated => "truncated",
            Self::Dropped => "dropped",
        }
    }
}

/// Why the level of an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FidelityReason {
    /// It did not fit its budget.
    BudgetLimit,
    /// A provider or the document itself failed.
    ProviderError,
    /// Somebody asked for it.
    ManualOverride,
}

/// What one phase did to one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FidelityRecord {
    /// Level after the phase.
    pub level: FidelityLevel,
    /// Why the level changed; absent where it did not, and where only the notes say why: no finding quotes the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FidelityReason>,
    /// Warning codes and short notes (`digest_failed: timeout`) about this item in this phase.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// When the record was made.
    #[serde(default)]
    pub timestamp: Timestamp,
    /// Tokens that entered the phase.
    #[serde(default)]
    pub tokens_before: u64,
    /// Tokens that left it.
    #[serde(default)]
    pub tokens_after: u64,
    /// Of the lost tokens, those that stood elsewhere too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens_duplicate: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The records of one item, by phase. The latest record of a phase replaces the earlier one; other phases stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemFidelity {
    /// One record per phase met.
    pub phases: BTreeMap<Phase, FidelityRecord>,
}

/// Fidelity of every item of a session, by item id (source id, or source id and `#fragment-N`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ContentFidelity(pub BTreeMap<SourceId, ItemFidelity>);

impl ContentFidelity {
    /// Writes what `phase` did to `item`, replacing an earlier record of the same phase.
    pub fn record(&mut self, item: &SourceId, phase: Phase, record: FidelityRecord) {
        self.0.entry(item.clone()).or_default().phases.insert(phase, record);
    }

    /// The record of `item` in `phase`, if there is one.
    #[must_use]
    pub fn get(&self, item: &SourceId, phase: Phase) -> Option<&FidelityRecord> {
        self.0.get(item).and_then(|i| i.phases.get(&phase))
    }
}
