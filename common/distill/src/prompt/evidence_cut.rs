//! What was left out of a payload, or sent in part.

/// What happened to one piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceCut {
    /// Number in the task; 0 for the one text of a summary, and for a model's words on a source.
    pub id: u32,
    /// Whether it is a model's words on a source, and no evidence.
    pub is_note: bool,
    /// Tokens offered.
    pub tokens_before: u64,
    /// Tokens sent; 0 where it was left out.
    pub tokens_after: u64,
}
