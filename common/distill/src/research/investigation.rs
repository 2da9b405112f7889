//! What research ends with, and what a directive of it has found.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::CharRange;
use precis_proto::research::{
    BudgetUse, Coverage, HitCounts, Inventory, InventoryLine, Pointer, Research, Round, Stop, TypedDisagreement,
    Unanswered,
};

use super::entity::{EntityKind, entities};
use super::inventory::domain;
use super::plan::Plan;
use super::pool::{PassagePool, SearchYield};

/// Lines of an inventory at most.
const MOST_LINES: usize = 5;

/// What research found, before anything is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Investigation {
    /// Brief and sub-questions.
    pub plan: Plan,
    /// The rounds in order.
    pub rounds: Vec<Round>,
    /// Documents to read, best first, at most as many as the budget has sources.
    pub chosen: Vec<ChosenDocument>,
    /// Documents that the session held before, and that were found again.
    pub found_again: Vec<ChosenDocument>,
    /// What became of the hits; they add up.
    pub hits: HitCounts,
    /// How far each sub-question is covered.
    pub coverage: Vec<Coverage>,
    /// Where sub-questions are answered in so many words.
    pub pointers: Vec<Pointer>,
    /// Values on which documents differ.
    pub disagreements: Vec<TypedDisagreement>,
    /// Sub-questions without an answer.
    pub unanswered: Vec<Unanswered>,
    /// Words of the question that stand nowhere in what was searched.
    pub unknown_words: Vec<String>,
    /// How rare its terms are in what was searched; empty where no searcher can tell.
    pub rarity: BTreeMap<String, f64>,
    /// What was used.
    pub budget: BudgetUse,
    /// Why it ended.
    pub stop: Stop,
}

/// A document to read.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenDocument {
    /// Path or address.
    pub document: String,
    /// Where a page is fetched from, where that is written otherwise.
    pub address: Option<String>,
    /// The number that its researchers knew it by; absent where no model researched.
    pub number: Option<u32>,
    /// Its title; empty where it has none.
    pub title: String,
    /// Day, month or year it was published, where a provider says so.
    pub published: Option<String>,
    /// The words that a provider shows of a page; absent where the text itself was searched.
    pub snippet: Option<String>,
    /// Hash of its text, as the searcher gave it.
    pub source_text_hash: String,
    /// The queries that found it, in order.
    pub found_by: Vec<String>,
    /// Its passages that were found, in the order of the text.
    pub passages: Vec<CharRange>,
    /// Hits counted as read for it: what moves to `refused` or `failed` if it cannot be read.
    pub hits: u32,
}

impl Investigation {
    /// As it is reported.
    #[must_use]
    pub fn into_research(self) -> Research {
        let queries = self.rounds.iter().flat_map(|round| &round.directives).flat_map(|directive| &directive.queries);
        let withheld = queries.filter(|query| query.withheld.is_some()).count();
        Research {
            brief: self.plan.brief,
            plan: self.plan.sub_questions,
            rounds: self.rounds,
            coverage: self.coverage,
            hits: self.hits,
            disagreements: self.disagreements,
            unanswered: self.unanswered,
            budget: self.budget,
            stop: self.stop,
            withheld: u32::try_from(withheld).unwrap_or(u32::MAX),
            unknown_words: self.unknown_words,
            forked: None,
            refinement: None,
        }
    }
}

/// What a directive found.
pub(super) fn inventory(pool: &PassagePool, brought: &[&SearchYield]) -> Inventory {
    let places: BTreeSet<usize> = brought.iter().flat_map(|brought| brought.passages.iter().copied()).collect();
    let mut documents: Vec<(&str, &str)> = Vec::new();
    let mut domains = BTreeSet::new();
    for place in brought.iter().flat_map(|brought| &brought.passages) {
        let hit = &pool.get(*place).hit;
        domains.insert(domain(&hit.document));
        if !documents.iter().any(|(document, _)| *document == hit.document) {
            documents.push((&hit.document, &hit.title));
        }
    }
    let points = places.iter().flat_map(|place| entities(&pool.get(*place).hit.text));
    let line = |(document, title): &(&str, &str)| InventoryLine {
        n: pool.number(document),
        title: if title.is_empty() { (*document).to_owned() } else { (*title).to_owned() },
        r#where: (*document).to_owned(),
        covers: Vec::new(),
    };
    Inventory {
        sources: documents.len() as u32,
        domains: domains.len() as u32,
        lines: documents.iter().take(MOST_LINES).map(line).collect(),
        data_points: points.filter(|entity| matches!(entity.kind, EntityKind::Date | EntityKind::Number)).count()
            as u32,
    }
}
