//! By what a report is judged, and in which order its judge sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a report is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Whether it goes below the surface of its question.
    Depth,
    /// Whether its sources are fit to carry it.
    SourceQuality,
    /// Whether its reasoning holds, and says how sure it is.
    Rigor,
    /// Whether all parts of the question are treated.
    Completeness,
    /// Whether what it states stands in its evidence.
    Groundedness,
    /// Whether it is in an order that a reader can follow.
    Structure,
    /// Whether a reader can act on it.
    PracticalValue,
    /// Whether it does justice to all sides.
    Balance,
}

impl Dimension {
    /// All of them, in the order of a report.
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

    /// The word on the wire.
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

/// In which order a judge is shown what it judges by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgingOrder {
    /// The report, its sources, the notes; the dimensions as in [`Dimension::ALL`].
    #[default]
    ReportFirst,
    /// The other way round: the notes and the sources from the last on, then the report; the dimensions from the last on.
    EvidenceFirst,
}

impl JudgingOrder {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ReportFirst, Self::EvidenceFirst];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReportFirst => "report_first",
            Self::EvidenceFirst => "evidence_first",
        }
    }
}
