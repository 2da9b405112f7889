//! Finds statements that say the same without comparing every pair.
//!
//! Two sets of words can only reach the required similarity if they share one of their rarest words: of a set of n words that must share
//! a fraction t of all words with another set, at least one of any n - ⌈t·n⌉ + 1 words occurs in both. So each set is looked up under
//! that many of its rarest words only (prefix filtering: Chaudhuri, Ganti, Kaushik 2006). The result equals that of comparing all pairs.

use std::collections::{BTreeSet, HashMap};

/// The sets of words kept so far, indexed by their rarest words.
#[derive(Debug)]
pub(crate) struct Repeats {
    /// Least Jaccard similarity of two sets that say the same, above 0 and up to 1.
    threshold: f64,
    /// Rank of each word by rarity in all sets: the rarest has rank 0.
    ranks: HashMap<String, u32>,
    /// The words of each kept set as ranks, rarest first.
    kept: Vec<Vec<u32>>,
    /// Indices of the kept sets by each of their rarest words.
    by_word: HashMap<u32, Vec<usize>>,
}

impl Repeats {
    /// Prepares for `sets`, which are then passed to `find_or_keep` one by one; `threshold` is above 0.
    pub(crate) fn among(sets: &[BTreeSet<String>], threshold: f64) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in sets.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let mut words: Vec<(usize, &str)> = counts.into_iter().map(|(word, count)| (count, word)).collect();
        // By count, then by word, so that the ranks do not depend on the order of the map.
        words.sort_unstable();
        let ranks = (0..).zip(words).map(|(rank, (_, word))| (word.to_owned(), rank)).collect();
        Self { threshold, ranks, kept: Vec::new(), by_word: HashMap::new() }
    }

    /// The index of the first kept set that is similar enough and for which `says_the_same` returns true; otherwise keeps `set` under the
    /// next index and returns `None`.
    pub(crate) fn find_or_keep(
        &mut self,
        set: &BTreeSet<String>,
        says_the_same: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut words: Vec<u32> = set.iter().filter_map(|word| self.ranks.get(word).copied()).collect();
        words.sort_unstable();
        let telling = telling(words.len(), self.threshold);
        let candidates = words[..telling].iter().filter_map(|word| self.by_word.get(word)).flatten();
        let mut candidates: Vec<usize> = candidates.copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let same =
            candidates.into_iter().find(|at| jaccard(&words, &self.kept[*at]) >= self.threshold && says_the_same(*at));
        if same.is_none() {
            for word in &words[..telling] {
                self.by_word.entry(*word).or_default().push(self.kept.len());
            }
            self.kept.push(words);
        }
        same
    }
}

/// Number of rarest words to look up: a similar enough set must share at least one of them.
fn telling(words: usize, threshold: f64) -> usize {
    // The small tolerance guards against rounding: looking up one word too many never misses a set.
    let shared = (threshold * words as f64 - 1e-9).ceil().max(0.0) as usize;
    if words == 0 { 0 } else { (words - shared.min(words) + 1).min(words) }
}

/// Jaccard similarity of two sorted lists; 0 if both are empty.
fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let (mut at, mut common) = (0, 0_usize);
    for word in a {
        while at < b.len() && b[at] < *word {
            at += 1;
        }
        common += usize::from(b.get(at) == Some(word));
    }
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[u64]) -> BTreeSet<String> {
        words.iter().map(|word| format!("w{word}")).collect()
    }

    /// The result of comparing each set with every kept one.
    fn of_all_pairs(sets: &[BTreeSet<String>], threshold: f64) -> Vec<Option<usize>> {
        let mut kept: Vec<&BTreeSet<String>> = Vec::new();
        let alike = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
            let common = a.intersection(b).count();
            let all = a.len() + b.len() - common;
            all > 0 && common as f64 / all as f64 >= threshold
        };
        let mut found = Vec::new();
        for set in sets {
            let same = kept.iter().position(|other| alike(set, other));
            if same.is_none() {
                kept.push(set);
            }
            found.push(same);
        }
        found
    }

    fn of_index(sets: &[BTreeSet<String>], threshold: f64) -> Vec<Option<usize>> {
        let mut repeats = Repeats::among(sets, threshold);
        sets.iter().map(|set| repeats.find_or_keep(set, |_| true)).collect()
    }

    #[test]
    fn what_is_as_alike_as_asked_for_is_found_and_what_is_less_is_not() {
        // 4 of 5 words in common.
        let sets = [set(&[1, 2, 3, 4]), set(&[1, 2, 3, 4, 5]), set(&[]), set(&[]), set(&[9])];
        assert_eq!(of_index(&sets, 0.8), [None, Some(0), None, None, None]);
        assert_eq!(of_index(&sets, 0.81), [None, None, None, None, None]);
        assert_eq!(of_index(&[set(&[1]), set(&[1])], 1.0), [None, Some(0)]);
    }

    #[test]
    fn the_index_says_what_comparing_all_pairs_says() {
        // A linear congruential generator: the same sets in every run.
        let mut seed = 7_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for vocabulary in [3, 8, 20, 200] {
            let sets: Vec<BTreeSet<String>> = (0..300)
                .map(|_| {
                    let words = next(12);
                    set(&(0..words).map(|_| next(vocabulary)).collect::<Vec<_>>())
                })
                .collect();
            for threshold in [0.1, 0.5, 0.8, 0.9, 1.0] {
                let expected = of_all_pairs(&sets, threshold);
                assert!(vocabulary > 20 || expected.iter().any(Option::is_some));
                assert_eq!(of_index(&sets, threshold), expected, "{vocabulary} words, {threshold}");
            }
        }
    }
}
