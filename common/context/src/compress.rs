//! The pure part of a compression job: the passages a call carries; in `quoted` the quotes that its findings rest on.

mod head_fields;
mod quoted;
mod similar;
mod supporting_sentences;

use std::collections::BTreeMap;

use precis_evidence::meaning::Sense;
use precis_evidence::passage::{cover, passages};
use precis_evidence::ranking::{Ranker, rank, rank_following_sensed};
use precis_evidence::sections::holds_abstract;
use precis_evidence::typed::favoured::favour_wanted;
use precis_proto::SourceId;
use precis_proto::finding::Passage;
use precis_proto::job::SourceRead;
use precis_proto::source::Reduction;
use precis_proto::task::{TaskNote, TaskPassage};
use precis_text::CanonicalText;
use precis_text::tokens::TokenBudget;

use crate::source_notes;

pub use head_fields::{may_want_fields, with_fields};
pub use quoted::findings;
pub use similar::{passage_similarities, unit_similarities};

/// Passages the built-in model takes from a source carried whole (chosen: a report of 1,500 tokens quotes far fewer).
const PASSAGES_PER_SOURCE: usize = 24;
/// Passages taken from the opening of a source if no source answers in the words of the question (chosen likewise).
const OPENING_PASSAGES: usize = 6;
/// Score of an abstract if no other passage matches the question; must be positive, because passages that score 0 are not evidence.
const LEAST_OF_ABSTRACT: f64 = 0.05;
/// Findings requested per source of a batch, and the minimum per batch: as many as one source can fill a report with.
const FINDINGS_PER_SOURCE: usize = 4;
const MIN_FINDINGS: usize = 18;
/// Most findings requested of a call, however many sources it reads: about as many as a model lists in one answer. Chosen, not measured.
const MOST_FINDINGS: usize = 64;

/// Number of findings requested from a batch of `sources` sources.
#[must_use]
pub fn most_findings(sources: usize) -> usize {
    sources.saturating_mul(FINDINGS_PER_SOURCE).clamp(MIN_FINDINGS, MOST_FINDINGS)
}

/// The passages of a source carried as a reduction, without those that score 0: they were chosen by position and are not evidence.
#[must_use]
pub fn of_reduction(reduction: &Reduction) -> Vec<Passage> {
    reduction.passages.iter().filter(|passage| passage.score > 0.0).cloned().collect()
}

/// All passages of a source carried whole, in the order of its text; together they are the text. Passages that do not match `query`
/// score 0; those with the figure or the date that it wants score more, so that they are read where not all can be.
#[must_use]
pub fn whole_text(
    source_id: &SourceId,
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    by: (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let ranked = rank_following_sensed(text, (query, earlier), by, evidence_max_chars, usize::MAX);
    let mut all = cover(source_id, text, evidence_max_chars, &ranked);
    favour_wanted(query, &mut all);
    all
}

/// The passages of a source for the built-in model, best first, by words and by meaning where there is a [`Sense`]; empty if none of them
/// matches the question or the `earlier` words of the conversation.
#[must_use]
pub fn of_text(
    source_id: &SourceId,
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    by: (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let ranked = rank_following_sensed(text, (query, earlier), by, evidence_max_chars, PASSAGES_PER_SOURCE);
    passages(source_id, text, &ranked)
}

/// The opening passages of a source, for a question that no source answers in its own words.
#[must_use]
pub fn opening(source_id: &SourceId, text: &CanonicalText, evidence_max_chars: usize) -> Vec<Passage> {
    // A query without terms ranks by position.
    passages(source_id, text, &rank(text, "", Ranker::default(), evidence_max_chars, OPENING_PASSAGES))
}

/// Adds to `found` those passages of the text's abstract that it does not overlap, with the score of the best passage found.
#[must_use]
pub fn with_abstract(
    mut found: Vec<Passage>,
    source_id: &SourceId,
    text: &CanonicalText,
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let best = found.iter().map(|passage| passage.score).fold(LEAST_OF_ABSTRACT, f64::max);
    let is_held =
        |one: &Passage| found.iter().any(|held| held.range.start < one.range.end && one.range.start < held.range.end);
    let first = opening(source_id, text, evidence_max_chars).into_iter();
    let more: Vec<Passage> = first
        .filter(|passage| holds_abstract(&passage.headings, &passage.text, &passage.units) && !is_held(passage))
        .map(|passage| Passage { score: best, ..passage })
        .collect();
    found.extend(more);
    found
}

/// Those of `passages` that stand in part `n` of `of` parts of about equally many tokens. Each passage is in the part in which it begins,
/// so that the parts together are all passages, in their order.
#[must_use]
pub fn of_part(passages: Vec<Passage>, (n, of): (u32, u32), count: &dyn Fn(&str) -> u64) -> Vec<Passage> {
    let sized: Vec<(u64, Passage)> = passages.into_iter().map(|passage| (count(&passage.text), passage)).collect();
    let total: u64 = sized.iter().map(|(tokens, _)| tokens).fold(0, |sum, tokens| sum.saturating_add(*tokens));
    let (mut before, of) = (0_u64, u128::from(of.max(1)));
    let mut part = Vec::new();
    for (tokens, passage) in sized {
        let at = (u128::from(before) * of).checked_div(u128::from(total)).unwrap_or(0).min(of - 1);
        if at == u128::from(n) {
            part.push(passage);
        }
        before = before.saturating_add(tokens);
    }
    part
}

/// Passages within `budget_tokens` for a language model: all of them if they fit, otherwise the best ones as chosen by [`select`].
/// Either way the sources and their passages are in the original order.
#[must_use]
pub fn select_whole(by_source: Vec<Vec<Passage>>, budget_tokens: u64, count: &dyn Fn(&str) -> u64) -> Vec<Passage> {
    let total = by_source.iter().flatten().map(|p| count(&p.text)).fold(0, u64::saturating_add);
    if total <= budget_tokens {
        return by_source.into_iter().flatten().collect();
    }
    let order: BTreeMap<SourceId, usize> = by_source
        .iter()
        .enumerate()
        .filter_map(|(n, passages)| Some((passages.first()?.source_id.clone(), n)))
        .collect();
    let best_first = by_source.into_iter().map(|mut passages| {
        passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.range.start.cmp(&b.range.start)));
        passages
    });
    let mut selected = select(best_first.collect(), budget_tokens, count);
    selected.sort_by_key(|p| (order.get(&p.source_id).copied(), p.range.start));
    selected
}

