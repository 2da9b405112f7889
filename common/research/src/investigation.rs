//! The result of research in a lane, and the inventory of a directive.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::entity::{EntityKind, entities};
use precis_proto::CharRange;
use precis_proto::research::{
    BudgetUse, Coverage, HitCounts, Inventory, InventoryLine, Pointer, Research, Round, Stop, TypedDisagreement,
    Unanswered,
};

use super::inventory::domain;
use super::plan::Plan;
use super::pool::{PassagePool, SearchYield};

/// Most lines of an inventory.
const MOST_LINES: usize = 5;

/// The result of research before any document is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Investigation {
    /// Brief and sub-questions.
    pub plan: Plan,
    /// The rounds in order.
    pub rounds: Vec<Round>,
    /// Documents to read, best first, within the budget of sources.
    pub chosen: Vec<ChosenDocument>,
    /// Documents that the session already held and that were found again.
    pub found_again: Vec<ChosenDocument>,
    /// Hits by outcome; the outcomes sum to the hits found.
    pub hits: HitCounts,
    /// Coverage of each sub-question.
    pub coverage: Vec<Coverage>,
    /// Places that state the answer to a sub-question explicitly.
    pub pointers: Vec<Pointer>,
    /// Values on which documents differ.
    pub disagreements: Vec<TypedDisagreement>,
    /// Sub-questions without an answer.
    pub unanswered: Vec<Unanswered>,
    /// Words of the question that occur nowhere in what was searched.
    pub unknown_words: Vec<String>,
    /// Inverse document frequency of the question's terms in what was searched; empty if no searcher knows frequencies.
    pub rarity: BTreeMap<String, f64>,
    /// Budget used and allowed.
    pub budget: BudgetUse,
    /// Why it ended.
    pub stop: Stop,
}

/// A document to read.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenDocument {
    /// Path or address.
    pub document: String,
    /// Address to fetch a page from, if it differs from `document`.
    pub address: Option<String>,
    /// The number by which researchers cite it; absent without a model researcher.
    pub number: Option<u32>,
    /// Whether a researcher read it.
    pub is_opened: bool,
    /// Its title; empty if it has none.
    pub title: String,
    /// Day, month or year of publication, if a provider gives it.
    pub published: Option<String>,
    /// The provider's snippet of a page; absent if the text itself was searched.
    pub snippet: Option<String>,
    /// Hash of its text, as the searcher gave it.
    pub source_text_hash: String,
    /// The queries that found it, in order.
    pub found_by: Vec<String>,
    /// Its passages found, in the order of the text.
    pub passages: Vec<CharRange>,
    /// Hits counted as read for it; they move to `refused` or `failed` if it cannot be read.
    pub hits: u32,
}

impl Investigation {
    /// The research record of the report.
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
            collections: Vec::new(),
            forked: None,
            refinement: None,
        }
    }
}

/// The inventory of a directive, from the yields of its searches.
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
