//! Refinement: the gaps of a finished report, whether another iteration searches for them, and which report is kept.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `sight` | which material the gaps and queries of a lane may use |
//! | `gaps` | the computed gaps, most severe first |
//! | `named_gaps` | the gaps that a model adds |
//! | `queries` | the queries for a gap |
//! | `lane_plan` | the searches of a lane in an iteration: only new queries, within the budget |
//! | `decide` | whether another iteration begins, and why not |
//! | `keep` | which of two reports is kept |

mod decide;
mod gaps;
mod keep;
mod lane_plan;
mod named_gaps;
mod queries;
mod sight;
#[cfg(test)]
mod tests;

pub use decide::{
    MAX_REFINEMENTS, RefinementBudget, SOURCES_EACH, decide, refinements, rounds_kept, rounds_left, sources_allowed,
};
pub use gaps::{GAPS_EACH, ThinSpot, gaps};
pub use keep::{ReportMeasure, keep};
pub use lane_plan::LanePlan;
pub use named_gaps::{MODEL_GAPS, gaps_task};
pub use queries::{QUERIES_EACH, QUERY_CHARS, QUERY_TERMS};
pub use sight::Sight;
