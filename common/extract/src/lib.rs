//! Extracts canonical text from the bytes of a document: sniffing, decoding, parsing, limits.
//!
//! [`extract`] is pure and synchronous; callers with untrusted bytes run it where memory and time are limited. Fetching the bytes is done
//! elsewhere. This crate owns the readers of all formats, and sees texts and the words of human languages; no question, and no other
//! crate of ours sees it but `workers`. Nothing in it waits, or reads a clock, the environment, the network or a file.
//!
//! ```
//! use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
//!
//! let hint = Hint { content_type: None, name: "dam.md" };
//! let bytes = b"# The dam\n\nIt was *built* in 1931.";
//! let document = extract(bytes, &hint, HtmlMode::Main, &ExtractLimits::default())?;
//! assert_eq!(document.content_type, "text/markdown");
//! assert_eq!(document.text.as_str(), "The dam It was built in 1931.");
//! # Ok::<(), precis_extract::ExtractError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

mod asciidoc;
mod attached;
mod captions;
mod charset;
mod columns;
mod delimited;
mod directive_names;
mod document;
mod drawn_table;
mod field_line;
mod fields;
mod html;
mod json;
mod limits;
mod line_items;
mod link_policy;
mod mail;
mod markdown;
mod marker;
mod mbox;
mod mediawiki;
mod numerals;
mod older_office;
mod ordinal;
mod org;
pub mod package;
mod page_text;
pub mod pdf;
mod plain;
mod plain_title;
mod roles;
mod rst;
mod rtf;
mod runs;
mod sheet;
mod sniff;
mod symbols;
mod table;
mod tex;
mod titles;
mod xml;

pub use document::{CANONICAL_TYPE, ExtractError, ExtractedDocument, extract, extract_recognized, refused_by_head};
pub use html::{names_of_traits, units_of_page};
pub use limits::{ExtractLimits, Hint};
pub use link_policy::FollowPolicy;
pub use precis_proto::extraction::HtmlMode;
