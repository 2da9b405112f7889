//! The assignments of a round: the question and its parts first, then things the best passages name; a model's directives are merged in.

use std::collections::BTreeSet;

use precis_evidence::question::normal_query::normal;
use precis_proto::research::{Assignment, Complexity, Lane, Lead, PlannedSearch, Stop};
use precis_proto::task::DirectiveDraft;

use super::bridge::{BridgeCandidate, View, candidates};
use super::budget::{Resource, planned_searches};
use super::course::ResearchCourse;
use super::coverage::SubQuestionTarget;
use super::delegate::MOST_DIRECTIVES;
use super::search::TermFrequencies;

/// Hits requested per search: in the first round, and for a search that follows a name.
const FIRST_HITS: u32 = 50;
const LEAD_HITS: u32 = 20;
/// Least directives of a round for a complex question, if the built-in plan has that many. If a supervisor sends fewer, built-in
/// assignments fill up.
const FEWEST_OF_COMPLEX: usize = 3;
/// Names followed in one round; few, because the result of one may make the others unnecessary.
const NAMES_A_ROUND: usize = 3;
/// Most linked documents searched in a round, beside those names: searches of folders are free. Chosen, not measured.
const LINKS_A_ROUND: usize = 2;

impl ResearchCourse {
    /// The assignments of the next round where no model researches, each with its granted searches: the built-in ones and the `delegated`
    /// ones, at most [`MOST_DIRECTIVES`] together. No built-in search is dropped in favour of a model's directive: it moves into a directive
    /// about the same sub-question. Where a model researches: [`ResearchCourse::delegated_assignments`].
    ///
    /// # Errors
    /// The reason why there is no next round.
    pub fn assignments(
        &self,
        delegated: &[DirectiveDraft],
        words: &dyn TermFrequencies,
    ) -> Result<Vec<Assignment>, Stop> {
        let is_first = self.begins();
        let own = if is_first { self.first_assignments() } else { self.with_lent(self.name_assignments(words)) };
        if own.is_empty() && delegated.is_empty() && !is_first {
            return Err(Stop::NoDirectives);
        }
        if let Some(stop) = self.out_of_budget() {
            return Err(stop);
        }
        let mut left = self.planned_left();
        if left == 0 && !is_first {
            return Err(Stop::NoDirectives);
        }
        let mut own = self.grant(own, &mut left);
        if self.kept_rounds > 0 && is_first {
            own.retain(|one| !one.queries.is_empty());
            if own.is_empty() {
                // Every query of the plan was made in the kept rounds: continue with the names they found.
                own = self.grant(self.name_assignments(words), &mut left);
            }
            if own.is_empty() && delegated.is_empty() {
                return Err(Stop::NoDirectives);
            }
        }
        Ok(self.with_delegated(own, delegated))
    }

    /// Why no further round may begin, as far as limits say so; `None` if one may. The first round of a session may begin without
    /// searches: it records what would have been searched.
    pub(super) fn out_of_budget(&self) -> Option<Stop> {
        if self.budget.left(Resource::Search) == 0 && !self.begins() {
            Some(Stop::Searches)
        } else if self.budget.left(Resource::Round) == 0 {
            Some(Stop::Rounds)
        } else {
            None
        }
    }

    /// Searches that may still be planned without a model.
    fn planned_left(&self) -> u32 {
        let linked = if self.lane == Lane::Local { LINKS_A_ROUND as u32 } else { 0 };
        let most = planned_searches(self.plan.brief.complexity) + linked;
        most.saturating_sub(self.planned).min(self.budget.left(Resource::Search))
    }

    /// The searches that would be planned for the next round without a model, within the limit of such searches.
    pub(super) fn planned_assignments(&self, words: &dyn TermFrequencies) -> Vec<Assignment> {
        let own = if self.begins() { self.first_assignments() } else { self.name_assignments(words) };
        self.grant(own, &mut self.planned_left())
    }

