//! Research rules: what a question asks, what to search for in each round, and when to stop. Pure: the searcher is passed in.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `question`, `clause` | question analysis: kind and parts |
//! | `entity`, `field` | the things a text names, and the fields at the head of a document |
//! | `relation` | relations between documents, asked for and stated |
//! | `plan` | brief and sub-questions |
//! | `search` | the searcher interface |
//! | `budget`, `spending` | limits: rounds, searches and documents; tokens, money and time |
//! | `pool`, `novelty` | the passages found, rank-fused, near-duplicates marked |
//! | `term_weights` | weights of the question's terms |
//! | `coverage` | how well passages cover the sub-questions |
//! | `described` | the document that a part of a question describes without naming it |
//! | `evidence` | places that state the answer to a sub-question explicitly |
//! | `bridge` | candidates for the next searches |
//! | `conclusions` | the research record of a report, finished after its documents were read |
//! | `course`, `assign` | the state after the rounds so far, and the assignments of the next one |
//! | `investigation`, `outcome`, `merge` | the result, of one lane and of several |
//! | `gathering_warnings` | warnings for what was found but not read or not shown |
//! | `kept_rounds` | rounds of an earlier research, rebuilt to continue from |
//! | `known_documents` | documents that a session holds before it searches |
//! | `normal_query` | normalized queries, for comparison |
//! | `plan_join` | a model's plan joined with the built-in one |
//! | `delegate` | which directives of a supervisor are sent |
//! | `inventory` | the text summary of what a directive found |
//! | `numbers` | document numbers that researchers cite by |
//! | `raw_notes` | which raw notes of researchers a session keeps |
//! | [`refinement`] | gaps in a finished report, and whether another iteration searches for them |
//! | [`researcher`] | one directive carried out by a model |
//! | `supervisor_view` | a course as a supervisor sees it |
//! | `investigate` | all rounds in one call, for a synchronous searcher |

mod assign;
mod bridge;
mod budget;
pub(crate) mod clause;
mod conclusions;
mod course;
mod coverage;
mod delegate;
mod described;
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
pub use entity::{Entity, EntityKind, NamedThings, entities, title_key};
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
