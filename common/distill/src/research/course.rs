//! The course of research in one lane: what its rounds, folded in order, have found, and whether another one follows.
//!
//! It searches nothing itself. The same plan and the same rounds give the same course, so that whoever takes a session over goes on where
//! another one ended.

mod judge;

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::research::{
    Assignment, AssignmentResult, Brief, CompletedSearch, Directive, DirectiveStop, Lane, Lead, Plan, PlannedSearch,
    Query, QuestionKind, Round, RoundLog, Served, Stop,
};
use precis_proto::source::ContentRef;

use super::budget::{Budget, ResearchLimits, Resource};
use super::coverage::{SubQuestionState, SubQuestionTarget, known, score};
use super::delegate::{MOST_DIRECTIVES, allowed};
use super::entity::key;
use super::investigation::inventory;
use super::known_documents::KnownDocuments;
use super::normal_query::normal;
use super::plan::SUB_QUESTION_BOUND;
use super::pool::{PassagePool, Ranking, SearchYield, worth_at};
use super::question::analyse;
use super::search::TermFrequencies;
use super::term_weights::{TermWeights, rarity, unknown_words};
use crate::terms::{query_terms, terms};

/// Hits of a search at most that a model made.
const MOST_HITS: usize = 20;
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
/// Worth of a document that a researcher opened.
const OPENED: f64 = 0.8;
/// Weight of the list of a query that a model thought of: it adds to what is found without it and overtakes nothing by itself.
const OTHERS: f64 = 0.5;

/// A search that was made.
#[derive(Debug)]
pub(super) struct PastSearch {
    pub(super) text: String,
    /// As `r1.d1#1`.
    pub(super) id: String,
    /// Places of the sub-questions it is for.
    pub(super) sought: Vec<usize>,
}

/// The course of research in one lane.
#[derive(Debug)]
pub struct ResearchCourse {
    pub(super) plan: Plan,
    pub(super) lane: Lane,
    /// Directives of a round at most.
    pub(super) most_directives: usize,
    pub(super) sought: Vec<SubQuestionTarget>,
    pub(super) weights: TermWeights,
    /// Words of the question that stand nowhere in what is searched.
    pub(super) unknown_words: Vec<String>,
    /// How rare the terms of the question are in what is searched.
    pub(super) rarity: BTreeMap<String, f64>,
    pub(super) pool: PassagePool,
    /// What the session holds before it searches.
    pub(super) held: KnownDocuments,
    /// Rounds that were made before the session, and the searches in them.
    pub(super) kept_rounds: usize,
    pub(super) kept_searches: usize,
    /// Words of the conversation that a part of the question that names nothing is searched with; empty where there are none.
    pub(super) said: String,
    /// Searches for names that another lane has found, which this one makes beside its own.
    pub(super) lent: Vec<PlannedSearch>,
    pub(super) budget: Budget,
    pub(super) known: Vec<SubQuestionState>,
    /// The searches made, in order.
    pub(super) asked: Vec<PastSearch>,
    pub(super) rounds: Vec<Round>,
    /// What the searches found that follow no name.
    lists: Vec<Ranking>,
    pub(super) found: u32,
    pub(super) failed_searches: usize,
    /// Rounds in a row that changed nothing.
    idle: u32,
    /// Normalized queries.
    pub(super) queries: BTreeSet<String>,
    /// Things followed, as keys.
    pub(super) tried: BTreeSet<String>,
    /// Why nothing more may be searched.
    ended: Option<Stop>,
}

impl ResearchCourse {
    /// A course that nothing was searched for yet. Sub-questions beyond [`SUB_QUESTION_BOUND`] are left out.
    #[must_use]
    pub fn new(mut plan: Plan, lane: Lane, limits: ResearchLimits, words: &dyn TermFrequencies) -> Self {
        plan.sub_questions.truncate(SUB_QUESTION_BOUND);
        let sought = SubQuestionTarget::of_plan(&plan.sub_questions);
        let weights = weights(&plan, "", words);
        let pool = PassagePool::default();
        let known = known(&sought, &pool, &weights);
        let unknown_words = unknown_words(&plan.brief.question, words);
        let rarity = rarity(&plan.brief.question, words);
        Self {
            plan,
            lane,
            most_directives: MOST_DIRECTIVES,
            sought,
            weights,
            unknown_words,
            rarity,
            pool,
            held: KnownDocuments::default(),
            kept_rounds: 0,
            kept_searches: 0,
            said: String::new(),
            lent: Vec::new(),
            budget: Budget::new(limits),
            known,
            asked: Vec::new(),
            rounds: Vec::new(),
            lists: Vec::new(),
            found: 0,
            failed_searches: 0,
            idle: 0,
            queries: BTreeSet::new(),
            tried: BTreeSet::new(),
            ended: None,
        }
    }

