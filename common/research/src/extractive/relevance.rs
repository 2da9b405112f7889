//! Relevance of a passage to a question, on one scale for all passages of a task: BM25 over terms and their forms, divided by the maximum.
//!
//! Terms that follow each other in the question are also worth something together, where they stand near each other: `equine coronavirus`
//! is more than either word.
//!
//! Sources of the formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009); Metzler and Croft, "A
//! Markov Random Field Model for Term Dependencies" (2005).

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::asked::Question;
use precis_evidence::question::query::{ASKING_WORTH, asking_worth, asks_for_release};
use precis_language::question_words::is_question_word;
use precis_language::{detect, is_function_word};
use precis_text::terms;
use precis_text::terms::{Letters, likeness};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Weight of a term's known rarity against its rarity among the passages: of 0, 0.5 and 1 the value with the most openings that contain
/// the answer, over 120 questions about papers.
const KNOWN_SHARE: f64 = 0.5;
/// Weight of a two-character piece relative to a word: text without spaces has a piece for each of its characters.
const PIECE_WEIGHT: f64 = 0.5;
/// Weight of a term of the topic relative to one of the question itself. Chosen, not measured.
const TOPIC_WEIGHT: f64 = 0.5;
/// Weight of two terms near each other, as a share of the lesser of theirs: of 0, 0.25, 0.5 and 1 the value with the most openings that
/// contain the answer, over 705 questions about papers.
const PAIR_SHARE: f64 = 0.5;
/// Most positions from a term to the other of its pair.
const NEAR: usize = 2;

/// Least likeness by letters of a word that counts for an asked one, and the share of it that counts: with both, 0.5 to 1.6 of 100 openings
/// more hold the answer on each part of `bench-verdicts`.
const LEAST_ALIKE: f64 = 0.6;
/// See [`LEAST_ALIKE`].
const FAMILY_SHARE: f64 = 0.5;

/// For each term of the passages, the terms of the question it matches, with the likeness.
type Matches = BTreeMap<String, Vec<(usize, f64)>>;

/// The terms of a question, weighted by how rare they are among the passages it is asked of.
#[derive(Debug)]
pub(super) struct Relevance {
    /// Number of its terms.
    terms: usize,
    /// The weights of the terms, then those of each two that follow each other.
    weights: Vec<f64>,
    total: f64,
    meets: Matches,
    mean_terms: f64,
    /// Indexes of the terms that are numbers joined by points.
    dotted: Vec<usize>,
}

impl Relevance {
    /// Weights the terms of `query` by their rarity in `documents`, each given as its terms, mixed with `known`: their rarity in the whole
    /// collection. The best passages all contain the question's subject, so only the collection shows how rare it is.
    ///
    /// The terms of `topic`, such as earlier questions of a conversation, count less, and each for itself.
    ///
    /// `names` are the terms of titles, paths and headings: they match the question, and do not count for its rarity.
    pub(super) fn new(
        (query, topic): (&str, &str),
        documents: &[Vec<String>],
        names: &[String],
        known: &BTreeMap<String, f64>,
    ) -> Self {
        let own = terms::query_terms(query).len();
        let asked = terms::query_terms(&format!("{query} {topic}"));
        let meets = matches(&asked, documents.iter().flatten().chain(names));
        let mut frequency = vec![0_u32; asked.len()];
        for document in documents {
            // Words of the family are no sign that a term is common.
            let met = best(&meets, document, asked.len());
            met.iter().zip(&mut frequency).filter(|(met, _)| **met > FAMILY_SHARE).for_each(|(_, count)| *count += 1);
        }
        let rarity = |df: u32| {
            let (all, df) = (documents.len() as f64, f64::from(df));
            (1.0 + (all - df + 0.5) / (df + 0.5)).ln()
        };
        let mixed = |term: &String, df: u32| match known.get(term) {
            Some(known) => (1.0 - KNOWN_SHARE) * rarity(df) + KNOWN_SHARE * known,
            None => rarity(df),
        };
        let question = Question::new(query);
        let language = detect(query).known;
        let names_version = asked[..own].iter().any(|term| terms::is_dotted_number(term));
        let as_word = |term: &String| match term {
            term if terms::is_piece(term) => PIECE_WEIGHT,
            term if names_version && asks_for_release(term) => ASKING_WORTH,
            term if question.asks_with(term) => ASKING_WORTH,
            term if is_question_word(term) || is_function_word(term, language) => ASKING_WORTH,
            term => asking_worth(term),
        };
        let in_place = |n: usize| if n < own { 1.0 } else { TOPIC_WEIGHT };
        let each = asked.iter().zip(&frequency).enumerate();
        let mut weights: Vec<f64> =
            each.map(|(n, (term, df))| in_place(n) * as_word(term) * mixed(term, *df)).collect();
        let of_pair = |(n, pair): (usize, &[f64])| if n + 1 < own { PAIR_SHARE * pair[0].min(pair[1]) } else { 0.0 };
        let pairs: Vec<f64> = weights.windows(2).enumerate().map(of_pair).collect();
        weights.extend(pairs);
        let terms_in_all: usize = documents.iter().map(Vec::len).sum();
        let mean_terms = (terms_in_all as f64 / documents.len().max(1) as f64).max(1.0);
        let dotted = (0..own).filter(|index| terms::is_dotted_number(&asked[*index])).collect();
        Self { terms: asked.len(), total: weights.iter().sum(), weights, meets, mean_terms, dotted }
    }

