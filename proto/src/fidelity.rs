//! How much of a source is kept by each phase, and why.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::{Phase, SourceId, Timestamp};

/// Version of the fidelity fields of a result.
pub const CONTENT_FIDELITY_SCHEMA_VERSION: &str = "v1";

closed_words! {
    /// How much of an item is kept, from everything to nothing.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum FidelityLevel: serde {
        /// Unchanged. Older versions wrote `full`.
        #[serde(alias = "full")]
        Raw => "raw",
        /// About half.
        Condensed => "condensed",
        /// About a quarter.
        KeyPoints => "key_points",
        /// About a tenth.
        Headline => "headline",
        /// A digest for the question, with evidence.
        Digest => "digest",
        /// Cut off at a boundary.
        Truncated => "truncated",
        /// Nothing.
        Dropped => "dropped",
    }
}

/// Why the level of an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FidelityReason {
    /// The item did not fit into its budget.
    BudgetLimit,
    /// A provider failed, or the document could not be read.
    ProviderError,
    /// The change was requested.
    ManualOverride,
}

/// What one phase did to one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FidelityRecord {
    /// Level after the phase.
    pub level: FidelityLevel,
    /// Why the level changed; absent if it did not, or if only the notes give the reason: no finding quotes the source, or other sources
    /// are far more relevant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FidelityReason>,
    /// Warning codes and short notes (`digest_failed: timeout`) about this item in this phase.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// When the record was created.
    #[serde(default)]
    pub timestamp: Timestamp,
    /// Tokens that entered the phase.
    #[serde(default)]
    pub tokens_before: u64,
    /// Tokens that left the phase.
    #[serde(default)]
    pub tokens_after: u64,
    /// Lost tokens that were duplicates of text elsewhere.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens_duplicate: u64,
    /// Visit of the record, that is the number of earlier passes of the session: 0, and left out, in the first pass.
    #[serde(default, skip_serializing_if = "is_first")]
    pub visit: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(crate) fn is_first(visit: &u32) -> bool {
    *visit == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The records of one item in one pass of the session, by phase.
pub type PassRecords = BTreeMap<Phase, FidelityRecord>;

/// The records of one item, by phase. Within a pass, the latest record of a phase replaces the earlier one; records of other phases and
/// passes are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemFidelity {
    /// One record per phase of the current pass; in a report, of the pass that produced it. Empty if the item was not part of that pass.
    pub phases: PassRecords,
    /// The records of the other passes that the item was part of, in order; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_visits: Vec<PassRecords>,
}

/// Returns the visit of the records; 0 if there are none.
#[must_use]
pub fn visit_of(records: &PassRecords) -> u32 {
    records.first_key_value().map_or(0, |(_, record)| record.visit)
}

impl ItemFidelity {
    /// Returns the records of each pass that the item was part of, in order.
    #[must_use]
    pub fn passes(&self) -> Vec<&PassRecords> {
        let mut passes: Vec<&PassRecords> = self.other_visits.iter().chain([&self.phases]).collect();
        passes.retain(|records| !records.is_empty());
        passes.sort_by_key(|records| visit_of(records));
        passes
    }

    /// Makes the records of `visit` the current ones, and moves the previously current ones to the others.
    fn stand_on(&mut self, visit: u32) {
        // Before the search, because `visit` may be the current one.
        self.other_visits.push(std::mem::take(&mut self.phases));
        self.other_visits.retain(|records| !records.is_empty());
        if let Some(at) = self.other_visits.iter().position(|records| visit_of(records) == visit) {
            self.phases = self.other_visits.remove(at);
        }
        self.other_visits.sort_by_key(visit_of);
    }
}

/// Fidelity of every item of a session, by item id (source id, or source id and `#fragment-N`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ContentFidelity(pub BTreeMap<SourceId, ItemFidelity>);

impl ContentFidelity {
    /// Records what `phase` did to `item`, replacing an earlier record of the same phase.
    pub fn record(&mut self, item: &SourceId, phase: Phase, record: FidelityRecord) {
        self.0.entry(item.clone()).or_default().phases.insert(phase, record);
    }

