//! The rounds: search, see what is covered, look for what the best passages name, stop.

use std::collections::BTreeSet;

use precis_proto::research::{
    Answered, Coverage, CoverageChange, Decision, Directive, DirectiveStop, Query, Round, Served, Stop,
};

use super::bridge::{Candidate, View, candidates};
use super::budget::{Budget, Depth, Grant, Limits, Resource};
use super::coverage::{Known, Sought, known};
use super::entity::key;
use super::outcome::{Investigation, inventory, settle};
use super::plan::{Plan, SUB_QUESTION_BOUND};
use super::pool::{Brought, Pool, Ranking, worth_at};
use super::search::{Search, SearchFailure};
use super::weight::Weights;
use crate::terms::{query_terms, terms};

/// Hits asked for of the first searches, and of those that follow a name.
const FIRST_HITS: usize = 50;
const BRIDGE_HITS: usize = 20;
/// Directives of a round at most.
const MOST_DIRECTIVES: usize = 5;
/// Names followed in one round; what one brings may spare the next.
const NAMES_A_ROUND: usize = 3;
/// Trust in what a search for a name found, where it does not hold the name; where it does; and what a title that is the name and new
/// terms of the question add. Chosen, not measured.
const STRANGER: f64 = 0.1;
const HOLDS: f64 = 0.2;
const TITLED: f64 = 0.5;
const ADDS: f64 = 0.3;
/// Weight of the list of a sub-question beside that of the whole question, where others rest on it, and where it stands alone. What is
/// only a step must not push out what the whole question finds.
const BASE: f64 = 0.35;
const FREE: f64 = 0.95;
/// Rounds in a row that may change nothing.
const PATIENCE: u32 = 2;

/// What a search does.
pub(super) struct Asked {
    pub(super) text: String,
    /// As `r1.d1#1`.
    pub(super) id: String,
    /// Places of the sub-questions it is for.
    pub(super) sought: Vec<usize>,
}

/// Researches a plan.
///
/// The limits are the smallest of `depth`, of the plan's complexity and of `limits`. The same plan and the same answers give the same
/// investigation; the order of hits with equal scores does not matter. Sub-questions beyond 20 are left out.
#[must_use]
pub fn investigate(plan: Plan, depth: Depth, limits: Option<Limits>, search: &mut dyn Search) -> Investigation {
    let own = Limits::of_depth(depth).for_complexity(plan.brief.complexity);
    let limits = match limits {
        // How much is read is the caller's: no depth has a say in it.
        Some(limits) => Limits { sources: limits.sources, ..own.min(limits) },
        None => own,
    };
    let mut plan = plan;
    plan.sub_questions.truncate(SUB_QUESTION_BOUND);
    let mut course = Course::new(plan, limits, search);
    let stop = course.run(search);
    settle(course, stop)
}

/// A run under way.
pub(super) struct Course {
    pub(super) plan: Plan,
    pub(super) sought: Vec<Sought>,
    pub(super) weights: Weights,
    pub(super) pool: Pool,
    pub(super) budget: Budget,
    pub(super) known: Vec<Known>,
    /// The searches made, in order.
    pub(super) asked: Vec<Asked>,
    pub(super) rounds: Vec<Round>,
    pub(super) found: u32,
    pub(super) failed_searches: usize,
    /// Rounds in a row that changed nothing.
    idle: u32,
    /// Normalized queries.
    queries: BTreeSet<String>,
    /// Things followed, as keys.
    tried: BTreeSet<String>,
    /// Why nothing more may be searched.
    ended: Option<Stop>,
}

/// One query of a directive.
struct Task<'t> {
    query: &'t str,
    limit: usize,
    sought: Vec<usize>,
}

impl Course {
    fn new(plan: Plan, limits: Limits, search: &dyn Search) -> Self {
        let sought = Sought::of_plan(&plan.sub_questions);
        let mut wanted = query_terms(&plan.brief.question);
        for facet in plan.sub_questions.iter().flat_map(|sub_question| &sub_question.facets) {
            wanted.extend(facet.terms.iter().cloned());
        }
        let weights = Weights::new(wanted.iter(), search);
        let pool = Pool::default();
        let known = known(&sought, &pool, &weights);
        Self {
            plan,
            sought,
            weights,
            pool,
            budget: Budget::new(limits),
            known,
            asked: Vec::new(),
            rounds: Vec::new(),
            found: 0,
            failed_searches: 0,
            idle: 0,
            queries: BTreeSet::new(),
            tried: BTreeSet::new(),
            ended: None,
        }
    }

