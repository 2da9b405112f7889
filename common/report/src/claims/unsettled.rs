//! A draft before its statements are settled.

use super::open_statements::CitablePieces;
use crate::draft::citations::CitedDraft;

/// A draft, cited once, with all that its statements are compared with. It is the same for every settling: only the opinions change.
#[derive(Debug, Clone, Copy)]
pub struct UnsettledDraft<'a> {
    /// The question.
    pub query: &'a str,
    /// As written: bracketed numbers are ids of findings.
    pub draft: &'a str,
    /// The draft with its citations numbered and nothing changed, by [`cite`](crate::draft::citations::cite).
    pub cited: &'a CitedDraft,
    /// What it may cite.
    pub pieces: CitablePieces<'a>,
    /// Without it every statement is kept unchanged; the built-in model's statements are quotes.
    pub edits: bool,
}
