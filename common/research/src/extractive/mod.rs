//! The extractive model: answers tasks without a language model, deterministically and free of charge.
//!
//! Every statement it makes about a document is a verbatim sentence of the given text. It answers the tasks of [`precis_proto::task`] with
//! `sentences` and `terms`; sources, offsets beyond its passages, budgets and prompts are outside of it. It works for every language that
//! Unicode segmentation handles. Ties are broken by position, so the same task gives the same bytes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `vectors` | texts as tf-idf vectors |
//! | `identity` | documents that a question names |
//! | `graph` | LexRank with a bias to the question |
//! | `pool` | ranks sentences |
//! | `mmr` | selects sentences without repeats |
//! | `answerability`, `measures` | whether the findings answer the question, and the numbers that tell |
//! | `clauses_asked` | the clauses of a question that are answered one by one |
//! | `answering_fields`, `whose_value` | header fields that answer; passages about another thing than the named one |
//! | `relevance` | the relevance of a passage to the question |
//! | `scored_unit` | how well each sentence, item or row answers |
//! | `sentence_candidate` | what may become a finding |
//! | `similarity` | how near passages and their units are by meaning |
//! | `window` | the best sentences of a passage |
//! | `merged_statement`, `report_table` | statements of a report, and comparison tables of them |
//! | `overview` | the sections of an overview |
//! | `report` | the layout of a report |
//! | `summarize`, `summarize_together`, `compress`, `synthesize` | the tasks on texts |
//! | [`research`] | the tasks of planning, supervision and research |

mod answerability;
mod answering_fields;
mod clauses_asked;
mod compress;
mod contained;
mod continued;
mod enough;
mod graph;
mod headings_above;
mod identity;
mod measures;
mod merged_statement;
mod mmr;
mod nearness;
mod overview;
mod pool;
mod read_closely;
mod relevance;
mod report;
mod report_table;
pub mod research;
mod scored_unit;
mod sentence_candidate;
mod similarity;
mod subjects;
mod summarize;
mod synthesize;
mod vectors;
mod verdict_weights;
mod whose_value;
mod window;

pub use answerability::{asked_share, judge, measures, parts};
pub use compress::compress;
pub use identity::{DocumentName, is_named, named_documents};
pub use measures::is_field_answered;
pub use overview::asks_for_overview;
pub use read_closely::{MOST_READ_CLOSELY, read_closely};
pub use subjects::subjects;
pub use summarize::{summarize, summarize_together};
pub use synthesize::synthesize;
pub use verdict_weights::{NEUTRAL_SIMILARITY, Searched};

/// The version of its answers, part of their cache keys; raised whenever an answer may change.
pub const VERSION: &str = "extractive-32";
