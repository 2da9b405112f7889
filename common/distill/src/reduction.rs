//! Reductions: prose and passages of one source within a number of tokens.
//!
//! Where a reduction is kept and how it travels is not known here.

use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::finding::Passage;
use precis_proto::source::Reduction;
use precis_proto::task::Summary;
use precis_proto::{CharRange, Locator, SourceId};

use crate::evidence::{RankedChunk, Ranker, rank, rank_widely};
use crate::prompt::truncate;
use crate::text::CanonicalText;
use crate::tokens::TokenBudget;

/// Most passages a reduction carries beside a digest's own.
pub const MAX_PASSAGES: usize = 64;
/// Share of a reduction that goes to prose; the rest goes to passages, which carry the citations (chosen, not measured).
const PROSE_PERCENT: u64 = 40;

/// Tokens to ask prose for, where a reduction may take `target_tokens`; all of them where no passages are wanted.
#[must_use]
pub fn prose_tokens(target_tokens: u64, with_passages: bool) -> u64 {
    // In two steps, since a target may be as good as unlimited.
    let share = target_tokens / 100 * PROSE_PERCENT + target_tokens % 100 * PROSE_PERCENT / 100;
    if with_passages { share } else { target_tokens }
}

/// The level prose is asked for at, where a source is carried at `level`: no text is written at `truncated`, a headline is.
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

/// Tokens of all that a reduction carries, as `count` counts them.
#[must_use]
pub fn tokens(reduction: &Reduction, count: &dyn Fn(&str) -> u64) -> u64 {
    let prose = std::iter::once(reduction.summary.as_str()).chain(reduction.key_points.iter().map(String::as_str));
    let passages = reduction.passages.iter().map(|p| p.text.as_str());
    prose.chain(passages).map(count).sum()
}

/// Ranked chunks as passages of their source.
#[must_use]
pub fn passages(source_id: &SourceId, chunks: Vec<RankedChunk>) -> Vec<Passage> {
    let passage = |c: RankedChunk| Passage {
        source_id: source_id.clone(),
        range: c.range,
        locator: c.locator,
        text: c.text,
        score: c.score,
    };
    chunks.into_iter().map(passage).collect()
}

/// The chunks a reduction of `text` is chosen from, best first: what speaks to `query`, or the landmarks of a text that
/// does not, so that a reduction is never without a passage.
#[must_use]
pub fn candidates(text: &CanonicalText, query: &str, ranker: Ranker, evidence_max_chars: usize) -> Vec<RankedChunk> {
    let found = rank_widely(text, query, ranker, evidence_max_chars, MAX_PASSAGES);
    if found.is_empty() { rank(text, query, ranker, evidence_max_chars, MAX_PASSAGES) } else { found }
}

/// Takes the best passages, then summary and key points, while they fit into `target_tokens`. At least one passage comes
/// before any prose: a citation needs it. Where none fits, that is the beginning of the best one.
#[must_use]
pub fn fit(summary: &Summary, ranked: Vec<Passage>, target_tokens: u64, count: &dyn Fn(&str) -> u64) -> Reduction {
    let mut budget = TokenBudget::new(target_tokens);
    let mut take = |text: &str| budget.allocate(count(text));
    let beginning = ranked.first().and_then(|best| beginning(best, target_tokens, count));
    let mut ranked = ranked.into_iter();
    let mut reduction = Reduction::default();
    let first = ranked.by_ref().find(|p| take(&p.text));
    reduction.passages.extend(first.or_else(|| beginning.filter(|p| take(&p.text))));
    if take(&summary.summary) {
        reduction.summary.clone_from(&summary.summary);
    }
    reduction.key_points.extend(summary.key_points.iter().filter(|p| take(p)).cloned());
    reduction.passages.extend(ranked.filter(|p| take(&p.text)));
    reduction
}

/// As much of the beginning of `passage` as `tokens` hold, at its place; `None` where that is nothing.
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
    })
}

/// The snippets of a digest as passages at their place in the whole text.
#[must_use]
pub fn from_digest(payload: &DigestPayload, source_id: &SourceId, text: &CanonicalText) -> Vec<Passage> {
    let snippets = payload.evidence_snippets.iter();
    snippets
        .filter_map(|snippet| {
            Some(Passage {
                source_id: source_id.clone(),
                range: text.resolve(&snippet.locator)?,
                locator: snippet.locator,
                text: snippet.text.clone(),
                score: snippet.relevance_score,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(text: &str) -> Passage {
        let id = SourceId::new("s").expect("an id");
        let locator = "char:0-1".parse().expect("a locator");
        Passage { source_id: id, range: precis_proto::CharRange::new(0, 1), locator, text: text.to_owned(), score: 0.5 }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn prose_takes_its_share_of_a_reduction_and_all_of_a_summary() {
        for (target, with_passages, prose) in
            [(0, true, 0), (1, true, 0), (24, true, 9), (1_000, true, 400), (1_000, false, 1_000), (1, false, 1)]
        {
            assert_eq!(prose_tokens(target, with_passages), prose, "{target} {with_passages}");
        }
        assert!(prose_tokens(u64::MAX, true) < u64::MAX);
    }

    #[test]
    fn prose_is_asked_for_at_the_level_of_the_source_except_where_that_is_a_cut() {
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
    fn where_no_passage_fits_the_beginning_of_the_best_stands_at_its_place() {
        let text = CanonicalText::from_plain("Granite cools slowly below the surface, over a million years or more.");
        let id = SourceId::new("s").expect("an id");
        let ranked = passages(&id, candidates(&text, "granite surface", Ranker::Overlap, 400));
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
            let found = candidates(&text, query, Ranker::Overlap, 400);
            assert_eq!((found.len(), found[0].score > 0.0), (1, scored), "{query}");
        }
    }
}
