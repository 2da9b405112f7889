//! Canonical text: the one form of a document that is hashed, archived, sliced and cited.
//!
//! [`mod@normalize`] defines white space and how a run of text is normalized, [`CanonicalText`] holds the result with its pages and
//! blocks, [`Leaf`] is a block before normalization. None of them knows the format of the document.

mod canonical;
mod code_lines;
mod in_lines;
mod leaf;
mod normalize;
mod readable;
mod shown;
mod visible;

pub use canonical::{ArchivedTextError, BlocksError, CanonicalText, PageSpan};
pub use code_lines::code_lines;
pub use in_lines::in_lines;
pub use leaf::Leaf;
pub use normalize::nfc;
pub use normalize::{is_space, normalize};
pub use readable::readable;
pub use shown::{is_shown, shown_text};
pub use visible::{hiding_marks, is_invisible, is_selector, shows_nothing, visible};
