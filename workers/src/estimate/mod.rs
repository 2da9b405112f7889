//! What a session may cost, before it begins: pure functions of the settings and of what is known of the request.
//! The types of what is found are those of the door, which says the same over HTTP.
//!
//! | file | contents |
//! | --- | --- |
//! | `facts` | what is known of a session before it begins |
//! | `work` | the kinds of model calls, and how many requests one of them may become |
//! | `calls` | the most calls of each phase |
//! | `search_limits` | how far a search goes at most |
//! | `parts` | the most calls that summarize one text |
//! | `bound` | the most tokens and dollars of calls |
//! | `likely` | what a session usually costs |
//! | `estimated` | all of it together, row by row |
//! | `table` | the same as a table |

mod bound;
mod calls;
mod estimated;
mod facts;
mod likely;
mod parts;
mod search_limits;
mod table;
mod work;

pub use estimated::estimate;
pub use facts::{SessionFacts, TextCount};
pub use table::table;