    /// The first round: the whole question and each sub-question that rests on no other. If these outnumber the directives, some share one.
    fn first_assignments(&self) -> Vec<Assignment> {
        let free = self.sought.iter().filter(|sought| sought.after.is_empty()).take(MOST_DIRECTIVES);
        let mut all: Vec<Assignment> = Vec::new();
        for (n, sought) in free.enumerate() {
            let of = &sought.sub_question;
            let wanted = |text: &str| PlannedSearch {
                text: text.to_owned(),
                hits: FIRST_HITS,
                sub_question: of.id.clone(),
                lead: None,
            };
            let whole = (n == 0).then(|| wanted(&self.question()));
            let queries: Vec<PlannedSearch> = whole.into_iter().chain([wanted(&self.part_query(sought))]).collect();
            all.push(self.assignment(n, vec![of.id.clone()], of.text.clone(), of.priority, queries));
        }
        self.merge_beyond_limit(all)
    }

    /// The same searches in as many directives as a round may have: each directive beyond these joins one before it.
    fn merge_beyond_limit(&self, mut all: Vec<Assignment>) -> Vec<Assignment> {
        let more = all.split_off(self.most_directives.min(all.len()));
        for (n, one) in more.into_iter().enumerate() {
            let shared = &mut all[n % self.most_directives];
            let is_new = |id: &String| !shared.sub_questions.contains(id);
            let sub_questions: Vec<String> = one.sub_questions.into_iter().filter(is_new).collect();
            shared.sub_questions.extend(sub_questions);
            shared.queries.extend(one.queries);
        }
        all
    }

    /// The query text of a sub-question; the words of the conversation are appended if it names nothing itself.
    fn part_query(&self, sought: &SubQuestionTarget) -> String {
        let of = &sought.sub_question;
        let is_named = of.facets.iter().any(|facet| facet.entity.is_some());
        let said = if is_named { "" } else { &self.said };
        format!("{} {said}", of.text).trim_end().to_owned()
    }

    /// The assignments for the best [`NAMES_A_ROUND`] names in the passages found so far.
    fn name_assignments(&self, words: &dyn TermFrequencies) -> Vec<Assignment> {
        let question = self.question();
        let view = View {
            question: &question,
            sought: &self.sought,
            known: &self.known,
            pool: &self.pool,
            weights: &self.weights,
            words,
            tried: &self.tried,
        };
        let (linked, named): (Vec<_>, Vec<_>) = candidates(&view).into_iter().partition(|one| one.document.is_some());
        let best = named.into_iter().take(NAMES_A_ROUND).chain(linked.into_iter().take(LINKS_A_ROUND)).enumerate();
        self.merge_beyond_limit(best.map(|(n, candidate)| self.following(n, candidate)).collect())
    }

    /// The searches for names found so far, to be lent to another lane.
    #[must_use]
    pub fn leads(&self, words: &dyn TermFrequencies) -> Vec<PlannedSearch> {
        // A document of one lane is not in another.
        let is_name = |search: &PlannedSearch| search.lead.as_ref().is_some_and(|lead| lead.document.is_none());
        self.name_assignments(words).into_iter().flat_map(|assignment| assignment.queries).filter(is_name).collect()
    }

    /// Lent assignments and `own` ones in turn, the lent ones first, as many as a round may have. First, because a request that allows
    /// names to cross lanes expects them to be searched.
    fn with_lent(&self, own: Vec<Assignment>) -> Vec<Assignment> {
        let lent = self.lent.iter().filter(|search| !self.queries.contains(&normal(&search.text)));
        let mut lent = lent.filter_map(|search| self.lent_assignment(search)).peekable();
        if lent.peek().is_none() {
            return own;
        }
        let (mut own, mut all) = (own.into_iter(), Vec::new());
        loop {
            let turn: Vec<Assignment> = lent.next().into_iter().chain(own.next()).collect();
            if turn.is_empty() || all.len() >= self.most_directives {
                break;
            }
            all.extend(turn);
        }
        all.truncate(self.most_directives);
        for (n, assignment) in all.iter_mut().enumerate() {
            assignment.id = self.directive_id(n);
        }
        all
    }

    fn lent_assignment(&self, search: &PlannedSearch) -> Option<Assignment> {
        let of = self.plan.sub_questions.iter().find(|one| one.id == search.sub_question)?;
        let topic = search.lead.as_ref().map_or(&search.text, |lead| &lead.text).clone();
        Some(self.assignment(0, vec![of.id.clone()], topic, of.priority, vec![search.clone()]))
    }

