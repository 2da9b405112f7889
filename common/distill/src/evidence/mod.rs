//! Evidence: which chunks of a text speak to a query, and how strongly.
//!
//! [`rank`] cuts the text, counts the query's terms in each chunk in one pass, scores by the ranking asked for and falls
//! back to positions where the query gives too little to go by. [`rank_widely`] reads on where there is room: forms of the
//! terms, and the chunks around what matches. What the evidence is used for is not known here.

mod matches;
mod positional;
mod rank;
mod score;
mod wide;

pub use rank::{RankedChunk, Ranker, UnknownRanker, rank};
pub use wide::rank_widely;
