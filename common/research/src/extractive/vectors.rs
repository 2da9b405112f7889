//! Texts as sparse vectors of tf-idf weights.
//!
//! Terms are numbered in alphabetical order and every sum runs in that order, so that the same texts give the same bits.

use std::collections::BTreeMap;

/// A sparse vector of length one (or empty): term numbers ascending, weights positive.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Vector {
    weights: Vec<(u32, f64)>,
}

impl Vector {
    /// Term numbers and weights, ascending.
    pub(super) fn weights(&self) -> &[(u32, f64)] {
        &self.weights
    }

    fn from_weights(weights: Vec<(u32, f64)>) -> Self {
        let length = weights.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
        if length <= 0.0 {
            return Self::default();
        }
        Self { weights: weights.into_iter().map(|(term, w)| (term, w / length)).collect() }
    }
}

/// The vectors of `documents`, each given as its terms; a document without terms gets the empty vector.
///
/// Weight of a term: `(1 + ln tf) · ln(1 + N / df)`, over these documents.
pub(super) fn vectors(documents: &[Vec<String>]) -> Vec<Vector> {
    let mut frequency: BTreeMap<&str, u32> = BTreeMap::new();
    let counts: Vec<BTreeMap<&str, u32>> = documents.iter().map(|terms| count(terms)).collect();
    for term in counts.iter().flat_map(BTreeMap::keys) {
        *frequency.entry(term).or_default() += 1;
    }
    let idf: BTreeMap<&str, (u32, f64)> = frequency
        .iter()
        .zip(0..)
        .map(|((term, df), number)| (*term, (number, (1.0 + documents.len() as f64 / f64::from(*df)).ln())))
        .collect();
    counts.iter().map(|counts| weigh(counts, &idf)).collect()
}

fn count(terms: &[String]) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for term in terms {
        *counts.entry(term.as_str()).or_default() += 1;
    }
    counts
}

fn weigh(counts: &BTreeMap<&str, u32>, idf: &BTreeMap<&str, (u32, f64)>) -> Vector {
    let weights = counts.iter().filter_map(|(term, tf)| {
        let (number, idf) = idf.get(term)?;
        Some((*number, (1.0 + f64::from(*tf).ln()) * idf))
    });
    Vector::from_weights(weights.collect())
}

/// Cosine of two vectors from one call of [`vectors`]: 0 (nothing shared) to 1.
pub(super) fn cosine(a: &Vector, b: &Vector) -> f64 {
    let (mut left, mut right) = (a.weights.iter().peekable(), b.weights.iter().peekable());
    let mut sum = 0.0;
    while let (Some((i, x)), Some((j, y))) = (left.peek(), right.peek()) {
        match i.cmp(j) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                sum += x * y;
                left.next();
                right.next();
            }
        }
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|t| t.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect()).collect()
    }

    #[test]
    fn equal_texts_meet_fully_and_strangers_not_at_all() {
        let v = vectors(&documents(&["red fox", "fox red", "blue whale", ""]));
        assert!((cosine(&v[0], &v[1]) - 1.0).abs() < 1e-12);
        assert_eq!(cosine(&v[0], &v[2]), 0.0);
        assert_eq!(cosine(&v[0], &v[3]), 0.0);
    }

    #[test]
    fn a_rare_term_binds_more_than_a_common_one() {
        let v = vectors(&documents(&["common rare", "common other", "rare other2", "common x", "common y"]));
        assert!(cosine(&v[0], &v[2]) > cosine(&v[0], &v[1]));
    }
}
