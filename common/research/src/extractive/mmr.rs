//! Maximal marginal relevance: selects the next best item that does not repeat those selected.
//!
//! Source: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking" (SIGIR 1998).

use super::vectors::{Vector, cosine};

/// Weight of the penalty for similarity to selected items.
const NOVELTY: f64 = 0.35;
/// Penalty for each selected item of the same source.
const SOURCE_COST: f64 = 0.04;
/// Most penalty for one source.
const SOURCE_COST_CAP: f64 = 0.24;

/// A candidate for selection.
#[derive(Debug, Clone, Copy)]
pub(super) struct MmrItem<'a> {
    /// Worth on its own, 0 to 1.
    pub(super) score: f64,
    /// Number of its source.
    pub(super) source: u32,
    /// Its tf-idf vector.
    pub(super) vector: &'a Vector,
    /// Its words as [`equal_words`](precis_text::equal_words::equal_words) gives them: of items in the same words only the best is selected.
    pub(super) words: &'a str,
}

/// Indexes of at most `max` of `items`, best first; ties go to the earlier one.
pub(super) fn select(items: &[MmrItem<'_>], max: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut closest = vec![0.0_f64; items.len()];
    let mut said = vec![false; items.len()];
    let mut open: Vec<usize> = (0..items.len()).collect();
    while chosen.len() < max {
        open.retain(|&i| !said[i]);
        let worth = |i: usize| {
            let taken = chosen.iter().filter(|&&c| items[c].source == items[i].source).count();
            let source = (SOURCE_COST * taken as f64).min(SOURCE_COST_CAP);
            round_six(items[i].score - NOVELTY * closest[i] * items[i].score - source)
        };
        let Some((_, best)) = open.iter().map(|&i| (worth(i), i)).reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
            break;
        };
        chosen.push(best);
        open.retain(|&i| i != best);
        for &i in &open {
            let alike = cosine(items[i].vector, items[best].vector);
            closest[i] = closest[i].max(alike);
            said[i] |= items[i].words == items[best].words;
        }
    }
    chosen
}

/// Rounds to six decimals, so that smaller differences are ties on every machine.
pub(super) fn round_six(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::super::vectors::vectors;
    use super::*;

    fn chosen(items: &[(&str, f64, u32)], max: usize) -> Vec<usize> {
        let documents: Vec<Vec<String>> =
            items.iter().map(|(t, _, _)| t.split(' ').map(str::to_owned).collect()).collect();
        let vectors = vectors(&documents);
        let items: Vec<MmrItem<'_>> = items
            .iter()
            .zip(&vectors)
            .map(|((words, score, source), vector)| MmrItem { score: *score, source: *source, vector, words })
            .collect();
        select(&items, max)
    }

    #[test]
    fn a_repeated_sentence_is_never_chosen_twice() {
        assert_eq!(chosen(&[("red fox den", 0.9, 1), ("red fox den", 0.8, 2), ("blue whale", 0.1, 1)], 9), vec![0, 2]);
    }

    #[test]
    fn sentences_that_differ_in_one_word_are_both_chosen() {
        let loss =
            |year: &str, name: &str| format!("the old glacier in {name} lost half of its ice in the summer of {year}");
        let gain = loss("1901", "Norway").replace("lost", "won");
        let all = [loss("1901", "Norway"), loss("1902", "Norway"), gain, loss("1901", "Norway")];
        let items: Vec<(&str, f64, u32)> = all.iter().map(|text| (text.as_str(), 0.5, 1)).collect();
        assert_eq!(chosen(&items, 9), [0, 1, 2]);
    }

    #[test]
    fn ties_go_to_the_earlier_position_and_to_the_fresher_source() {
        assert_eq!(chosen(&[("a b", 0.5, 1), ("c d", 0.5, 1), ("e f", 0.5, 2)], 9), vec![0, 2, 1]);
    }

    #[test]
    fn no_more_than_asked_for_are_chosen() {
        for max in 0..4 {
            assert_eq!(chosen(&[("a", 0.5, 1), ("b", 0.5, 1), ("c", 0.5, 2)], max).len(), max.min(3));
        }
    }
}
