//! Context: what of the sources goes to the next phase and into a call of a model, within which budget.
//!
//! Sees evidence ([`precis_evidence`]) and texts. Knows no search, no report, and no provider: what it returns is counted and fits, and
//! sending it is done elsewhere. Nothing in this crate waits, or reads a clock, the environment, the network or a file. Equal inputs give
//! equal results.
//!
//! ```
//! use precis_context::markdown::{escape, unescape};
//!
//! let verbatim = "2 * 3 < 7 [1]";
//! assert_ne!(escape(verbatim), verbatim);
//! assert_eq!(unescape(&escape(verbatim)), verbatim);
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`models`] | limits and prices of each model |
//! | [`allocate`] | decides which sources are carried whole, reduced or left out within a budget |
//! | [`digest`] | the payload `digest/v1`: building, checking, keys, eligibility |
//! | [`reduction`] | prose and passages of a source within a token limit |
//! | [`truncate`] | a text cut to a number of tokens |
//! | [`map_reduce`], [`short_texts`] | summaries of texts too long for one call, and of several short ones in one |
//! | [`source_notes`] | what is said of a source beside its text |
//! | [`compress`] | the passages a call carries, and the quotes its findings rest on |
//! | [`prompt`] | turns tasks into messages that fit, and reads answers from a model's text |
//! | [`shown_document`], [`shown_text`] | a document and a range of a text as shown to a model, and words of a model found in it again |
//! | [`markdown`] | verbatim text inside Markdown |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod allocate;
pub mod compress;
pub mod digest;
pub mod map_reduce;
pub mod markdown;
pub mod models;
pub mod prompt;
pub mod reduction;
pub mod short_texts;
pub mod shown_document;
pub mod shown_text;
pub mod source_notes;
pub mod truncate;
pub mod writer_passages;
