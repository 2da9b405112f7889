//! The input of a researcher, and the actions it requests.

use precis_proto::research::SeenDocument;
use precis_proto::task::{EvidenceRow, TurnDirective};

/// The input of a researcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearcherOrder {
    /// The directive to carry out.
    pub directive: TurnDirective,
    /// The whole question, in a line.
    pub brief: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// What directives of the same lane found in earlier rounds, oldest first.
    pub earlier: Vec<EvidenceRow>,
    /// Documents that they found, which can be read.
    pub seen: Vec<SeenDocument>,
    /// Queries made earlier in the session, as written.
    pub asked: Vec<String>,
    /// Searches granted; each query costs one.
    pub searches: u32,
    /// Charged calls granted, searches included: each query and each address read costs one.
    pub calls: u32,
    /// Window of the model in tokens.
    pub window: u64,
}

/// The model's answer to a turn had no readable tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no tool call could be read")]
pub struct ParseFailure;

/// An action for the caller to carry out; its outcome is reported by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Search; one charged call.
    Search {
        /// Of this action, within its directive.
        key: u32,
        /// The query text.
        query: String,
    },
    /// Read a result of a search; one charged call.
    Read {
        /// Of this action, within its directive.
        key: u32,
        /// Number of the result, as a search gave it.
        number: String,
        /// Its address.
        address: String,
        /// The page to read; `None` for the one with the best passage.
        page: Option<u32>,
    },
}

impl Action {
    /// The key by which its outcome is reported.
    #[must_use]
    pub fn key(&self) -> u32 {
        match self {
            Self::Search { key, .. } | Self::Read { key, .. } => *key,
        }
    }
}
