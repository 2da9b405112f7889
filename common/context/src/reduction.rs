//! Reductions: prose and passages of one source within a token limit.
//!
//! Storage and transport of reductions are handled elsewhere.

use precis_evidence::passage::passages;
use precis_evidence::ranking::{RankedChunk, Ranker, rank, rank_following};
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::finding::Passage;
use precis_proto::source::Reduction;
use precis_proto::task::Summary;
use precis_proto::{CharRange, Locator, SourceId};
use precis_text::CanonicalText;
use precis_text::tokens::TokenBudget;

use crate::{map_reduce, source_notes, truncate};

/// Least and most passages a reduction is chosen from. More are ranked than fit, since passages differ in length.
const MIN_CANDIDATES: usize = 64;
const MAX_CANDIDATES: usize = 2_048;
/// A reduction with fewer tokens than this holds a passage but no prose.
const MIN_PROSE_TARGET: u64 = 480;
/// Tokens of prose that a digest keeps when it is cut, unless they exceed half of the limit. Chosen, not measured: two sentences.
const LEAST_PROSE: u64 = 48;
/// Tokens of a short passage.
const SHORT_PASSAGE_TOKENS: u64 = 40;
/// Percentage of a reduction, and of the evidence of a call that is too long, used for prose; the rest is used for passages, which
/// carry the citations. Measured with `bench-prose`: more prose loses known answers, see `docs/fidelity.md`.
pub const PROSE_PERCENT: u64 = 10;

/// Whether prose is requested for a reduction of at most `target_tokens`; fewer tokens only have room for a passage.
#[must_use]
pub fn holds_prose(target_tokens: u64) -> bool {
    target_tokens >= MIN_PROSE_TARGET
}

/// Tokens to request for prose in a reduction of at most `target_tokens`; all of them if no passages are wanted.
#[must_use]
pub fn prose_tokens(target_tokens: u64, with_passages: bool) -> u64 {
    // Split into quotient and remainder: a practically unlimited target would overflow if multiplied.
    let share = target_tokens / 100 * PROSE_PERCENT + target_tokens % 100 * PROSE_PERCENT / 100;
    if with_passages { share } else { target_tokens }
}

/// The level at which prose is requested for a source carried at `level`: `truncated` has no prose of its own, so a headline.
#[must_use]
pub fn prose_level(level: FidelityLevel) -> FidelityLevel {
    match level {
        FidelityLevel::Truncated => FidelityLevel::Headline,
        FidelityLevel::Raw
        | FidelityLevel::Condensed
        | FidelityLevel::KeyPoints
        | FidelityLevel::Headline
        | FidelityLevel::Digest
        | FidelityLevel::Dropped => level,
    }
}

/// Tokens of everything in a reduction, as counted by `count`.
#[must_use]
pub fn tokens(reduction: &Reduction, count: &dyn Fn(&str) -> u64) -> u64 {
    let prose = std::iter::once(reduction.summary.as_str()).chain(reduction.key_points.iter().map(String::as_str));
    let passages = reduction.passages.iter().map(|p| p.text.as_str());
    prose.chain(passages).map(count).sum()
}

/// Number of passages to rank if `tokens` tokens of them may be carried.
#[must_use]
pub fn most_passages(tokens: u64) -> usize {
    usize::try_from(tokens / SHORT_PASSAGE_TOKENS).unwrap_or(MAX_CANDIDATES).clamp(MIN_CANDIDATES, MAX_CANDIDATES)
}

/// `reduction` within `target_tokens`, for a source carried at a lower level: passages are dropped first; below `condensed` the prose
/// is cut to its share, and from `headline` on the key points are dropped.
#[must_use]
pub fn shorten(
    mut reduction: Reduction,
    level: FidelityLevel,
    target_tokens: u64,
    count: &dyn Fn(&str) -> u64,
) -> Reduction {
    if level >= FidelityLevel::Headline {
        reduction.key_points.clear();
    }
    let prose = Summary { summary: reduction.summary, key_points: reduction.key_points };
    let prose = match prose.summary.is_empty() && prose.key_points.is_empty() {
        true => prose,
        // Prose was paid for, so at least its beginning is kept.
        false => {
            let least = LEAST_PROSE.min(target_tokens / 2);
            map_reduce::shorten(prose, prose_tokens(target_tokens, true).max(least), count)
        }
    };
    fit(&prose, reduction.passages, target_tokens, count)
}

