//! The question as weighted terms, and the match of a text with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::question::comparing_words::asks_to_compare;
pub use precis_language::question_shape::asks_for_release;
use precis_language::question_shape::only_asks;
use precis_text::terms;
use precis_text::terms::likeness;

/// Weight of a word that only asks, without content.
pub const ASKING_WORTH: f64 = 0.25;
/// The terms of a question, weighted by how rare they are among the texts it is asked of.
#[derive(Debug)]
pub struct WeightedQuery {
    weights: Vec<f64>,
    total: f64,
    /// For each term of the texts, the terms of the question it matches, with the likeness.
    meets: BTreeMap<String, Vec<(usize, f64)>>,
}

impl WeightedQuery {
    /// Weights the terms of `query` by their rarity in `documents`, each given as its terms.
    pub fn new(query: &str, documents: &[Vec<String>]) -> Self {
        let asked = terms::query_terms(query);
        let vocabulary: BTreeSet<&String> = documents.iter().flatten().collect();
        let mut meets: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for term in vocabulary {
            let met: Vec<(usize, f64)> = asked
                .iter()
                .enumerate()
                .map(|(index, asked)| (index, likeness(asked, term)))
                .filter(|(_, worth)| *worth > 0.0)
                .collect();
            if !met.is_empty() {
                meets.insert(term.clone(), met);
            }
        }
        let mut frequency = vec![0_u32; asked.len()];
        for document in documents {
            for index in
                best(&meets, document, asked.len()).iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, _)| i)
            {
                frequency[index] += 1;
            }
        }
        let weights = weights(&asked, &frequency, documents.len());
        let total = weights.iter().sum();
        Self { weights, total, meets }
    }

    /// Share of the question that `document` matches, by weight: 0 (none of its terms) to 1 (all of them).
    pub fn match_share(&self, document: &[String]) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let sum: f64 =
            best(&self.meets, document, self.weights.len()).iter().zip(&self.weights).map(|(m, w)| m * w).sum();
        sum / self.total
    }

    /// Whether `term`, a term of one of the texts, is a term of the question or a form of one.
    pub fn knows(&self, term: &str) -> bool {
        self.meets.contains_key(term)
    }
}

/// The square root of `ln(1 + N / (1 + df))` of each term, so that two common terms outweigh one rare one. A term in no text gets the mean
/// weight of the others, so that a text with all other terms does not count as a full match.
fn weights(asked: &[String], frequency: &[u32], documents: usize) -> Vec<f64> {
    let weigh = |df: u32| (1.0 + documents as f64 / (1.0 + f64::from(df))).ln().sqrt();
    let present: Vec<f64> = frequency.iter().filter(|df| **df > 0).map(|df| weigh(*df)).collect();
    let mean = present.iter().sum::<f64>() / present.len().max(1) as f64;
    asked.iter().zip(frequency).map(|(term, df)| asking_worth(term) * if *df > 0 { weigh(*df) } else { mean }).collect()
}

/// The weight of a question's `term` relative to others: lower if it only asks.
pub fn asking_worth(term: &str) -> f64 {
    if only_asks(term) || asks_to_compare(term) { ASKING_WORTH } else { 1.0 }
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

    #[test]
    fn a_rare_question_term_outweighs_a_common_one() {
        let documents: Vec<Vec<String>> =
            ["study mice", "study rats", "study cats"].iter().map(|t| precis_text::terms::terms(t)).collect();
        let query = WeightedQuery::new("study of mice", &documents);
        assert_eq!(query.match_share(&documents[0]), 1.0);
        assert!(query.match_share(&documents[1]) < 0.5);
        assert_eq!(query.match_share(&precis_text::terms::terms("whales")), 0.0);
    }
}
