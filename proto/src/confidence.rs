//! How far a source is trusted for what can be checked of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be checked of a source before a word of it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustSignal {
    /// It was withdrawn by who published it.
    Retracted,
    /// It stands in a register of papers: its address is one of `doi.org`, arXiv, PubMed and their like.
    RegisteredPaper,
    /// It is known when it was published.
    Dated,
    /// Several searches found it.
    FoundAgain,
    /// It was read in part or with difficulty.
    ReadWithDifficulty,
}

/// How far a source is trusted, and why: one of the four parts of what it matters to a budget.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceConfidence {
    /// 0 to 1; 0.5 where nothing is known.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value: f64,
    /// What it follows from, in order.
    pub signals: Vec<TrustSignal>,
}
