//! Decides whether another round follows: by what the last one changed, what is still open, and what budget is left.

use std::collections::BTreeMap;

use precis_evidence::question::entity::key;
use precis_proto::research::{Answered, Coverage, CoverageChange, Decision, Directive, FacetCoverage, Round, Stop};
use precis_text::terms::query_terms;

use super::super::budget::Resource;
use super::super::coverage::{SubQuestionTarget, sub_question_states};
use super::ResearchCourse;

/// Rounds in a row without a change after which a course stops.
const PATIENCE: u32 = 2;

impl ResearchCourse {
    /// The five best passages of each sub-question; a round that changes none of them counts as idle.
    pub(super) fn best(&self) -> Vec<Vec<usize>> {
        let of = |sought: &SubQuestionTarget| {
            let wanted = query_terms(&sought.sub_question.text);
            let scored = self.pool.witnesses();
            let mut scored: Vec<(f64, usize)> = scored
                .map(|(place, passage)| (self.weights.share(&wanted, &[&passage.held]) + passage.worth, place))
                .collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            scored.into_iter().take(5).map(|(_, place)| place).collect()
        };
        self.sought.iter().map(of).collect()
    }

    /// Whether a stated relation names another end that was not searched for and whose document was not found.
    fn leads_on(&self) -> bool {
        let others = self.known.iter().flat_map(|known| &known.statements).map(|(_, statement)| &statement.other);
        others.into_iter().any(|other| !self.tried.contains(&key(other)) && !self.pool.has_head(other))
    }

    /// Records a round. Returns the reason to stop, or `None` to continue. In a round that was supervised, whether the question is covered
    /// is for the supervisor to say: passages that hold its words may not answer it.
    pub(super) fn judge(&mut self, directives: Vec<Directive>, changed: bool, is_supervised: bool) -> Option<Stop> {
        let next = sub_question_states(&self.sought, &self.pool, &self.weights);
        let changes =
            self.known.iter().zip(&next).filter_map(|(before, after)| change(&before.coverage, &after.coverage));
        let coverage: Vec<CoverageChange> = changes.collect();
        let is_over = self.rounds.len() + 1 > self.kept_rounds;
        self.idle = if changed || !coverage.is_empty() || !is_over { 0 } else { self.idle + 1 };
        self.known = next;
        let at = |answered: Answered| -> Vec<&str> {
            let all = self.known.iter().map(|known| &known.coverage);
            all.filter(|c| c.answered == answered).map(|c| c.sub_question.as_str()).collect()
        };
        let open = [("not covered", at(Answered::No)), ("partly covered", at(Answered::Partly))];
        let is_open = open.iter().any(|(_, ids)| !ids.is_empty());
        let stop = if !is_over {
            None
        } else if let Some(ended) = self.ended {
            Some(ended)
        } else if !is_open && !is_supervised && !self.leads_on() {
            Some(Stop::Covered)
        } else if self.asked.is_empty() {
            Some(if self.budget.left(Resource::Search) == 0 { Stop::Searches } else { Stop::NoDirectives })
        } else if self.failed_searches == self.asked.len() {
            Some(Stop::AllFailed)
        } else if self.found == 0 {
            Some(Stop::NothingFound)
        } else if self.idle >= PATIENCE {
            Some(Stop::NoNewSources)
        } else {
            None
        };
        let named = open.iter().filter(|(_, ids)| !ids.is_empty());
        let named: Vec<String> = named.map(|(how, ids)| format!("{how}: {}", ids.join(", "))).collect();
        let reason = if is_open { named.join("; ") } else { "every sub-question is covered".to_owned() };
        let decision = match stop {
            None => Decision::Delegate,
            Some(Stop::Covered) => Decision::Complete,
            Some(_) => Decision::Stop,
        };
        let n = self.rounds.len() as u32 + 1;
        if !is_over {
            self.kept_searches = self.asked.len();
        }
        self.rounds.push(Round {
            n,
            decision,
            reason,
            directives,
            coverage,
            think: None,
            score: None,
            unreadable: BTreeMap::new(),
            seconds: None,
            usd: None,
        });
        stop
    }
}

/// The change in a sub-question's coverage after a round; `None` if there is none.
fn change(before: &Coverage, after: &Coverage) -> Option<CoverageChange> {
    let most = |coverage: &Coverage, of: fn(&FacetCoverage) -> u32| coverage.facets.iter().map(of).max().unwrap_or(0);
    (before.answered != after.answered || before.adequacy != after.adequacy).then(|| CoverageChange {
        sub_question: after.sub_question.clone(),
        before: before.answered,
        after: after.answered,
        documents: most(after, |facet| facet.documents),
        independent: most(after, |facet| facet.independent),
    })
}
