//! The dimensions a report is judged by, and the order in which the judge sees the material.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dimension by which a report is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Whether the report goes below the surface of the question.
    Depth,
    /// Whether its sources are good enough for its statements.
    SourceQuality,
    /// Whether its reasoning is sound and states its uncertainty.
    Rigor,
    /// Whether it covers all parts of the question.
    Completeness,
    /// Whether its statements are supported by its evidence.
    Groundedness,
    /// Whether a reader can follow its structure.
    Structure,
    /// Whether a reader can act on it.
    PracticalValue,
    /// Whether it presents all sides fairly.
    Balance,
}

impl Dimension {
    /// All dimensions, in the order of a report.
    pub const ALL: [Self; 8] = [
        Self::Depth,
        Self::SourceQuality,
        Self::Rigor,
        Self::Completeness,
        Self::Groundedness,
        Self::Structure,
        Self::PracticalValue,
        Self::Balance,
    ];

    /// Returns the word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::SourceQuality => "source_quality",
            Self::Rigor => "rigor",
            Self::Completeness => "completeness",
            Self::Groundedness => "groundedness",
            Self::Structure => "structure",
            Self::PracticalValue => "practical_value",
            Self::Balance => "balance",
        }
    }
}

/// The order in which a judge is shown the material.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgingOrder {
    /// Report, sources, notes; the dimensions in the order of [`Dimension::ALL`].
    #[default]
    ReportFirst,
    /// The reverse: notes and sources starting with the last, then the report; the dimensions starting with the last.
    EvidenceFirst,
}

impl JudgingOrder {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::ReportFirst, Self::EvidenceFirst];

    /// Returns the word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReportFirst => "report_first",
            Self::EvidenceFirst => "evidence_first",
        }
    }
}