/// The chunks to choose a reduction of about `target_tokens` from, best first: those that match `query`, or the landmarks of the text
/// if none does, so that a reduction always has a passage.
#[must_use]
pub fn candidates(
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    ranker: Ranker,
    evidence_max_chars: usize,
    target_tokens: u64,
) -> Vec<RankedChunk> {
    let most = most_passages(target_tokens);
    let found = rank_following(text, (query, earlier), ranker, evidence_max_chars, most);
    if found.is_empty() { rank(text, query, ranker, evidence_max_chars, most) } else { found }
}

/// Builds a reduction of at most `target_tokens` from summary and key points, requested within their share, and the best passages that
/// fit next to them. Prose needs a passage to cite: if no passage fits, the beginning of the best one is taken, and if not even that
/// fits, the prose is dropped.
#[must_use]
pub fn fit(summary: &Summary, ranked: Vec<Passage>, target_tokens: u64, count: &dyn Fn(&str) -> u64) -> Reduction {
    let mut budget = TokenBudget::new(target_tokens);
    let mut reduction = Reduction::default();
    if budget.allocate(count(&summary.summary)) {
        reduction.summary.clone_from(&summary.summary);
    }
    reduction.key_points.extend(summary.key_points.iter().filter(|point| budget.allocate(count(point))).cloned());
    let left = target_tokens - tokens(&reduction, count);
    let beginning = ranked.first().and_then(|best| beginning(best, left, count));
    let has_passages = !ranked.is_empty();
    reduction.passages = ranked.iter().filter(|passage| budget.allocate(count(&passage.text))).cloned().collect();
    if reduction.passages.is_empty() {
        reduction.passages.extend(beginning.filter(|passage| count(&passage.text) <= left));
    }
    if reduction.passages.is_empty() && has_passages && source_notes::has_prose(&reduction) {
        // Recurses only once: without prose the condition above is false.
        return fit(&Summary::default(), ranked, target_tokens, count);
    }
    reduction.point_passages = source_notes::link(&reduction.key_points, &reduction.passages);
    reduction
}

/// The beginning of `passage` that fits into `tokens`, with its locator; `None` if nothing fits.
fn beginning(passage: &Passage, tokens: u64, count: &dyn Fn(&str) -> u64) -> Option<Passage> {
    let text = truncate::prefix(&passage.text, tokens, count).trim_end();
    let chars = text.chars().count();
    let shortened = |range: CharRange| CharRange::new(range.start, range.start + chars);
    (chars > 0).then(|| Passage {
        source_id: passage.source_id.clone(),
        range: shortened(passage.range),
        locator: Locator { page: passage.locator.page, range: shortened(passage.locator.range) },
        text: text.to_owned(),
        score: passage.score,
        units: passage.units.iter().filter(|unit| unit.end <= chars).cloned().collect(),
        headings: passage.headings.clone(),
        columns: passage.columns.clone(),
        context: passage.context.clone(),
    })
}

