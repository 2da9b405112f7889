//! Relevance of a passage to a question, on one scale for all passages of a task: BM25 over terms and their forms, divided by the maximum.
//!
//! Source of the formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).

use std::collections::{BTreeMap, BTreeSet};

use super::query::asking_worth;
use crate::terms::{self, likeness};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Weight of a term's known rarity against its rarity among the passages: of 0, 0.5 and 1 the value with the most openings that contain
/// the answer, over 120 questions about papers.
const KNOWN_SHARE: f64 = 0.5;
/// Weight of a two-character piece relative to a word: text without spaces has a piece for each of its characters.
const PIECE_WEIGHT: f64 = 0.5;

/// The terms of a question, weighted by how rare they are among the passages it is asked of.
#[derive(Debug)]
pub(super) struct Relevance {
    weights: Vec<f64>,
    total: f64,
    /// For each term of the passages, the terms of the question it matches, with the likeness.
    meets: BTreeMap<String, Vec<(usize, f64)>>,
    mean_terms: f64,
}

impl Relevance {
    /// Weights the terms of `query` by their rarity in `documents`, each given as its terms, mixed with `known`: their rarity in the whole
    /// collection. The best passages all contain the question's subject, so only the collection shows how rare it is.
    pub(super) fn new(query: &str, documents: &[Vec<String>], known: &BTreeMap<String, f64>) -> Self {
        let asked = terms::query_terms(query);
        let vocabulary: BTreeSet<&String> = documents.iter().flatten().collect();
        let mut meets: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for term in vocabulary {
            let likenesses = asked.iter().enumerate().map(|(index, asked)| (index, likeness(asked, term)));
            let met: Vec<(usize, f64)> = likenesses.filter(|(_, worth)| *worth > 0.0).collect();
            if !met.is_empty() {
                meets.insert(term.clone(), met);
            }
        }
        let mut frequency = vec![0_u32; asked.len()];
        for document in documents {
            let met = best(&meets, document, asked.len());
            met.iter().zip(&mut frequency).filter(|(met, _)| **met > 0.0).for_each(|(_, count)| *count += 1);
        }
        let rarity = |df: u32| {
            let (all, df) = (documents.len() as f64, f64::from(df));
            (1.0 + (all - df + 0.5) / (df + 0.5)).ln()
        };
        let mixed = |term: &String, df: u32| match known.get(term) {
            Some(known) => (1.0 - KNOWN_SHARE) * rarity(df) + KNOWN_SHARE * known,
            None => rarity(df),
        };
        let as_word = |term: &String| if terms::is_piece(term) { PIECE_WEIGHT } else { asking_worth(term) };
        let weights: Vec<f64> =
            asked.iter().zip(&frequency).map(|(term, df)| as_word(term) * mixed(term, *df)).collect();
        let terms_in_all: usize = documents.iter().map(Vec::len).sum();
        let mean_terms = (terms_in_all as f64 / documents.len().max(1) as f64).max(1.0);
        Self { total: weights.iter().sum(), weights, meets, mean_terms }
    }

    /// Whether `term`, of one of the documents, is a term of the question or a form of one.
    pub(super) fn knows(&self, term: &str) -> bool {
        self.meets.contains_key(term)
    }

    /// For each term of the question, how well `document` matches it, 0 to 1.
    pub(super) fn met(&self, document: &[String]) -> Vec<f64> {
        best(&self.meets, document, self.weights.len())
    }

    /// Share of the question, by weight, given the match of each term; 0 to 1.
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
        let length = 1.0 - B + B * document.len() as f64 / self.mean_terms;
        let saturated = |count: f64| count / (count + K1 * length);
        counts.iter().zip(&self.weights).map(|(count, weight)| weight * saturated(*count)).sum::<f64>() / self.total
    }
}

/// For each term of the question, the likeness of the closest term of `document`.
fn best(meets: &BTreeMap<String, Vec<(usize, f64)>>, document: &[String], asked: usize) -> Vec<f64> {
    let mut best = vec![0.0_f64; asked];
    for (index, worth) in document.iter().filter_map(|term| meets.get(term)).flatten() {
        best[*index] = best[*index].max(*worth);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relevance(query: &str, documents: &[&str]) -> (Relevance, Vec<Vec<String>>) {
        let documents: Vec<Vec<String>> = documents.iter().map(|text| terms::terms(text)).collect();
        (Relevance::new(query, &documents, &BTreeMap::new()), documents)
    }

    #[test]
    fn a_passage_with_more_and_rarer_terms_scores_higher_and_none_reaches_one() {
        let (relevance, documents) =
            relevance("dose of the drug", &["drug and dose", "drug and drug", "drug again", "nothing at all"]);
        let scores: Vec<f64> = documents.iter().map(|document| relevance.score(document)).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[3] == 0.0, "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..1.0).contains(score)));
    }

    #[test]
    fn a_word_weighs_more_than_a_piece_of_text_that_sets_no_words_apart() {
        let (relevance, documents) = relevance("DVDは何点ですか", &["DVD 2", "何点 2"]);
        let shares: Vec<f64> = documents.iter().map(|document| relevance.share(&relevance.met(document))).collect();
        assert!(shares[0] > 1.9 * shares[1], "{shares:?}");
    }

    #[test]
    fn a_term_that_no_passage_holds_weighs_most() {
        let (relevance, documents) = relevance("capital of Mongolia", &["the capital city", "capital letters", "more"]);
        assert!(relevance.share(&relevance.met(&documents[0])) < 0.5);
    }
}
