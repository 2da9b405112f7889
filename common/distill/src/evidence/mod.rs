//! Evidence: which chunks of a text speak to a query, and how strongly.
//!
//! [`rank`] cuts the text, counts the query's terms in each chunk in one pass, scores by the ranking asked for and falls
//! back to positions where the query gives too little to go by. What the evidence is used for is not known here.

mod matches;
mod positional;
mod rank;
mod score;

pub use rank::{RankedChunk, Ranker, UnknownRanker, rank};
