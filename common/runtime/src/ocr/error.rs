//! Why the picture of a page was not recognized.

use std::time::Duration;

use super::PROFILE;

/// Why the picture of a page was not recognized.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OcrError {
    /// The tool is not there, or may not be executed. The same for every page.
    #[error("the recognition program {program} cannot be started: {reason}; install it, or set ocr = \"off\"")]
    Missing {
        /// Its name or path, as configured.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// This machine cannot confine the tool, so it was not started. The same for every page.
    #[error(
        "nothing is recognized, because the sandbox profile \"{PROFILE}\" cannot be had on this machine: {missing}"
    )]
    Unconfined {
        /// What is missing.
        missing: String,
    },
    /// It took longer than its limit and was ended.
    #[error("it took longer than {} s", .limit.as_secs_f64())]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// It printed more than its limit and was ended.
    #[error("it printed more than {limit} bytes")]
    TooMuch {
        /// The limit.
        limit: usize,
    },
    /// It failed.
    #[error("it failed: {0}")]
    Failed(String),
}

impl OcrError {
    /// Whether no other page would be recognized either.
    #[must_use]
    pub fn is_of_every_page(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::Unconfined { .. } => true,
            Self::TimedOut { .. } | Self::TooMuch { .. } | Self::Failed(_) => false,
        }
    }
}
