//! Finds the best windows of a passage: one to three adjacent whole sentences of one block.

use precis_evidence::passage::PARAGRAPH_CHARS;
use precis_evidence::question::asked::Question;
use precis_proto::CharRange;
use precis_proto::task::TaskPassage;

use super::relevance::Relevance;
use super::scored_unit::{self, ABOUT, ADDRESS_KEEPS, BARE_ROW_KEEPS, HEADING_KEEPS, ScoredUnit, WINDOW_CHARS};
use super::similarity::Similarities;

/// Most sentences of a window.
const MOST_UNITS: usize = 3;
/// Most windows of a passage.
const MOST_WINDOWS: usize = 3;
/// A window with its worth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Window {
    /// Characters of the passage: the paragraph, item or row around the words that answer.
    pub(super) range: CharRange,
    /// The words that answer: one to three whole sentences.
    pub(super) answer: CharRange,
    /// Whether the answer is the list of which it is an item: what is asked stands above the list.
    pub(super) is_list: bool,
    /// Share of the question it matches, 0 to 1.
    pub(super) share: f64,
    /// Whether it contains the wanted kind of answer; `None` if unknown.
    pub(super) is_met: Option<bool>,
    /// Whether it is a field, which is about its own document.
    pub(super) is_field: bool,
    /// Whether it is code, for a question without a code literal.
    pub(super) is_listing: bool,
    /// Whether it is a heading.
    pub(super) is_heading: bool,
    /// Whether it is a row of a table without a word of the question, or the one that names the columns.
    pub(super) is_bare_row: bool,
    /// Whether it is one address and nothing else.
    pub(super) is_address: bool,
    /// Whether neither it nor a heading above it has the version, or another number joined by points, that the question names.
    pub(super) lacks_dotted: bool,
    /// The share, adjusted for kind and quality; 0 to about 1.
    pub(super) worth: f64,
    /// Cosine similarity of its nearest sentence to the question; `None` without a model of meaning.
    pub(super) similarity: Option<f64>,
}

impl Window {
    /// The window of a header field that answers the question.
    pub(super) fn of_field(range: CharRange) -> Self {
        Self {
            range,
            answer: range,
            is_list: false,
            share: 1.0,
            is_met: Some(true),
            is_field: true,
            is_listing: false,
            is_heading: false,
            is_bare_row: false,
            is_address: false,
            lacks_dotted: false,
            worth: 1.0,
            similarity: None,
        }
    }

    /// Factor for the score of its finding, 0 to 1. A listing longer than a window is the less readable in a report the longer it is; a
    /// heading without the wanted kind of answer only names a subject.
    pub(super) fn readable_share(&self) -> f64 {
        let chars = self.answer.len();
        match self.is_met {
            _ if self.is_listing => (WINDOW_CHARS as f64 / chars as f64).min(1.0),
            _ if self.is_bare_row => BARE_ROW_KEEPS,
            _ if self.is_address => ADDRESS_KEEPS,
            Some(false) | None if self.is_heading => HEADING_KEEPS,
            _ => 1.0,
        }
    }
}

/// The best windows of `passage`, best first, without overlap; empty if it has nothing quotable.
///
/// Several windows, since a short document is one passage and the answer may be its second best sentence.
///
/// `called` are the terms of its document's name if the question has that name: they count for each of its sentences.
pub(super) fn best(
    (passage, called): (&TaskPassage, &[String]),
    (relevance, similarities): (&Relevance, Similarities),
    question: &Question,
) -> Vec<Window> {
    let units = scored_unit::units((passage, called), (relevance, similarities), question);
    let mut free = vec![true; units.len()];
    let mut found = Vec::new();
    while found.len() < MOST_WINDOWS
        && let Some((first, last, window)) = next(&units, &free, relevance)
    {
        // One finding says what its paragraph says; a second one would say it again.
        units
            .iter()
            .zip(&mut free)
            .filter(|(unit, _)| overlaps(unit.range, window.range))
            .for_each(|(_, free)| *free = false);
        free[first..=last].fill(false);
        // Only the first window may have no match with the question.
        if found.is_empty() || window.share > 0.0 || units[first..=last].iter().any(|unit| unit.near >= ABOUT) {
            found.push(window);
        } else {
            break;
        }
    }
    found
}

