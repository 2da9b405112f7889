//! A draft with its statements settled.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::claim::{Claim, Evaluation};
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
    /// For each of them what it was compared with.
    pub compared: Vec<ComparedWith>,
}

/// What a statement was compared with, and where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComparedWith {
    /// Numbers of the citable pieces.
    pub ids: Vec<u32>,
    /// Whether it cites them; otherwise they are those nearest to it.
    pub cites: bool,
    /// The paragraph, item or cell that it stands in, from 0.
    pub run: usize,
    /// What it stands under: the head of its column and the label of its row, or the label of its item; empty for running text.
    pub under: Vec<String>,
}

impl SettledDraft {
    /// The counts of its claims; `None` if there are no claims.
    #[must_use]
    pub fn evaluation(&self) -> Option<Evaluation> {
        (!self.claims.is_empty()).then(|| Evaluation::from_claims(&self.claims))
    }
}
