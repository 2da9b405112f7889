//! What asks for tokens, and what becomes of it.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::Quality;
use precis_proto::warning::Warning;

/// A source that asks for tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct AllocationItem {
    /// The source.
    pub source_id: SourceId,
    /// Tokens as it is carried now: whole, or as a digest.
    pub tokens: u64,
    /// Importance, 0 to 1; see [`priority`](super::priority).
    pub priority: f64,
    /// Of equally important sources, the better one matters more.
    pub quality: Quality,
    /// Not dropped, nor cut below a headline, while the budget allows it.
    pub protected: bool,
    /// Tokens of its text, of which levels are shares; more than `tokens` where it is carried as a digest. A digest goes down to as many
    /// tokens as another source of its length, not to a share of what it was reduced to already.
    pub whole_tokens: u64,
    /// How much it has to do with the question, 0 to 1, beside the others; `None` where that is not to count.
    pub relevance: Option<f64>,
}

/// What becomes of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Carried as it is.
    Keep,
    /// Carried at a lower level, in at most this many tokens.
    Reduce {
        /// Level to aim for.
        level: FidelityLevel,
        /// Its share.
        tokens: u64,
    },
    /// Left out.
    Drop,
}

/// What becomes of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// One per item: protected ones, then the more important ones.
    pub fates: Vec<(SourceId, Fate)>,
    /// The five most important and the protected ones: shortening one of these is worth a warning of its own.
    pub priority_ids: BTreeSet<SourceId>,
    /// Those of which the best passages are enough, whatever the budget, and the tokens these take at most.
    pub asides: BTreeMap<SourceId, u64>,
    /// Which guardrails yielded.
    pub warnings: Vec<Warning>,
    /// Tokens given out; never more than the budget.
    pub allocated: u64,
}
