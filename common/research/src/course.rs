//! The course of research in one lane: the state after its rounds were folded in order, and whether another round follows.
//!
//! It does not search. The same plan and the same rounds give the same course, so a worker that takes over a session rebuilds it from the
//! round logs.

mod judge;

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::analysis::analyse;
use precis_evidence::question::entity::key;
use precis_evidence::question::normal_query::normal;
use precis_proto::research::{
    Assignment, AssignmentResult, Brief, CompletedSearch, Directive, DirectiveStop, Lane, Lead, Plan, PlannedSearch,
    Query, QuestionKind, Round, RoundLog, Served, Stop,
};
use precis_proto::source::ContentRef;
use precis_proto::task::SUB_QUESTION_BOUND;
use precis_text::terms::{query_terms, terms};

use super::budget::{Budget, KeptForLater, ResearchLimits, Resource};
use super::coverage::{SubQuestionState, SubQuestionTarget, score, sub_question_states};
use super::delegate::{MOST_DIRECTIVES, allowed_directives};
use super::investigation::inventory;
use super::known_documents::KnownDocuments;
use super::pool::{PassagePool, Ranking, SearchYield, worth_at};
use super::search::TermFrequencies;
use super::term_weights::{TermWeights, rarity, unknown_words};

/// Most hits of a search that a model made.
const MOST_HITS: usize = 20;
/// Trust in a passage found by a search for a name: without the name in it; with it; added if the title is the name; added for terms of
/// the question that were lacking. Chosen, not measured.
const STRANGER: f64 = 0.1;
const HOLDS: f64 = 0.2;
const TITLED: f64 = 0.5;
const ADDS: f64 = 0.3;
/// Weight of a sub-question's result list (the whole question's is 1): if others rest on it, and if none does. Results for a step must not
/// push out those for the whole question.
const BASE: f64 = 0.35;
const FREE: f64 = 0.95;
/// Least worth of a document that a researcher opened.
const OPENED: f64 = 0.8;
/// Weight of the result list of a model's own query: it adds to built-in results and does not overtake them alone.
const OTHERS: f64 = 0.5;

/// A search that was made or withheld.
#[derive(Debug)]
pub(super) struct PastSearch {
    pub(super) text: String,
    /// Directive and query number, as in `r1.d1#1`.
    pub(super) id: String,
    /// Indexes of the sub-questions it is for.
    pub(super) sought: Vec<usize>,
}

/// The course of research in one lane.
#[derive(Debug)]
pub struct ResearchCourse {
    pub(super) plan: Plan,
    pub(super) lane: Lane,
    /// Most directives of a round.
    pub(super) most_directives: usize,
    pub(super) sought: Vec<SubQuestionTarget>,
    pub(super) weights: TermWeights,
    /// Words of the question that occur nowhere in what is searched.
    pub(super) unknown_words: Vec<String>,
    /// Inverse document frequency of the question's terms in what is searched.
    pub(super) rarity: BTreeMap<String, f64>,
    pub(super) pool: PassagePool,
    /// Documents that the session holds before it searches.
    pub(super) held: KnownDocuments,
    /// Number of rounds taken over from an earlier research, and of the searches in them.
    pub(super) kept_rounds: usize,
    pub(super) kept_searches: usize,
    /// Words of the conversation, appended to the query of a part that names nothing; may be empty.
    pub(super) said: String,
    /// Searches for names that another lane found, to be made in the next round.
    pub(super) lent: Vec<PlannedSearch>,
    pub(super) budget: Budget,
    /// Searches planned without a model that were made, without those of kept rounds.
    pub(super) planned: u32,
    pub(super) known: Vec<SubQuestionState>,
    /// The searches made or withheld, in order.
    pub(super) asked: Vec<PastSearch>,
    pub(super) rounds: Vec<Round>,
    /// Documents that researchers read.
    pub(super) opened: BTreeSet<String>,
    /// Result lists of the searches that do not follow a name; the input of rank fusion.
    lists: Vec<Ranking>,
    pub(super) found: u32,
    pub(super) failed_searches: usize,
    /// Rounds in a row without a change in coverage or best passages.
    idle: u32,
    /// Normalized queries made.
    pub(super) queries: BTreeSet<String>,
    /// Providers with the normalized queries that were sent to them.
    sent: BTreeSet<(String, String)>,
    /// Names and topics followed, as keys.
    pub(super) tried: BTreeSet<String>,
    /// The stop that a search reported, if any.
    ended: Option<Stop>,
}

