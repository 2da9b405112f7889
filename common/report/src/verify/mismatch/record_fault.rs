//! Why a record is impossible.

use precis_proto::fidelity::FidelityLevel;

/// Why a record is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// Its tokens before the phase differ from those left by the phase before.
    #[error("starts with {before} tokens, but the phase before left {left}")]
    Gap {
        /// Tokens before the phase, as recorded.
        before: u64,
        /// Tokens left by the phase before.
        left: u64,
    },
    /// More tokens left the phase than entered it.
    #[error("kept {after} of {before} tokens")]
    Grown {
        /// Tokens before the phase.
        before: u64,
        /// Tokens after the phase.
        after: u64,
    },
    /// It was dropped, but tokens of it were kept.
    #[error("was dropped, but tokens were kept: {after}")]
    KeptDropped {
        /// Tokens after the phase.
        after: u64,
    },
    /// It is filed with records of another pass, or its pass occurs twice.
    #[error("is filed with the records of another pass")]
    OtherPass,
    /// It has a record after the one that dropped it.
    #[error("has a record after it was dropped")]
    AfterDropped,
    /// Its level is higher than after the phase before.
    #[error("is {} again after it was {}", now.as_str(), earlier.as_str())]
    Risen {
        /// Its level.
        now: FidelityLevel,
        /// The level before.
        earlier: FidelityLevel,
    },
    /// Extraction can only keep, truncate or drop.
    #[error("has level {}, which extraction never assigns", level.as_str())]
    NotOfExtraction {
        /// Its level.
        level: FidelityLevel,
    },
    /// Its token count differs from that of the text.
    #[error("left {after} tokens, but its text has {tokens}")]
    OtherText {
        /// Tokens after the phase, as recorded.
        after: u64,
        /// Tokens of the text, as stated in the source's row.
        tokens: u64,
    },
}
