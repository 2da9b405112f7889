//! Limits, which bound the time that a hostile page takes. What is beyond them stays text.

/// How often a page is rewritten: each time opens one more level of nested blocks. Deeper ones stay text. Chosen.
pub(super) const MAX_PASSES: usize = 16;
/// Most bytes of a directive without its content; a longer one stays text. Chosen: those of real sites have up to a few thousand.
pub(super) const MAX_TAG_BYTES: usize = 8_000;
/// How many beginnings of directives that have no end are searched for one, each time that a page is rewritten; later ones stay text.
/// Chosen: pages have a few, and hostile ones have millions.
pub(super) const MAX_UNCLOSED: usize = 10_000;
