//! Ranks by words and by meaning.

use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, snippet};

use super::order::sort;
use super::{fields, positional};
use crate::meaning::{Sense, WordScores, fused};

/// The chunks that words or meaning find, best first, the best one with score 1; `None` if the question has no vector.
pub(super) fn sensed(
    text: &CanonicalText,
    chunks: &[Chunk],
    query: &str,
    sense: Sense<'_>,
) -> Option<Vec<(usize, f64)>> {
    let asked = sense.meaning.query(query)?;
    let words = fields::word_scores(text, chunks, query);
    let mut cosines = vec![None; chunks.len()];
    for chunk in likeliest(text, chunks, &words, sense.passages) {
        let passage = sense.meaning.passage(text.slice(snippet(text, &chunks[chunk])));
        cosines[chunk] = passage.map(|passage| asked.cosine(&passage));
    }
    let joined = fused(&words, &cosines).into_iter().enumerate();
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
