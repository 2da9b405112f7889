//! A draft with its statements settled.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::claim::{Claim, Done, Evaluation};
use precis_text::CanonicalText;

use crate::draft::citations::CitedDraft;

/// Most statements of a report that are judged; later ones are marked as partly supported. Bounds time. Chosen, not measured.
pub const MOST_CLAIMS: usize = 1_000;

/// The texts of sources, as far as available.
pub type SourceTexts = BTreeMap<SourceId, CanonicalText>;

/// A draft with its citations numbered and its statements settled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettledDraft {
    /// The draft as it goes into the report.
    pub cited: CitedDraft,
    /// Its statements as originally written, in order.
    pub claims: Vec<Claim>,
}

impl SettledDraft {
    /// Whether statements were removed and no citation is left.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.cited.citations.is_empty() && self.claims.iter().any(|claim| claim.done == Done::Removed)
    }

    /// The counts of its claims; `None` if there are no claims.
    #[must_use]
    pub fn evaluation(&self) -> Option<Evaluation> {
        (!self.claims.is_empty()).then(|| Evaluation::from_claims(&self.claims))
    }
}
