//! The phases of a session. Queues, modules and metric labels use the same word for a phase.
//!
//! ```
//! use precis_proto::Phase;
//!
//! assert_eq!(Phase::first(false), Phase::Extraction);
//! assert_eq!(Phase::first(true), Phase::Planning);
//! assert_eq!(Phase::Synthesis.to_string(), "synthesis");
//! assert!(Phase::Extraction < Phase::Synthesis);
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stage of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Writes the brief, the sub-questions and the complexity class.
    Planning,
    /// Searches and reads in supervised rounds.
    Gathering,
    /// Extracts canonical text from bytes.
    Extraction,
    /// Ranks and selects sources, and digests them for the question.
    Digest,
    /// Fits the evidence into the analysis budget.
    Summarization,
    /// Turns evidence into cited findings.
    Compression,
    /// Turns findings into a report.
    Synthesis,
    /// Turns gaps of the report into further gathering.
    Refinement,
    /// Verifies citations and ledger, and publishes the result.
    Evaluation,
}

impl Phase {
    /// All phases in the order of a session.
    pub const ALL: [Self; 9] = [
        Self::Planning,
        Self::Gathering,
        Self::Extraction,
        Self::Digest,
        Self::Summarization,
        Self::Compression,
        Self::Synthesis,
        Self::Refinement,
        Self::Evaluation,
    ];

    /// Returns the word for this phase in queue names, metrics and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Gathering => "gathering",
            Self::Extraction => "extraction",
            Self::Digest => "digest",
            Self::Summarization => "summarization",
            Self::Compression => "compression",
            Self::Synthesis => "synthesis",
            Self::Refinement => "refinement",
            Self::Evaluation => "evaluation",
        }
    }

    /// Returns the phase a session starts in: planning if it searches, else extraction.
    #[must_use]
    pub fn first(searches: bool) -> Self {
        if searches { Self::Planning } else { Self::Extraction }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_phase_is_its_word_on_the_wire() {
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_value(phase).expect("serialises"), phase.as_str());
        }
    }
}
