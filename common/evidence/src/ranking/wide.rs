//! Ranks widely: more passages for a reader with room for more than the best few.
//!
//! Three circles: chunks that hold terms of the query, chunks that hold other forms of them, and the chunks around both, where an answer
//! often continues in other words. A text that holds none of them gives nothing.

use std::collections::BTreeMap;

use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, chunks};
use precis_text::terms::query_words;

use super::fields::bm25;
use super::matches::Meeting;
use super::order::sort;
use super::rank::{RankedChunk, Ranker, overlap, ranked};
use super::sensed::sensed;
use crate::meaning::Sense;

/// Weight of a score from word forms, relative to one from whole terms.
const FORMS_SHARE: f64 = 0.8;
/// Share of a chunk's score that its neighbour gets, for each step away.
const NEIGHBOUR_SHARE: f64 = 0.3;
/// Steps around a match that are included: about a paragraph on either side.
const NEIGHBOUR_STEPS: usize = 2;

/// At most `max` chunks of `text` that match `query`, best first; ties go to the earlier chunk. Scores are above 0 and at most 1.
///
/// Unlike [`rank`](super::rank()), it ranks by relevance even for a query of one term, matches other forms of the terms, and adds the
/// neighbours of matches. Empty if no chunk holds a term of the query or a form of one.
#[must_use]
pub fn rank_widely(
    text: &CanonicalText,
    query: &str,
    ranker: Ranker,
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    rank_widely_sensed(text, query, (ranker, None), evidence_max_chars, max)
}

/// [`rank_widely`] by words and by meaning, for [`Ranker::Bm25`]. Without a [`Sense`] the same as [`rank_widely`].
#[must_use]
pub fn rank_widely_sensed(
    text: &CanonicalText,
    query: &str,
    (ranker, sense): (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    let chunks = chunks(text, evidence_max_chars);
    let sense = sense.filter(|_| ranker == Ranker::Bm25);
    let joined = sense.and_then(|sense| sensed(text, &chunks, query, sense));
    let mut scores = joined.map_or_else(|| matched(text, &chunks, query, ranker), |found| found.into_iter().collect());
    let around = neighbours(&scores, chunks.len());
    for (chunk, score) in around {
        scores.entry(chunk).or_insert(score);
    }
    let mut order: Vec<(usize, f64)> = scores.into_iter().collect();
    sort(&mut order);
    order.truncate(max);
    order.into_iter().map(|(chunk, score)| ranked(text, &chunks[chunk], score)).collect()
}

/// The scores of the chunks that hold a term or a form of one.
fn matched(text: &CanonicalText, chunks: &[Chunk], query: &str, ranker: Ranker) -> BTreeMap<usize, f64> {
    if ranker == Ranker::Bm25 {
        return bm25(text, chunks, query).into_iter().collect();
    }
    let terms = query_words(query);
    let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
    for (meeting, share) in [(Meeting::Whole, 1.0), (Meeting::Forms, FORMS_SHARE)] {
        for (chunk, score) in overlap(text, chunks, &terms, meeting) {
            let held = scores.entry(chunk).or_default();
            *held = held.max(score * share);
        }
    }
    scores
}

/// The chunks within reach of those in `scores`, each with the best score that one of them gives it.
fn neighbours(scores: &BTreeMap<usize, f64>, total: usize) -> BTreeMap<usize, f64> {
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
    use super::*;

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