    /// The same with at most so many directives in a round, at least one: several lanes share what a round may have.
    #[must_use]
    pub fn with_directives(mut self, most: usize) -> Self {
        self.allow_directives(most);
        self
    }

    /// Sets how many directives the next round may have, at least one: what other lanes leave of a round changes from round to round.
    pub fn allow_directives(&mut self, most: usize) {
        self.most_directives = most.clamp(1, MOST_DIRECTIVES);
    }

    /// The same in a session that holds documents already: they are read in any case, so that a hit in one of them is a duplicate and
    /// none of them is chosen.
    #[must_use]
    pub fn holding(self, held: KnownDocuments) -> Self {
        Self { held, ..self }
    }

    /// The same of a session whose first `rounds` rounds were made before it: they use up nothing, none of them is the last, and the
    /// first round behind them begins with the plan.
    #[must_use]
    pub fn keeping(self, rounds: usize) -> Self {
        Self { kept_rounds: rounds, ..self }
    }

    /// Whether the round that is taken in was made before the session.
    fn is_kept(&self) -> bool {
        self.rounds.len() < self.kept_rounds
    }

    /// Whether the next round is the first of the session itself.
    pub(super) fn begins(&self) -> bool {
        self.rounds.len() == self.kept_rounds
    }

    /// The same of a question that leans on what was said before, of which `said` are words: they join each search that would name
    /// nothing without them.
    #[must_use]
    pub fn in_conversation(self, said: String, words: &dyn TermFrequencies) -> Self {
        let weights = weights(&self.plan, &said, words);
        let known = known(&self.sought, &self.pool, &weights);
        Self { said, weights, known, ..self }
    }

    /// Lends it searches for names that another lane has found, whose texts may be told wherever this one searches: they are made in the
    /// next round beside its own where there is room, those that it has made already left out.
    pub fn lend(&mut self, lent: Vec<PlannedSearch>) {
        self.lent = lent;
    }

    /// The question as it is searched.
    pub(super) fn question(&self) -> String {
        format!("{} {}", self.plan.brief.question, self.said).trim_end().to_owned()
    }

    /// Takes in a round, directive by directive in their order, whatever order they were answered in. Gives the reason where it was
    /// the last.
    pub fn fold(&mut self, log: RoundLog) -> Option<Stop> {
        let is_first = self.rounds.is_empty();
        let before = if is_first { Vec::new() } else { self.best() };
        if self.is_kept() {
            self.budget.allow(Resource::Round, 1);
        }
        self.budget.take(Resource::Round, 1);
        let mut directives = Vec::new();
        let mut is_fused = is_first;
        let mut opened: Vec<String> = Vec::new();
        for (assignment, mut gathered) in log.assignments.into_iter().zip(log.gathered) {
            let read = std::mem::take(&mut gathered.read);
            self.pool.name(std::mem::take(&mut gathered.numbers));
            let (directive, searched) = self.directive(assignment, gathered);
            for (wanted, brought) in searched {
                match wanted.as_ref().and_then(|wanted| wanted.lead.as_ref()) {
                    Some(lead) => self.trust(lead, &brought),
                    None => {
                        is_fused = true;
                        let ranking = self.ranking(wanted.as_ref(), brought);
                        self.lists.push(ranking);
                    }
                }
            }
            directives.push(directive);
            opened.extend(read.into_iter().filter(|one| one.failure.is_none()).map(|one| one.document));
        }
        if is_fused {
            self.pool.fuse(&self.lists);
        }
        // What somebody chose to read is worth reading.
        opened.iter().for_each(|document| self.pool.raise_document(document, OPENED));
        let changed = is_first || self.best() != before;
        let stop = self.judge(directives, changed);
        if let Some(round) = self.rounds.last_mut() {
            round.think = (!log.think.is_empty()).then(|| ContentRef::from_bytes(log.think.as_bytes()));
            round.score = (!log.think.is_empty()).then(|| score(self.known.iter().map(|known| &known.coverage)));
            round.unreadable = log.unreadable;
            (round.seconds, round.usd) = (some(log.seconds), some(log.usd));
        }
        stop
    }

