//! The pure side of a compression job: which passages a call carries, and what its findings stand on.

use std::collections::BTreeMap;

use precis_proto::finding::{Passage, Quote};
use precis_proto::job::TopicFinding;
use precis_proto::source::Reduction;
use precis_proto::task::{FindingDraft, FindingDrafts, TaskPassage};
use precis_proto::{CharRange, Locator, SourceId};

use crate::evidence::{Ranker, rank, rank_widely};
use crate::reduction;
use crate::text::CanonicalText;
use crate::tokens::TokenBudget;

/// Passages taken from a source that is carried whole (chosen: a report of 1,500 tokens quotes far fewer).
const PASSAGES_PER_SOURCE: usize = 24;
/// Passages taken from the opening of a source where no source answers in the words of the question (chosen likewise).
const OPENING_PASSAGES: usize = 6;
/// Findings asked for per source of a batch, and for a batch at least: what one source alone can fill a report with.
const FINDINGS_PER_SOURCE: usize = 4;
const MIN_FINDINGS: usize = 18;

/// Findings asked for from a batch of `sources`.
#[must_use]
pub fn most_findings(sources: usize) -> usize {
    sources.saturating_mul(FINDINGS_PER_SOURCE).max(MIN_FINDINGS)
}

/// The passages of a source carried as a reduction. Those chosen by position, which score nothing, are no evidence.
#[must_use]
pub fn of_reduction(reduction: Reduction) -> Vec<Passage> {
    reduction.passages.into_iter().filter(|passage| passage.score > 0.0).collect()
}

/// The passages of a source carried whole, best first; empty where none of them speaks to `query`.
#[must_use]
pub fn of_text(
    source_id: &SourceId,
    text: &CanonicalText,
    query: &str,
    ranker: Ranker,
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let ranked = rank_widely(text, query, ranker, evidence_max_chars, PASSAGES_PER_SOURCE);
    reduction::passages(source_id, ranked)
}

/// What a source opens with: for a question that no source answers in its own words.
#[must_use]
pub fn opening(source_id: &SourceId, text: &CanonicalText, evidence_max_chars: usize) -> Vec<Passage> {
    // A query without terms ranks by position.
    reduction::passages(source_id, rank(text, "", Ranker::default(), evidence_max_chars, OPENING_PASSAGES))
}

/// Passages within `budget_tokens`: the sources take turns, best passage first, so that no source crowds out the others.
#[must_use]
pub fn select(by_source: Vec<Vec<Passage>>, budget_tokens: u64, count: &dyn Fn(&str) -> u64) -> Vec<Passage> {
    let mut queues: Vec<std::vec::IntoIter<Passage>> = by_source.into_iter().map(Vec::into_iter).collect();
    let mut selected = Vec::new();
    let mut budget = TokenBudget::new(budget_tokens);
    while !queues.is_empty() {
        queues.retain_mut(|queue| {
            let Some(passage) = queue.next() else { return false };
            if budget.allocate(count(&passage.text)) {
                selected.push(passage);
            }
            true
        });
    }
    selected
}

/// The passages as a model sees them, numbered from 1; `title` names a source.
pub fn task_passages(passages: &[Passage], title: impl Fn(&SourceId) -> String) -> Vec<TaskPassage> {
    let mut sources: BTreeMap<&SourceId, u32> = BTreeMap::new();
    let mut numbered = Vec::with_capacity(passages.len());
    for (id, passage) in (1_u32..).zip(passages) {
        let next = u32::try_from(sources.len() + 1).unwrap_or(u32::MAX);
        let source = *sources.entry(&passage.source_id).or_insert(next);
        let title = title(&passage.source_id);
        numbered.push(TaskPassage { id, title, source, text: passage.text.clone(), score: passage.score });
    }
    numbered
}

/// Findings with quotes. A draft that names no existing passage, or a span outside its passage, is left out.
#[must_use]
pub fn findings(drafts: &FindingDrafts, passages: &[Passage], count: &dyn Fn(&str) -> u64) -> Vec<TopicFinding> {
    drafts.findings.iter().filter_map(|draft| finding(draft, passages, count)).collect()
}

