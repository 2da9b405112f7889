//! Finds the best windows of a passage: one to three adjacent whole sentences of one block.

use precis_evidence::passage::PARAGRAPH_CHARS;
use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::definition::Says;
use precis_language::calendar::means_same_time;
use precis_language::script::is_unspaced;
use precis_proto::finding::Unit;
use precis_proto::quote_context::ContextRole;
use precis_proto::task::TaskPassage;
use precis_proto::{BlockKind, CharRange};
use precis_text::{sentences, terms};

use super::headings_above::HeadingsAbove;
use super::relevance::Relevance;

/// Most sentences of a window.
const MOST_UNITS: usize = 3;
/// Most windows of a passage.
const MOST_WINDOWS: usize = 3;
/// Most characters to which a window grows; a single sentence may be longer.
const WINDOW_CHARS: usize = 300;
/// Bonus for a sentence with the wanted kind of answer, on the scale of the share of the question.
const KIND_GAIN: f64 = 0.2;
/// Bonus for a sentence that defines the question's subject. High, because its passage may mention the subject only once.
const DEFINITION_GAIN: f64 = 0.6;
/// Bonus for a sentence that states the quantity the question asks for. Chosen, not measured.
const QUANTITY_GAIN: f64 = 0.4;
/// Share of worth that a sentence without quality loses.
const QUALITY_SHARE: f64 = 0.3;
/// Factor for a question in the document: it asks and does not answer.
const QUESTION_KEEPS: f64 = 0.3;
/// Factor for a code block if the question has no code literal.
const CODE_KEEPS: f64 = 0.5;
/// Factor for a heading: it names a subject and is seldom an answer.
const HEADING_KEEPS: f64 = 0.5;
/// Factor for an address alone: it says nothing, however many words of the question are in it. Chosen, not measured.
const ADDRESS_KEEPS: f64 = 0.1;
/// Factor for a row of a table that has no word of the question, since the names of its columns say nothing about this row, and for the
/// row of these names. Chosen, not measured.
const BARE_ROW_KEEPS: f64 = 0.5;
/// Factor for a sentence that announces other blocks: `There are three reasons:`.
const ANNOUNCEMENT_KEEPS: f64 = 0.7;

/// Least share of the question that an item adds to what stands above its list; one that adds less is an answer only with the whole list.
/// Chosen, not measured.
const LEAST_OF_ITEM: f64 = 0.05;

/// Number of first words in which a phrase for the date of the previous sentence is searched.
const SAME_TIME_WORDS: usize = 5;

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

/// A unit of a passage with its scores.
struct ScoredUnit {
    range: CharRange,
    block: u32,
    is_field: bool,
    is_listing: bool,
    is_heading: bool,
    is_bare_row: bool,
    is_address: bool,
    met: Vec<f64>,
    worth: f64,
    is_met: Option<bool>,
    /// Whether it refers to the date of the sentence before it.
    refers_back: bool,
    /// Whether it announces other blocks, which its window cannot contain.
    announces: bool,
    /// Whether it says something: a heading, a question of the document or an entry of a list of references only leads to what does.
    may_answer: bool,
    /// Whether all that it has of the question stands in what goes with it, above its list.
    is_listed: bool,
}

