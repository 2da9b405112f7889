//! Candidates for the next searches: things that the best passages name and the question does not.
//!
//! A thing scores by the trust in its passage, by its rarity, and by its distance to words of the question. The other end of a stated
//! relation comes first. The query is the thing plus the terms of the question that its passage lacks.

use std::collections::BTreeSet;

use precis_evidence::question::entity::{EntityKind, entities, family, key};
use precis_proto::research::Answered;
use precis_text::terms::{likeness, query_terms, terms};

use super::coverage::{SubQuestionState, SubQuestionTarget};
use super::linked_documents::linked_documents;
use super::pool::PassagePool;
use super::search::TermFrequencies;
use super::term_weights::TermWeights;
use super::word_nearness::WordNearness;

/// Passages per sub-question whose names are followed.
const BEST_PASSAGES: usize = 5;
/// Weight of relevance against likeness when these are selected (maximal marginal relevance).
const RELEVANCE: f64 = 0.7;
/// Best-scored passages among which these are selected.
const POOL: usize = 30;
/// Weights: the other end of a relation, an identifier, another name, a title.
const CERTAIN: f64 = 2.0;
const IDENTIFIER: f64 = 1.2;
const NAMED: f64 = 1.0;
const TITLE: f64 = 0.6;
/// Factors for a passage that has the words of a wanted name but not the name, and for one that has neither.
const BY_WORDS: f64 = 0.55;
const SILENT: f64 = 0.3;
/// Penalty for a name made of words of the question: it is likely a lookalike of the one asked for.
const LOOKALIKE: f64 = 0.6;
/// Most terms of the question that are added to a query.
const MOST_TERMS: usize = 6;

/// A thing to look for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BridgeCandidate {
    /// The thing.
    pub(super) text: String,
    /// What to search for.
    pub(super) query: String,
    /// Rank among candidates; has no unit.
    pub(super) score: f64,
    /// Trust in the passages that its search will find, 0 to 1.
    pub(super) path: f64,
    /// Place of the sub-question it is for.
    pub(super) sought: usize,
    /// Terms of the question that its passage lacks.
    pub(super) lacking: Vec<String>,
    /// Whether a stated relation leads to it.
    pub(super) is_certain: bool,
    /// The document that a link leads to, and that alone is searched.
    pub(super) document: Option<String>,
}

/// The state of a course from which candidates are computed.
pub(super) struct View<'v> {
    pub(super) question: &'v str,
    pub(super) sought: &'v [SubQuestionTarget],
    pub(super) known: &'v [SubQuestionState],
    pub(super) pool: &'v PassagePool,
    pub(super) weights: &'v TermWeights,
    pub(super) words: &'v dyn TermFrequencies,
    /// Things searched for before, as [`key`]s.
    pub(super) tried: &'v BTreeSet<String>,
}

/// The candidates for the next searches, best first; each thing once, without those tried before.
pub(super) fn candidates(view: &View<'_>) -> Vec<BridgeCandidate> {
    let mut found: Vec<BridgeCandidate> = Vec::new();
    for at in 0..view.sought.len() {
        let is_open = view.known[at].coverage.answered != Answered::Yes;
        let is_base =
            view.sought.iter().enumerate().any(|(other, sought)| {
                sought.after.contains(&at) && view.known[other].coverage.answered != Answered::Yes
            });
        add_related(view, at, &mut found);
        let is_found = !view.known[at].statements.is_empty() || view.sought[at].relation.is_some();
        if (is_open || is_base) && !is_found && !rests_on_relation(view, at) {
            add_names(view, at, &mut found);
            add_links(view, at, &mut found);
        }
    }
    // Sorted before repeats are removed, so that the best of them stays.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.text.cmp(&b.text)));
    let mut seen = BTreeSet::new();
    found.retain(|candidate| !view.tried.contains(&key(&candidate.text)) && seen.insert(key(&candidate.text)));
    found
}

/// Whether sub-question `at` rests on a relation, or on a document that was found: then only that document helps.
fn rests_on_relation(view: &View<'_>, at: usize) -> bool {
    let is_found =
        |before: &usize| view.sought[*before].relation.is_some() || !view.known[*before].statements.is_empty();
    view.sought[at].after.iter().any(is_found)
}

/// Adds the other ends of the stated relation of sub-question `at`, or its anchor while the anchor's head was not found.
fn add_related(view: &View<'_>, at: usize, found: &mut Vec<BridgeCandidate>) {
    let dependent = || view.sought.iter().enumerate().filter(|(_, other)| other.after.contains(&at));
    let asked: Vec<String> =
        dependent().flat_map(|(_, other)| &other.sub_question.facets).flat_map(|facet| facet.terms.clone()).collect();
    let is_done = dependent().all(|(other, _)| view.known[other].coverage.answered == Answered::Yes);
    let statements = &view.known[at].statements;
    let unseen = view.sought[at].relation.as_ref().filter(|relation| !view.pool.has_head(&relation.anchor));
    if let Some(relation) = unseen.filter(|_| statements.is_empty()) {
        // The head of the anchor document is where the relation would be stated, so search for that document.
        let word = relation.word.to_lowercase();
        found.push(BridgeCandidate {
            query: head_query(view, &relation.anchor, std::slice::from_ref(&word)),
            text: relation.anchor.clone(),
            score: CERTAIN,
            path: 1.0,
            sought: at,
            lacking: vec![word],
            is_certain: true,
            document: None,
        });
    }
    // If the dependent sub-questions are answered, only other ends whose document was not found are searched for.
    for (_, statement) in statements.iter().filter(|(_, statement)| !is_done || !view.pool.has_head(&statement.other)) {
        found.push(BridgeCandidate {
            query: head_query(view, &statement.other, &asked),
            text: statement.other.clone(),
            score: CERTAIN,
            path: 1.0,
            sought: at,
            lacking: asked.clone(),
            is_certain: true,
            document: None,
        });
    }
}

