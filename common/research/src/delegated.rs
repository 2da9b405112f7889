//! The round of a supervisor's directives where a model researches: how many are sent, and each one's share of the searches.
//!
//! A directive is given enough searches to search, think and search again, or it is not sent. Searches planned without a model are made
//! only for a directive whose researcher makes none.

use precis_proto::research::{Assignment, Lane, Stop};
use precis_proto::task::DirectiveDraft;

use super::budget::Resource;
use super::course::ResearchCourse;
use super::researcher::{DEFAULT_CALLS, LEAST_ROUNDS};
use super::search::TermFrequencies;

/// Least searches of a directive: one for each round of search, think, search.
pub const LEAST_SHARE: u32 = LEAST_ROUNDS;

impl ResearchCourse {
    /// The assignments of the next round where a model researches: one for each of the `delegated` directives that the searches left are
    /// enough for, each with its share of them. The searches planned without a model for its sub-questions come along, within the share,
    /// for the case that its researcher makes none.
    ///
    /// # Errors
    /// The reason why there is no next round.
    pub fn delegated_assignments(
        &self,
        delegated: &[DirectiveDraft],
        words: &dyn TermFrequencies,
    ) -> Result<Vec<Assignment>, Stop> {
        if let Some(stop) = self.closed_to_researchers() {
            return Err(stop);
        }
        let delegated = &delegated[..delegated.len().min(self.funded_directives())];
        if delegated.is_empty() {
            return Err(Stop::NoDirectives);
        }
        let shares = shares(self.round_share(delegated.len() as u32), delegated);
        let drafted = delegated.iter().zip(shares).enumerate();
        let mut all: Vec<Assignment> = drafted
            .map(|(n, (one, share))| Assignment { own_searches: share, ..self.draft_assignment(n, one) })
            .collect();
        for planned in self.planned_assignments(words) {
            let is_alike = |other: &&mut Assignment| {
                other.sub_questions.iter().any(|id| planned.sub_questions.contains(id))
                    && other.queries.len() < other.own_searches as usize
            };
            let Some(alike) = all.iter_mut().filter(is_alike).min_by_key(|other| other.queries.len()) else { continue };
            alike.queries.extend(planned.queries);
            alike.queries.truncate(alike.own_searches as usize);
        }
        Ok(all)
    }

    /// Why no further round of researchers may begin; `None` if one may. No model is asked to plan a round that cannot begin.
    #[must_use]
    pub fn closed_to_researchers(&self) -> Option<Stop> {
        let stop = self.out_of_budget();
        stop.or_else(|| (self.funded_directives() == 0).then_some(Stop::Searches))
    }

    /// The directives that the next round may have: those of the lane, but no more than the searches left are enough for, each with at
    /// least [`LEAST_SHARE`]. A lane that never had as many searches gives all of them to one directive.
    #[must_use]
    pub fn funded_directives(&self) -> usize {
        let left = self.budget.left(Resource::Search);
        let enough = (left / LEAST_SHARE) as usize;
        let least = usize::from(self.begins() && left > 0);
        enough.max(least).min(self.most_directives)
    }

    /// Searches of the next round, which has this many directives: an even part of what is left for each round, but at least
    /// [`LEAST_SHARE`] for each directive. All of them if too few for another directive would be left.
    fn round_share(&self, directives: u32) -> u32 {
        if self.lane == Lane::Local {
            return DEFAULT_CALLS * directives;
        }
        let left = self.budget.left(Resource::Search);
        let even = left.div_ceil(self.budget.left(Resource::Round).max(1));
        let share = even.max(LEAST_SHARE * directives).min(left);
        if left - share < LEAST_SHARE { left } else { share }
    }
}

