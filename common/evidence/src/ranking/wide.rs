//! Ranks widely: more passages for a reader with room for more than the best few.
//!
//! Three circles: chunks that hold terms of the query, chunks that hold other forms of them, and the chunks around both, where an answer
//! often continues in other words. A text that holds none of them gives nothing.

use std::collections::BTreeMap;

/// Weight of a score from word forms, relative to one from whole terms.
pub(super) const FORMS_SHARE: f64 = 0.8;
/// Share of a chunk's score that its neighbour gets, for each step away.
const NEIGHBOUR_SHARE: f64 = 0.3;
/// Steps around a match that are included: about a paragraph on either side.
const NEIGHBOUR_STEPS: usize = 2;

/// The chunks within reach of those in `scores`, each with the best score that one of them gives it.
pub(super) fn neighbours(scores: &BTreeMap<usize, f64>, total: usize) -> BTreeMap<usize, f64> {
    let mut found: BTreeMap<usize, f64> = BTreeMap::new();
    for (&chunk, &score) in scores {
        let mut share = score;
        for step in 1..=NEIGHBOUR_STEPS {
            share *= NEIGHBOUR_SHARE;
            let adjacent = [chunk.checked_sub(step), Some(chunk + step).filter(|&at| at < total)];
            for at in adjacent.into_iter().flatten() {
                let held = found.entry(at).or_default();
                *held = held.max(share);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use precis_text::CanonicalText;

    use crate::ranking::{Ranker, rank_widely};

    fn read(pages: &[&str], query: &str, max: usize) -> Vec<u32> {
        let text = CanonicalText::from_pages(&pages.iter().map(|&page| page.to_owned()).collect::<Vec<_>>());
        let found = rank_widely(&text, query, Ranker::Overlap, 400, max);
        assert!(found.iter().all(|chunk| chunk.score > 0.0 && chunk.score <= 1.0));
        found.iter().map(|chunk| chunk.locator.page.expect("paged")).collect()
    }

    #[test]
    fn whole_terms_come_before_forms_and_forms_before_neighbours() {
        let pages = ["far", "before", "a solar panel", "behind", "further", "out", "all panels here", "last"];
        for (query, max, expected) in [
            ("panel", 9, vec![3, 7, 2, 4, 6, 8, 1, 5]),
            ("solar panel", 9, vec![3, 7, 2, 4, 6, 8, 1, 5]),
            ("panel", 2, vec![3, 7]),
            ("panels", 1, vec![7]),
        ] {
            let found = read(&pages, query, max);
            assert_eq!(found[..2.min(max)], expected[..2.min(max)], "{query}");
            assert_eq!(found.len(), expected.len(), "{query}");
        }
    }

    #[test]
    fn nothing_is_read_where_nothing_matches() {
        assert!(read(&["first words", "second words"], "quantum gravity", 9).is_empty());
        assert!(read(&["first words"], "", 9).is_empty());
    }
}