/// The best windows of `passage`, best first, without overlap; empty if it has nothing quotable.
///
/// Several windows, since a short document is one passage and the answer may be its second best sentence.
///
/// `called` are the terms of its document's name if the question has that name: they count for each of its sentences.
pub(super) fn best(
    (passage, called): (&TaskPassage, &[String]),
    relevance: &Relevance,
    question: &Question,
) -> Vec<Window> {
    let chars: Vec<(usize, char)> = passage.text.char_indices().collect();
    let slice = |range: CharRange| {
        let byte = |at: usize| chars.get(at).map_or(passage.text.len(), |(byte, _)| *byte);
        &passage.text[byte(range.start)..byte(range.end)]
    };
    let mut above = HeadingsAbove::new(passage, relevance);
    let mut units: Vec<ScoredUnit> = quotable(passage, chars.len())
        .map(|unit| {
            let columns = if unit.kind == BlockKind::TableRow { passage.columns.as_str() } else { "" };
            let head = unit.head().map_or("", slice);
            let text = slice(unit.range());
            if let Some(depth) = unit.depth {
                above.enter(text, usize::from(depth));
            }
            let beside = Beside::new(passage, unit);
            read((text, head, columns, called), (unit, &beside), (relevance, &above), question)
        })
        .collect();
    for at in 1..units.len() {
        let says_when = units[at - 1].is_met == Some(true) && units[at - 1].block == units[at].block;
        if units[at].refers_back && says_when && units[at].is_met == Some(false) {
            (units[at].is_met, units[at].worth) = (Some(true), units[at].worth + KIND_GAIN);
        }
    }
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
        if found.is_empty() || window.share > 0.0 {
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
    let says = units.iter().any(|unit| unit.may_answer && relevance.share(&unit.met) > 0.0);
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
        },
    ))
}

fn overlaps(a: CharRange, b: CharRange) -> bool {
    a.start < b.end && b.start < a.end
}

/// The whole sentences of the block around the units from `first` to `last`, up to [`PARAGRAPH_CHARS`] characters.
fn paragraph(units: &[ScoredUnit], free: &[bool], (mut first, mut last): (usize, usize)) -> CharRange {
    let block = units[first].block;
    let joins = |at: usize| units.get(at).is_some_and(|unit| unit.block == block && free[at]);
    let chars = |first: usize, last: usize| units[last].range.end - units[first].range.start;
    loop {
        let before = first.checked_sub(1).filter(|at| joins(*at) && chars(*at, last) <= PARAGRAPH_CHARS);
        first = before.unwrap_or(first);
        let after = Some(last + 1).filter(|at| joins(*at) && !units[*at].announces);
        let after = after.filter(|at| chars(first, *at) <= PARAGRAPH_CHARS);
        last = after.unwrap_or(last);
        if before.is_none() && after.is_none() {
            return CharRange::new(units[first].range.start, units[last].range.end);
        }
    }
}

/// The words that go with a unit.
struct Beside {
    /// Those above it: lead-ins, headings, the question that it answers.
    above: Vec<String>,
    /// Those of the items that it announces.
    items: Vec<String>,
    has_list: bool,
}

impl Beside {
    fn new(passage: &TaskPassage, unit: &Unit) -> Self {
        let ranges = || unit.needs.iter().filter_map(|need| passage.context.get(usize::try_from(need.of).ok()?));
        let of = |wanted: &dyn Fn(ContextRole) -> bool| {
            ranges().filter(|range| wanted(range.role)).flat_map(|range| terms::terms(&range.text)).collect()
        };
        let is_item = |role| role == ContextRole::Item;
        let above = of(&|role| !is_item(role) && role != ContextRole::Column);
        Self { above, items: of(&is_item), has_list: !unit.list.is_empty() }
    }
}

/// The units of a passage that lie within its text; empty if it has only parts of sentences, which are not quotable.
fn quotable(passage: &TaskPassage, chars: usize) -> impl Iterator<Item = &Unit> {
    let is_within = move |unit: &&Unit| unit.end <= chars && unit.start < unit.end;
    passage
        .units
        .iter()
        .filter(is_within)
        .filter(|unit| unit.head_end.is_none_or(|end| unit.start <= end && end <= unit.end))
}

