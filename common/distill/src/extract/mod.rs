//! Bytes of a document to canonical text: sniffing, decoding, parsing, bounds.
//!
//! [`extract`] is the whole surface. It is pure and synchronous; a caller who does not trust the bytes runs it where memory
//! and time are bounded. Where the bytes come from is not known here.

mod charset;
mod delimited;
mod document;
mod html;
mod limits;
mod link_policy;
mod mail;
mod markdown;
mod marker;
#[cfg(test)]
mod negations;
mod ordinal;
mod package;
pub mod pdf;
mod plain;
mod plain_title;
mod rst;
mod rtf;
mod sheet;
mod sniff;
mod table;

pub use document::{CANONICAL_TYPE, ExtractError, ExtractedDocument, extract, refused_by_head};
pub use limits::{ExtractLimits, Hint};
pub use link_policy::FollowPolicy;
pub use precis_proto::extraction::HtmlMode;
