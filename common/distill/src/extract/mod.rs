//! Bytes of a document to canonical text: sniffing, decoding, parsing, bounds.
//!
//! [`extract`] is the whole surface. It is pure and synchronous; a caller who does not trust the bytes runs it where memory
//! and time are bounded. Where the bytes come from is not known here.

mod charset;
mod document;
mod follow;
mod html;
mod limits;
mod markdown;
mod package;
pub mod pdf;
mod sniff;

pub use document::{CANONICAL_TYPE, ExtractError, Extracted, extract};
pub use follow::FollowPolicy;
pub use limits::{ExtractLimits, Hint, HtmlMode};
