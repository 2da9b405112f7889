//! Coverage of each sub-question by the passages found.
//!
//! A facet is covered by a passage (taken together with the next one) that holds the thing and most of the terms asked about it. A
//! relation is covered only if a passage states it. A sub-question that rests on another is covered only by passages its answer led to.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::entity::key;
use precis_evidence::question::field::fields;
use precis_evidence::question::named_field::stated_in_fields;
use precis_evidence::question::relation::{Relation, RelationStatement};
use precis_proto::research::{Answered, Coverage, CoverageScore, Facet, FacetCoverage, SubQuestion};
use precis_text::terms::{query_terms, terms};

use super::described::described_document;
use super::inventory::domain;
use super::pool::{PassagePool, PooledPassage};
use super::term_weights::{PassageTerms, TermWeights};

/// Share of a facet's term weight that a passage must hold to cover it fully, and to cover it partly.
const COVERED_SHARE: f64 = 0.6;
const PART_SHARE: f64 = 0.25;
/// Publishers at which corroboration reaches 1.
const CORROBORATED: f64 = 2.0;
/// Least fields for the beginning of a document to count as its head.
const HEAD_FIELDS: usize = 2;

/// A sub-question with what its answer must look like.
#[derive(Debug)]
pub(super) struct SubQuestionTarget {
    pub(super) sub_question: SubQuestion,
    /// The relation it asks for, if any.
    pub(super) relation: Option<Relation>,
    /// Indexes of the sub-questions it rests on.
    pub(super) after: Vec<usize>,
    pub(super) wanted: Question,
}

impl SubQuestionTarget {
    /// The target of each sub-question of a plan, in order.
    pub(super) fn of_plan(plan: &[SubQuestion]) -> Vec<Self> {
        let place = |id: &String| plan.iter().position(|other| other.id == *id);
        plan.iter()
            .enumerate()
            .map(|(at, sub_question)| Self {
                relation: Relation::from_question(&sub_question.text).filter(|_| sub_question.after.is_empty()),
                // Only earlier ones: a plan from outside may have cycles.
                after: sub_question.after.iter().filter_map(place).filter(|before| *before < at).collect(),
                wanted: Question::new(&sub_question.text),
                sub_question: sub_question.clone(),
            })
            .collect()
    }
}

/// What the passages found so far say about a sub-question.
#[derive(Debug, Clone)]
pub(super) struct SubQuestionState {
    pub(super) coverage: Coverage,
    /// Each facet's id with the passages that cover it.
    pub(super) covering: Vec<(String, BTreeSet<usize>)>,
    /// Statements of its relation, each with its passage; for a part that another one rests on, the sentence that names the document that
    /// it describes.
    pub(super) statements: Vec<(usize, RelationStatement)>,
}

impl SubQuestionState {
    /// Whether a passage covers one of its facets. Passages that only touch it do not count: they lead anywhere.
    fn is_met(&self) -> bool {
        self.covering.iter().any(|(_, places)| !places.is_empty())
    }

    /// Whether a passage of `document` covers one of its facets.
    fn is_met_in(&self, document: &str, pool: &PassagePool) -> bool {
        self.covering.iter().flat_map(|(_, places)| places).any(|place| pool.get(*place).hit.document == document)
    }
}

/// Weights of adequacy, completion and corroboration in a score. Chosen, not measured.
const SCORE_SHARES: [f64; 3] = [0.5, 0.3, 0.2];

/// The coverage score over all parts, those without a directive included; 0 if there are none.
pub(super) fn score<'c>(parts: impl ExactSizeIterator<Item = &'c Coverage> + Clone) -> CoverageScore {
    let mean = |of: fn(&Coverage) -> f64| parts.clone().map(of).sum::<f64>() / parts.len().max(1) as f64;
    let (adequacy, corroboration) = (mean(|part| part.adequacy), mean(|part| part.corroboration));
    let completion = mean(|part| f64::from(u8::from(part.answered == Answered::Yes)));
    let [of_adequacy, of_completion, of_corroboration] = SCORE_SHARES;
    let whole = of_adequacy * adequacy + of_completion * completion + of_corroboration * corroboration;
    CoverageScore { whole, adequacy, corroboration, completion }
}

