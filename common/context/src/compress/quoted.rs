//! Findings of drafts: each statement with the quotes that it rests on.

use std::collections::BTreeSet;

use precis_evidence::passage::needed_context;
use precis_proto::finding::{Passage, Quote, Unit};
use precis_proto::job::TopicFinding;
use precis_proto::quote_context::ContextRange;
use precis_proto::task::{FindingDraft, FindingDrafts};
use precis_proto::{CharRange, Locator};
use precis_text::heading_paths::heading_name;
use precis_text::statement::of_quote;

use super::supporting_sentences;

/// Turns drafts into findings with quotes. Leaves out drafts that name no existing passage, a span outside its passage, or only passages
/// of incomplete sentences; the result is then shorter than the answer.
#[must_use]
pub fn findings(drafts: &FindingDrafts, passages: &[Passage], count: &dyn Fn(&str) -> u64) -> Vec<TopicFinding> {
    drafts.findings.iter().filter_map(|draft| finding(draft, passages, count)).collect()
}

fn finding(draft: &FindingDraft, passages: &[Passage], count: &dyn Fn(&str) -> u64) -> Option<TopicFinding> {
    // The model chooses the ids: 0 or a number beyond the list names no passage.
    let passage = |id: &u32| passages.get(usize::try_from(*id).ok()?.checked_sub(1)?);
    let mut quotes = Vec::new();
    let mut score = draft.score;
    for (place, id) in draft.passages.iter().enumerate() {
        let Some(passage) = passage(id) else { continue };
        let quote = match draft.span.filter(|_| place == 0) {
            Some(span) => part(passage, span, draft)?,
            None => match supporting_sentences::standing(&draft.statement, passage) {
                Some(span) => part(passage, span, &FindingDraft::default())?,
                None => continue,
            },
        };
        if score <= 0.0 {
            score = passage.score;
        }
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    // The built-in model says what its quote says, with what this needs.
    let said = draft.span.and_then(|_| quotes.first()).map(of_quote);
    let statement = said.unwrap_or_else(|| draft.statement.clone()).trim().to_owned();
    if quotes.is_empty() || statement.is_empty() {
        return None;
    }
    let tokens = count(&statement);
    // The built-in model alone was told how near its passages are; another one may write what it likes.
    let similarity = draft.similarity.filter(|_| draft.span.is_some());
    Some(TopicFinding { statement, quotes, score: score.clamp(0.0, 1.0), tokens, similarity })
}

/// The part of a passage named by `span`, as a quote with its own locator and what it needs; of its `draft` the words of it that answer.
fn part(passage: &Passage, span: CharRange, draft: &FindingDraft) -> Option<Quote> {
    let text: String = passage.text.chars().skip(span.start).take(span.len()).collect();
    if span.is_empty() || text.chars().count() != span.len() {
        return None;
    }
    let locator = |range: CharRange| {
        let start = passage.locator.range.start + range.start;
        Locator { page: passage.locator.page, range: CharRange::new(start, start + range.len()) }
    };
    let headings = headings_at(passage, span.start);
    let units = || passage.units.iter().filter(|unit| unit.start < span.end && span.start < unit.end);
    let mut context = needed_context(&passage.text, &passage.context, &passage.units, span);
    if draft.is_list {
        // Each sentence of an item has the other items of its list.
        let listed: BTreeSet<u32> = units().flat_map(|unit| unit.list.iter().copied()).collect();
        let listed = listed.into_iter().filter_map(|of| passage.context.get(usize::try_from(of).ok()?));
        let new: Vec<ContextRange> = listed.filter(|range| !context.contains(range)).cloned().collect();
        context.extend(new);
    }
    Some(Quote {
        context,
        answer: draft
            .answer
            .iter()
            .filter(|range| !range.is_empty() && span.contains(range))
            .map(|r| locator(*r))
            .collect(),
        more_items: units().map(|unit| unit.more_items).max().unwrap_or(0),
        place: unit_at(passage, span.start).and_then(|unit| unit.place),
        recognized: unit_at(passage, span.start).and_then(|unit| unit.recognized.clone()),
        ..Quote::new(passage.source_id.clone(), locator(span), text, headings)
    })
}

/// The unit that has the character `at` of a passage.
fn unit_at(passage: &Passage, at: usize) -> Option<&Unit> {
    passage.units.iter().find(|unit| unit.range().contains(&CharRange::new(at, at + 1)))
}

/// The headings above the character `at` of a passage, outermost first.
pub(super) fn headings_at(passage: &Passage, at: usize) -> Vec<String> {
    let mut path = passage.headings.clone();
    for heading in passage.units.iter().take_while(|unit| unit.start <= at) {
        let Some(depth) = heading.depth else { continue };
        path.truncate(usize::from(depth));
        if heading.end <= at {
            path.push(heading_name(passage.text.chars().skip(heading.start).take(heading.end - heading.start)));
        }
    }
    path
}
