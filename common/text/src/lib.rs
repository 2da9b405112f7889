//! Text: the one form that is hashed, archived, sliced and cited, and what it is made of.
//!
//! Sees the words of human languages ([`precis_language`]) and the wire. Knows no format of a document, no question and no report.
//! Nothing in this crate waits, or reads a clock, the environment, the network or a file. Equal inputs give equal results. Offsets count
//! Unicode scalar values from 0, end exclusive; they are carried along and never found again by searching.
//!
//! ```
//! use precis_text::CanonicalText;
//! use precis_text::chunk::chunks;
//!
//! let text = CanonicalText::from_plain("The dam was  built in 1931.");
//! assert_eq!(text.as_str(), "The dam was built in 1931.");
//! assert_eq!(chunks(&text, 400).len(), 1);
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | `text` | canonical text, white space, invisible characters; its names are those of the crate |
//! | [`chunk`] | splits a text into chunks that can be quoted |
//! | [`sentences`] | finds sentences, and rates how complete each is |
//! | [`terms`] | the words a query and a text are compared by |
//! | [`wording`], [`equal_words`] | differing words; whether two texts are the same words: only these share a citation |
//! | [`statement`] | a statement of a quote and the ranges that go with it |
//! | [`quoted_lines`] | the lines of quoted code |
//! | [`recognized`] | what recognized a text in a picture |
//! | [`field_places`] | where a document has the fields of its text |
//! | [`heading_paths`], [`locate`] | the headings above a place; the characters of a locator in an archived text |
//! | [`tokens`] | counts tokens, and manages budgets of them |
//! | [`table_fill`] | pads the rows of tables, up to a limit |
//! | [`tie_break`] | the order of sources that nothing else puts in order |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod chunk;
pub mod equal_words;
pub mod field_places;
pub mod heading_paths;
pub mod locate;
pub mod quoted_lines;
pub mod recognized;
pub mod sentences;
pub mod statement;
pub mod table_fill;
pub mod terms;
mod text;
pub mod tie_break;
pub mod tokens;
pub mod wording;

pub use text::{
    ArchivedTextError, BlocksError, CanonicalText, Leaf, PageSpan, code_lines, hiding_marks, in_lines, is_invisible,
    is_selector, is_shown, is_space, nfc, normalize, readable, shown_text, shows_nothing, visible,
};
