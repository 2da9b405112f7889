//! Evidence: which chunks of a text match a query, and how well.
//!
//! [`rank()`] splits the text, scores its chunks with the chosen ranker and falls back to their positions if the query gives too little
//! to rank by. [`rank_widely`] returns more: chunks with other forms of the terms, and the chunks around matches.
//!
//! ```
//! use precis_evidence::ranking::{Ranker, rank};
//! use precis_text::CanonicalText;
//!
//! let text = CanonicalText::from_plain("Glaciers in the Alps lost a tenth of their ice in two years.");
//! let best = rank(&text, "How much ice did glaciers lose?", Ranker::Bm25, 400, 3);
//! assert_eq!(best[0].text, "Glaciers in the Alps lost a tenth of their ice in two years.");
//! assert_eq!(best[0].locator.to_string(), "char:0-60");
//! ```
//!
//! | file | what it owns |
//! | --- | --- |
//! | `rank`, `following` | from a text and a query to chunks, the few best or many; and for a question that continues others |
//! | `text_ranking` | a text ranked once: what `rank` and `following` take their chunks from |
//! | `ranker` | the ways of scoring, and a chunk with its score |
//! | `wide` | what word forms and the neighbours of a match get |
//! | `matches`, `score` | the overlap score |
//! | `fields` | BM25 over the fields of a chunk |
//! | `index`, `meeting`, `context` | the input of the fields: words, how they meet those of a query, the names above a chunk |
//! | `vocabulary` | the words of a whole collection, and which of them meet a term |
//! | `sensed` | words and meaning together |
//! | `positional` | order by position if the query gives nothing to rank by |

mod context;
mod fields;
mod following;
mod index;
mod matches;
mod meeting;
mod order;
mod positional;
mod rank;
mod ranker;
mod score;
mod sensed;
mod text_ranking;
mod vocabulary;
mod wide;

pub use context::contexts;
pub use following::{following, rank_following, rank_following_sensed};
pub use rank::{rank, rank_sensed, rank_widely, rank_widely_sensed};
pub use ranker::{RankedChunk, Ranker, UnknownRanker};
pub use text_ranking::TextRanking;
pub use vocabulary::{TermMeetings, Vocabulary};