    /// Returns the record of `item` in `phase`, if there is one.
    #[must_use]
    pub fn get(&self, item: &SourceId, phase: Phase) -> Option<&FidelityRecord> {
        self.0.get(item).and_then(|i| i.phases.get(&phase))
    }

    /// Makes the records of `visit` the current ones of every item: none yet for a new pass. No record is lost or changed.
    pub fn stand_on(&mut self, visit: u32) {
        self.0.values_mut().for_each(|item| item.stand_on(visit));
    }

    /// Returns the visit whose records are current; 0 if there are none.
    #[must_use]
    pub fn visit(&self) -> u32 {
        self.0.values().find(|item| !item.phases.is_empty()).map_or(0, |item| visit_of(&item.phases))
    }

    /// Returns all records of all passes, item by item.
    pub fn records(&self) -> impl Iterator<Item = (&SourceId, Phase, &FidelityRecord)> {
        self.0
            .iter()
            .flat_map(|(id, item)| item.passes().into_iter().flatten().map(move |(phase, record)| (id, *phase, record)))
    }

    /// Restores a record read from a page, in a session whose current visit is `current`.
    pub(crate) fn put_back(&mut self, item: &SourceId, phase: Phase, record: FidelityRecord, current: u32) {
        let item = self.0.entry(item.clone()).or_default();
        if record.visit == current {
            item.phases.insert(phase, record);
            return;
        }
        let at = match item.other_visits.iter().position(|records| visit_of(records) == record.visit) {
            Some(at) => at,
            None => {
                let at = item.other_visits.partition_point(|records| visit_of(records) < record.visit);
                item.other_visits.insert(at, PassRecords::new());
                at
            }
        };
        item.other_visits[at].insert(phase, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(visit: u32, tokens: u64) -> FidelityRecord {
        FidelityRecord {
            level: FidelityLevel::Raw,
            reason: None,
            warnings: Vec::new(),
            timestamp: Timestamp(0),
            tokens_before: tokens,
            tokens_after: tokens,
            tokens_duplicate: 0,
            visit,
        }
    }

    #[test]
    fn a_first_pass_is_written_as_it_was_before_there_were_others() {
        let mut fidelity = ContentFidelity::default();
        let id = SourceId::new("a").expect("an id");
        fidelity.record(&id, Phase::Digest, record(0, 4));
        let json = serde_json::to_string(&fidelity).expect("JSON");
        assert!(!json.contains("visit"), "{json}");
        assert_eq!(serde_json::from_str::<ContentFidelity>(&json).expect("reads"), fidelity);
    }

    #[test]
    fn a_pass_is_set_aside_and_taken_up_again_as_it_was() {
        let (a, b) = (SourceId::new("a").expect("an id"), SourceId::new("b").expect("an id"));
        let mut fidelity = ContentFidelity::default();
        fidelity.record(&a, Phase::Extraction, record(0, 4));
        let first = fidelity.clone();
        for visit in 1..3 {
            fidelity.stand_on(visit);
            assert_eq!(fidelity.get(&a, Phase::Extraction), None, "{visit}");
            for id in [&a, &b] {
                fidelity.record(id, Phase::Extraction, record(visit, 4));
            }
            assert_eq!(fidelity.visit(), visit);
        }
        let mut restored = ContentFidelity::default();
        for (id, phase, record) in fidelity.records() {
            restored.put_back(id, phase, record.clone(), 2);
        }
        assert_eq!(restored, fidelity);
        assert_eq!(fidelity.records().map(|(_, _, record)| record.visit).collect::<Vec<_>>(), [0, 1, 2, 1, 2]);
        fidelity.stand_on(0);
        assert_eq!(fidelity.get(&a, Phase::Extraction), first.get(&a, Phase::Extraction));
        assert!(fidelity.get(&b, Phase::Extraction).is_none() && fidelity.visit() == 0, "b came later");
        fidelity.stand_on(2);
        assert_eq!(restored, fidelity);
    }
}
