//! Canonical text: the one form of a document that is hashed, archived, sliced and cited.
//!
//! [`mod@normalize`] decides what white space is and how a run of text is normalised, [`CanonicalText`] holds the result and its
//! tables of pages and blocks, [`Leaf`] is a block before it is normalised. None of them knows where the characters came from.

mod canonical;
mod leaf;
mod normalize;
mod readable;
mod visible;

pub use canonical::{ArchivedTextError, BlocksError, CanonicalText, PageSpan};
pub use leaf::Leaf;
pub(crate) use normalize::nfc;
pub use normalize::{is_space, normalize};
pub use readable::readable;
pub(crate) use visible::{hiding_marks, is_selector, shows_nothing, visible};
