//! Refinement: what is thin in a finished report, whether and how it is looked for again, and which report stays.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `sight` | what the gaps and queries of a lane may be made of |
//! | `gaps` | what is thin, the gravest first |
//! | `named_gaps` | what a model adds to that |
//! | `queries` | what to search for |
//! | `lane_plan` | what a lane looks for in an iteration: nothing that was asked before, and no more than there is room for |
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

pub use decide::{MAX_REFINEMENTS, RefinementBudget, SOURCES_EACH, decide, refinements, sources_allowed};
pub use gaps::{GAPS_EACH, ThinSpot, gaps};
pub use keep::{ReportMeasure, keep};
pub use lane_plan::LanePlan;
pub use named_gaps::{MODEL_GAPS, gaps_task};
pub use queries::{QUERIES_EACH, QUERY_CHARS, QUERY_TERMS};
pub use sight::Sight;