    /// How the list of a search counts that follows no name: in full for the whole question, less for a sub-question, least for a query
    /// that somebody else thought of.
    fn ranking(&self, wanted: Option<&PlannedSearch>, brought: SearchYield) -> Ranking {
        let Some(wanted) = wanted else {
            return Ranking { weight: OTHERS, is_step: false, passages: brought.passages };
        };
        let at = self.place(&wanted.sub_question);
        let is_base = self.sought.iter().any(|other| other.after.contains(&at));
        let is_whole = self.lists.is_empty();
        let weight = match (is_whole, is_base) {
            (true, _) => 1.0,
            (false, true) => BASE,
            (false, false) => FREE,
        };
        Ranking { weight, is_step: is_base && !is_whole, passages: brought.passages }
    }

    /// The place of a sub-question in the plan; the first where there is none of that id.
    fn place(&self, id: &str) -> usize {
        self.sought.iter().position(|sought| sought.sub_question.id == id).unwrap_or(0)
    }

    /// Gives the passages that a name led to their worth.
    fn trust(&mut self, lead: &Lead, brought: &SearchYield) {
        let own = terms(&lead.text);
        let name = key(&lead.text);
        for (rank, place) in brought.passages.iter().enumerate() {
            let passage = self.pool.get(*place);
            let is_own = self.pool.own(&passage.hit.document).is_some_and(|own| key(own) == name);
            let is_titled = is_own || passage.about.contains(&name);
            let is_led = is_titled || passage.held.has_all(&own);
            let fit = if is_led {
                let adds = self.weights.share(&lead.lacking, &[&passage.held]);
                HOLDS + if is_titled { TITLED } else { 0.0 } + ADDS * adds
            } else {
                STRANGER
            };
            // What is the thing itself is so at any rank.
            let rank = if is_titled { 0 } else { rank };
            let worth = if is_own && lead.is_certain { 1.0 } else { lead.path * fit * worth_at(rank) };
            self.pool.raise(*place, worth);
            if is_led {
                self.pool.lead_to(*place);
            }
        }
    }

    /// Takes in what came of one assignment: its record, and what each search that was answered brought, with what it was made for.
    fn directive(
        &mut self,
        assignment: Assignment,
        gathered: AssignmentResult,
    ) -> (Directive, Vec<(Option<PlannedSearch>, SearchYield)>) {
        let Assignment { id, sub_questions, topic, queries: wanted, is_cut, .. } = assignment;
        let mut wanted: Vec<PlannedSearch> = wanted;
        let places: Vec<usize> = sub_questions.iter().map(|id| self.place(id)).collect();
        let mut queries: Vec<Query> = Vec::new();
        let mut searched = Vec::new();
        self.tried.extend(wanted.iter().filter_map(|wanted| wanted.lead.as_ref()).map(|lead| key(&lead.text)));
        if !self.rounds.is_empty() {
            // A lead whose search was made before has none here, and is not looked at again.
            self.tried.insert(key(&topic));
        }
        for made in gathered.made {
            let wanted = wanted.iter().position(|one| one.text == made.text).map(|at| wanted.remove(at));
            let n = queries.len() as u32 + 1;
            let sought = wanted.as_ref().map_or_else(|| places.clone(), |one| vec![self.place(&one.sub_question)]);
            let (query, brought) = self.searched(n, &id, sought, wanted.as_ref(), made);
            queries.push(query);
            searched.extend(brought.map(|brought| (wanted, brought)));
        }
        let stopped = gathered.stopped.unwrap_or(if !wanted.is_empty() {
            DirectiveStop::Stopped
        } else if is_cut {
            DirectiveStop::Budget
        } else if queries.is_empty() {
            DirectiveStop::Complete
        } else if queries.iter().all(|query| query.failure.is_some()) {
            DirectiveStop::Failed
        } else if queries.iter().all(|query| query.hits == 0) {
            DirectiveStop::NoResults
        } else {
            DirectiveStop::Complete
        });
        let all: Vec<&SearchYield> = searched.iter().map(|(_, brought)| brought).collect();
        let directive = Directive {
            id,
            sub_questions,
            topic,
            stopped,
            queries,
            turns: gathered.turns,
            tool_calls: gathered.tool_calls,
            tool_parse_failures: gathered.tool_parse_failures,
            unreadable: gathered.unreadable,
            inventory: inventory(&self.pool, &all),
            dropped_messages: gathered.dropped_messages,
            overflow_retries: gathered.overflow_retries,
            excerpts_left_out: gathered.excerpts_left_out,
            raw_notes: gathered.raw_notes,
        };
        (directive, searched)
    }