    /// Whether `term`, of one of the documents, is a term of the question or a form of one.
    pub(super) fn knows(&self, term: &str) -> bool {
        self.meets.contains_key(term)
    }

    /// For each term of the question, then for each two that follow each other, how well `document` matches it, 0 to 1.
    pub(super) fn term_matches(&self, document: &[String]) -> Vec<f64> {
        best(&self.meets, document, self.terms)
    }

    /// Whether the question has numbers joined by points, such as a version, and none of them is in what [`Self::term_matches`] returned.
    pub(super) fn lacks_dotted(&self, met: &[f64]) -> bool {
        !self.dotted.is_empty() && self.dotted.iter().all(|index| met[*index] == 0.0)
    }

    /// Share of the question, by weight, given what [`Self::term_matches`] returns; 0 to 1.
    pub(super) fn share(&self, met: &[f64]) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        met.iter().zip(&self.weights).map(|(met, weight)| met * weight).sum::<f64>() / self.total
    }

    /// BM25 of `document` as a share of its upper bound (all terms, repeated without limit); 0 to 1.
    pub(super) fn score(&self, document: &[String]) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let mut counts = vec![0.0_f64; self.weights.len()];
        for (index, worth) in document.iter().filter_map(|term| self.meets.get(term)).flatten() {
            counts[*index] += worth;
        }
        for (first, worth) in near(&self.meets, document) {
            counts[self.terms + first] += worth;
        }
        let length = 1.0 - B + B * document.len() as f64 / self.mean_terms;
        let saturated = |count: f64| count / (count + K1 * length);
        counts.iter().zip(&self.weights).map(|(count, weight)| weight * saturated(*count)).sum::<f64>() / self.total
    }
}

/// Worth of a word that is no form of the asked one and alike by its letters: a part of it, or of its family.
fn family_worth(alike: f64) -> f64 {
    if alike >= LEAST_ALIKE { FAMILY_SHARE * alike } else { 0.0 }
}

fn matches<'t>(asked: &[String], terms: impl Iterator<Item = &'t String>) -> Matches {
    let vocabulary: BTreeSet<&String> = terms.collect();
    let asked: Vec<(&String, Letters)> = asked.iter().map(|term| (term, Letters::new(term))).collect();
    let mut matches = Matches::new();
    for term in vocabulary {
        let letters = Letters::new(term);
        let worth = |(asked, own): &(&String, Letters)| match likeness(asked, term) {
            worth if worth > 0.0 => worth,
            _ => family_worth(own.likeness_as_part(&letters)),
        };
        let likenesses = asked.iter().enumerate().map(|(index, asked)| (index, worth(asked)));
        let met: Vec<(usize, f64)> = likenesses.filter(|(_, worth)| *worth > 0.0).collect();
        if !met.is_empty() {
            matches.insert(term.clone(), met);
        }
    }
    matches
}

/// For each of the question's `asked` terms, the likeness of the closest term of `document`; then for each two that follow each other, that
/// of the closest two near each other.
fn best(meets: &Matches, document: &[String], asked: usize) -> Vec<f64> {
    let mut best = vec![0.0_f64; (2 * asked).saturating_sub(1)];
    for (index, worth) in document.iter().filter_map(|term| meets.get(term)).flatten() {
        best[*index] = best[*index].max(*worth);
    }
    for (first, worth) in near(meets, document) {
        best[asked + first] = best[asked + first].max(worth);
    }
    best
}