/// Passages within `budget_tokens`. The sources take turns, each with its next passage, so that no source crowds out the others.
#[must_use]
pub fn select(by_source: Vec<Vec<Passage>>, budget_tokens: u64, count: &dyn Fn(&str) -> u64) -> Vec<Passage> {
    let mut queues: Vec<std::vec::IntoIter<Passage>> = by_source.into_iter().map(Vec::into_iter).collect();
    let mut selected = Vec::new();
    let mut budget = TokenBudget::new(budget_tokens);
    while !queues.is_empty() {
        queues.retain_mut(|queue| {
            let Some(passage) = queue.next() else { return false };
            // A source stays in turn after a passage that does not fit: one of its next passages may be shorter.
            if budget.allocate(count(&passage.text)) {
                selected.push(passage);
            }
            true
        });
    }
    selected
}

/// How much of each source was sent, compared with the number of its passages in `held`.
#[must_use]
pub fn read(held: Vec<(SourceId, usize)>, sent: &[Passage], count: &dyn Fn(&str) -> u64) -> Vec<SourceRead> {
    let mut given: BTreeMap<&SourceId, (u64, u64)> = BTreeMap::new();
    for passage in sent {
        let (passages, tokens) = given.entry(&passage.source_id).or_default();
        (*passages, *tokens) = (*passages + 1, *tokens + count(&passage.text));
    }
    let source_read = |(source_id, held): (SourceId, usize)| {
        let (passages, tokens) = given.get(&source_id).copied().unwrap_or_default();
        SourceRead { source_id, passages, tokens, passages_held: held as u64, passages_cut: 0, overflows: 0 }
    };
    held.into_iter().map(source_read).collect()
}

/// Updates `read` after the gate cut passages of `sent` to make the call fit. Each cut is a passage number with its tokens before and
/// after, 0 if the passage was left out.
#[must_use]
pub fn read_after_cuts(
    mut read: Vec<SourceRead>,
    sent: &[Passage],
    cuts: impl Iterator<Item = (u32, u64, u64)>,
) -> Vec<SourceRead> {
    for (id, before, after) in cuts {
        let passage = usize::try_from(id).ok().and_then(|id| sent.get(id.checked_sub(1)?));
        let Some(passage) = passage else { continue };
        let Some(source) = read.iter_mut().find(|read| read.source_id == passage.source_id) else { continue };
        source.tokens = source.tokens.saturating_sub(before.saturating_sub(after));
        match after {
            0 => source.passages = source.passages.saturating_sub(1),
            _ => source.passages_cut += 1,
        }
    }
    read
}

/// A model's earlier summaries of the sources, each with the numbers of the passages in `sent` that its points rest on. Sources without
/// a passage in `sent` are numbered after the others.
#[must_use]
pub fn notes<'a>(
    held: impl Iterator<Item = (&'a SourceId, &'a str, &'a Reduction)>,
    sent: &[Passage],
) -> Vec<TaskNote> {
    let mut known: Vec<&SourceId> = Vec::new();
    for passage in sent {
        if !known.contains(&&passage.source_id) {
            known.push(&passage.source_id);
        }
    }
    let mut notes = Vec::new();
    for (id, title, reduction) in held {
        let place = known.iter().position(|other| *other == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        });
        let source = u32::try_from(place + 1).unwrap_or(u32::MAX);
        notes.extend(source_notes::for_passages(reduction, source, title, sent));
    }
    notes
}

/// The passages as sent to a model, numbered from 1; `named` returns the title and the path of a source.
pub fn task_passages(passages: &[Passage], named: impl Fn(&SourceId) -> (String, String)) -> Vec<TaskPassage> {
    let mut sources: BTreeMap<&SourceId, u32> = BTreeMap::new();
    let mut numbered = Vec::with_capacity(passages.len());
    for (id, passage) in (1_u32..).zip(passages) {
        let next = u32::try_from(sources.len() + 1).unwrap_or(u32::MAX);
        let source = *sources.entry(&passage.source_id).or_insert(next);
        let (title, path) = named(&passage.source_id);
        numbered.push(TaskPassage {
            id,
            title,
            path,
            source,
            text: passage.text.clone(),
            score: passage.score,
            units: passage.units.clone(),
            headings: passage.headings.clone(),
            columns: passage.columns.clone(),
            context: passage.context.clone(),
            similarity: Default::default(),
        });
    }
    numbered
}

#[cfg(test)]
mod tests;
