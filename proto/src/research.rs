//! How a report was researched: the brief, the plan, the searches with their results, and what is unanswered.
//!
//! This is the field `research` in the data of a report. Times, costs and model turns are filled in by the runner of the rounds; a run
//! without a model has none.

mod brief;
mod counts;
mod course;
mod fork;
mod forked;
mod gathering_result;
mod options;
mod outcome;
mod refinement;
mod researcher_window;
mod round;
mod work;

pub use brief::{Brief, Complexity, Facet, QuestionKind, SubQuestion, SubQuestionOrigin};
pub use course::Research;
pub use fork::{Fork, MAX_KEPT_ROUNDS};
pub use forked::Forked;
pub use gathering_result::GatheringResult;
pub use options::{
    CollectionRef, CorpusRef, MAX_CORPORA, MAX_DOMAINS, MAX_LANE_PROVIDERS, MAX_PLAN_VALUES, MAX_REFINEMENTS,
    MAX_RESEARCH_SOURCES, ResearchOptions,
};
pub use outcome::{
    Answered, BudgetUse, Coverage, CoverageChange, CoverageScore, DifferingValue, FacetCoverage, HitCounts, Nearest,
    Stop, TypedDisagreement, Unanswered, ValueKind,
};
pub use refinement::{
    Gap, GapKind, Iteration, KeptReason, KeptReport, OpenIteration, Refinement, RefinementEnd, RefinementLog, Severity,
};
pub use researcher_window::{DroppedMessage, NotesFidelity};
pub use round::{Decision, Directive, DirectiveStop, Inventory, InventoryLine, Query, Round, Served};
pub use work::{
    Assignment, AssignmentResult, CompletedSearch, Depth, Hit, HitLink, Lane, Lead, NumberBlock, Plan, PlannedSearch,
    Pointer, ReadDocument, ResearchState, RoundLog, SeenDocument,
};

pub use crate::label::Withheld;
