//! Evidence: what a question asks, and which parts of texts state it.
//!
//! Sees texts ([`precis_text`]) and the words of human languages. Knows no budget, no model and no report.
//! Nothing in this crate waits, or reads a clock, the environment, the network or a file. Equal inputs give equal results.
//!
//! ```
//! use precis_evidence::ranking::{Ranker, rank};
//! use precis_text::CanonicalText;
//!
//! let text = CanonicalText::from_plain("Glaciers in the Alps lost a tenth of their ice in two years.");
//! let best = rank(&text, "How much ice did glaciers lose?", Ranker::Bm25, 400, 3);
//! assert_eq!(best[0].text, "Glaciers in the Alps lost a tenth of their ice in two years.");
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`question`] | what a question asks: kind, parts, things, relations, the kind of answer |
//! | [`meaning`] | texts as vectors, and their scores joined with those of words |
//! | [`ranking`] | ranks chunks by how well they match a query |
//! | [`relevance`] | rates the relevance of whole texts to a query |
//! | [`passage`] | chunks widened to whole sentences, with the units that may be quoted |
//! | `needs` | what a block needs to keep its meaning: lead-ins, headings |
//! | [`sections`] | what a section is for, by its heading |
//! | [`typed`] | what a question wants, and whether a text about the named thing holds it |
//! | [`compared`] | quotes side by side, and values on which sources differ |
//! | [`computed`] | answers computed from the rows of a table |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod compared;
pub mod computed;
pub mod meaning;
mod needs;
pub mod passage;
pub mod question;
pub mod ranking;
pub mod relevance;
pub mod sections;
pub mod typed;
mod written_number;
