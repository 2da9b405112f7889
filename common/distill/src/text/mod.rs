//! Canonical text: the one form of a document that is hashed, archived, sliced and cited.
//!
//! [`normalize`] decides what white space is and how a run of text is normalised, [`CanonicalText`] holds the result and its
//! page table. Neither knows where the characters came from.

mod canonical;
mod normalize;

pub use canonical::{ArchivedTextError, CanonicalText, PageSpan};
pub(crate) use normalize::nfc;
pub use normalize::{is_space, normalize};
