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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

closed_words! {
    /// A stage of a session.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Phase: serde {
        /// Writes the brief, the sub-questions and the complexity class.
        Planning => "planning",
        /// Searches and reads in supervised rounds.
        Gathering => "gathering",
        /// Extracts canonical text from bytes.
        Extraction => "extraction",
        /// Ranks and selects sources, and digests them for the question.
        Digest => "digest",
        /// Fits the evidence into the analysis budget.
        Summarization => "summarization",
        /// Turns evidence into cited findings.
        Compression => "compression",
        /// Turns findings into a report.
        Synthesis => "synthesis",
        /// Turns gaps of the report into further gathering.
        Refinement => "refinement",
        /// Verifies citations and ledger, and publishes the result.
        Evaluation => "evaluation",
    }
}

impl Phase {
    /// Returns the phase a session starts in: planning if it searches, else extraction.
    #[must_use]
    pub fn first(searches: bool) -> Self {
        if searches { Self::Planning } else { Self::Extraction }
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
