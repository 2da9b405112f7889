//! The extractive model: a summariser without a language model, deterministic and free.
//!
//! Whatever it says is a sentence of the text it was given, character for character. It answers the tasks summarize,
//! compress and synthesize of [`precis_proto::task`]; it talks to `sentences` and `terms` and refuses to know sources,
//! offsets beyond its passages, budgets and prompts. Works for each language that Unicode segmentation handles; ties are
//! broken by position, so the same task gives the same bytes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `vectors` | texts as tf-idf vectors |
//! | `query`, `definition` | the question as weighted terms, and what it asks for |
//! | `graph` | LexRank with a bias to the question |
//! | `pool` | the worth of a sentence |
//! | `mmr` | choosing without repeating |
//! | `repeats` | whether two statements say the same |
//! | `words`, `phrases`, `themes` | sections and their headings |
//! | [`markdown`] | verbatim text inside Markdown |
//! | `report` | the look of a report |
//! | `summarize`, `compress`, `synthesize` | the three tasks |

mod compress;
mod definition;
mod graph;
pub mod markdown;
mod mmr;
mod phrases;
mod pool;
mod query;
mod repeats;
mod report;
mod summarize;
mod synthesize;
mod themes;
mod vectors;
mod words;

pub use compress::compress;
pub use summarize::summarize;
pub use synthesize::synthesize;
