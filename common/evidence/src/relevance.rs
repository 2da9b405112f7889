//! Relevance of whole texts to a question, relative to each other, before anything is chosen from them.

use std::collections::{BTreeMap, BTreeSet};

use precis_text::CanonicalText;
use precis_text::terms::{query_terms, terms};

/// Terms in half a window; a window is about a paragraph, and each one begins in the middle of the one before.
const HALF_WINDOW_TERMS: usize = 32;

/// The terms of a question that occur near each other in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermHoldings {
    windows: usize,
    /// Number of windows that hold each term; keyed by the term's position in the question.
    holding: BTreeMap<usize, usize>,
    /// The distinct sets of terms that windows hold.
    held: BTreeSet<Vec<usize>>,
}

impl TermHoldings {
    /// Finds the terms of `query` in `text`.
    #[must_use]
    pub fn new(text: &CanonicalText, query: &str) -> Self {
        let wanted: BTreeMap<String, usize> = query_terms(query).into_iter().zip(0..).collect();
        let mut holdings = Self::default();
        if wanted.is_empty() {
            return holdings;
        }
        let place = |term: &String| wanted.get(term).copied();
        let halves: Vec<BTreeSet<usize>> = terms(text.as_str())
            .chunks(HALF_WINDOW_TERMS)
            .map(|half| half.iter().filter_map(place).collect())
            .collect();
        for (n, half) in halves.iter().enumerate() {
            let window: BTreeSet<usize> = half.iter().chain(halves.get(n + 1).into_iter().flatten()).copied().collect();
            holdings.windows += 1;
            for term in &window {
                *holdings.holding.entry(*term).or_default() += 1;
            }
            holdings.held.insert(window.into_iter().collect());
        }
        holdings
    }
}

/// The relevance of each text: the weighted share of `query` that its best window holds, 0 to 1. A term weighs more the fewer windows of
/// all texts hold it, as in BM25; a term that none holds tells no texts apart and weighs as much as the rarest one found. 0 if the
/// question has no terms.
#[must_use]
pub fn relevances(query: &str, texts: &[TermHoldings]) -> Vec<f64> {
    let windows: usize = texts.iter().map(|text| text.windows).sum();
    let rarity = |term: usize| {
        let holding: usize = texts.iter().filter_map(|text| text.holding.get(&term)).sum();
        let (all, holding) = (windows as f64, holding as f64);
        (holding > 0.0).then(|| (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln())
    };
    let known: Vec<Option<f64>> = (0..query_terms(query).len()).map(rarity).collect();
    let rarest = known.iter().flatten().copied().fold(0.0, f64::max);
    let weights: Vec<f64> = known.into_iter().map(|weight| weight.unwrap_or(rarest)).collect();
    let total: f64 = weights.iter().sum();
    let best = |text: &TermHoldings| {
        text.held.iter().map(|held| held.iter().map(|term| weights[*term]).sum::<f64>()).fold(0.0, f64::max)
    };
    texts.iter().map(|text| if total > 0.0 { (best(text) / total).min(1.0) } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, texts: &[&str]) -> Vec<f64> {
        let held: Vec<TermHoldings> =
            texts.iter().map(|text| TermHoldings::new(&CanonicalText::from_plain(text), query)).collect();
        relevances(query, &held)
    }

    #[test]
    fn relevance_is_the_share_of_question_terms_in_one_place() {
        let text = "Granite cools slowly below the surface.";
        for (query, expected) in [("granite surface", 1.0), ("ocean volcano", 0.0), ("the", 0.0), ("", 0.0)] {
            assert!((found(query, &[text])[0] - expected).abs() < 1e-9, "{query}");
        }
        let far =
            format!("Granite is old. {}The surface is cold.", "Snow falls on every northern mountain. ".repeat(40));
        let [near, apart] = found("granite surface", &[text, &far])[..] else { panic!("two texts") };
        assert!(near > 0.99 && (0.2..0.8).contains(&apart), "{near} {apart}");
        assert_eq!(found("granite", &[]), [0.0; 0]);
        assert_eq!(found("granite", &[""]), [0.0]);
    }

    #[test]
    fn a_term_that_few_places_hold_weighs_more() {
        let common = "The river is wide. ";
        let texts = [common, common, common, "The otter is small."];
        let found = found("otter river", &texts);
        assert!(found[3] > 2.0 * found[0] && found[0] > 0.0, "{found:?}");
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn an_absent_term_weighs_as_the_rarest_present_one() {
        let found = found("otter river volcano", &["The river is wide.", "The river is deep.", "The otter is small."]);
        assert!((found[2] - 0.4).abs() < 0.05, "two of about five parts: {found:?}");
    }

    #[test]
    fn terms_on_both_sides_of_a_border_between_windows_stand_together() {
        for before in 0..2 * HALF_WINDOW_TERMS {
            let text = format!("{}granite surface", "snow ".repeat(before));
            assert_eq!(found("granite surface", &[&text]), [1.0], "{before}");
        }
    }
}
