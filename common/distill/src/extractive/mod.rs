//! The extractive model: a summariser without a language model, deterministic and free.
//!
//! Whatever it says of a document is a sentence of the text it was given, character for character. It answers the tasks of
//! [`precis_proto::task`]; it talks to `sentences` and `terms` and refuses to know sources,
//! offsets beyond its passages, budgets and prompts. Works for each language that Unicode segmentation handles; ties are
//! broken by position, so the same task gives the same bytes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `vectors` | texts as tf-idf vectors |
//! | `query`, `definition` | the question as weighted terms, and what it asks for |
//! | `identity` | documents that a question names |
//! | `graph` | LexRank with a bias to the question |
//! | `pool` | the worth of a sentence |
//! | `mmr` | choosing without repeating |
//! | `repeats` | whether two statements say the same |
//! | `answerability` | whether the findings answer the question |
//! | `question`, `asking_words` | the kind of answer that is wanted, and the words that tell it |
//! | `relevance` | what a passage has to do with the question |
//! | `window` | the best sentences of a passage |
//! | [`markdown`] | verbatim text inside Markdown |
//! | `merged_statement`, `report_table` | statements of a report, and those that stand side by side |
//! | `report` | the look of a report |
//! | `summarize`, `summarize_together`, `compress`, `synthesize` | the tasks on texts |
//! | [`research`] | the tasks of planning, supervision and research |

mod answerability;
mod asking_words;
mod compress;
mod definition;
mod graph;
mod identity;
pub mod markdown;
mod merged_statement;
mod mmr;
mod pool;
mod query;
mod question;
mod relevance;
mod repeats;
mod report;
mod report_table;
pub mod research;
mod summarize;
mod synthesize;
mod vectors;
mod window;

pub use answerability::{Searched, judge};
pub(crate) use asking_words::AnswerKind;
pub use compress::compress;
pub use identity::{is_abstract, is_named, named_documents};
pub(crate) use query::asking_worth;
pub(crate) use question::Question;
pub(crate) use repeats::Wording;
pub use summarize::{summarize, summarize_together};
pub use synthesize::synthesize;

/// The version of its answers, which are kept in caches under it: raised whenever one of them may be another one.
pub const VERSION: &str = "extractive-6";
