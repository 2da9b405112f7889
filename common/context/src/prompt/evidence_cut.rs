//! Record of evidence left out or shortened.

/// A piece of evidence that was left out or shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceCut {
    /// Number in the task; 0 for the text of a summary task and for a model's note on a source.
    pub id: u32,
    /// Whether it is a model's note on a source rather than evidence.
    pub is_note: bool,
    /// Tokens offered.
    pub tokens_before: u64,
    /// Tokens sent; 0 if it was left out.
    pub tokens_after: u64,
}