/// The snippets of a digest as passages of whole sentences, located in the whole text.
#[must_use]
pub fn from_digest(payload: &DigestPayload, source_id: &SourceId, text: &CanonicalText) -> Vec<Passage> {
    let snippets = payload.evidence_snippets.iter();
    let chunks: Vec<RankedChunk> = snippets
        .filter_map(|snippet| {
            let range = text.resolve(&snippet.locator)?;
            let (locator, text, score) = (snippet.locator, snippet.text.clone(), snippet.relevance_score);
            Some(RankedChunk { range, locator, text, score })
        })
        .collect();
    passages(source_id, text, &chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(text: &str) -> Passage {
        let id = SourceId::new("s").expect("an id");
        let locator = "char:0-1".parse().expect("a locator");
        Passage {
            source_id: id,
            range: precis_proto::CharRange::new(0, 1),
            locator,
            text: text.to_owned(),
            score: 0.5,
            units: Vec::new(),
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
        }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn prose_takes_its_share_of_a_reduction_and_all_of_a_summary() {
        for (target, with_passages, prose) in
            [(0, true, 0), (1, true, 0), (24, true, 2), (1_000, true, 100), (1_000, false, 1_000), (1, false, 1)]
        {
            assert_eq!(prose_tokens(target, with_passages), prose, "{target} {with_passages}");
        }
        assert!(prose_tokens(u64::MAX, true) < u64::MAX);
    }

    #[test]
    fn prose_is_requested_at_the_source_level_unless_truncated() {
        use FidelityLevel::{Condensed, Headline, KeyPoints, Truncated};
        for (level, asked) in
            [(Condensed, Condensed), (KeyPoints, KeyPoints), (Headline, Headline), (Truncated, Headline)]
        {
            assert_eq!(prose_level(level), asked);
        }
    }

    #[test]
    fn a_reduction_never_exceeds_its_target_and_prefers_a_passage_to_prose() {
        let summary = Summary {
            summary: "a rather long summary of everything".to_owned(),
            key_points: vec!["one point".to_owned()],
        };
        let ranked = || vec![passage("the first passage says this"), passage("the second passage says that")];
        for target in 0..60 {
            let fitted = fit(&summary, ranked(), target, &words);
            assert!(tokens(&fitted, &words) <= target);
            assert!(fitted.summary.is_empty() || !fitted.passages.is_empty());
        }
        assert_eq!(fit(&summary, ranked(), 1_000, &words).passages.len(), 2);
    }

    #[test]
    fn prose_is_asked_for_from_a_certain_length_on() {
        assert_eq!([479, 480, 481].map(holds_prose), [false, true, true]);
    }

    #[test]
    fn a_digest_goes_down_by_passages_then_points_then_prose() {
        let held = Reduction {
            summary: "One two three four. Five six.".to_owned(),
            key_points: vec!["seven eight".to_owned(), "nine ten".to_owned()],
            passages: (0..6).map(|n| passage(&format!("passage {n} has five words"))).collect(),
            point_passages: Vec::new(),
            digest: None,
        };
        for (level, target, passages, points, prose) in [
            (FidelityLevel::Condensed, 40, 6, 2, 6),
            (FidelityLevel::Condensed, 25, 3, 2, 6),
            (FidelityLevel::KeyPoints, 14, 2, 0, 6),
            (FidelityLevel::Headline, 10, 1, 0, 4),
            (FidelityLevel::Truncated, 3, 1, 0, 1),
        ] {
            let short = shorten(held.clone(), level, target, &words);
            assert!(tokens(&short, &words) <= target, "{target}: {short:?}");
            let found = (short.passages.len(), short.key_points.len(), words(&short.summary));
            assert!(found.0 >= passages.min(1) && found.1 <= points && found.2 <= prose, "{target}: {found:?}");
        }
        assert_eq!(shorten(held.clone(), FidelityLevel::Condensed, 1_000, &words).passages, held.passages);
    }

    #[test]
    fn where_no_passage_fits_the_beginning_of_the_best_is_used() {
        let text = CanonicalText::from_plain("Granite cools slowly below the surface, over a million years or more.");
        let id = SourceId::new("s").expect("an id");
        let ranked = passages(&id, &text, &candidates(&text, ("granite surface", ""), Ranker::Overlap, 400, 400));
        for (target, expected) in [(0, None), (2, Some("Granite cools")), (4, Some("Granite cools slowly below"))] {
            let fitted = fit(&Summary::default(), ranked.clone(), target, &words);
            let found = fitted.passages.first();
            assert_eq!(found.map(|p| p.text.as_str()), expected, "{target}");
            assert!(found.is_none_or(|p| text.slice(p.range) == p.text && text.resolve(&p.locator) == Some(p.range)));
        }
    }

    #[test]
    fn a_text_that_does_not_speak_to_the_question_gives_its_landmarks() {
        let text = CanonicalText::from_plain("Granite cools slowly below the surface.");
        for (query, scored) in [("granite surface", true), ("surfaces", true), ("whales and krill", false)] {
            let found = candidates(&text, (query, ""), Ranker::Overlap, 400, 400);
            assert_eq!((found.len(), found[0].score > 0.0), (1, scored), "{query}");
        }
    }
}
