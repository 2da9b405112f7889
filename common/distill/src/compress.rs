//! The pure side of a compression job: which passages a call carries, and what its findings stand on.

use std::collections::BTreeMap;

use precis_proto::finding::{Passage, Quote};
use precis_proto::job::TopicFinding;
use precis_proto::task::{FindingDraft, FindingDrafts, TaskPassage};
use precis_proto::{CharRange, Locator, SourceId};

/// Passages within `budget_tokens`: the sources take turns, best passage first, so that no source crowds out the others.
#[must_use]
pub fn select(by_source: Vec<Vec<Passage>>, budget_tokens: u64, count: &dyn Fn(&str) -> u64) -> Vec<Passage> {
    let mut queues: Vec<std::vec::IntoIter<Passage>> = by_source.into_iter().map(Vec::into_iter).collect();
    let mut selected = Vec::new();
    let mut left = budget_tokens;
    while !queues.is_empty() {
        queues.retain_mut(|queue| {
            let Some(passage) = queue.next() else { return false };
            let cost = count(&passage.text);
            if cost <= left {
                left -= cost;
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
