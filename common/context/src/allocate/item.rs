//! The input and output of an allocation.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::Quality;
use precis_proto::warning::Warning;

/// A source to which tokens are allocated.
#[derive(Debug, Clone, PartialEq)]
pub struct AllocationItem {
    /// The source.
    pub source_id: SourceId,
    /// Its place among the sources of the session if a search found it: decides between sources that are alike otherwise.
    pub found_at: Option<usize>,
    /// Tokens of its current form: whole, or as a digest.
    pub tokens: u64,
    /// Importance, 0 to 1; see [`priority`](super::priority).
    pub priority: f64,
    /// Decides between equally important sources: the better one comes first.
    pub quality: Quality,
    /// Whether it must not be dropped or cut below a headline while the budget allows it.
    pub protected: bool,
    /// Tokens of its whole text, which levels are shares of; more than `tokens` if it is carried as a digest. So a digest is reduced to as
    /// many tokens as another source of its length, not to a share of what it already was reduced to.
    pub whole_tokens: u64,
    /// Relevance to the question relative to the others, 0 to 1; `None` if it must not be considered.
    pub relevance: Option<f64>,
}

/// The decision on a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Carried as it is.
    Keep,
    /// Carried at a lower level, in at most `tokens` tokens.
    Reduce {
        /// The level to aim for.
        level: FidelityLevel,
        /// Its share of the budget.
        tokens: u64,
    },
    /// Left out.
    Drop,
}

/// The decisions on all sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// One fate per item: protected ones first, then by importance.
    pub fates: Vec<(SourceId, Fate)>,
    /// The five most important and the protected sources, whose shortening gives a separate warning.
    pub priority_ids: BTreeSet<SourceId>,
    /// Sources whose best passages are enough under any budget, with the most tokens of these passages.
    pub asides: BTreeMap<SourceId, u64>,
    /// The guardrails that were broken.
    pub warnings: Vec<Warning>,
    /// Tokens allocated in total; never more than the budget.
    pub allocated: u64,
}
