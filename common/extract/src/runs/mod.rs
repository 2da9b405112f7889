//! Runs: pieces of text with what typography says about them, and the one place that turns them into words.
//!
//! Readers of all formats collect the text of a block as a [`RunText`], piece by piece with its [`Marks`]; they decide what is marked, and
//! nothing else. What a mark does to the text is decided here: raised and lowered characters never join the word or number before them
//! ([`position`]), struck and hidden text is counted and not said, and the mark of a note and the target of a link are
//! kept beside the text. [`formula`] does the
//! same for fractions, powers and roots.

pub(super) mod formula;
mod left_out;
mod links;
mod marks;
mod position;
mod run_text;

pub(super) use left_out::{LeftOut, visible_chars};
pub(super) use marks::{Marks, Position};
pub(super) use position::place_text;
pub(super) use run_text::{RunText, Words};
