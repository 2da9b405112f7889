//! Indexes collections: the files of a version are parsed in child processes and become a published corpus.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `indexer` | makes the index of a version |
//! | `reading` | the texts of its files: those that are known, and those that are parsed |
//! | `known_texts` | what was parsed is kept, so that it is not parsed again |
//! | `waking` | has collections looked at whose index is missing, or of another version of the program |

mod indexer;
mod known_texts;
mod reading;
mod waking;

pub use indexer::VersionIndexer;
pub(crate) use waking::keep_waking;
