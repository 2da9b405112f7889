//! Evidence for a follow-up question: its own, plus evidence for the conversation before it with less weight.

use precis_text::CanonicalText;

use super::{RankedChunk, Ranker, TextRanking};
use crate::meaning::Sense;
use crate::question::follow_up::WEIGHT;

/// The chunks of [`rank_widely`](super::rank_widely) for `query` merged with those for the words in `earlier`, best first, at most `max`. A chunk found by both
/// gets the sum of both scores, at most 1. Same as that if `earlier` is empty.
#[must_use]
pub fn rank_following(
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    ranker: Ranker,
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    rank_following_sensed(text, (query, earlier), (ranker, None), evidence_max_chars, max)
}

/// [`rank_following`] by words and by meaning. Without a [`Sense`] the same as [`rank_following`].
#[must_use]
pub fn rank_following_sensed(
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    by: (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    let own = TextRanking::new(text, query, by, evidence_max_chars);
    let earlier = (!earlier.is_empty()).then(|| own.for_query(text, earlier, by.1));
    following(text, &own, earlier.as_ref(), max)
}

/// The chunks that `own` finds widely merged with those that the ranking for `earlier` words finds, as [`rank_following`] gives them.
#[must_use]
pub fn following(
    text: &CanonicalText,
    own: &TextRanking,
    earlier: Option<&TextRanking>,
    max: usize,
) -> Vec<RankedChunk> {
    let mut found = own.widely(text, max);
    let Some(earlier) = earlier else { return found };
    for chunk in earlier.widely(text, max) {
        let score = chunk.score * WEIGHT;
        match found.iter_mut().find(|known| known.range == chunk.range) {
            Some(known) => known.score = (known.score + score).min(1.0),
            None => found.push(RankedChunk { score, ..chunk }),
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.range.start.cmp(&b.range.start)));
    found.truncate(max);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ICE: &str =
        "The glacier lost most of its ice in 1947, when the summer was hot and dry in all of the valleys. ";
    const FILLER: &str = "Mules are fed by the town, and the town is paid by the captains for each of the mules. ";
    const HARBOUR: &str = "The harbour was closed in the worst year of the war, and no ship of any kind came in. ";

    fn found(query: &str, earlier: &str, max: usize) -> Vec<RankedChunk> {
        let text = [ICE, &FILLER.repeat(20), HARBOUR].concat();
        rank_following(&CanonicalText::from_plain(&text), (query, earlier), Ranker::default(), 60, max)
    }

    #[test]
    fn what_the_conversation_was_about_is_found_after_what_the_question_says() {
        let alone = found("worst year", "", 9);
        assert!(alone.iter().all(|chunk| !chunk.text.contains("glacier")), "{alone:?}");
        let joined = found("worst year", "glacier ice", 9);
        assert!(joined[0].text.contains("worst"), "{joined:?}");
        assert!(joined.iter().any(|chunk| chunk.text.contains("glacier")), "{joined:?}");
        assert!(joined.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert_eq!(found("worst year", "glacier ice", 1).len(), 1);
        assert!(found("depth", "glacier ice", 9)[0].text.contains("glacier"), "the question itself finds nothing");
    }
}
