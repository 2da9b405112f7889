//! The pure part of a compression job: the passages a call carries, and the quotes its findings rest on.

mod supporting_sentences;

use std::collections::BTreeMap;

use precis_evidence::passage::{cover, needed, passages};
use precis_evidence::ranking::{Ranker, rank, rank_following};
use precis_evidence::sections::holds_abstract;
use precis_proto::finding::{Passage, Quote};
use precis_proto::job::{SourceRead, TopicFinding};
use precis_proto::source::Reduction;
use precis_proto::task::{FindingDraft, FindingDrafts, TaskNote, TaskPassage};
use precis_proto::{CharRange, FieldPlace, Locator, SourceId};
use precis_text::CanonicalText;
use precis_text::heading_paths::heading_name;
use precis_text::statement::of_quote;
use precis_text::tokens::TokenBudget;

use crate::source_notes;

/// Passages the built-in model takes from a source carried whole (chosen: a report of 1,500 tokens quotes far fewer).
const PASSAGES_PER_SOURCE: usize = 24;
/// Passages taken from the opening of a source if no source answers in the words of the question (chosen likewise).
const OPENING_PASSAGES: usize = 6;
/// Score of an abstract if no other passage matches the question; must be positive, because passages that score 0 are not evidence.
const LEAST_OF_ABSTRACT: f64 = 0.05;
/// Findings requested per source of a batch, and the minimum per batch: as many as one source can fill a report with.
const FINDINGS_PER_SOURCE: usize = 4;
const MIN_FINDINGS: usize = 18;

/// Number of findings requested from a batch of `sources` sources.
#[must_use]
pub fn most_findings(sources: usize) -> usize {
    sources.saturating_mul(FINDINGS_PER_SOURCE).max(MIN_FINDINGS)
}

/// The passages of a source carried as a reduction, without those that score 0: they were chosen by position and are not evidence.
#[must_use]
pub fn of_reduction(reduction: &Reduction) -> Vec<Passage> {
    reduction.passages.iter().filter(|passage| passage.score > 0.0).cloned().collect()
}

/// All passages of a source carried whole, in the order of its text; together they are the text. Passages that do not match `query`
/// score 0.
#[must_use]
pub fn whole_text(
    source_id: &SourceId,
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    ranker: Ranker,
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let ranked = rank_following(text, (query, earlier), ranker, evidence_max_chars, usize::MAX);
    cover(source_id, text, evidence_max_chars, &ranked)
}

/// The passages of a source for the built-in model, best first; empty if none of them matches the question or the `earlier` words of
/// the conversation.
#[must_use]
pub fn of_text(
    source_id: &SourceId,
    text: &CanonicalText,
    (query, earlier): (&str, &str),
    ranker: Ranker,
    evidence_max_chars: usize,
) -> Vec<Passage> {
    let ranked = rank_following(text, (query, earlier), ranker, evidence_max_chars, PASSAGES_PER_SOURCE);
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
        SourceRead { source_id, passages, tokens, passages_held: held as u64, passages_cut: 0 }
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
        });
    }
    numbered
}

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
    Some(TopicFinding { statement, quotes, score: score.clamp(0.0, 1.0), tokens })
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
    let mut context = needed(&passage.text, &passage.context, &passage.units, span);
    if draft.is_list {
        let listed =
            units().flat_map(|unit| &unit.list).filter_map(|of| passage.context.get(usize::try_from(*of).ok()?));
        context.extend(listed.cloned());
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
        place: place_at(passage, span.start),
        ..Quote::new(passage.source_id.clone(), locator(span), text, headings)
    })
}

/// Where the document has the field at the character `at` of a passage, if its readers do not see it on a page.
fn place_at(passage: &Passage, at: usize) -> Option<FieldPlace> {
    passage.units.iter().find(|unit| unit.range().contains(&CharRange::new(at, at + 1)))?.place
}