fn finding(draft: &FindingDraft, passages: &[Passage], count: &dyn Fn(&str) -> u64) -> Option<TopicFinding> {
    let passage = |id: &u32| passages.get(usize::try_from(*id).ok()?.checked_sub(1)?);
    let mut quotes = Vec::new();
    let mut score = draft.score;
    for (place, id) in draft.passages.iter().enumerate() {
        let Some(passage) = passage(id) else { continue };
        let quote = match draft.span.filter(|_| place == 0) {
            Some(span) => part(passage, span)?,
            None => whole(passage),
        };
        if score <= 0.0 {
            score = passage.score;
        }
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    let statement = draft.statement.trim();
    if quotes.is_empty() || statement.is_empty() {
        return None;
    }
    let tokens = count(statement);
    Some(TopicFinding { statement: statement.to_owned(), quotes, score: score.clamp(0.0, 1.0), tokens })
}

fn whole(passage: &Passage) -> Quote {
    Quote { source_id: passage.source_id.clone(), locator: passage.locator, text: passage.text.clone() }
}

/// The part of a passage that `span` names, at its own place.
fn part(passage: &Passage, span: CharRange) -> Option<Quote> {
    let text: String = passage.text.chars().skip(span.start).take(span.len()).collect();
    if span.is_empty() || text.chars().count() != span.len() {
        return None;
    }
    let start = passage.locator.range.start + span.start;
    let locator = Locator { page: passage.locator.page, range: CharRange::new(start, start + span.len()) };
    Some(Quote { source_id: passage.source_id.clone(), locator, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(source: &str, start: usize, text: &str) -> Passage {
        let range = CharRange::new(start, start + text.chars().count());
        let source_id = SourceId::new(source).expect("an id");
        Passage { source_id, range, locator: Locator { page: Some(2), range }, text: text.to_owned(), score: 0.4 }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn a_source_gives_what_speaks_to_the_question_or_else_its_opening() {
        let pages = ["Preface to it all", "Granite cools slowly", "Whales eat krill"].map(str::to_owned);
        let (text, id) = (CanonicalText::from_pages(&pages), SourceId::new("s").expect("an id"));
        let pages = |passages: Vec<Passage>| -> Vec<Option<u32>> { passages.iter().map(|p| p.locator.page).collect() };
        assert_eq!(pages(of_text(&id, &text, "granite", Ranker::Overlap, 400)), [Some(2), Some(1), Some(3)]);
        assert!(of_text(&id, &text, "volcanoes", Ranker::Overlap, 400).is_empty());
        assert_eq!(pages(opening(&id, &text, 400)), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_batch_is_asked_for_so_many_findings_that_one_source_fills_a_report() {
        assert_eq!([0, 1, 4, 5, 8].map(most_findings), [18, 18, 18, 20, 32]);
    }

    #[test]
    fn passages_chosen_by_position_are_no_evidence() {
        let (mut found, unmatched) = (passage("a", 0, "found"), passage("a", 9, "by position"));
        found.score = 0.1;
        let reduction =
            Reduction { passages: vec![Passage { score: 0.0, ..unmatched }, found.clone()], ..Reduction::default() };
        assert_eq!(of_reduction(reduction), [found]);
    }

    #[test]
    fn sources_take_turns_within_the_budget() {
        let a = vec![passage("a", 0, "one two"), passage("a", 9, "three four")];
        let b = vec![passage("b", 0, "five six"), passage("b", 9, "seven")];
        for (budget, expected) in [
            (0, vec![]),
            (3, vec!["one two", "seven"]),
            (4, vec!["one two", "five six"]),
            (9, vec!["one two", "five six", "three four", "seven"]),
        ] {
            let texts: Vec<String> =
                select(vec![a.clone(), b.clone()], budget, &words).into_iter().map(|p| p.text).collect();
            assert_eq!(texts, expected, "{budget}");
        }
    }

    #[test]
    fn a_span_becomes_a_quote_at_its_own_place() {
        let passages = [passage("a", 100, "Éins. Zwei drei. Vier.")];
        let draft =
            |span, ids: Vec<u32>| FindingDraft { statement: "Zwei drei.".to_owned(), passages: ids, span, score: 0.0 };
        let made = |span, ids| findings(&FindingDrafts { findings: vec![draft(span, ids)] }, &passages, &words);
        let finding = &made(Some(CharRange::new(6, 16)), vec![1])[0];
        assert_eq!(finding.quotes[0].text, "Zwei drei.");
        assert_eq!(finding.quotes[0].locator.to_string(), "page:2:char:106-116");
        assert!((finding.score - 0.4).abs() < 1e-9);
        assert_eq!(made(None, vec![1])[0].quotes[0].locator.to_string(), "page:2:char:100-122");
        assert!(made(Some(CharRange::new(6, 99)), vec![1]).is_empty());
        assert!(made(None, vec![0, 2]).is_empty());
    }
}