/// For each document the ids of the facets that its passages cover, in the order of the plan.
pub(super) fn facets_by_document<'k>(
    known: &'k [SubQuestionState],
    pool: &'k PassagePool,
) -> BTreeMap<&'k str, Vec<&'k str>> {
    let mut covers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (facet, places) in known.iter().flat_map(|known| &known.covering) {
        for place in places {
            let facets = covers.entry(pool.get(*place).hit.document.as_str()).or_default();
            if !facets.contains(&facet.as_str()) {
                facets.push(facet);
            }
        }
    }
    covers
}

/// The state of each of `sought`, in order.
pub(super) fn sub_question_states(
    sought: &[SubQuestionTarget],
    pool: &PassagePool,
    weights: &TermWeights,
) -> Vec<SubQuestionState> {
    let mut found: Vec<SubQuestionState> = Vec::new();
    for (at, one) in sought.iter().enumerate() {
        let is_base = sought.iter().any(|other| other.after.contains(&at));
        let next = match &one.relation {
            Some(relation) => of_relation(one, relation, pool),
            None if is_base => of_base(one, &found, pool, weights),
            None => of_facets(one, &found, pool, weights),
        };
        found.push(next);
    }
    found
}

/// The state of a part that another one rests on: what it asks for is a document that a field names, or one that it describes.
fn of_base(
    sought: &SubQuestionTarget,
    before: &[SubQuestionState],
    pool: &PassagePool,
    weights: &TermWeights,
) -> SubQuestionState {
    let mut statements: Vec<(usize, RelationStatement)> = Vec::new();
    for (place, passage) in pool.witnesses() {
        let Some(own) = pool.own(&passage.hit.document) else { continue };
        let stated = stated_in_fields(&sought.sub_question.text, &passage.hit, own);
        statements.extend(stated.into_iter().map(|statement| (place, statement)));
    }
    if !statements.is_empty() {
        return of_statements(sought, statements, pool);
    }
    let state = of_facets(sought, before, pool, weights);
    let document = document_of(sought, &state, pool, weights);
    SubQuestionState { statements: document.into_iter().collect(), ..state }
}

/// The document that a part describes, with the sentence that names it and its passage.
fn document_of(
    sought: &SubQuestionTarget,
    state: &SubQuestionState,
    pool: &PassagePool,
    weights: &TermWeights,
) -> Option<(usize, RelationStatement)> {
    let terms: Vec<String> = sought.sub_question.facets.iter().flat_map(|facet| facet.terms.clone()).collect();
    let places: BTreeSet<usize> = state.covering.iter().flat_map(|(_, places)| places.iter().copied()).collect();
    described_document(&sought.sub_question.text, &terms, &places, pool, weights)
}

fn of_relation(sought: &SubQuestionTarget, relation: &Relation, pool: &PassagePool) -> SubQuestionState {
    let mut statements: Vec<(usize, RelationStatement)> = Vec::new();
    for (place, passage) in pool.witnesses() {
        for statement in relation.statements_in(&passage.hit, pool.own(&passage.hit.document)) {
            statements.push((place, statement));
        }
    }
    // A field is the document's own statement, so sentences count only if no field states the relation.
    if statements.iter().any(|(_, statement)| statement.is_field) {
        statements.retain(|(_, statement)| statement.is_field);
    }
    // What a document says of itself comes before what others say of it.
    let is_of_it = |place: usize| {
        let own = pool.own(&pool.get(place).hit.document);
        own.is_some_and(|own| key(own) == key(&relation.anchor))
    };
    statements.sort_by_key(|(place, _)| !is_of_it(*place));
    of_statements(sought, statements, pool)
}

/// The state of a part that `statements` answer.
fn of_statements(
    sought: &SubQuestionTarget,
    statements: Vec<(usize, RelationStatement)>,
    pool: &PassagePool,
) -> SubQuestionState {
    let places: BTreeSet<usize> = statements.iter().map(|(place, _)| *place).collect();
    let facets = sought.sub_question.facets.iter().map(|facet| (facet, places.clone())).collect();
    SubQuestionState { statements, ..sub_question_state(sought, facets, pool) }
}