    fn following(&self, n: usize, candidate: BridgeCandidate) -> Assignment {
        let of = &self.sought[candidate.sought].sub_question;
        let lead = Lead {
            text: candidate.text.clone(),
            path: candidate.path,
            lacking: candidate.lacking,
            is_certain: candidate.is_certain,
            document: candidate.document,
        };
        let wanted =
            PlannedSearch { text: candidate.query, hits: LEAD_HITS, sub_question: of.id.clone(), lead: Some(lead) };
        self.assignment(n, vec![of.id.clone()], candidate.text, of.priority, vec![wanted])
    }

    pub(super) fn assignment(
        &self,
        n: usize,
        sub_questions: Vec<String>,
        topic: String,
        priority: u8,
        queries: Vec<PlannedSearch>,
    ) -> Assignment {
        Assignment {
            id: self.directive_id(n),
            lane: self.lane,
            sub_questions,
            topic,
            perspective: String::new(),
            evidence_needed: String::new(),
            priority,
            queries,
            is_cut: false,
            own_searches: 0,
        }
    }

    fn directive_id(&self, n: usize) -> String {
        // Rounds of several lanes are reported together, so the id carries the lane.
        let lane = match self.lane {
            Lane::Local => 'd',
            Lane::Web => 'w',
            Lane::Academic => 'a',
        };
        format!("r{}.{lane}{}", self.rounds.len() + 1, n + 1)
    }

    /// The assignments with those of their queries that are new and within the `left` searches. Without searches left, a later round drops
    /// the remaining assignments; the first round keeps them without queries.
    fn grant(&self, wanted: Vec<Assignment>, left: &mut u32) -> Vec<Assignment> {
        let mut made: BTreeSet<String> = BTreeSet::new();
        let mut granted = Vec::new();
        for mut assignment in wanted {
            if *left == 0 && !self.begins() {
                break;
            }
            let mut queries = Vec::new();
            for query in std::mem::take(&mut assignment.queries) {
                let normal = normal(&query.text);
                if normal.is_empty() || self.queries.contains(&normal) || made.contains(&normal) {
                    continue;
                }
                if *left == 0 {
                    assignment.is_cut = true;
                    break;
                }
                *left -= 1;
                made.insert(normal);
                queries.push(query);
            }
            // A lead whose query was already made is kept without queries, so that `fold` marks it as tried.
            granted.push(Assignment { queries, ..assignment });
        }
        granted
    }

    /// The delegated directives; each built-in assignment joins one about the same sub-question, else is added if there is room.
    fn with_delegated(&self, own: Vec<Assignment>, delegated: &[DirectiveDraft]) -> Vec<Assignment> {
        if delegated.is_empty() {
            return own;
        }
        // Built-in assignments must not raise the count beyond what the scaling rule allows for this question.
        let most = self.most_directives.min(self.deserved_directives());
        let delegated = delegated.iter().take(most).enumerate();
        let mut all: Vec<Assignment> = delegated.map(|(n, one)| self.draft_assignment(n, one)).collect();
        let fewest = if self.plan.brief.complexity == Complexity::Complex { FEWEST_OF_COMPLEX } else { 0 };
        for (at, mut assignment) in own.into_iter().enumerate() {
            let is_alike =
                |other: &Assignment| other.sub_questions.iter().any(|id| assignment.sub_questions.contains(id));
            let is_wanted = all.len() < fewest.min(most) && !assignment.queries.is_empty();
            let alike = all.iter_mut().filter(|other| is_alike(other)).min_by_key(|other| other.queries.len());
            if let Some(other) = alike.filter(|_| !is_wanted) {
                other.queries.append(&mut assignment.queries);
                other.is_cut |= assignment.is_cut;
            } else if all.len() < most {
                assignment.id = self.directive_id(all.len());
                all.push(assignment);
            } else {
                let place = at % all.len();
                all[place].queries.append(&mut assignment.queries);
            }
        }
        all
    }

    /// The assignment of directive `n` of a model, without searches.
    pub(super) fn draft_assignment(&self, n: usize, of: &DirectiveDraft) -> Assignment {
        Assignment {
            perspective: of.perspective.clone(),
            evidence_needed: of.evidence_needed.clone(),
            ..self.assignment(n, of.sub_questions.clone(), of.topic.clone(), of.priority, Vec::new())
        }
    }
}