    /// Takes in one search.
    fn searched(
        &mut self,
        n: u32,
        directive: &str,
        sought: Vec<usize>,
        wanted: Option<&PlannedSearch>,
        made: CompletedSearch,
    ) -> (Query, Option<SearchYield>) {
        let mut query = Query {
            n,
            // What was withheld is counted, and told without its words.
            text: made.withheld.is_none().then(|| made.text.clone()),
            provider: made.provider,
            hits: 0,
            new: 0,
            related: 0,
            duplicate: 0,
            served: made.served,
            usd: made.usd,
            failure: made.failure,
            withheld: made.withheld,
        };
        // What was answered from the log of the session is no search, and what was withheld was not made.
        if query.served != Served::Log && query.withheld.is_none() {
            if self.is_kept() {
                self.budget.allow(Resource::Search, 1);
            }
            self.budget.take(Resource::Search, 1);
        }
        self.queries.insert(normal(&made.text));
        let number = self.asked.len();
        self.asked.push(PastSearch { text: made.text, id: format!("{directive}#{n}"), sought });
        self.ended = self.ended.or(made.ended);
        if query.failure.is_some() || query.withheld.is_some() {
            self.failed_searches += 1;
            return (query, None);
        }
        let mut hits = made.hits;
        // Whoever gives more than was asked for does not change what is counted.
        hits.truncate(wanted.map_or(MOST_HITS, |wanted| wanted.hits as usize));
        query.hits = hits.len() as u32;
        self.found += query.hits;
        // What a kept search found is held because of it.
        let none = KnownDocuments::default();
        let brought = self.pool.add(number, hits, if self.is_kept() { &none } else { &self.held });
        (query.new, query.related, query.duplicate) = (brought.new, brought.related, brought.duplicate);
        (query, Some(brought))
    }

    /// The question as understood.
    #[must_use]
    pub fn brief(&self) -> &Brief {
        &self.plan.brief
    }

    /// Things that the question compares; 0 where it compares none. What a model added to its plan is nothing that is compared.
    #[must_use]
    pub fn compared(&self) -> usize {
        match self.plan.brief.kind {
            QuestionKind::Comparison => match analyse(&self.plan.brief.question).compared.len() {
                // A model sees things side by side that the rules do not.
                0 => self.plan.sub_questions.len(),
                named => named,
            },
            _ => 0,
        }
    }

    /// Directives of a round that the question deserves at most.
    #[must_use]
    pub fn deserved(&self) -> usize {
        allowed(self.plan.brief.complexity, self.compared())
    }
}

/// What the terms of a plan weigh, and those of the conversation that it is part of.
fn weights(plan: &Plan, said: &str, words: &dyn TermFrequencies) -> TermWeights {
    let mut wanted = query_terms(&plan.brief.question);
    wanted.extend(query_terms(said));
    for facet in plan.sub_questions.iter().flat_map(|sub_question| &sub_question.facets) {
        wanted.extend(facet.terms.iter().cloned());
    }
    TermWeights::new(wanted.iter(), words)
}

/// A number worth telling.
fn some(number: f64) -> Option<f64> {
    (number > 0.0).then_some(number)
}