fn of_facets(
    sought: &SubQuestionTarget,
    before: &[SubQuestionState],
    pool: &PassagePool,
    weights: &TermWeights,
) -> SubQuestionState {
    let mut covering: Vec<(&Facet, BTreeSet<usize>)> = Vec::new();
    let mut is_touched = false;
    for facet in &sought.sub_question.facets {
        let mut places = BTreeSet::new();
        for (place, passage) in pool.witnesses() {
            if !is_led_to(sought, before, place, passage, pool) {
                continue;
            }
            match covers_facet(sought, facet, place, passage, pool, weights) {
                Answered::Yes => _ = places.insert(place),
                Answered::Partly => is_touched = true,
                Answered::No => {}
            }
        }
        covering.push((facet, places));
    }
    let mut known = sub_question_state(sought, covering, pool);
    if is_touched && known.coverage.answered == Answered::No {
        known.coverage.answered = Answered::Partly;
    }
    known
}

/// Whether the answers of all sub-questions that `sought` rests on led to a passage.
fn is_led_to(
    sought: &SubQuestionTarget,
    before: &[SubQuestionState],
    place: usize,
    passage: &PooledPassage,
    pool: &PassagePool,
) -> bool {
    sought.after.iter().all(|after| {
        let Some(known) = before.get(*after).filter(|known| known.is_met()) else { return false };
        if known.statements.is_empty() {
            let whole = query_terms(&sought.sub_question.text);
            return passage.is_led
                || (known.is_met_in(&passage.hit.document, pool)
                    && lacks_nothing(&whole, &pool.with_neighbour(place)));
        }
        let own = pool.own(&passage.hit.document).map(key);
        known.statements.iter().any(|(_, statement)| own.as_deref() == Some(key(&statement.other).as_str()))
    })
}

/// Whether `held` together have a form of every term. A passage that no name led to must, to answer two sub-questions at once; "who wrote
/// it" has a single term, so its document must also answer what "it" is.
fn lacks_nothing(wanted: &[String], held: &[&PassageTerms]) -> bool {
    wanted.iter().all(|term| held.iter().any(|held| held.likeness(term) > 0.0))
}

/// How well one passage covers a facet.
fn covers_facet(
    sought: &SubQuestionTarget,
    facet: &Facet,
    place: usize,
    passage: &PooledPassage,
    pool: &PassagePool,
    weights: &TermWeights,
) -> Answered {
    let held = pool.with_neighbour(place);
    let mut about = true;
    if let Some(entity) = &facet.entity {
        let own = pool.own(&passage.hit.document).is_some_and(|own| key(own) == key(entity));
        let wanted = terms(entity);
        about = own || lacks_nothing(&wanted, &held);
    }
    let met = sought.wanted.is_met(&passage.hit.text);
    // The head of the wanted document gives author and date in fields that do not share words with the question.
    let is_head = passage.hit.range.start == 0 && fields(&passage.hit.text).len() >= HEAD_FIELDS;
    let by_head = is_head && matches!(sought.wanted.wanted, AnswerKind::Name | AnswerKind::Time) && met == Some(true);
    let share = weights.share(&facet.terms, &held);
    let whole = query_terms(&sought.sub_question.text);
    if about && ((share >= COVERED_SHARE && met != Some(false)) || (!sought.after.is_empty() && by_head)) {
        Answered::Yes
    } else if (about && share >= PART_SHARE) || weights.share(&whole, &held) >= PART_SHARE {
        Answered::Partly
    } else {
        Answered::No
    }
}