    fn run(&mut self, search: &mut dyn Search) -> Stop {
        if self.budget.take(Resource::Round, 1) == Grant::Spent {
            return Stop::Rounds;
        }
        let directives = self.first_round(search);
        let mut stop = self.judge(directives, true);
        while stop.is_none() {
            let next = self.next(search);
            stop = if next.is_empty() {
                Some(self.close(Stop::NoDirectives))
            } else if self.budget.left(Resource::Search) == 0 {
                Some(self.close(Stop::Searches))
            } else if self.budget.take(Resource::Round, 1) == Grant::Spent {
                Some(self.close(Stop::Rounds))
            } else {
                let before = self.best();
                let directives = self.follow(&next, search);
                let changed = self.best() != before;
                self.judge(directives, changed)
            };
        }
        stop.unwrap_or(Stop::NoDirectives)
    }

    /// The whole question and each sub-question that rests on no other.
    fn first_round(&mut self, search: &mut dyn Search) -> Vec<Directive> {
        let question = self.plan.brief.question.clone();
        let mut lists: Vec<Ranking> = Vec::new();
        let mut directives = Vec::new();
        let free: Vec<usize> = (0..self.sought.len()).filter(|at| self.sought[*at].after.is_empty()).collect();
        for (n, at) in free.iter().take(MOST_DIRECTIVES).enumerate() {
            let text = self.sought[*at].sub_question.text.clone();
            let mut queries = vec![text.clone()];
            if n == 0 {
                queries.insert(0, question.clone());
            }
            let id = format!("r1.d{}", n + 1);
            let tasks = queries.iter().map(|query| Task { query, limit: FIRST_HITS, sought: vec![*at] });
            let (directive, brought) = self.directive(id, text.clone(), tasks.collect(), search);
            let is_base = self.sought.iter().any(|other| other.after.contains(at));
            for brought in brought {
                let weight = if lists.is_empty() {
                    1.0
                } else if is_base {
                    BASE
                } else {
                    FREE
                };
                let is_step = is_base && !lists.is_empty();
                lists.push(Ranking { weight, is_step, passages: brought.passages });
            }
            directives.push(directive);
        }
        self.pool.fuse(&lists);
        directives
    }

    fn next(&self, search: &dyn Search) -> Vec<Candidate> {
        candidates(&View {
            question: &self.plan.brief.question,
            sought: &self.sought,
            known: &self.known,
            pool: &self.pool,
            weights: &self.weights,
            search,
            tried: &self.tried,
        })
    }

    /// Looks for the best of `next`.
    fn follow(&mut self, next: &[Candidate], search: &mut dyn Search) -> Vec<Directive> {
        let round = self.rounds.len() + 1;
        let mut directives = Vec::new();
        for (n, candidate) in next.iter().take(NAMES_A_ROUND).enumerate() {
            if self.budget.left(Resource::Search) == 0 || self.ended.is_some() {
                break;
            }
            self.tried.insert(key(&candidate.text));
            let task = Task { query: &candidate.query, limit: BRIDGE_HITS, sought: vec![candidate.sought] };
            let id = format!("r{round}.d{}", n + 1);
            let (directive, brought) = self.directive(id, candidate.text.clone(), vec![task], search);
            for brought in brought {
                self.trust(candidate, &brought);
            }
            directives.push(directive);
        }
        directives
    }

    /// Gives the passages that a name led to their worth.
    fn trust(&mut self, candidate: &Candidate, brought: &Brought) {
        let own = terms(&candidate.text);
        let name = key(&candidate.text);
        for (rank, place) in brought.passages.iter().enumerate() {
            let passage = self.pool.get(*place);
            let is_own = self.pool.own(&passage.hit.document).is_some_and(|own| key(own) == name);
            let is_titled = is_own || passage.about.contains(&name);
            let is_led = is_titled || passage.held.has_all(&own);
            let fit = if is_led {
                let adds = self.weights.share(&candidate.lacking, &[&passage.held]);
                HOLDS + if is_titled { TITLED } else { 0.0 } + ADDS * adds
            } else {
                STRANGER
            };
            // What is the thing itself is so at any rank.
            let rank = if is_titled { 0 } else { rank };
            let worth = if is_own && candidate.is_certain { 1.0 } else { candidate.path * fit * worth_at(rank) };
            self.pool.raise(*place, worth);
            if is_led {
                self.pool.lead_to(*place);
            }
        }
    }