/// Scores a unit. `columns` are the column names of a table row, `head` is its first cell; the terms of the columns count for the row, as
/// do the `called` terms of the document's name. A field or heading often is that name itself, so `called` does not count for these.
fn read(
    (text, head, columns, called): (&str, &str, &str, &[String]),
    (unit, beside): (&Unit, &Beside),
    (relevance, above): (&Relevance, &HeadingsAbove<'_>),
    question: &Question,
) -> ScoredUnit {
    let kind = unit.kind;
    let mut own = terms::terms(text);
    let says_nothing = || text == columns || !own.iter().any(|term| relevance.knows(term));
    let is_bare_row = kind == BlockKind::TableRow && says_nothing();
    own.extend(terms::terms(columns));
    let names_itself = matches!(kind, BlockKind::FormField | BlockKind::Field | BlockKind::Heading);
    if !names_itself {
        own.extend(called.iter().cloned());
    }
    own.extend(beside.items.iter().cloned());
    let without = relevance.share(&relevance.met(&beside.above));
    own.extend(beside.above.iter().cloned());
    let mut met = relevance.met(&own);
    let is_listed = beside.has_list && without > 0.0 && relevance.share(&met) - without < LEAST_OF_ITEM;
    above.add_to(&mut met);
    let share = relevance.share(&met);
    let is_met = question.is_met(text);
    let gain = match question.says_what(text) {
        _ if question.asks_what_is(head) => DEFINITION_GAIN,
        Says::Plainly => DEFINITION_GAIN,
        Says::Beside => DEFINITION_GAIN / 2.0,
        Says::Nothing if share > 0.0 && question.says_how_much(text) => QUANTITY_GAIN,
        Says::Nothing if is_met == Some(true) && share > 0.0 => KIND_GAIN,
        Says::Nothing => 0.0,
    };
    let quality = match kind {
        BlockKind::TableRow | BlockKind::FormField | BlockKind::Field | BlockKind::ListItem => 1.0,
        _ => sentences::quality(text),
    };
    let is_heading = kind == BlockKind::Heading;
    let is_listing = kind == BlockKind::Code && !question.names_code();
    let keeps = match kind {
        _ if sentences::is_question(text) => QUESTION_KEEPS,
        BlockKind::Code if !question.names_code() => {
            CODE_KEEPS * (WINDOW_CHARS as f64 / text.chars().count() as f64).min(1.0)
        }
        // A section may be called by its date.
        BlockKind::Heading if question.wanted == AnswerKind::Time && is_met == Some(true) => 1.0,
        BlockKind::Heading => HEADING_KEEPS,
        // The document's own number, as in `PEP: 572`.
        BlockKind::FormField | BlockKind::Field if own.iter().all(|term| relevance.knows(term)) => QUESTION_KEEPS,
        _ if is_address(text) => ADDRESS_KEEPS,
        BlockKind::Reference => HEADING_KEEPS,
        _ if sentences::is_reference(text) => HEADING_KEEPS,
        BlockKind::TableRow if is_bare_row => BARE_ROW_KEEPS,
        _ if announces(text) && beside.items.is_empty() => ANNOUNCEMENT_KEEPS,
        _ => 1.0,
    };
    let worth = (share + gain) * (1.0 - QUALITY_SHARE + QUALITY_SHARE * quality) * keeps;
    let names_its_time = question.wanted == AnswerKind::Time && is_met == Some(true);
    let may_answer = match kind {
        // Without spaces and stops a reader takes sentences for headings.
        BlockKind::Heading => names_its_time || text.chars().any(is_unspaced),
        BlockKind::Reference => false,
        // The row that names the columns.
        BlockKind::TableRow => text != columns,
        _ => !sentences::is_question(text) && !sentences::is_reference(text),
    };
    let is_field = matches!(kind, BlockKind::FormField | BlockKind::Field);
    let (refers_back, announces) = (refers_back(text), announces(text));
    let (range, block) = (unit.range(), unit.block);
    ScoredUnit {
        range,
        block,
        is_field,
        is_listing,
        is_heading,
        is_bare_row,
        is_address: is_address(text),
        met,
        worth,
        is_met,
        refers_back,
        announces,
        may_answer,
        is_listed,
    }
}

fn refers_back(text: &str) -> bool {
    let opening = text.split_whitespace().take(SAME_TIME_WORDS).collect::<Vec<_>>().join(" ").to_lowercase();
    means_same_time(&opening)
}

/// Whether a text is one address and nothing else.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    text.contains("://") && !text.contains(char::is_whitespace)
}

/// Whether a sentence ends with a colon, so that its content follows in another block.
fn announces(text: &str) -> bool {
    text.trim_end().ends_with([':', '\u{ff1a}'])
}
