//! What a researcher is given, and what it asks for.

use precis_proto::task::TurnDirective;

/// What a researcher is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearcherOrder {
    /// What to look for.
    pub directive: TurnDirective,
    /// The whole question, in a line.
    pub brief: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// Queries made in the session before, as they were written.
    pub asked: Vec<String>,
    /// Searches granted; each query is one.
    pub searches: u32,
    /// Charged calls granted, searches among them: each query and each address is one.
    pub calls: u32,
    /// Window of the model in tokens.
    pub window: u64,
}

/// The answer to a turn held no tool call that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no tool call could be read")]
pub struct ParseFailure;

/// Something to be done; what it brings is told by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Search; one charged call.
    Search {
        /// Of this action, within its directive.
        key: u32,
        /// What for.
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
    },
}

impl Action {
    /// What its outcome is told by.
    #[must_use]
    pub fn key(&self) -> u32 {
        match self {
            Self::Search { key, .. } | Self::Read { key, .. } => *key,
        }
    }
}