fn sub_question_state(
    sought: &SubQuestionTarget,
    facets: Vec<(&Facet, BTreeSet<usize>)>,
    pool: &PassagePool,
) -> SubQuestionState {
    let documents = |places: &BTreeSet<usize>| -> BTreeSet<String> {
        places.iter().map(|place| pool.get(*place).hit.document.clone()).collect()
    };
    let all: BTreeSet<usize> = facets.iter().flat_map(|(_, places)| places.iter().copied()).collect();
    let covered = facets.iter().filter(|(_, places)| !places.is_empty()).count();
    let rows = facets.iter().map(|(facet, places)| {
        let documents = documents(places);
        // Near-duplicates are excluded before this, so publishers here are independent.
        let independent = publishers(&documents);
        FacetCoverage {
            id: facet.id.clone(),
            passages: places.len() as u32,
            documents: documents.len() as u32,
            independent,
        }
    });
    let answered = match covered {
        0 => Answered::No,
        all if all == facets.len() => Answered::Yes,
        _ => Answered::Partly,
    };
    SubQuestionState {
        coverage: Coverage {
            sub_question: sought.sub_question.id.clone(),
            answered,
            facets: rows.collect(),
            adequacy: covered as f64 / facets.len().max(1) as f64,
            corroboration: (f64::from(publishers(&documents(&all))) / CORROBORATED).min(1.0),
        },
        covering: facets.into_iter().map(|(facet, places)| (facet.id.clone(), places)).collect(),
        statements: Vec::new(),
    }
}

/// Sites that host the work of many publishers: each address there counts as its own publisher.
const SHARED_SITES: [&str; 9] = [
    "doi.org",
    "arxiv.org",
    "openreview.net",
    "semanticscholar.org",
    "openalex.org",
    "ncbi.nlm.nih.gov",
    "biorxiv.org",
    "medrxiv.org",
    "europepmc.org",
];

/// Number of distinct publishers of `documents`: one per web site, one per address on a shared site, one per file.
fn publishers(documents: &BTreeSet<String>) -> u32 {
    let publisher = |document: &String| -> String {
        let Some((_, address)) = document.split_once("://") else { return document.clone() };
        let site = domain(document).to_lowercase();
        let site = site.strip_prefix("www.").unwrap_or(&site);
        let is_shared = SHARED_SITES.iter().any(|shared| site == *shared || site.ends_with(&format!(".{shared}")));
        if is_shared { address.to_owned() } else { format!("//{site}") }
    };
    documents.iter().map(publisher).collect::<BTreeSet<String>>().len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_site_have_one_publisher_and_files_speak_for_themselves() {
        for (documents, want) in [
            (&[][..], 0),
            (&["https://a.org/1", "https://www.a.org/2", "http://A.org/3"], 1),
            (&["https://a.org/1", "https://b.org/1"], 2),
            (&["notes/a.md", "notes/b.md"], 2),
            (&["notes/a.md", "https://a.org/1", "https://a.org/2"], 2),
            (&["https://doi.org/10.1/x", "https://doi.org/10.2/y"], 2),
            (&["https://export.arxiv.org/abs/1", "https://arxiv.org/abs/2"], 2),
            (&["https://notarxiv.org/abs/1", "https://notarxiv.org/abs/2"], 1),
        ] {
            let documents: BTreeSet<String> = documents.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(publishers(&documents), want, "{documents:?}");
        }
    }

    #[test]
    fn a_score_counts_every_part_even_unworked_ones() {
        use Answered::{No, Partly, Yes};
        let part = |answered: Answered, adequacy: f64, corroboration: f64| Coverage {
            sub_question: "q".to_owned(),
            answered,
            facets: Vec::new(),
            adequacy,
            corroboration,
        };
        for (parts, want) in [
            (vec![], 0.0),
            (vec![part(Yes, 1.0, 1.0)], 1.0),
            (vec![part(Yes, 1.0, 0.5)], 0.9),
            (vec![part(Partly, 0.5, 0.5)], 0.35),
            (vec![part(Yes, 1.0, 1.0), part(No, 0.0, 0.0)], 0.5),
            // One of five covered, by two sources: far below enough.
            ([vec![part(Yes, 1.0, 1.0)], vec![part(No, 0.0, 0.0); 4]].concat(), 0.2),
        ] {
            assert!((score(parts.iter()).whole - want).abs() < 1e-9, "{parts:?}: {:?}", score(parts.iter()));
        }
        let both = score([part(Yes, 1.0, 0.5), part(Partly, 0.5, 0.0)].iter());
        assert_eq!((both.adequacy, both.corroboration, both.completion), (0.75, 0.25, 0.5));
    }
}
