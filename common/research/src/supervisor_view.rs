//! A course as a supervisor sees it: plan, coverage, evidence gathered, and budget left.

use std::collections::BTreeMap;

use precis_proto::research::{Answered, Coverage, CoverageScore, Directive, SeenDocument, SubQuestion};
use precis_proto::task::{CoverageRow, EvidenceRow, PlanRow, ThinkTask};

use super::budget::Resource;
use super::course::ResearchCourse;
use super::coverage::{facets_by_document, score};
use super::inventory_text;

/// Most passages shown for each sub-question, and most characters of each.
const SHOWN: usize = 2;
const SHOWN_CHARS: usize = 300;

/// Most characters of what a researcher is told of earlier rounds. Chosen, not measured.
const EARLIER_CHARS: usize = 8_000;

/// What a supervisor is shown besides the course itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SupervisorNotes {
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// Findings that researchers reported, oldest first, each prefixed with its directive.
    pub findings: Vec<String>,
    /// Thoughts of earlier rounds, oldest first.
    pub thoughts: Vec<String>,
    /// Refused directives of the previous round, each with the reason.
    pub refused: Vec<String>,
    /// Tool calls left in the round.
    pub calls_left: u32,
}

/// Progress of a course in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CourseProgress {
    /// Searches made.
    pub searches: u64,
    /// Passages found, each once.
    pub passages: u64,
    /// For each sub-question of the plan, whether it is fully covered.
    pub covered: Vec<bool>,
}

/// A sub-question as supervisors and researchers see it.
#[must_use]
fn plan_row(of: &SubQuestion) -> PlanRow {
    PlanRow {
        id: of.id.clone(),
        text: of.text.clone(),
        answered_when: of.answered_when.clone(),
        priority: of.priority,
        after: of.after.clone(),
    }
}

impl ResearchCourse {
    /// The task for the supervisor's thought before the next round.
    #[must_use]
    pub fn think_task(&self, notes: SupervisorNotes) -> ThinkTask {
        let directives = self.rounds.iter().flat_map(|round| &round.directives);
        let covers = facets_by_document(&self.known, &self.pool);
        let evidence = directives.map(|one| self.evidence_row(one, &covers)).collect();
        let mut findings = notes.findings;
        findings.extend(self.best_passages());
        ThinkTask {
            question: self.plan.brief.question.clone(),
            today: notes.today,
            plan: self.plan_rows(),
            coverage: if self.rounds.is_empty() { Vec::new() } else { self.coverage_rows() },
            round: self.rounds.len() as u32 + 1,
            rounds: self.rounds.len() as u32 + self.budget.left(Resource::Round),
            searches_left: self.budget.left(Resource::Search),
            calls_left: notes.calls_left,
            evidence,
            findings,
            thoughts: notes.thoughts,
            refused: notes.refused,
        }
    }

    /// What each directive of earlier rounds found, oldest first: what its researcher said in `summaries`, by id, and its inventory. At
    /// most [`EARLIER_CHARS`] characters, the latest directives first.
    #[must_use]
    pub fn found_before(&self, summaries: &BTreeMap<String, String>) -> Vec<EvidenceRow> {
        let covers = facets_by_document(&self.known, &self.pool);
        let directives = self.rounds.iter().flat_map(|round| &round.directives);
        let mut left = EARLIER_CHARS;
        let mut rows: Vec<EvidenceRow> = Vec::new();
        for directive in directives.collect::<Vec<_>>().into_iter().rev() {
            let inventory = self.evidence_row(directive, &covers).text;
            let text = match summaries.get(&directive.id) {
                Some(summary) => format!("{summary}\n{inventory}"),
                None => inventory,
            };
            let chars = text.chars().count();
            if chars > left {
                break;
            }
            left -= chars;
            rows.push(EvidenceRow { directive: directive.id.clone(), text });
        }
        rows.reverse();
        rows
    }

