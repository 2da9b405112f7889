//! Tokens that stand for no text.

/// Tokens with a part of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    /// Before every text.
    pub begin: u32,
    /// After every text.
    pub end: u32,
    /// For what no piece has.
    pub unknown: u32,
}
