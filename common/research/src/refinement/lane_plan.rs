//! The searches of a lane in an iteration.

use std::collections::BTreeSet;

use precis_evidence::question::normal_query::normal;
use precis_proto::research::{Assignment, Gap, PlannedSearch};
use precis_proto::task::GapDraft;

use super::gaps::gaps;
use super::named_gaps::searchable_gaps;
use super::queries::{QUERIES_EACH, queries};
use super::sight::Sight;
use crate::budget::Resource;
use crate::course::ResearchCourse;
use crate::search::TermFrequencies;

/// Hits requested by a search for a gap.
const HITS: u32 = 20;

/// The gaps and searches of a lane in an iteration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LanePlan {
    /// Its gaps, most severe first, each with the queries that are made for it.
    pub gaps: Vec<Gap>,
    /// One assignment for each gap that has a query.
    pub assignments: Vec<Assignment>,
    /// Searches that the lane may still make.
    pub searches_left: u32,
    /// Number of new queries, including those beyond the budget.
    pub new_queries: usize,
}

impl LanePlan {
    /// Plans searches for the gaps of `course` that `sight` shows: at most [`QUERIES_EACH`] queries for each, none made before or for
    /// another gap, within the lane's remaining searches. More severe gaps come first, and the model's `drafts` after the computed ones.
    #[must_use]
    pub fn new(course: &ResearchCourse, sight: Sight<'_>, drafts: &[GapDraft], words: &dyn TermFrequencies) -> Self {
        let searches_left = course.budget.left(Resource::Search);
        let mut plan = Self { searches_left, ..Self::default() };
        let mut left = searches_left as usize;
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let computed = gaps(course, sight);
        let added = searchable_gaps(course, sight, drafts, computed.len());
        for spot in computed.into_iter().chain(added) {
            let of = course.plan.sub_questions.get(spot.sub_question);
            let id = of.map(|of| of.id.clone()).unwrap_or_default();
            let mut wanted: Vec<String> = Vec::new();
            for query in queries(course, &spot, words) {
                let form = normal(&query);
                if wanted.len() == QUERIES_EACH || form.is_empty() {
                    continue;
                }
                if !course.queries.contains(&form) && taken.insert(form) {
                    wanted.push(query);
                }
            }
            plan.new_queries += wanted.len();
            let has_room = plan.assignments.len() < course.most_directives;
            wanted.truncate(if has_room { left } else { 0 });
            left -= wanted.len();
            if !wanted.is_empty() {
                let search = |text: &String| PlannedSearch {
                    text: text.clone(),
                    hits: HITS,
                    sub_question: id.clone(),
                    lead: None,
                };
                let priority = of.map_or(1, |of| of.priority);
                let (n, searches) = (plan.assignments.len(), wanted.iter().map(search).collect());
                let assignment = course.assignment(n, vec![id.clone()], spot.text.clone(), priority, searches);
                plan.assignments.push(assignment);
            }
            plan.gaps.push(Gap {
                kind: spot.kind,
                severity: spot.severity,
                sub_question: id,
                text: spot.text,
                lane: course.lane,
                queries: wanted,
            });
        }
        plan
    }

    /// Number of queries that are made.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.assignments.iter().map(|one| one.queries.len()).sum()
    }
}
