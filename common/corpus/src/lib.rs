//! The local corpus: an index of a folder's documents that is searched by passages, on this machine alone.
//!
//! Blocks; nothing here waits for a network or parses a document. Whoever fills a corpus extracts the texts and hands them in.
//! Search reads text as the evidence ranker does (`precis_distill::evidence`): the same words, forms, kin and names above, counted
//! over all chunks of the folder instead of those of one text.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `index_place` | where the index of a folder lies, whose it is, and who may write to it now |
//! | `version` | what an index was made with, and whether it is still what this program would make |
//! | `table` | the files of the folder and what became of each |
//! | `texts` | the canonical texts, by the bytes they came from |
//! | `directory`, `schema` | the segments of tantivy, for their owner alone |
//! | `update` | from files to a new published state, or none |
//! | `open`, `open_index` | a published state, ready for many searches; its segments as one row of chunks |
//! | `publish` | a published state as files that can be put elsewhere |
//! | `documents`, `search`, `scores` | from a question and where to look to passages, best first |
//! | `limits` | every limit |
//!
//! A published state is one commit of tantivy: its payload names the table of files that belongs to it. Whatever else lies in the
//! directory, such as what a killed run left, is read by nobody and removed by the next run that publishes.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

mod directory;
mod documents;
mod error;
mod index_place;
pub mod limits;
mod open;
mod open_index;
mod publish;
mod schema;
mod scores;
mod search;
mod table;
mod texts;
mod update;
mod version;

#[cfg(test)]
mod tests;

pub use documents::Documents;
pub use error::CorpusError;
pub use index_place::IndexPlace;
pub use open::{Corpus, Document, Size};
pub use publish::{PackedFile, is_packed_name, packed, unpack};
pub use search::{CorpusHit, CorpusQuery};
pub use table::{FileOutcome, FileRow, FileStamp, IndexedFile};
pub use texts::ExtractedText;
pub use update::{Update, UpdateSummary};