/// The places of `document` where the terms `first` and `first + 1` of the question stand near each other, in either order: each as `first`
/// and the lesser likeness of the two.
fn near(meets: &Matches, document: &[String]) -> Vec<(usize, f64)> {
    let met: Vec<(usize, &(usize, f64))> = document
        .iter()
        .enumerate()
        .flat_map(|(at, term)| meets.get(term).into_iter().flatten().map(move |met| (at, met)))
        .collect();
    let mut found = Vec::new();
    for (n, (at, (index, worth))) in met.iter().enumerate() {
        let behind = met[n + 1..].iter().take_while(|(other, _)| other - at <= NEAR);
        for (_, (other, other_worth)) in behind.filter(|(place, (other, _))| place != at && index.abs_diff(*other) == 1)
        {
            found.push((*index.min(other), worth.min(*other_worth)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relevance(query: &str, documents: &[&str]) -> (Relevance, Vec<Vec<String>>) {
        let documents: Vec<Vec<String>> = documents.iter().map(|text| terms::terms(text)).collect();
        (Relevance::new((query, ""), &documents, &[], &BTreeMap::new()), documents)
    }

    #[test]
    fn more_and_rarer_terms_score_higher_but_below_one() {
        let (relevance, documents) =
            relevance("dose of the drug", &["drug and dose", "drug and drug", "drug again", "nothing at all"]);
        let scores: Vec<f64> = documents.iter().map(|document| relevance.score(document)).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[3] == 0.0, "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..1.0).contains(score)));
    }

    #[test]
    fn a_word_outweighs_a_piece_of_unspaced_text() {
        let (relevance, documents) = relevance("DVDは何点ですか", &["DVD 2", "何点 2"]);
        let shares: Vec<f64> =
            documents.iter().map(|document| relevance.share(&relevance.term_matches(document))).collect();
        assert!(shares[0] > 1.9 * shares[1], "{shares:?}");
    }

    #[test]
    fn adjacent_terms_gain_score_by_proximity_in_either_order() {
        let near = ["equine corona", "corona of the equine kind", "equine old corona"];
        let far = ["equine kinds of old corona", "corona found far from every equine", "equine", "corona and corona"];
        let all: Vec<&str> = near.into_iter().chain(far).collect();
        let (relevance, documents) = relevance("equine corona", &all);
        let shares: Vec<f64> =
            documents.iter().map(|document| relevance.share(&relevance.term_matches(document))).collect();
        assert!(
            shares[..3].iter().all(|share| *share == 1.0) && shares[3..].iter().all(|share| *share < 0.9),
            "{shares:?}"
        );
        assert!(relevance.score(&documents[0]) > relevance.score(&documents[5]));
    }

    #[test]
    fn what_is_asked_weighs_more_than_what_was_talked_of() {
        let documents: Vec<Vec<String>> = ["born here", "bridge here", "harbour bridge"].map(terms::terms).into();
        let relevance =
            Relevance::new(("where was she born", "harbour bridge"), &documents[..2], &[], &BTreeMap::new());
        let share = |n: usize| relevance.share(&relevance.term_matches(&documents[n]));
        assert!((share(0) - 2.0 * share(1)).abs() < 1e-9, "{} {}", share(0), share(1));
        assert!((share(2) - share(1)) < share(0), "the topic has no pairs");
    }

    #[test]
    fn a_word_that_only_asks_weighs_little() {
        let documents = ["kept as long as there is room", "an archived text is removed after hours"];
        let (relevance, documents) = relevance("How long are archived texts there?", &documents);
        let shares: Vec<f64> =
            documents.iter().map(|document| relevance.share(&relevance.term_matches(document))).collect();
        assert!(shares[1] > 5.0 * shares[0], "{shares:?}");
    }

    #[test]
    fn a_word_that_asks_for_a_comparison_weighs_little() {
        let documents = ["the difference between the two files", "a dataclass has fields", "attrs has fields"];
        let (relevance, documents) = relevance("What is the difference between a dataclass and attrs?", &documents);
        let shares: Vec<f64> =
            documents.iter().map(|document| relevance.share(&relevance.term_matches(document))).collect();
        assert!(shares[1] > 1.5 * shares[0] && shares[2] > 1.5 * shares[0], "{shares:?}");
    }

    #[test]
    fn a_term_that_no_passage_holds_weighs_most() {
        let (relevance, documents) = relevance("capital of Mongolia", &["the capital city", "capital letters", "more"]);
        assert!(relevance.share(&relevance.term_matches(&documents[0])) < 0.5);
    }
}