impl ResearchCourse {
    /// A course before its first search. Sub-questions beyond [`SUB_QUESTION_BOUND`] are left out.
    #[must_use]
    pub fn new(mut plan: Plan, lane: Lane, limits: ResearchLimits, words: &dyn TermFrequencies) -> Self {
        plan.sub_questions.truncate(SUB_QUESTION_BOUND);
        let sought = SubQuestionTarget::of_plan(&plan.sub_questions);
        let weights = weights(&plan, "", words);
        let pool = PassagePool::default();
        let known = sub_question_states(&sought, &pool, &weights);
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
            budget: match lane {
                Lane::Local => Budget::with_free_searches(limits),
                Lane::Web | Lane::Academic => Budget::new(limits),
            },
            planned: 0,
            known,
            asked: Vec::new(),
            rounds: Vec::new(),
            opened: BTreeSet::new(),
            lists: Vec::new(),
            found: 0,
            failed_searches: 0,
            idle: 0,
            queries: BTreeSet::new(),
            sent: BTreeSet::new(),
            tried: BTreeSet::new(),
            ended: None,
        }
    }

    /// Limits the directives of a round to `most`, between 1 and [`MOST_DIRECTIVES`]: several lanes share the directives of a round.
    #[must_use]
    pub fn with_directives(mut self, most: usize) -> Self {
        self.allow_directives(most);
        self
    }

    /// Sets how many directives the next round may have, at least one: what other lanes leave of a round changes from round to round.
    pub fn allow_directives(&mut self, most: usize) {
        self.most_directives = most.clamp(1, MOST_DIRECTIVES);
    }

    /// Keeps a part of the limits for refinement.
    #[must_use]
    pub fn keeping_for_later(mut self, kept: KeptForLater) -> Self {
        self.budget.keep(kept);
        self
    }

    /// Sets the documents that the session already holds: they are read in any case, so a hit in one of them counts as a duplicate and
    /// none of them is chosen.
    #[must_use]
    pub fn holding(self, held: KnownDocuments) -> Self {
        Self { held, ..self }
    }

    /// Marks the first `rounds` rounds as taken over from an earlier research: they use up no budget, none of them ends the course, and
    /// the first round after them starts from the plan.
    #[must_use]
    pub fn keeping(self, rounds: usize) -> Self {
        Self { kept_rounds: rounds, ..self }
    }

    /// Whether the round being folded was taken over.
    fn is_kept(&self) -> bool {
        self.rounds.len() < self.kept_rounds
    }

    /// Whether the next round is the session's own first one.
    pub(super) fn begins(&self) -> bool {
        self.rounds.len() == self.kept_rounds
    }

    /// Sets the words `said` earlier in the conversation that the question refers to: they are appended to each query that names nothing
    /// itself.
    #[must_use]
    pub fn in_conversation(self, said: String, words: &dyn TermFrequencies) -> Self {
        let weights = weights(&self.plan, &said, words);
        let known = sub_question_states(&self.sought, &self.pool, &weights);
        Self { said, weights, known, ..self }
    }

    /// Adds searches for names that another lane found. The caller has checked that their texts may be sent where this lane searches.
    /// They are made in the next round if there is room; those already made are skipped.
    pub fn lend(&mut self, lent: Vec<PlannedSearch>) {
        self.lent = lent;
    }

    /// The query text of the whole question, with the words of the conversation.
    pub(super) fn question(&self) -> String {
        format!("{} {}", self.plan.brief.question, self.said).trim_end().to_owned()
    }

    /// Folds a round into the course, in the order of its directives (not of their answers, so that a rebuilt course is equal). Returns
    /// the reason if it was the last.
    pub fn fold(&mut self, log: RoundLog) -> Option<Stop> {
        let is_first = self.rounds.is_empty();
        let before = if is_first { Vec::new() } else { self.best() };
        if self.is_kept() {
            self.budget.allow(Resource::Round, 1);
        }
        self.budget.take(Resource::Round, 1);
        let mut directives = Vec::new();
        let mut is_fused = is_first;
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
            self.opened.extend(read.into_iter().filter(|one| one.failure.is_none()).map(|one| one.document));
        }
        if is_fused {
            self.pool.fuse(&self.lists);
        }
        // After fusing, since fusing only raises worth by rank: a researcher chose to read these.
        self.opened.iter().for_each(|document| self.pool.raise_document(document, OPENED));
        let changed = is_first || self.best() != before;
        let stop = self.judge(directives, changed, !log.think.is_empty());
        if let Some(round) = self.rounds.last_mut() {
            round.think = (!log.think.is_empty()).then(|| ContentRef::from_bytes(log.think.as_bytes()));
            round.score = (!log.think.is_empty()).then(|| score(self.known.iter().map(|known| &known.coverage)));
            round.unreadable = log.unreadable;
            (round.seconds, round.usd) = (some(log.seconds), some(log.usd));
        }
        stop
    }

    /// The weighted result list of a search that does not follow a name: full weight for the first list (the whole question), less for a
    /// sub-question, least for a model's query.
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

    /// Index of a sub-question in the plan; 0 if there is none with that id.
    fn place(&self, id: &str) -> usize {
        self.sought.iter().position(|sought| sought.sub_question.id == id).unwrap_or(0)
    }

    /// Sets the worth of the passages that a search for a name found.
    fn trust(&mut self, lead: &Lead, brought: &SearchYield) {
        let own = terms(&lead.text);
        let name = key(&lead.text);
        for (rank, place) in brought.passages.iter().enumerate() {
            let passage = self.pool.get(*place);
            let is_own = self.pool.own(&passage.hit.document).is_some_and(|own| key(own) == name);
            let is_linked = lead.document.as_ref() == Some(&passage.hit.document);
            let is_titled = is_own || is_linked || passage.about.contains(&name);
            let is_led = is_titled || passage.held.has_all(&own);
            let fit = if is_led {
                let adds = self.weights.share(&lead.lacking, &[&passage.held]);
                HOLDS + if is_titled { TITLED } else { 0.0 } + ADDS * adds
            } else {
                STRANGER
            };
            // A document titled with the name is about it at any rank.
            let rank = if is_titled { 0 } else { rank };
            let worth = if is_own && lead.is_certain { 1.0 } else { lead.path * fit * worth_at(rank) };
            self.pool.raise(*place, worth);
            if is_led {
                self.pool.lead_to(*place);
            }
        }
    }

    /// Folds the result of one assignment. Returns its record, and the yield of each answered search with the planned search it was for.
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
            // A lead whose query was made before has no query here; its topic is marked so that it is not tried again.
            self.tried.insert(key(&topic));
        }
        for made in gathered.made {
            let wanted = wanted.iter().position(|one| one.text == made.text).map(|at| wanted.remove(at));
            let n = queries.len() as u32 + 1;
            let sought = wanted.as_ref().map_or_else(|| places.clone(), |one| vec![self.place(&one.sub_question)]);
            let (query, brought) = self.fold_search(n, &id, sought, wanted.as_ref(), made);
            queries.push(query);
            searched.extend(brought.map(|brought| (wanted, brought)));
        }
        let stopped = gathered.stopped.unwrap_or(if !wanted.is_empty() {
            DirectiveStop::Stopped
        } else if is_cut {
            DirectiveStop::Budget
        } else if queries.is_empty() {
            DirectiveStop::Planned
        } else if queries.iter().all(|query| query.failure.is_some()) {
            DirectiveStop::Failed
        } else if queries.iter().all(|query| query.hits == 0) {
            DirectiveStop::NoResults
        } else {
            DirectiveStop::Planned
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
            notes_fidelity: gathered.notes_fidelity,
            overflow_retries: gathered.overflow_retries,
            excerpts_left_out: gathered.excerpts_left_out,
            raw_notes: gathered.raw_notes,
        };
        (directive, searched)
    }

    /// Folds one search: its record, and its yield if it was answered.
    fn fold_search(
        &mut self,
        n: u32,
        directive: &str,
        sought: Vec<usize>,
        wanted: Option<&PlannedSearch>,
        made: CompletedSearch,
    ) -> (Query, Option<SearchYield>) {
        let mut query = Query {
            n,
            // A withheld search is counted; its text is private and not recorded.
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
        if query.served == Served::Log {
            // The search whose answer it repeats was folded when it was made.
            return (query, None);
        }
        let is_of_folders = self.lane == Lane::Local;
        if query.served == Served::Paid
            && !is_of_folders
            && !self.sent.insert((query.provider.clone(), normal(&made.text)))
        {
            // Of two that ask the same at once, one is sent and the other gets its answer.
            (query.served, query.usd) = (Served::Memo, 0.0);
        }
        if query.is_search() {
            if self.is_kept() {
                self.budget.allow(Resource::Search, 1);
            }
            self.budget.take(Resource::Search, 1);
            self.planned += u32::from(wanted.is_some() && !self.is_kept());
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
        // Cut to the number requested, so that a provider that returns more does not change the counts.
        hits.truncate(wanted.map_or(MOST_HITS, |wanted| wanted.hits as usize));
        query.hits = hits.len() as u32;
        self.found += query.hits;
        // Hits of a kept search are not checked against the held documents: those are held because that search found them.
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

    /// Number of things that the question compares; 0 if it is not a comparison. Sub-questions that a model added do not count.
    #[must_use]
    pub fn compared_count(&self) -> usize {
        match self.plan.brief.kind {
            QuestionKind::Comparison => match analyse(&self.plan.brief.question).compared.len() {
                // A model may see a comparison that the rules do not find.
                0 => self.plan.sub_questions.len(),
                named => named,
            },
            _ => 0,
        }
    }

    /// Most directives of a round under the scaling rule.
    #[must_use]
    pub fn deserved_directives(&self) -> usize {
        allowed_directives(self.plan.brief.complexity, self.compared_count())
    }
}

/// Weights of the terms of a plan and of the conversation it belongs to.
fn weights(plan: &Plan, said: &str, words: &dyn TermFrequencies) -> TermWeights {
    let mut wanted = query_terms(&plan.brief.question);
    wanted.extend(query_terms(said));
    for facet in plan.sub_questions.iter().flat_map(|sub_question| &sub_question.facets) {
        wanted.extend(facet.terms.iter().cloned());
    }
    TermWeights::new(wanted.iter(), words)
}

/// `number` if it is positive.
fn some(number: f64) -> Option<f64> {
    (number > 0.0).then_some(number)
}
