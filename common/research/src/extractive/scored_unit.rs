//! The units of a passage with their scores: how well each answers by itself.

use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::definition::Says;
use precis_evidence::typed::field_question::field;
use precis_evidence::typed::wanted::Wanted;
use precis_language::calendar::means_same_time;
use precis_language::script::is_unspaced;
use precis_proto::finding::Unit;
use precis_proto::quote_context::ContextRole;
use precis_proto::task::TaskPassage;
use precis_proto::{BlockKind, CharRange};
use precis_text::{sentences, terms};

use super::headings_above::HeadingsAbove;
use super::relevance::Relevance;
use super::similarity::{Similarities, cosine};

/// Most characters to which a window grows; a single sentence may be longer.
pub(super) const WINDOW_CHARS: usize = 300;
/// Weight of the meaning of a sentence beside the share of the question that it matches. Only where a model of meaning is in use.
const MEANING_GAIN: f64 = 0.4;
/// Place between the furthest and the nearest sentence of a task from which one is about what is asked, whatever its words.
pub(super) const ABOUT: f64 = 0.6;

/// Bonus for a sentence with the wanted kind of answer, on the scale of the share of the question.
pub(super) const KIND_GAIN: f64 = 0.2;
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
pub(super) const HEADING_KEEPS: f64 = 0.5;
/// Factor for an address alone: it says nothing, however many words of the question are in it. Chosen, not measured.
pub(super) const ADDRESS_KEEPS: f64 = 0.1;
/// Factor for a row of a table that has no word of the question, since the names of its columns say nothing about this row, and for the
/// row of these names. Chosen, not measured.
pub(super) const BARE_ROW_KEEPS: f64 = 0.5;
/// Factor for a sentence that announces other blocks: `There are three reasons:`.
const ANNOUNCEMENT_KEEPS: f64 = 0.7;

/// Least share of the question that an item adds to what stands above its list; one that adds less is an answer only with the whole list.
/// Chosen, not measured.
const LEAST_OF_ITEM: f64 = 0.05;

/// Number of first words in which a phrase for the date of the previous sentence is searched.
const SAME_TIME_WORDS: usize = 5;

/// A unit of a passage with its scores.
pub(super) struct ScoredUnit {
    pub(super) range: CharRange,
    pub(super) block: u32,
    pub(super) is_field: bool,
    pub(super) is_listing: bool,
    pub(super) is_heading: bool,
    pub(super) is_bare_row: bool,
    pub(super) is_address: bool,
    pub(super) met: Vec<f64>,
    pub(super) worth: f64,
    pub(super) is_met: Option<bool>,
    /// Whether it refers to the date of the sentence before it.
    pub(super) refers_back: bool,
    /// Whether it announces other blocks, which its window cannot contain.
    pub(super) announces: bool,
    /// Characters of the items that it announces and comes with; `None` if there are none.
    pub(super) announced_chars: Option<usize>,
    /// Whether it says something: a heading, a question of the document or an entry of a list of references only leads to what does.
    pub(super) may_answer: bool,
    /// Whether all that it has of the question stands in what goes with it, above its list.
    pub(super) is_listed: bool,
    /// Where its meaning lies between the furthest and the nearest of the task, 0 to 1.
    pub(super) near: f64,
    pub(super) similarity: Option<f64>,
}

impl ScoredUnit {
    /// Whether it is about what is asked at all.
    pub(super) fn is_about(&self, relevance: &Relevance) -> bool {
        relevance.share(&self.met) > 0.0 || self.near >= ABOUT
    }
}

/// The units of `passage` that may be quoted, scored; `called` are the terms of its document's name if the question has that name.
pub(super) fn units(
    (passage, called): (&TaskPassage, &[String]),
    (relevance, similarities): (&Relevance, Similarities),
    question: &Question,
) -> Vec<ScoredUnit> {
    let chars: Vec<(usize, char)> = passage.text.char_indices().collect();
    let slice = |range: CharRange| {
        let byte = |at: usize| chars.get(at).map_or(passage.text.len(), |(byte, _)| *byte);
        &passage.text[byte(range.start)..byte(range.end)]
    };
    let mut above = HeadingsAbove::new(passage, relevance);
    let mut units: Vec<ScoredUnit> = quotable(passage, chars.len())
        .map(|(at, unit)| {
            let columns = if unit.kind == BlockKind::TableRow { passage.columns.as_str() } else { "" };
            let head = unit.head().map_or("", slice);
            let text = slice(unit.range());
            if let Some(depth) = unit.depth {
                above.enter(text, usize::from(depth));
            }
            let beside = Beside::new(passage, unit);
            let near = (similarities.of_unit(passage, at), cosine(passage, at));
            read((text, head, columns, called), (unit, &beside, near), (relevance, &above), question)
        })
        .collect();
    for at in 1..units.len() {
        let says_when = units[at - 1].is_met == Some(true) && units[at - 1].block == units[at].block;
        if units[at].refers_back && says_when && units[at].is_met == Some(false) {
            (units[at].is_met, units[at].worth) = (Some(true), units[at].worth + KIND_GAIN);
        }
    }
    units
}

/// The words that go with a unit.
struct Beside {
    /// Those above it: lead-ins, headings, the question that it answers.
    above: Vec<String>,
    /// Those of the items that it announces.
    items: Vec<String>,
    /// Characters of these items; `None` if there are none.
    item_chars: Option<usize>,
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
        let lengths = ranges().filter(|range| is_item(range.role)).map(|range| range.text.chars().count());
        let item_chars = lengths.reduce(|a, b| a + b);
        Self { above, items: of(&is_item), item_chars, has_list: !unit.list.is_empty() }
    }
}