/// The headings above the character `at` of a passage, outermost first.
fn headings_at(passage: &Passage, at: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;
    use precis_proto::finding::Unit;
    use precis_text::Leaf;
    use precis_text::heading_paths::headings_above;

    use super::*;

    fn passage(source: &str, start: usize, text: &str) -> Passage {
        let range = CharRange::new(start, start + text.chars().count());
        let source_id = SourceId::new(source).expect("an id");
        Passage {
            source_id,
            range,
            locator: Locator { page: Some(2), range },
            text: text.to_owned(),
            score: 0.4,
            units: units(text),
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
        }
    }

    fn units(text: &str) -> Vec<Unit> {
        let unit = |range: CharRange| Unit {
            start: range.start,
            end: range.end,
            block: 0,
            kind: BlockKind::Paragraph,
            head_end: None,
            depth: None,
            needs: Vec::new(),
            list: Vec::new(),
            more_items: 0,
            place: None,
        };
        precis_text::sentences::of_block(text).into_iter().map(unit).collect()
    }

    #[test]
    fn a_quote_names_the_headings_that_are_above_it_in_its_text_wherever_chunks_are_cut() {
        let mut seed = 7_u64;
        let mut dice = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let mut below = 0;
        for _ in 0..200 {
            let leaves: Vec<Leaf> = (0..4 + dice(30))
                .map(|n| match dice(3) {
                    0 => {
                        let words = format!("Part {n} {}", "of it ".repeat(dice(90)));
                        Leaf { level: Some(1 + dice(4) as u8), ..Leaf::new(BlockKind::Heading, words.trim()) }
                    }
                    _ => Leaf::new(
                        BlockKind::Paragraph,
                        format!("One is {n}. {}", "Two is here. ".repeat(dice(50))).trim(),
                    ),
                })
                .collect();
            let text = CanonicalText::from_leaves(&leaves);
            let id = SourceId::new("s").expect("an id");
            let ranked = precis_evidence::ranking::rank_widely(&text, "One Two Part", Ranker::Bm25, 400, usize::MAX);
            let ranked_ones = passages(&id, &text, &ranked);
            for passage in ranked_ones.iter().chain(&cover(&id, &text, 400, &ranked)) {
                for unit in &passage.units {
                    let want = headings_above(&text, passage.range.start + unit.start);
                    assert_eq!(headings_at(passage, unit.start), want, "{}", passage.text);
                    below += want.len();
                }
            }
        }
        assert!(below > 1_000, "{below}");
    }

    #[test]
    fn what_the_gate_cut_is_taken_off_what_was_read() {
        let sent = [passage("a", 0, "one two three"), passage("b", 0, "four five"), passage("a", 20, "six")];
        let held = vec![(sent[0].source_id.clone(), 3), (sent[1].source_id.clone(), 1)];
        let before = read(held, &sent, &words);
        // A number without a passage, a passage cut, and one left out.
        let after = read_after_cuts(before, &sent, [(0, 9, 0), (9, 9, 0), (1, 5, 3), (2, 4, 0)].into_iter());
        let of = |n: usize| (after[n].passages, after[n].passages_cut, after[n].tokens, after[n].passages_held);
        assert_eq!((of(0), of(1)), ((2, 1, 2, 3), (0, 0, 0, 1)));
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    #[test]
    fn a_source_gives_what_speaks_to_the_question_or_else_its_opening() {
        let pages = ["Preface to it all", "Granite cools slowly", "Whales eat krill"].map(str::to_owned);
        let (text, id) = (CanonicalText::from_pages(&pages), SourceId::new("s").expect("an id"));
        let pages = |passages: Vec<Passage>| -> Vec<Option<u32>> { passages.iter().map(|p| p.locator.page).collect() };
        assert_eq!(pages(of_text(&id, &text, ("granite", ""), Ranker::Overlap, 400)), [Some(2), Some(1), Some(3)]);
        assert!(of_text(&id, &text, ("volcanoes", ""), Ranker::Overlap, 400).is_empty());
        assert_eq!(pages(opening(&id, &text, 400)), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_batch_is_asked_for_so_many_findings_that_one_source_fills_a_report() {
        assert_eq!([0, 1, 4, 5, 8].map(most_findings), [18, 18, 18, 20, 32]);
    }

    #[test]
    fn a_draft_that_stands_on_half_sentences_alone_is_left_out() {
        let cut = Passage { units: Vec::new(), ..passage("a", 0, "The dose may be") };
        let draft = |passages: Vec<u32>| FindingDraft {
            statement: "The dose may be doubled.".to_owned(),
            passages,
            span: None,
            score: 0.5,
            answer: Vec::new(),
            is_list: false,
        };
        let drafts = FindingDrafts { findings: vec![draft(vec![1]), draft(vec![1, 2])] };
        let found = findings(&drafts, &[cut, passage("a", 90, "The dose is two.")], &words);
        let quotes: Vec<&str> = found.iter().flat_map(|f| &f.quotes).map(|quote| quote.text.as_str()).collect();
        assert_eq!(quotes, ["The dose is two."]);
    }

    #[test]
    fn passages_chosen_by_position_are_no_evidence() {
        let (mut found, unmatched) = (passage("a", 0, "found"), passage("a", 9, "by position"));
        found.score = 0.1;
        let reduction =
            Reduction { passages: vec![Passage { score: 0.0, ..unmatched }, found.clone()], ..Reduction::default() };
        assert_eq!(of_reduction(&reduction), [found]);
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
    fn a_language_model_gets_all_in_order_where_it_fits_and_the_best_where_not() {
        let mut b = vec![passage("b", 0, "five six"), passage("b", 9, "seven")];
        b[0].score = 0.1;
        let a = vec![passage("a", 0, "one two"), passage("a", 9, "three four")];
        for (budget, expected) in [
            (7, vec!["one two", "three four", "five six", "seven"]),
            (6, vec!["one two", "three four", "seven"]),
            (3, vec!["one two", "seven"]),
        ] {
            let selected = select_whole(vec![a.clone(), b.clone()], budget, &words);
            assert_eq!(selected.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(), expected, "{budget}");
        }
    }

    #[test]
    fn a_span_becomes_a_quote_at_its_own_place() {
        let passages = [passage("a", 100, "Éins. Zwei drei. Vier.")];
        let draft = |span, ids: Vec<u32>| FindingDraft {
            statement: "Zwei drei.".to_owned(),
            passages: ids,
            span,
            score: 0.0,
            answer: Vec::new(),
            is_list: false,
        };
        let made = |span, ids| findings(&FindingDrafts { findings: vec![draft(span, ids)] }, &passages, &words);
        let finding = &made(Some(CharRange::new(6, 16)), vec![1])[0];
        assert_eq!(finding.quotes[0].text, "Zwei drei.");
        assert_eq!(finding.quotes[0].locator.to_string(), "page:2:char:106-116");
        assert!((finding.score - 0.4).abs() < 1e-9);
        assert_eq!(
            made(None, vec![1])[0].quotes[0].locator.to_string(),
            "page:2:char:106-116",
            "the sentence it stands on"
        );
        assert!(made(Some(CharRange::new(6, 99)), vec![1]).is_empty());
        assert!(made(None, vec![0, 2]).is_empty());
        let halves = [Passage { units: Vec::new(), ..passages[0].clone() }];
        let held = FindingDrafts { findings: vec![draft(None, vec![1])] };
        assert!(findings(&held, &halves, &words).is_empty(), "half sentences are quoted by nobody");
    }

    #[test]
    fn the_abstract_of_a_document_is_read_whatever_it_says_and_once() {
        let leaf = |kind, text: &str| precis_text::Leaf::new(kind, text);
        let heading = |text: &str| precis_text::Leaf { level: Some(1), ..leaf(precis_proto::BlockKind::Heading, text) };
        let paragraph = |text: &str| leaf(precis_proto::BlockKind::Paragraph, text);
        let text = CanonicalText::from_leaves(&[
            heading("Abstract"),
            paragraph("Names are bound within expressions. "),
            heading("Details"),
            paragraph(&"The salt of the sea is old. ".repeat(30)),
        ]);
        let id = SourceId::new("a").expect("an id");
        let found = of_text(&id, &text, ("salt of the sea", ""), Ranker::default(), 40);
        let found: Vec<Passage> = found.into_iter().filter(|p| !p.text.contains("Names")).collect();
        let is_abstract = |passage: &&Passage| passage.text.contains("Names are bound");
        let best = found[0].score;
        let more = with_abstract(found, &id, &text, 40);
        let added: Vec<&Passage> = more.iter().filter(is_abstract).collect();
        assert_eq!(added.iter().map(|passage| passage.score).collect::<Vec<_>>(), [best]);
        assert_eq!(with_abstract(more.clone(), &id, &text, 40).len(), more.len());
        let bare = with_abstract(Vec::new(), &id, &CanonicalText::from_plain("Salt is old."), 40);
        assert!(bare.is_empty(), "a text without an abstract has none");
    }
}
