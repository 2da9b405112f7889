//! The phases of a session. Queue, module and metric label carry the same word.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stage of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Brief, sub-questions and complexity class.
    Planning,
    /// Supervised search and reading.
    Gathering,
    /// Bytes to canonical text.
    Extraction,
    /// Ranking, selection and query-conditioned digests.
    Digest,
    /// Fitting the evidence to the analysis budget.
    Summarization,
    /// Evidence to cited findings.
    Compression,
    /// Findings to a report.
    Synthesis,
    /// Gaps to further gathering.
    Refinement,
    /// Proof of citations and ledger; the result.
    Evaluation,
}

impl Phase {
    /// All phases in the order a session may meet them.
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

    /// The word for this phase in queue names, metrics and messages.
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

    /// The phase a session starts in: with what it is given, or with a plan of what to search for.
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