/// The units of a passage that lie within its text, each with its number; empty if it has only parts of sentences, which are not quotable.
fn quotable(passage: &TaskPassage, chars: usize) -> impl Iterator<Item = (usize, &Unit)> {
    let is_within = move |(_, unit): &(usize, &Unit)| unit.end <= chars && unit.start < unit.end;
    passage
        .units
        .iter()
        .enumerate()
        .filter(is_within)
        .filter(|(_, unit)| unit.head_end.is_none_or(|end| unit.start <= end && end <= unit.end))
}

/// Scores a unit. `columns` are the column names of a table row, `head` is its first cell; the terms of the columns count for the row, as
/// do the `called` terms of the document's name. A field or heading often is that name itself, so `called` does not count for these.
fn read(
    (text, head, columns, called): (&str, &str, &str, &[String]),
    (unit, beside, (near, similarity)): (&Unit, &Beside, (f64, Option<f64>)),
    (relevance, above): (&Relevance, &HeadingsAbove<'_>),
    question: &Question,
) -> ScoredUnit {
    let kind = unit.kind;
    let mut own = terms::terms(text);
    let says_nothing = || text == columns || !own.iter().any(|term| relevance.knows(term));
    let is_bare_row = kind == BlockKind::TableRow && says_nothing();
    own.extend(terms::terms(columns));
    let is_field = matches!(kind, BlockKind::FormField | BlockKind::Field);
    let names_itself = is_field || kind == BlockKind::Heading;
    if !names_itself {
        own.extend(called.iter().cloned());
    }
    own.extend(beside.items.iter().cloned());
    let without = relevance.share(&relevance.term_matches(&beside.above));
    own.extend(beside.above.iter().cloned());
    let mut met = relevance.term_matches(&own);
    let is_listed = beside.has_list && without > 0.0 && relevance.share(&met) - without < LEAST_OF_ITEM;
    above.add_to(&mut met);
    let share = relevance.share(&met);
    // A number is not enough where a figure is wanted: it may be a date, the number of a clause, or of another measure.
    let is_met = match question.wanted {
        AnswerKind::Number => Wanted::Figure.is_held(question, text, &[head, columns]),
        _ => question.is_met(text),
    };
    let is_about = share > 0.0 || near >= ABOUT;
    let gain = match question.says_what(text) {
        _ if question.asks_what_is(head) => DEFINITION_GAIN,
        Says::Plainly => DEFINITION_GAIN,
        Says::Beside => DEFINITION_GAIN / 2.0,
        Says::Nothing if is_about && question.says_how_much(text) => QUANTITY_GAIN,
        Says::Nothing if is_met == Some(true) && is_about => KIND_GAIN,
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
        _ if is_address(text, is_field) => ADDRESS_KEEPS,
        BlockKind::Reference => HEADING_KEEPS,
        _ if sentences::is_reference(text) => HEADING_KEEPS,
        BlockKind::TableRow if is_bare_row => BARE_ROW_KEEPS,
        _ if announces(text) && beside.items.is_empty() => ANNOUNCEMENT_KEEPS,
        _ => 1.0,
    };
    let worth = (share + gain + MEANING_GAIN * near) * (1.0 - QUALITY_SHARE + QUALITY_SHARE * quality) * keeps;
    let names_its_time = question.wanted == AnswerKind::Time && is_met == Some(true);
    let may_answer = match kind {
        // Without spaces and stops a reader takes sentences for headings.
        BlockKind::Heading => names_its_time || text.chars().any(is_unspaced),
        BlockKind::Reference => false,
        // The row that names the columns.
        BlockKind::TableRow => text != columns,
        _ => !sentences::is_question(text) && !sentences::is_reference(text),
    };
    let (refers_back, announces) = (refers_back(text), announces(text));
    let (range, block) = (unit.range(), unit.block);
    ScoredUnit {
        range,
        block,
        is_field,
        is_listing,
        is_heading,
        is_bare_row,
        is_address: is_address(text, is_field),
        met,
        worth,
        is_met,
        refers_back,
        announces,
        announced_chars: beside.item_chars,
        may_answer,
        is_listed,
        near,
        similarity,
    }
}

fn refers_back(text: &str) -> bool {
    let opening = text.split_whitespace().take(SAME_TIME_WORDS).collect::<Vec<_>>().join(" ").to_lowercase();
    means_same_time(&opening)
}

/// Whether a text is one address and nothing else, or the field of one: `redirect_from: /docs/old`.
fn is_address(text: &str, is_field: bool) -> bool {
    let value = if is_field { field(text).map_or(text, |(_, value)| value) } else { text }.trim();
    let is_path = is_field && ["/", "./", "../", "#"].iter().any(|begin| value.starts_with(begin));
    (value.contains("://") || is_path) && !value.contains(char::is_whitespace)
}

/// Whether a sentence ends with a colon, so that its content follows in another block.
fn announces(text: &str) -> bool {
    text.trim_end().ends_with([':', '\u{ff1a}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_alone_is_told_from_what_says_something() {
        for (text, is_field, want) in [
            ("https://norby.org/dam", false, true),
            ("redirect_from: /docs/old-dam", true, true),
            ("source: https://norby.org/dam", true, true),
            ("redirect_from: /docs/old-dam", false, false),
            ("status: open", true, false),
            ("licence: MIT/Apache", true, false),
            ("note: /docs/old is closed", true, false),
        ] {
            assert_eq!(is_address(text, is_field), want, "{text} {is_field}");
        }
    }
}