    /// Makes the searches of one directive, as far as they are allowed and new.
    fn directive(
        &mut self,
        id: String,
        topic: String,
        tasks: Vec<Task<'_>>,
        search: &mut dyn Search,
    ) -> (Directive, Vec<Brought>) {
        let mut places: Vec<usize> = tasks.iter().flat_map(|task| task.sought.clone()).collect();
        places.dedup();
        let mut queries: Vec<Query> = Vec::new();
        let mut all: Vec<Brought> = Vec::new();
        let mut stopped = DirectiveStop::Complete;
        for task in tasks {
            let mut normal = query_terms(task.query);
            normal.sort_unstable();
            let normal = normal.join(" ");
            let normal = if normal.is_empty() { key(task.query) } else { normal };
            if normal.is_empty() || self.queries.contains(&normal) {
                continue;
            }
            if self.ended.is_some() || self.budget.take(Resource::Search, 1) == Grant::Spent {
                stopped = if self.ended.is_some() { DirectiveStop::Stopped } else { DirectiveStop::Budget };
                break;
            }
            self.queries.insert(normal);
            let n = queries.len() as u32 + 1;
            let number = self.asked.len();
            self.asked.push(Asked { text: task.query.to_owned(), id: format!("{id}#{n}"), sought: task.sought });
            let (query, brought) = self.search(n, number, task.query, task.limit, search);
            queries.push(query);
            all.extend(brought);
        }
        if stopped == DirectiveStop::Complete && !queries.is_empty() {
            stopped = if queries.iter().all(|query| query.failure.is_some()) {
                DirectiveStop::Failed
            } else if queries.iter().all(|query| query.hits == 0) {
                DirectiveStop::NoResults
            } else {
                DirectiveStop::Complete
            };
        }
        let directive = Directive {
            id,
            sub_questions: places.iter().map(|at| self.sought[*at].sub_question.id.clone()).collect(),
            topic,
            stopped,
            queries,
            turns: 0,
            tool_calls: 0,
            tool_parse_failures: 0,
            inventory: inventory(&self.pool, &all),
            dropped_messages: Vec::new(),
            raw_notes: None,
        };
        (directive, all)
    }

    fn search(
        &mut self,
        n: u32,
        number: usize,
        text: &str,
        limit: usize,
        search: &mut dyn Search,
    ) -> (Query, Option<Brought>) {
        let mut query = Query {
            n,
            text: Some(text.to_owned()),
            provider: "corpus".to_owned(),
            hits: 0,
            new: 0,
            related: 0,
            duplicate: 0,
            served: Served::None,
            failure: None,
            withheld: None,
        };
        match search.search(text, limit) {
            Ok(mut hits) => {
                // Whoever gives more than was asked for does not change what is counted.
                hits.truncate(limit);
                query.served = Served::Paid;
                query.hits = hits.len() as u32;
                self.found += query.hits;
                let brought = self.pool.add(number, hits);
                (query.new, query.related, query.duplicate) = (brought.new, brought.related, brought.duplicate);
                (query, Some(brought))
            }
            Err(failure) => {
                self.failed_searches += 1;
                query.failure = Some(failure.to_string());
                if let SearchFailure::Ended(stop) = failure {
                    self.ended = Some(stop);
                }
                (query, None)
            }
        }
    }

    /// The best passages of each sub-question: a round that changes none of them brought nothing.
    fn best(&self) -> Vec<Vec<usize>> {
        let of = |sought: &Sought| {
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

    /// Whether a stated relation leads to something that was not looked for and whose document was not found.
    fn leads_on(&self) -> bool {
        let others = self.known.iter().flat_map(|known| &known.statements).map(|(_, statement)| &statement.other);
        others.into_iter().any(|other| !self.tried.contains(&key(other)) && !self.pool.has_head(other))
    }

    /// Records a round and says whether it was the last: `None` to go on.
    fn judge(&mut self, directives: Vec<Directive>, changed: bool) -> Option<Stop> {
        let next = known(&self.sought, &self.pool, &self.weights);
        let changes =
            self.known.iter().zip(&next).filter_map(|(before, after)| change(&before.coverage, &after.coverage));
        let coverage: Vec<CoverageChange> = changes.collect();
        self.idle = if changed || !coverage.is_empty() { 0 } else { self.idle + 1 };
        self.known = next;
        let open: Vec<&str> = self
            .known
            .iter()
            .map(|known| &known.coverage)
            .filter(|c| c.answered != Answered::Yes)
            .map(|c| c.sub_question.as_str())
            .collect();
        let stop = if let Some(ended) = self.ended {
            Some(ended)
        } else if open.is_empty() && !self.leads_on() {
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
        let reason = if open.is_empty() {
            "every sub-question is covered".to_owned()
        } else {
            format!("not covered: {}", open.join(", "))
        };
        let decision = match stop {
            None => Decision::Delegate,
            Some(Stop::Covered) => Decision::Complete,
            Some(_) => Decision::Stop,
        };
        let n = self.rounds.len() as u32 + 1;
        self.rounds.push(Round { n, decision, reason, directives, coverage, think: None, seconds: None, usd: None });
        stop
    }

    /// The last round turns out to be the last.
    fn close(&mut self, stop: Stop) -> Stop {
        if let Some(round) = self.rounds.last_mut() {
            round.decision = Decision::Stop;
        }
        stop
    }
}

fn change(before: &Coverage, after: &Coverage) -> Option<CoverageChange> {
    let most = |coverage: &Coverage, of: fn(&precis_proto::research::FacetCoverage) -> u32| {
        coverage.facets.iter().map(of).max().unwrap_or(0)
    };
    (before.answered != after.answered || before.adequacy != after.adequacy).then(|| CoverageChange {
        sub_question: after.sub_question.clone(),
        before: before.answered,
        after: after.answered,
        documents: most(after, |facet| facet.documents),
        independent: most(after, |facet| facet.independent),
    })
}
