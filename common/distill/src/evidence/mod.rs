//! Evidence: which chunks of a text speak to a query, and how strongly.
//!
//! [`rank()`] cuts the text, scores its chunks by the ranking asked for and falls back to positions where the query gives too
//! little to go by. [`rank_widely`] reads on where there is room: forms of the terms, and the chunks around what matches. What
//! the evidence is used for is not known here.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `rank`, `wide` | from a text and a query to chunks, the few best or many |
//! | `matches`, `score` | the overlap score |
//! | `fields` | BM25 over the fields of a chunk |
//! | `index`, `meeting`, `context` | what the fields are made of: words, how they meet those of a query, what a chunk stands below |
//! | `vocabulary` | the words of a whole collection, and which of them meet a term |
//! | `positional` | order where the query says nothing |

mod context;
mod fields;
mod following;
mod index;
mod matches;
mod meeting;
mod order;
mod positional;
mod rank;
mod score;
mod vocabulary;
mod wide;

pub use context::contexts;
pub use following::rank_following;
pub use rank::{RankedChunk, Ranker, UnknownRanker, rank};
pub use vocabulary::{TermMeetings, Vocabulary};
pub use wide::rank_widely;
