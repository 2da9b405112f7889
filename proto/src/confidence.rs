//! How much a source is trusted, based on what can be checked about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A checkable signal for or against trusting a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustSignal {
    /// The source was retracted by its publisher.
    Retracted,
    /// The source is a registered paper: its address is at `doi.org`, arXiv, PubMed or similar.
    RegisteredPaper,
    /// The publication date is known.
    Dated,
    /// Several searches found the source.
    FoundAgain,
    /// The source was read only in part or with difficulty.
    ReadWithDifficulty,
}

/// How much a source is trusted, and why: one of the four factors that weight a source in a budget.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceConfidence {
    /// Trust from 0 to 1; 0.5 if nothing is known.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value: f64,
    /// The signals it is based on, in order.
    pub signals: Vec<TrustSignal>,
}
