//! Folding: applies the outcomes of a phase's jobs to the session state and writes its fidelity records. Pure.
//!
//! Each phase writes one fidelity record per source. The tokens that enter a phase are those that left the one before, so the ledger is the
//! sum of these records.

mod carried;
mod compression;
mod digest;
mod extraction;
#[cfg(test)]
pub(crate) mod fixture;
mod records;
mod summarization;
mod synthesis;
mod unseen;
mod visit;

pub use carried::carried_tokens;
pub(crate) use carried::unrecorded_entry;
pub use compression::{compression, unquoted_protected};
pub use digest::digest;
pub use extraction::{NOT_FETCHED, extraction};
pub use summarization::{summarization, unmet};
pub use synthesis::{ShownTokens, carried_findings, shown_to_writer, synthesis, with_protected};
pub use unseen::unseen;
pub use visit::{begin_visit, first_visit};