fn query(thing: &str, asked: &[String]) -> String {
    let own = terms(thing);
    let more = asked.iter().filter(|term| !own.contains(term)).take(MOST_TERMS);
    std::iter::once(thing).chain(more.map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// A query for the document with this `identifier`: with the field names of its family's heads if any are known, else with the `asked`
/// terms.
fn head_query(view: &View<'_>, identifier: &str, asked: &[String]) -> String {
    let fields = view.pool.head_fields(family(identifier));
    if fields.is_empty() { query(identifier, asked) } else { format!("{identifier} {}", fields.join(" ")) }
}

/// The best passages for sub-question `at`, selected for relevance and variety.
fn best(view: &View<'_>, at: usize) -> Vec<usize> {
    let wanted = query_terms(&view.sought[at].sub_question.text);
    let mut scored: Vec<(f64, usize)> = view
        .pool
        .witnesses()
        .map(|(place, passage)| {
            let share = view.weights.share(&wanted, &[&passage.held]);
            ((share + passage.worth + name_match(view, at, place)) / 3.0, place)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(POOL);
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < BEST_PASSAGES && !scored.is_empty() {
        let gain = |(score, place): &(f64, usize)| {
            let like = chosen.iter().map(|held| view.pool.likeness(*held, *place)).fold(0.0, f64::max);
            RELEVANCE * score - (1.0 - RELEVANCE) * like
        };
        let mut top = 0;
        for other in 1..scored.len() {
            if gain(&scored[other]) > gain(&scored[top]) {
                top = other;
            }
        }
        chosen.push(scored.remove(top).1);
    }
    chosen
}

/// How well a passage matches the names in sub-question `at`: 1 for the name, [`BY_WORDS`] for its words, else [`SILENT`]; 1 if the
/// sub-question names nothing.
fn name_match(view: &View<'_>, at: usize, place: usize) -> f64 {
    let passage = view.pool.get(place);
    let named = view.sought[at].sub_question.facets.iter().filter_map(|facet| facet.entity.as_deref());
    let of = |entity: &str| {
        if passage.names.contains(&key(entity)) {
            1.0
        } else if passage.held.has_all(&terms(entity)) {
            BY_WORDS
        } else {
            SILENT
        }
    };
    named.map(of).reduce(f64::max).unwrap_or(1.0)
}

/// Adds the names in the best passages of sub-question `at`.
fn add_names(view: &View<'_>, at: usize, found: &mut Vec<BridgeCandidate>) {
    let asked = query_terms(view.question);
    let question = key(view.question);
    for place in best(view, at) {
        let passage = view.pool.get(place);
        let trust = passage.worth * name_match(view, at, place);
        let lacking: Vec<String> = view.weights.lacking(&asked, &passage.held);
        let near = WordNearness::new(&passage.hit.text, &asked);
        let mut push = |thing: &str, weight: f64| {
            let own = terms(thing);
            let is_asked = own.is_empty() || own.iter().all(|term| asked.iter().any(|held| likeness(held, term) > 0.0));
            if is_asked || question.contains(&key(thing)) {
                return;
            }
            let alike = own.iter().filter(|term| asked.contains(term)).count() as f64 / own.len() as f64;
            let score = trust * weight * rarity(&own, view.words) * (1.0 - LOOKALIKE * alike);
            found.push(BridgeCandidate {
                text: thing.to_owned(),
                query: query(thing, &lacking),
                score,
                path: trust.min(1.0),
                sought: at,
                lacking: lacking.clone(),
                is_certain: false,
                document: None,
            });
        };
        for entity in entities(&passage.hit.text) {
            let weight = match entity.kind {
                EntityKind::Identifier => IDENTIFIER,
                EntityKind::Name | EntityKind::Quoted if !entity.opens => NAMED,
                _ => continue,
            };
            push(&entity.text, weight * near.at(entity.at));
        }
        if !passage.hit.title.contains(['.', '/', '_']) {
            push(&passage.hit.title, TITLE);
        }
    }
}

/// Adds the documents to which passages link.
fn add_links(view: &View<'_>, at: usize, found: &mut Vec<BridgeCandidate>) {
    let asked = query_terms(view.question);
    for linked in linked_documents(view.pool, view.weights, &asked) {
        let wanted = if linked.lacking.is_empty() { &asked } else { &linked.lacking };
        found.push(BridgeCandidate {
            query: query(&linked.document, wanted),
            text: linked.document.clone(),
            score: linked.score,
            path: linked.trust,
            sought: at,
            lacking: linked.lacking,
            is_certain: false,
            document: Some(linked.document),
        });
    }
}

/// Rarity of the rarest term of `own`, 0 to 1; 1 if the searcher knows no frequencies.
fn rarity(own: &[String], words: &dyn TermFrequencies) -> f64 {
    let of = |term: &String| {
        let frequency = words.frequency(term)?;
        let all = (1.0 + frequency.of as f64).ln();
        Some(((1.0 + frequency.of as f64 / (1.0 + frequency.holding as f64)).ln() / all).min(1.0))
    };
    own.iter().map(|term| of(term).unwrap_or(1.0)).fold(0.0, f64::max)
}