    /// The inventory of a directive, with the facets its documents cover and the sub-questions it worked on, in words.
    fn evidence_row(&self, of: &Directive, covers: &BTreeMap<&str, Vec<&str>>) -> EvidenceRow {
        let mut inventory = of.inventory.clone();
        for line in &mut inventory.lines {
            let facets = covers.get(line.r#where.as_str()).into_iter().flatten();
            line.covers = facets.filter_map(|facet| self.facet_words(facet)).collect();
        }
        let of_plan = |id: &String| self.plan.sub_questions.iter().find(|one| one.id == *id);
        let topics: Vec<String> =
            of.sub_questions.iter().filter_map(of_plan).map(|one| format!("{}: {}", one.id, one.text)).collect();
        EvidenceRow { directive: of.id.clone(), text: inventory_text(&inventory, &topics.join("; ")) }
    }

    /// A facet in the words of the plan.
    fn facet_words(&self, id: &str) -> Option<String> {
        let mut facets = self.plan.sub_questions.iter().flat_map(|one| &one.facets);
        let facet = facets.find(|facet| facet.id == id)?;
        Some(facet.entity.iter().chain(&facet.terms).cloned().collect::<Vec<_>>().join(" "))
    }

    /// The documents found so far with their passages, for researchers of the next round.
    #[must_use]
    pub fn seen_documents(&self) -> Vec<SeenDocument> {
        let (numbers, _) = self.pool.numbers();
        let mut seen: BTreeMap<u32, SeenDocument> = BTreeMap::new();
        for (_, passage) in self.pool.witnesses() {
            let document = &passage.hit.document;
            let Some(number) = numbers.get(document).copied() else { continue };
            let one = seen.entry(number).or_insert_with(|| SeenDocument {
                document: document.clone(),
                address: passage.hit.address.clone(),
                number,
                passages: Vec::new(),
            });
            one.passages.push(passage.hit.text.clone());
        }
        seen.into_values().collect()
    }

    /// The number of each document that was found, and the highest of them.
    #[must_use]
    pub fn numbers(&self) -> (&BTreeMap<String, u32>, u32) {
        self.pool.numbers()
    }

    /// The coverage score of the question.
    #[must_use]
    pub fn score(&self) -> CoverageScore {
        score(self.known.iter().map(|known| &known.coverage))
    }

    /// The sub-questions, as researchers see them.
    #[must_use]
    pub fn plan_rows(&self) -> Vec<PlanRow> {
        self.plan.sub_questions.iter().map(plan_row).collect()
    }

    /// Most directives of a round.
    #[must_use]
    pub fn most_directives(&self) -> usize {
        self.most_directives
    }

    /// Topics of the directives so far.
    #[must_use]
    pub fn topics(&self) -> Vec<String> {
        self.rounds.iter().flat_map(|round| &round.directives).map(|one| one.topic.clone()).collect()
    }

    /// The query texts of the searches made so far, as written.
    #[must_use]
    pub fn searched_for(&self) -> Vec<String> {
        self.asked.iter().map(|asked| asked.text.clone()).collect()
    }

    /// Whether a supervisor may declare it complete: a round of its own was made and something was found. What that covers is for the
    /// supervisor to judge, from its researchers' findings.
    #[must_use]
    pub fn may_be_complete(&self) -> bool {
        !self.begins() && self.found > 0
    }

    /// The progress so far.
    #[must_use]
    pub fn progress(&self) -> CourseProgress {
        CourseProgress {
            searches: self.asked.len() as u64,
            passages: self.pool.witnesses().count() as u64,
            covered: self.known.iter().map(|known| known.coverage.answered == Answered::Yes).collect(),
        }
    }

    fn coverage_rows(&self) -> Vec<CoverageRow> {
        let changes = self.rounds.last().map(|round| round.coverage.as_slice()).unwrap_or_default();
        let row = |coverage: &Coverage| {
            let change = changes.iter().find(|change| change.sub_question == coverage.sub_question);
            let most = |of: fn(&precis_proto::research::FacetCoverage) -> u32| {
                coverage.facets.iter().map(of).max().unwrap_or(0)
            };
            CoverageRow {
                sub_question: coverage.sub_question.clone(),
                before: Some(change.map_or(coverage.answered, |change| change.before)),
                answered: coverage.answered,
                documents: most(|facet| facet.documents),
                independent: most(|facet| facet.independent),
                missing: self.missing(coverage),
            }
        };
        self.known.iter().map(|known| row(&known.coverage)).collect()
    }

    /// The facets of a sub-question that no passage covers, in words.
    fn missing(&self, coverage: &Coverage) -> String {
        let open = coverage.facets.iter().filter(|facet| facet.passages == 0).map(|facet| &facet.id);
        open.filter_map(|id| self.facet_words(id)).collect::<Vec<_>>().join("; ")
    }

    /// The beginnings of the best passages that cover each sub-question.
    fn best_passages(&self) -> Vec<String> {
        let mut shown = Vec::new();
        for known in &self.known {
            let mut places: Vec<usize> = known.covering.iter().flat_map(|(_, places)| places.iter().copied()).collect();
            places.sort_by(|a, b| self.pool.get(*b).worth.total_cmp(&self.pool.get(*a).worth).then(a.cmp(b)));
            places.dedup();
            for place in places.into_iter().take(SHOWN) {
                let hit = &self.pool.get(place).hit;
                let text: String = hit.text.chars().take(SHOWN_CHARS).collect();
                let number = self.pool.number(&hit.document);
                shown.push(format!("{} [{number}] {}: {text}", known.coverage.sub_question, hit.document));
            }
        }
        shown
    }
}
