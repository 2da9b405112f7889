//! A draft whose statements are settled, and what they are settled with.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::claim::{Claim, Done, Evaluation};

use crate::report::citations::CitedDraft;
use crate::text::CanonicalText;

/// Statements of a report that are judged; those behind them are marked. Bounds time. Chosen, not measured.
pub const MOST_CLAIMS: usize = 1_000;

/// The texts of sources, as far as they are at hand.
pub type SourceTexts = BTreeMap<SourceId, CanonicalText>;

/// A draft with its citations numbered and its statements settled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettledDraft {
    /// What stands in the report.
    pub cited: CitedDraft,
    /// Its statements as they were written, in order.
    pub claims: Vec<Claim>,
}

impl SettledDraft {
    /// Whether statements were taken out and none that cites anything is left.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.cited.citations.is_empty() && self.claims.iter().any(|claim| claim.done == Done::Removed)
    }

    /// The counts of its claims; none where there are none.
    #[must_use]
    pub fn evaluation(&self) -> Option<Evaluation> {
        (!self.claims.is_empty()).then(|| Evaluation::from_claims(&self.claims))
    }
}
