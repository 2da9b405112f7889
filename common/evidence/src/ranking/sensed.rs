//! Ranks by words and by meaning.

use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, snippet};

use super::order::sort;
use super::positional;
use crate::meaning::{Sense, WordScores, fuse};

/// The chunks that words, by their scores in `words`, or meaning find, best first, the best one with score 1; `None` if the question has no
/// vector.
pub(super) fn rank_with_meaning(
    text: &CanonicalText,
    chunks: &[Chunk],
    query: &str,
    words: &WordScores,
    sense: Sense<'_>,
) -> Option<Vec<(usize, f64)>> {
    let asked = sense.meaning.query(query)?;
    let mut cosines = vec![None; chunks.len()];
    if chunks.len() > sense.passages {
        sense.meaning.left_some_to_words();
    }
    let likeliest = likeliest(text, chunks, words, sense.passages);
    let passages: Vec<&str> = likeliest.iter().map(|chunk| text.slice(snippet(text, &chunks[*chunk]))).collect();
    for (chunk, passage) in likeliest.into_iter().zip(sense.meaning.passages(&passages)) {
        cosines[chunk] = passage.map(|passage| asked.cosine(&passage));
    }
    let joined = fuse(words, &cosines).into_iter().enumerate();
    let mut order: Vec<(usize, f64)> = joined.filter(|(_, score)| *score > 0.0).collect();
    sort(&mut order);
    Some(order)
}

/// The chunks that get a vector, at most `most`: first the best by words, then by position.
fn likeliest(text: &CanonicalText, chunks: &[Chunk], words: &WordScores, most: usize) -> Vec<usize> {
    let mut found: Vec<(usize, f64)> =
        words.scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0).collect();
    sort(&mut found);
    let mut is_taken = vec![false; chunks.len()];
    let by_position = if found.len() < most.min(chunks.len()) { positional::order(text, chunks) } else { Vec::new() };
    let all = found.into_iter().chain(by_position).map(|(chunk, _)| chunk);
    all.filter(|chunk| !std::mem::replace(&mut is_taken[*chunk], true)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::meaning::{Meaning, Vector};
    use crate::ranking::{Ranker, rank, rank_following_sensed, rank_sensed, rank_widely_sensed};

    /// Knows two things, remedies and ships, by some of their words; counts what it is asked.
    #[derive(Debug, Default)]
    struct TwoThings {
        passages: Mutex<Vec<String>>,
        is_mute: bool,
    }

    impl Meaning for TwoThings {
        fn key(&self) -> &str {
            "two things"
        }

        fn query(&self, text: &str) -> Option<Vector> {
            let about = |words: &[&str]| if words.iter().any(|word| text.contains(word)) { 1.0 } else { 0.1 };
            (!self.is_mute).then(|| Vector::from_unit(&[about(&["medicine", "tablets"]), about(&["vessel", "ship"])]))
        }

        fn passage(&self, text: &str) -> Option<Vector> {
            self.passages.lock().expect("one thread").push(text.to_owned());
            self.query(text)
        }
    }

    fn pages() -> CanonicalText {
        let pages = ["the mayor spoke", "two tablets a day", "no ship came in", "children ate cake"];
        CanonicalText::from_pages(&pages.map(str::to_owned))
    }

    fn first(meaning: &TwoThings, query: &str, ranker: Ranker, passages: usize) -> Vec<String> {
        let by = (ranker, Some(Sense { meaning, passages }));
        rank_sensed(&pages(), query, by, 400, 2).into_iter().map(|chunk| chunk.text).collect()
    }

    #[test]
    fn what_shares_no_word_is_found_by_meaning() {
        let meaning = TwoThings::default();
        assert_eq!(first(&meaning, "When is the medicine swallowed?", Ranker::Bm25, 9)[0], "two tablets a day");
        assert_eq!(first(&meaning, "Which vessel arrived?", Ranker::Bm25, 9)[0], "no ship came in");
        let (text, by) = (pages(), (Ranker::Bm25, Some(Sense { meaning: &meaning, passages: 9 })));
        assert_eq!(rank_widely_sensed(&text, "medicine", by, 400, 1)[0].text, "two tablets a day");
        assert_eq!(rank_following_sensed(&text, ("medicine", ""), by, 400, 1)[0].text, "two tablets a day");
    }

    #[test]
    fn words_still_decide_where_all_of_them_are_found() {
        assert_eq!(first(&TwoThings::default(), "mayor spoke", Ranker::Bm25, 9)[0], "the mayor spoke");
    }

    #[test]
    fn vectors_are_limited_and_the_best_by_words_come_first() {
        for (most, made) in [(1, 1), (3, 3), (4, 4), (5, 4)] {
            let meaning = TwoThings::default();
            first(&meaning, "cake", Ranker::Bm25, most);
            let passages = meaning.passages.into_inner().expect("one thread");
            assert_eq!((passages.len(), passages[0].as_str()), (made, "children ate cake"));
        }
    }

    #[test]
    fn without_vectors_and_for_overlap_everything_is_as_by_words() {
        let mute = TwoThings { is_mute: true, ..TwoThings::default() };
        for query in ["cake", "medicine", ""] {
            let plain = rank(&pages(), query, Ranker::Bm25, 400, 9);
            let by = (Ranker::Bm25, Some(Sense { meaning: &mute, passages: 9 }));
            assert_eq!(rank_sensed(&pages(), query, by, 400, 9), plain);
            let meaning = TwoThings::default();
            let by = (Ranker::Overlap, Some(Sense { meaning: &meaning, passages: 9 }));
            assert_eq!(rank_sensed(&pages(), query, by, 400, 9), rank(&pages(), query, Ranker::Overlap, 400, 9));
            assert!(meaning.passages.into_inner().expect("one thread").is_empty());
        }
    }
}
