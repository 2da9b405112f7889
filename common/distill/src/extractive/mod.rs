//! The extractive model: answers tasks without a language model, deterministically and free of charge.
//!
//! Every statement it makes about a document is a verbatim sentence of the given text. It answers the tasks of [`precis_proto::task`] with
//! `sentences` and `terms`; sources, offsets beyond its passages, budgets and prompts are outside of it. It works for every language that
//! Unicode segmentation handles. Ties are broken by position, so the same task gives the same bytes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `vectors` | texts as tf-idf vectors |
//! | `query`, `definition` | the question as weighted terms; questions for a definition |
//! | `identity` | documents that a question names |
//! | `sections` | what a section is for, by its heading |
//! | `graph` | LexRank with a bias to the question |
//! | `pool` | ranks sentences |
//! | `mmr` | selects sentences without repeats |
//! | `answerability` | whether the findings answer the question |
//! | `question`, `asking_words` | the kind of answer a question asks for, and the words that show it |
//! | `asked_quantity` | questions for the amount of something, and the sentences that state it |
//! | `relevance` | the relevance of a passage to the question |
//! | `window` | the best sentences of a passage |
//! | [`markdown`] | verbatim text inside Markdown |
//! | `merged_statement`, `report_table` | statements of a report, and comparison tables of them |
//! | `report` | the layout of a report |
//! | `summarize`, `summarize_together`, `compress`, `synthesize` | the tasks on texts |
//! | [`research`] | the tasks of planning, supervision and research |

mod answerability;
mod asked_quantity;
mod asking_words;
mod compress;
mod definition;
mod graph;
mod headings_above;
mod identity;
pub mod markdown;
mod merged_statement;
mod mmr;
mod pool;
mod query;
mod question;
mod relevance;
mod report;
mod report_table;
pub mod research;
mod sections;
mod subjects;
mod summarize;
mod synthesize;
mod vectors;
mod window;

pub use answerability::{Searched, asked_share, judge, parts};
pub(crate) use asking_words::AnswerKind;
pub use compress::compress;
pub use identity::{is_named, named_documents};
pub(crate) use query::asking_worth;
pub(crate) use question::Question;
pub use sections::holds_abstract;
pub use subjects::subjects;
pub use summarize::{summarize, summarize_together};
pub use synthesize::synthesize;

/// The version of its answers, part of their cache keys; raised whenever an answer may change.
pub const VERSION: &str = "extractive-15";
