//! Research without a model: what a question asks, what to look for, round by round, and when to stop. Pure: whoever searches is given.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `question`, `clause`, `cue` | what a question asks, its parts, and the words that tell |
//! | `entity`, `field` | what a text names, and the fields at its head |
//! | `relation` | relations between documents, asked for and stated |
//! | `plan` | brief and sub-questions |
//! | `search` | the seam to whoever searches |
//! | `budget` | what may be spent |
//! | `pool`, `novelty` | the passages found, fused and without repeats |
//! | `weight` | what the terms of a question weigh |
//! | `coverage` | how far passages answer the sub-questions |
//! | `evidence` | where passages answer a sub-question in so many words |
//! | `bridge` | what to look for next |
//! | `told` | what a report says of it once its documents were read |
//! | `course`, `assign` | what the rounds have found, and what to look for in the next |
//! | `outcome`, `merge` | what it ends with, in one lane and in several |
//! | `join` | a model's plan joined with the built-in one |
//! | `delegate` | which directives of a supervisor are sent |
//! | `inventory` | what a directive found, in a few lines |
//! | [`researcher`] | one directive of a researcher who is a model |
//! | `seen` | a course as a supervisor sees it |
//! | `investigate` | all rounds at once |

mod assign;
mod bridge;
mod budget;
mod clause;
mod course;
mod coverage;
mod cue;
mod delegate;
mod entity;
mod evidence;
mod field;
mod inventory;
mod investigate;
mod join;
mod merge;
mod novelty;
mod outcome;
mod plan;
mod pool;
mod question;
mod relation;
pub mod researcher;
mod search;
mod seen;
mod told;
mod weight;

#[cfg(test)]
mod tests;

pub use budget::{Budget, DEFAULT_SOURCES, Depth, Grant, Limits, Resource};
pub use course::Course;
pub use delegate::{Admission, MOST_DIRECTIVES, Refused, Why, admit, allowed};
pub use entity::{Entity, EntityKind, entities};
pub use inventory::inventory_text;
pub use investigate::investigate;
pub use join::join;
pub use merge::merged;
pub use outcome::{Chosen, Investigation};
pub use plan::{MOST_SUB_QUESTIONS, Plan, SUB_QUESTION_BOUND, WRITTEN_BY, plan};
pub use question::{Analysis, analyse};
pub use search::{Frequency, Hit, NoVocabulary, Search, SearchFailure, Vocabulary};
pub use seen::Told;
pub use told::tell;