/// Divides `searches` among directives: first [`LEAST_SHARE`] for each, as far as they go, then one at a time, in order of priority, round
/// after round; priority 1 takes part in three of three passes, 2 in two, 3 in one.
fn shares(searches: u32, delegated: &[DirectiveDraft]) -> Vec<u32> {
    let mut left = searches;
    let mut shares: Vec<u32> = Vec::new();
    for _ in delegated {
        let least = LEAST_SHARE.min(left);
        left -= least;
        shares.push(least);
    }
    let mut order: Vec<usize> = (0..delegated.len()).collect();
    // Stable: of equal priorities, the directive listed first comes first.
    order.sort_by_key(|at| delegated[*at].priority);
    let turns = |pass: u32| {
        order.iter().copied().filter(move |at| {
            let weight = 4 - u32::from(delegated[*at].priority.clamp(1, 3));
            pass % 3 < weight
        })
    };
    for at in (0..).flat_map(turns).take(left as usize) {
        shares[at] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;
    use precis_proto::research::{AssignmentResult, CompletedSearch, DirectiveStop, RoundLog, Served};

    use super::super::{NoVocabulary, ResearchLimits, plan};
    use super::*;

    fn delegated(topic: &str, priority: u8) -> DirectiveDraft {
        DirectiveDraft {
            sub_questions: vec!["q1".to_owned()],
            topic: topic.to_owned(),
            priority,
            ..DirectiveDraft::default()
        }
    }

    #[test]
    fn searches_are_shared_by_priority_and_none_is_lost() {
        for (priorities, searches, want) in [
            (vec![1, 2, 3], 9, vec![3, 3, 3]),
            (vec![1, 2, 3], 15, vec![6, 5, 4]),
            (vec![3, 1], 7, vec![3, 4]),
            (vec![2, 2], 9, vec![5, 4]),
            (vec![1], 0, vec![0]),
            (vec![9], 2, vec![2]),
        ] {
            let delegated: Vec<DirectiveDraft> = priorities.iter().map(|p| delegated("t", *p)).collect();
            assert_eq!(shares(searches, &delegated), want, "{priorities:?}");
        }
    }

    /// A directive that made the first `used` of its searches.
    fn worked(assignment: &Assignment, used: u32) -> AssignmentResult {
        let made = |n: u32| CompletedSearch {
            text: format!("{} {n}", assignment.id),
            provider: "p".to_owned(),
            served: Served::Paid,
            hits: Vec::new(),
            usd: 0.0,
            failure: None,
            ended: None,
            withheld: None,
        };
        AssignmentResult {
            made: (0..used).map(made).collect(),
            turns: 1,
            stopped: Some(DirectiveStop::Complete),
            ..AssignmentResult::default()
        }
    }

    #[test]
    fn every_directive_sent_has_three_searches_and_no_limit_is_passed() {
        for searches in 0..60 {
            for (rounds, wanted, thrift) in [(1, 5, 1), (3, 5, 1), (3, 2, 2), (6, 4, 3), (6, 5, 100)] {
                let limits = ResearchLimits { rounds, searches, sources: 9 };
                let plan = plan(&analyse("Who built the Ajax, and where was she launched, and who led her?"));
                let mut course = ResearchCourse::new(plan, Lane::Web, limits, &NoVocabulary);
                let (mut made, mut round) = (0, 0);
                while let Ok(sent) = {
                    let drafts: Vec<DirectiveDraft> =
                        (0..wanted).map(|n| delegated(&format!("topic {round} {n}"), 1 + n % 3)).collect();
                    course.delegated_assignments(&drafts, &NoVocabulary)
                } {
                    assert!(!sent.is_empty() && sent.len() <= wanted as usize);
                    let shares: u32 = sent.iter().map(|one| one.own_searches).sum();
                    assert!(made + shares <= searches, "{searches} {rounds}: {made} and {shares}");
                    let is_poor = searches < LEAST_SHARE;
                    assert!(sent.iter().all(|one| one.own_searches >= LEAST_SHARE || is_poor), "{searches} {sent:?}");
                    assert!(sent.iter().all(|one| one.queries.len() <= one.own_searches as usize));
                    let gathered: Vec<AssignmentResult> =
                        sent.iter().map(|one| worked(one, one.own_searches.div_ceil(thrift))).collect();
                    made += gathered.iter().map(|one| one.made.len() as u32).sum::<u32>();
                    course.fold(RoundLog::new(Lane::Web, sent, gathered));
                    round += 1;
                }
                assert!(round <= rounds && made <= searches);
                assert_eq!(course.budget.record().searches, [made, searches]);
                assert!(thrift > 1 || round == rounds || searches - made < LEAST_SHARE, "{searches} {rounds}: {made}");
            }
        }
    }

    #[test]
    fn a_round_over_folders_has_searches_for_every_directive_whatever_the_limit() {
        let limits = ResearchLimits { rounds: 3, searches: 0, sources: 9 };
        let course = ResearchCourse::new(plan(&analyse("Who built the Ajax?")), Lane::Local, limits, &NoVocabulary);
        let drafts: Vec<DirectiveDraft> = (0..5).map(|n| delegated(&format!("topic {n}"), 1)).collect();
        let sent = course.delegated_assignments(&drafts, &NoVocabulary).expect("a round");
        assert_eq!(sent.iter().map(|one| one.own_searches).collect::<Vec<u32>>(), [DEFAULT_CALLS; 5]);
    }

    #[test]
    fn what_is_planned_without_a_model_comes_along_with_its_directive_only() {
        let limits = ResearchLimits { rounds: 3, searches: 30, sources: 9 };
        let asked = "Who built the Ajax, and who owned the ferry of Leeds?";
        let course = ResearchCourse::new(plan(&analyse(asked)), Lane::Web, limits, &NoVocabulary);
        let sent = course.delegated_assignments(&[delegated("ships", 1)], &NoVocabulary).expect("a round");
        assert_eq!(sent.len(), 1);
        let queries: Vec<&str> = sent[0].queries.iter().map(|one| one.text.as_str()).collect();
        assert!(queries.iter().any(|query| query.contains("Ajax")), "{queries:?}");
        assert!(!queries.contains(&"who owned the ferry of Leeds"), "{queries:?}");
    }
}
