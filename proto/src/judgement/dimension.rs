//! The dimensions a report is judged by, and the order in which the judge sees the material.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

closed_words! {
    /// A dimension by which a report is judged.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Dimension: serde {
        /// Whether the report goes below the surface of the question.
        Depth => "depth",
        /// Whether its sources are good enough for its statements.
        SourceQuality => "source_quality",
        /// Whether its reasoning is sound and states its uncertainty.
        Rigor => "rigor",
        /// Whether it covers all parts of the question.
        Completeness => "completeness",
        /// Whether its statements are supported by its evidence.
        Groundedness => "groundedness",
        /// Whether a reader can follow its structure.
        Structure => "structure",
        /// Whether a reader can act on it.
        PracticalValue => "practical_value",
        /// Whether it presents all sides fairly.
        Balance => "balance",
    }
}

closed_words! {
    /// The order in which a judge is shown the material.
    #[derive(Default, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum JudgingOrder: serde {
        /// Report, sources, notes; the dimensions in the order of [`Dimension::ALL`].
        #[default]
        ReportFirst => "report_first",
        /// The reverse: notes and sources starting with the last, then the report; the dimensions starting with the last.
        EvidenceFirst => "evidence_first",
    }
}