/// The window around the best of the free units, with its first and last unit.
fn next(units: &[ScoredUnit], free: &[bool], relevance: &Relevance) -> Option<(usize, usize, Window)> {
    // Ties go to the earlier unit, and to a heading last: it only names what follows.
    // What only leads to an answer is shown where nothing else of the passage has a word of the question.
    let says = units.iter().any(|unit| unit.may_answer && unit.is_about(relevance));
    let open = units.iter().enumerate().filter(|(at, unit)| free[*at] && (unit.may_answer || !says));
    let is_better = |a: &ScoredUnit, b: &ScoredUnit| {
        a.worth.total_cmp(&b.worth).then(b.is_heading.cmp(&a.is_heading)) == std::cmp::Ordering::Greater
    };
    let key = open.reduce(|a, b| if is_better(b.1, a.1) { b } else { a })?.0;
    let (mut first, mut last) = (key, key);
    // "On the same day …" needs the sentence before it, which names the day.
    let before = key.checked_sub(1).filter(|at| free[*at] && units[*at].block == units[key].block);
    if let Some(before) = before.filter(|_| units[key].refers_back) {
        first = before;
    }
    while last - first + 1 < MOST_UNITS {
        let joins = |at: &usize| free.get(*at) == Some(&true) && units[*at].block == units[key].block;
        let before = first.checked_sub(1).filter(joins);
        let after = Some(last + 1).filter(joins).filter(|at| !units[*at].announces);
        let fits = |at: &usize| {
            let start = units[(*at).min(first)].range.start;
            let end = units[(*at).max(last)].range.end;
            end - start <= WINDOW_CHARS
        };
        let grown = [after.filter(fits), before.filter(fits)];
        let next = grown.into_iter().flatten().reduce(|a, b| if units[b].worth > units[a].worth { b } else { a });
        match next {
            Some(at) => (first, last) = (first.min(at), last.max(at)),
            None => break,
        }
    }
    let mut met = units[key].met.clone();
    for unit in &units[first..=last] {
        met.iter_mut().zip(&unit.met).for_each(|(held, own)| *held = held.max(*own));
    }
    let share = relevance.share(&met);
    let answer = CharRange::new(units[first].range.start, units[last].range.end);
    let range = paragraph(units, free, (first, last));
    // What the other sentences add counts half: a window whose answer is in one sentence is better.
    let worth = units[key].worth + (share - relevance.share(&units[key].met)) / 2.0;
    let is_met = units[first..=last].iter().filter_map(|unit| unit.is_met).reduce(|a, b| a || b);
    Some((
        first,
        last,
        Window {
            range,
            answer,
            is_list: units[key].is_listed,
            share,
            is_met,
            is_field: units[key].is_field,
            is_listing: units[key].is_listing,
            is_heading: units[key].is_heading,
            is_bare_row: units[key].is_bare_row,
            is_address: units[key].is_address,
            lacks_dotted: relevance.lacks_dotted(&met),
            worth,
            similarity: units[first..=last].iter().filter_map(|unit| unit.similarity).reduce(f64::max),
        },
    ))
}

fn overlaps(a: CharRange, b: CharRange) -> bool {
    a.start < b.end && b.start < a.end
}

/// The whole sentences of the block around the units from `first` to `last`, up to [`PARAGRAPH_CHARS`] characters with the items that the
/// last one announces.
fn paragraph(units: &[ScoredUnit], free: &[bool], (mut first, mut last): (usize, usize)) -> CharRange {
    let block = units[first].block;
    let joins = |at: usize| units.get(at).is_some_and(|unit| unit.block == block && free[at]);
    let chars = |first: usize, last: usize| {
        units[last].range.end - units[first].range.start + units[last].announced_chars.unwrap_or_default()
    };
    loop {
        let before = first.checked_sub(1).filter(|at| joins(*at) && chars(*at, last) <= PARAGRAPH_CHARS);
        first = before.unwrap_or(first);
        let after = Some(last + 1).filter(|at| joins(*at) && chars(first, *at) <= PARAGRAPH_CHARS);
        let after = after.filter(|at| !units[*at].announces || units[*at].announced_chars.is_some());
        last = after.unwrap_or(last);
        if before.is_none() && after.is_none() {
            return CharRange::new(units[first].range.start, units[last].range.end);
        }
    }
}
