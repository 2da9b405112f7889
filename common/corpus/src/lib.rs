//! The local corpus: an index of the documents of a folder, searched by passages, on this machine only.
//!
//! All calls block. Nothing here uses a network or parses documents: the caller extracts the texts and passes them in. A search matches
//! text like the evidence ranker (`precis_evidence::ranking`), with the same words, forms, kin and headings, but counts over all chunks
//! of the folder instead of those of one text.
//!
//! ```
//! use precis_corpus::{Corpus, CorpusQuery, ExtractedText, FileStamp, IndexPlace, Update};
//! use precis_proto::ids::sha256_hex;
//!
//! let root = tempfile::tempdir()?;
//! let place = IndexPlace::new(&root.path().join("cache"), &root.path().join("docs"))?;
//!
//! // Index one file of the folder.
//! let text = "The ferry carries forty cars.";
//! let stamp = FileStamp { path: "ferry.txt".to_owned(), size: text.len() as u64, mtime_ns: 0 };
//! let extracted = ExtractedText { text: text.to_owned(), ..ExtractedText::default() };
//! let mut update = Update::begin(&place, "extraction-1")?;
//! update.read(&stamp, &sha256_hex(text.as_bytes()), "txt", &extracted)?;
//! assert_eq!(update.publish()?.documents, 1);
//!
//! // Search it.
//! let hits = Corpus::open(&place)?.search(&CorpusQuery::new("How many cars does the ferry carry?"))?;
//! assert_eq!((hits[0].path.as_str(), hits[0].text.as_str()), ("ferry.txt", text));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! | --- | --- |
//! | `index_place` | the directory of an index, its permissions and its write lock |
//! | `version` | checks that an index was made by a compatible version |
//! | `table` | the files of the folder, each with its outcome |
//! | `texts` | the canonical texts, by the bytes they came from |
//! | `directory`, `schema` | the directory and schema of tantivy |
//! | `update`, `numbering`, `chunk_rows` | builds and publishes a new state |
//! | `states` | the published state, and one that is written |
//! | `open`, `open_index` | opens a published state for searches; its segments as one row of chunks |
//! | `publish` | a published state as a set of files for another place |
//! | `documents`, `search`, `scores` | finds the passages for a question, best first |
//! | `query_words`, `met_term`, `term_words`, `bm25` | the words of a question, the words that meet them, and what each counts |
//! | `windows`, `term_postings`, `window_postings` | sums up the scores, skipping chunks that cannot become one of the best |
//! | `top_chunks`, `chunk_set` | the best chunks so far; a set of chunks |
//! | `passages` | the passages of a text |
//! | `links` | which document of the folder a link means |
//! | `made_vectors`, `update_vectors`, `vector_table` | vectors of passages: made, published with the documents, compared |
//! | `near` | passages found by words and those found by meaning, as one list |
//! | `limits` | all limits |
//!
//! A published state is one commit of tantivy, whose payload names its table of files. Anything else in the directory, such as leftovers
//! of a killed run, is ignored and removed by the next run that publishes.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

mod bm25;
mod chunk_rows;
mod chunk_set;
mod directory;
mod documents;
mod error;
mod index_place;
pub mod limits;
mod links;
mod made_vectors;
mod met_term;
mod near;
mod numbering;
mod open;
mod open_index;
mod passages;
mod publish;
mod query_words;
mod schema;
mod scores;
mod search;
mod states;
mod table;
mod term_postings;
mod term_words;
mod texts;
mod top_chunks;
mod update;
mod update_vectors;
mod vector_table;
mod version;
mod window_postings;
mod windows;

#[cfg(test)]
mod tests;

pub use documents::Documents;
pub use error::CorpusError;
pub use index_place::IndexPlace;
pub use open::{Corpus, Document, PassageVectors, Size};
pub use publish::{PackedFile, is_packed_name, pack, unpack};
pub use search::{CorpusHit, CorpusQuery, LinkedDocument};
pub use table::{FileOutcome, FileRow, FileStamp, IndexedFile};
pub use texts::ExtractedText;
pub use update::{Update, UpdateSummary};
pub use version::fingerprint;
