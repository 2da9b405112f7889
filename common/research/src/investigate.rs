//! All rounds in one call, for a synchronous searcher.

use precis_proto::research::{Assignment, AssignmentResult, CompletedSearch, Lane, Plan, RoundLog, Served};

use super::budget::{Depth, ResearchLimits};
use super::course::ResearchCourse;
use super::investigation::Investigation;
use super::search::{PassageSearch, PassageSearchError};

/// Provider name of the local folder index.
pub const CORPUS: &str = "corpus";

/// Researches a plan without a model, in one lane.
///
/// The limits are `limits`, else those of `depth`. The same plan and the same answers give the same
/// investigation; the order of hits with equal scores does not matter. Sub-questions beyond 20 are left out.
#[must_use]
pub fn investigate(
    plan: Plan,
    lane: Lane,
    depth: Depth,
    limits: Option<ResearchLimits>,
    search: &mut dyn PassageSearch,
) -> Investigation {
    let limits = limits.unwrap_or_else(|| ResearchLimits::of_depth(depth));
    let mut course = ResearchCourse::new(plan, lane, limits, search);
    loop {
        let assignments = match course.assignments(&[], search) {
            Ok(assignments) => assignments,
            Err(stop) => return course.settle(stop),
        };
        let mut is_open = true;
        let gathered = assignments.iter().map(|one| gather(one, &mut is_open, search)).collect();
        if let Some(stop) = course.fold(RoundLog::new(lane, assignments, gathered)) {
            return course.settle(stop);
        }
    }
}

/// Makes the searches of an assignment, until one returns [`PassageSearchError::Ended`].
pub(super) fn gather(assignment: &Assignment, is_open: &mut bool, search: &mut dyn PassageSearch) -> AssignmentResult {
    let mut gathered = AssignmentResult::default();
    for wanted in &assignment.queries {
        if !*is_open {
            break;
        }
        let limit = wanted.hits as usize;
        let found = match wanted.lead.as_ref().and_then(|lead| lead.document.as_deref()) {
            Some(document) => search.search_document(document, &wanted.text, limit),
            None => search.search(&wanted.text, limit),
        };
        let (hits, failure) = match found {
            Ok(hits) => (hits, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        let ended = if let Some(PassageSearchError::Ended(stop)) = failure { Some(stop) } else { None };
        *is_open = ended.is_none();
        gathered.made.push(CompletedSearch {
            text: wanted.text.clone(),
            provider: CORPUS.to_owned(),
            served: if failure.is_some() { Served::None } else { Served::Paid },
            hits,
            usd: 0.0,
            failure: failure.map(|failure| failure.to_string()),
            ended,
            withheld: None,
        });
    }
    gathered
}
