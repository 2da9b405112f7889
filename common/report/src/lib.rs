//! The report: statements checked against their quotes, made readable, and proved.
//!
//! Sees all other crates of texts but the readers of documents. Nothing in this crate waits, or reads a clock, the environment, the network
//! or a file. Equal inputs give equal results.
//!
//! ```
//! use precis_report::verify::{ArchiveReader, verify_value};
//!
//! let forged = serde_json::json!({ "success": true, "data": { "report": "All is well. [1]" } });
//! let verification = verify_value(&forged, ArchiveReader { text: &|_| None, blocks: &|_| None });
//! assert!(!verification.mismatches.is_empty());
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`fold`] | combines the outcomes of a phase's jobs |
//! | [`ledger`], [`fidelity_audit`] | tokens through each phase, balanced; each source followed through the phases |
//! | [`draft`] | the Markdown of a draft made safe, its citations numbered, read again |
//! | [`groundedness`] | the share of a sentence's words found in its quotes |
//! | `prose` | quotations and figures of a text |
//! | [`claims`] | each statement of a report with its verdict, and what becomes of it |
//! | [`answered`] | whether a report, as it is written, answers its question |
//! | [`conclusions`] | the research record of a report, finished after its documents were read |
//! | [`rating`] | a model's judgement of a whole report |
//! | [`shortening_warning`] | the warnings of what was shortened |
//! | [`response`] | turns a finished session into its response |
//! | [`verify`] | proves a report against its archive |
//! | [`rendering`] | a report as Markdown and HTML |
//! | [`changes`] | two reports on the same question, compared |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod answered;
pub mod changes;
pub mod claims;
pub mod conclusions;
pub mod draft;
pub mod fidelity_audit;
pub mod fold;
pub mod groundedness;
pub mod ledger;
mod open_parts;
mod prose;
pub mod rating;
pub mod rendering;
pub mod response;
pub mod shortening_warning;
pub mod verify;

#[cfg(test)]
mod sample;
