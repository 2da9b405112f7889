//! Research without a model: what a question asks, what to look for, round by round, and when to stop. Pure: whoever searches is given.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `question`, `clause`, `question_cues` | what a question asks, its parts, and the words that tell |
//! | `entity`, `field` | what a text names, and the fields at its head |
//! | `relation` | relations between documents, asked for and stated |
//! | `plan` | brief and sub-questions |
//! | `search` | the seam to whoever searches |
//! | `budget`, `spending` | what may be spent: rounds, searches and documents; tokens, money and time |
//! | `pool`, `novelty` | the passages found, fused and without repeats |
//! | `term_weights` | what the terms of a question weigh |
//! | `coverage` | how far passages answer the sub-questions |
//! | `evidence` | where passages answer a sub-question in so many words |
//! | `bridge` | what to look for next |
//! | `conclusions` | what a report says of it once its documents were read |
//! | `course`, `assign` | what the rounds have found, and what to look for in the next |
//! | `investigation`, `outcome`, `merge` | what it ends with, in one lane and in several |
//! | `gathering_warnings` | what a search left out, as warnings |
//! | `kept_rounds` | rounds of a finished research, to go on from |
//! | `known_documents` | what a session holds before it searches |
//! | `normal_query` | queries as they are compared |
//! | `plan_join` | a model's plan joined with the built-in one |
//! | `delegate` | which directives of a supervisor are sent |
//! | `inventory` | what a directive found, in a few lines |
//! | `numbers` | the numbers that researchers know documents by |
//! | `raw_notes` | which notes of researchers a session keeps |
//! | [`refinement`] | what is thin in a report, and whether it is looked for again |
//! | [`researcher`] | one directive of a researcher who is a model |
//! | `supervisor_view` | a course as a supervisor sees it |
//! | `investigate` | all rounds at once |

mod assign;
mod bridge;
mod budget;
pub(crate) mod clause;
mod conclusions;
mod course;
mod coverage;
mod delegate;
pub(crate) mod entity;
mod evidence;
pub(crate) mod field;
mod gathering_warnings;
pub(crate) mod history;
mod inventory;
mod investigate;
mod investigation;
mod kept_rounds;
mod known_documents;
#[cfg(test)]
mod lane_tests;
mod merge;
mod normal_query;
mod novelty;
mod numbers;
mod outcome;
mod plan;
mod plan_join;
mod pool;
mod question;
pub(crate) mod question_cues;
mod raw_notes;
pub mod refinement;
mod relation;
pub mod researcher;
mod search;
mod spending;
mod supervisor_view;
mod term_weights;
mod typed_disagreements;

#[cfg(test)]
mod tests;

pub use budget::{Budget, DEFAULT_SOURCES, Depth, Grant, ResearchLimits, Resource};
pub use conclusions::{CORPUS, judged, tell};
pub use course::ResearchCourse;
pub use delegate::{DirectiveAdmission, MOST_DIRECTIVES, RefusalReason, RefusedDirective, admit, allowed};
pub use entity::{Entity, EntityKind, NamedThings, entities};
pub use inventory::inventory_text;
pub use investigate::investigate;
pub use investigation::{ChosenDocument, Investigation};
pub use kept_rounds::{KeptDocument, KeptRounds, kept_rounds, kept_searches};
pub use known_documents::KnownDocuments;
pub use merge::{merged, merged_holding};
pub use numbers::{Renumbered, number_block, rewritten, settle_numbers};
pub use plan::{MOST_SUB_QUESTIONS, Plan, SUB_QUESTION_BOUND, WRITTEN_BY, plan};
pub use plan_join::join;
pub(crate) use question::beside;
pub use question::{Analysis, analyse};
pub use raw_notes::{MAX_NOTES, MAX_SESSION_NOTES_CHARS, RawNote, kept_notes};
pub use search::{Frequency, Hit, NoVocabulary, PassageSearch, PassageSearchError, TermFrequencies};
pub use spending::{Elapsed, RESERVE, directives_for_lanes, exhausted};
pub use supervisor_view::{CourseProgress, ENOUGH, SupervisorNotes};
pub(crate) use typed_disagreements::typed_disagreements;
