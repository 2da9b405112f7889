//! Research: what to search for in each round, and when to stop; and the built-in model, which answers without a language model.
//!
//! Sees context, evidence and texts. Knows no report, and asks nobody: a searcher is passed in. Nothing in this crate waits, or reads a
//! clock, the environment, the network or a file. Equal inputs give equal results.
//!
//! ```
//! use precis_evidence::question::analysis::analyse;
//! use precis_research::plan;
//!
//! let plan = plan(&analyse("Compare the memory of Rust and Go"));
//! assert_eq!(plan.sub_questions[0].text, "Rust memory");
//! ```
//!
//! | file | what it owns |
//! | --- | --- |
//! | `plan` | brief and sub-questions |
//! | `search` | the searcher interface |
//! | `budget`, `spending` | limits: rounds, searches and documents; tokens, money and time |
//! | `pool`, `novelty` | the passages found, rank-fused, near-duplicates marked |
//! | `term_weights` | weights of the question's terms |
//! | `coverage` | how well passages cover the sub-questions |
//! | `described` | the document that a part of a question describes without naming it |
//! | `evidence` | places that state the answer to a sub-question explicitly |
//! | `bridge` | candidates for the next searches |
//! | `course`, `assign` | the state after the rounds so far, and the assignments of the next one |
//! | `investigation`, `outcome`, `merge` | the result, of one lane and of several |
//! | `gathering_warnings` | warnings for what was found but not read or not shown |
//! | `kept_rounds` | rounds of an earlier research, rebuilt to continue from |
//! | `topic_fit` | which topics a text is about |
//! | `known_documents` | documents that a session holds before it searches |
//! | `plan_join` | a model's plan joined with the built-in one |
//! | `delegate`, `delegated` | which directives of a supervisor are sent, and each one's share of the searches |
//! | `inventory` | the text summary of what a directive found |
//! | `numbers` | document numbers that researchers cite by |
//! | `raw_notes` | which raw notes of researchers a session keeps |
//! | [`refinement`] | gaps in a finished report, and whether another iteration searches for them |
//! | [`researcher`] | one directive carried out by a model |
//! | `supervisor_view` | a course as a supervisor sees it |
//! | `investigate` | all rounds in one call, for a synchronous searcher |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

mod assign;
mod bridge;
mod budget;
mod course;
mod coverage;
mod delegate;
mod delegated;
mod described;
mod evidence;
pub mod extractive;
pub mod gathering_warnings;
mod inventory;
mod investigate;
mod investigation;
mod kept_rounds;
mod known_documents;
#[cfg(test)]
mod lane_tests;
mod linked_documents;
mod merge;
mod novelty;
mod numbers;
mod outcome;
mod plan;
mod plan_join;
mod pool;
mod raw_notes;
pub mod refinement;
pub mod researcher;
mod search;
mod spending;
mod supervisor_view;
mod term_weights;
mod topic_fit;
pub mod typed_disagreements;
mod word_nearness;

#[cfg(test)]
mod tests;

pub use budget::{Budget, DEFAULT_SOURCES, Depth, Grant, KeptForLater, ResearchLimits, Resource, planned_searches};
pub use course::ResearchCourse;
pub use delegate::{
    DirectiveAdmission, DirectiveBound, MOST_DIRECTIVES, RefusalReason, RefusedDirective, admit, allowed_directives,
};
pub use delegated::LEAST_SHARE;
pub use inventory::inventory_text;
pub use investigate::{CORPUS, investigate};
pub use investigation::{ChosenDocument, Investigation};
pub use kept_rounds::{KeptDocument, KeptRounds, kept_rounds, kept_searches};
pub use known_documents::KnownDocuments;
pub use merge::{merge, merged_holding};
pub use numbers::{Renumbered, number_block, rewritten, settle_numbers};
pub use plan::{MOST_SUB_QUESTIONS, Plan, WRITTEN_BY, plan};
pub use plan_join::join;
pub use raw_notes::{MAX_NOTES, MAX_SESSION_NOTES_CHARS, RawNote, kept_notes};
pub use search::{Frequency, Hit, NoVocabulary, PassageSearch, PassageSearchError, TermFrequencies};
pub use spending::{Elapsed, RESERVE, Reserved, directives_for_lanes, stop_reason};
pub use supervisor_view::{CourseProgress, SupervisorNotes};
pub use topic_fit::TopicFit;
pub use typed_disagreements::typed_disagreements;
