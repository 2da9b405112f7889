//! The words of a question that asks for something computed, and which of them are accounted for.

use std::ops::Range;

use precis_language::aggregate::{Aggregate, Measure, aggregates, decimal_mark, is_amount_noun, is_neutral};
use precis_language::detect;
use precis_language::script::is_unspaced;
use precis_language::words::{Unspaced, split};
use precis_proto::computed::ComputedOperation;
use precis_text::terms::likeness;

/// Most characters of a word that adds nothing, in a script without spaces.
const NEUTRAL_CHARS: usize = 6;

/// A question for something computed.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) operation: ComputedOperation,
    /// What the word for the operation names itself, as "tallest" does.
    pub(super) measure: Option<Measure>,
    /// The mark before decimals in the language of the question, if it is known.
    pub(super) decimal_mark: Option<char>,
    question: String,
    pub(super) words: Vec<AskedWord>,
    /// Bytes of the words for the operation.
    asking: Vec<Range<usize>>,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedWord {
    pub(super) range: Range<usize>,
    pub(super) lower: String,
    /// Whether it asks for the operation, or adds nothing.
    pub(super) is_spent: bool,
}

impl Asked {
    /// Reads `question`; `None` if it asks for no operation, or for several.
    pub(super) fn new(question: &str) -> Option<Self> {
        let found = aggregates(question);
        let of = |which: Aggregate| found.iter().filter(|word| word.value.0 == which).count();
        let extremes = of(Aggregate::Highest) + of(Aggregate::Lowest);
        let chosen = match (extremes, of(Aggregate::Count), of(Aggregate::Average), of(Aggregate::Sum)) {
            (1, 0, ..) if of(Aggregate::Highest) == 1 => Aggregate::Highest,
            (1, 0, ..) => Aggregate::Lowest,
            (0, 0, 1, 0) => Aggregate::Average,
            (0, _, 0, 1..) => Aggregate::Sum,
            (0, 1, 0, 0) => Aggregate::Count,
            _ => return None,
        };
        // "How many … in total": both words ask for the sum. In "the highest total" the other word is one of the table's.
        let asks = |which: Aggregate| which == chosen || (chosen == Aggregate::Sum && which == Aggregate::Count);
        let asking: Vec<_> = found.iter().filter(|word| asks(word.value.0)).collect();
        let measure = asking.iter().find_map(|word| word.value.1);
        let asking: Vec<Range<usize>> = asking.into_iter().map(|word| word.range.clone()).collect();
        let language = detect(question).known;
        let words = split(question, Unspaced::Runs, &[]).into_iter().map(|word| {
            let is_asking = asking.iter().any(|range| range.start <= word.range.start && word.range.end <= range.end);
            let lower = word.lower();
            AskedWord { is_spent: is_asking || is_neutral(&lower, language), range: word.range, lower }
        });
        Some(Self {
            operation: operation(chosen),
            decimal_mark: decimal_mark(language),
            measure,
            words: words.collect(),
            question: question.to_lowercase(),
            asking,
        })
    }

    /// Its words, in order.
    pub(super) fn words(&self) -> &[AskedWord] {
        &self.words
    }

    /// The bytes of the words that are one of `names`, or a form of it.
    pub(super) fn naming(&self, names: &[String]) -> Vec<Range<usize>> {
        let is_named = |word: &&AskedWord| !word.is_spent && names.iter().any(|name| is_form(name, &word.lower));
        let spaced = self.words.iter().filter(is_named).map(|word| word.range.clone());
        let runs = names.iter().filter(|name| name.starts_with(is_unspaced)).flat_map(|name| self.places(name));
        spaced.chain(runs).collect()
    }

    /// The bytes at which all of `phrase`, words in lower case, stands word for word.
    pub(super) fn saying(&self, phrase: &[String]) -> Vec<Range<usize>> {
        if let [word] = phrase
            && word.starts_with(is_unspaced)
        {
            return if word.chars().count() > 1 { self.places(word) } else { Vec::new() };
        }
        let windows = self.words.windows(phrase.len().max(1));
        let is_said = |window: &&[AskedWord]| {
            window.iter().zip(phrase).all(|(word, own)| word.lower == *own) && window.iter().any(|word| !word.is_spent)
        };
        // `1940` in "the 1940's" is a decade.
        let is_decade = |window: &&[AskedWord]| {
            let rest = &self.question.get(window[window.len() - 1].range.end..).unwrap_or_default();
            phrase.len() == 1
                && phrase[0].bytes().all(|b| b.is_ascii_digit())
                && rest.trim_start_matches(['\'', '’']).starts_with('s')
        };
        windows
            .filter(is_said)
            .filter(|window| !is_decade(window))
            .map(|window| window[0].range.start..window[window.len() - 1].range.end)
            .collect()
    }

    /// Where `text` stands in the question, other than in a word for the operation.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.question.match_indices(text).map(|(at, _)| at..at + text.len());
        found.filter(|place| !self.asking.iter().any(|range| overlaps(range, place))).collect()
    }

    /// Whether every word is in one of `ranges`, asks for the operation, or adds nothing.
    pub(super) fn is_spent_with(&self, ranges: &[Range<usize>]) -> bool {
        self.words.iter().all(|word| {
            word.is_spent
                || ranges.iter().any(|range| range.start <= word.range.start && word.range.end <= range.end)
                || (word.lower.starts_with(is_unspaced) && self.is_run_spent(word, ranges))
        })
    }

    /// Whether what `ranges` and the operation leave of a run without spaces adds nothing.
    fn is_run_spent(&self, word: &AskedWord, ranges: &[Range<usize>]) -> bool {
        let is_taken = |at: usize| ranges.iter().chain(&self.asking).any(|range| range.contains(&at));
        let mut left = String::new();
        let rest = self.question.get(word.range.clone()).unwrap_or_default();
        for (at, c) in rest.char_indices() {
            left.push(if is_taken(word.range.start + at) { ' ' } else { c });
        }
        left.split(' ').all(is_neutral_run)
    }

    /// Whether a word for an amount stands right behind those of the operation: "the highest number of".
    pub(super) fn asks_for_amount(&self) -> bool {
        let from = self.asking.first().map_or(usize::MAX, |range| range.end);
        self.words.iter().find(|word| word.range.start >= from).is_some_and(|word| is_amount_noun(&word.lower))
    }

    /// The word right behind those of the operation, unless it adds nothing.
    pub(super) fn beside(&self) -> Option<&AskedWord> {
        let from = self.asking.first()?.end;
        self.words.iter().find(|word| word.range.start >= from).filter(|word| !word.is_spent)
    }

    /// The first word behind those of the operation that is neither spent nor in one of `cells`.
    pub(super) fn counted_word(&self, cells: &[Range<usize>]) -> Option<&AskedWord> {
        let from = self.asking.first()?.end;
        let is_open = |word: &&AskedWord| !word.is_spent && !cells.iter().any(|cell| overlaps(cell, &word.range));
        self.words.iter().filter(|word| word.range.start >= from).find(is_open)
    }
}

/// Whether `run` is made of words that add nothing.
fn is_neutral_run(run: &str) -> bool {
    let mut rest = run;
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(NEUTRAL_CHARS);
        match ends.collect::<Vec<_>>().into_iter().rev().find(|end| is_neutral(&rest[..*end], None)) {
            Some(end) => rest = &rest[end..],
            None => return false,
        }
    }
    true
}

pub(super) fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether `a` and `b` are forms of one word; `city` and `cities` too.
pub(super) fn is_form(a: &str, b: &str) -> bool {
    let plural = |one: &str, many: &str| {
        one.strip_suffix('y').zip(many.strip_suffix("ies")).is_some_and(|(one, many)| one == many && one.len() > 1)
    };
    likeness(a, b) > 0.0 || plural(a, b) || plural(b, a)
}

fn operation(aggregate: Aggregate) -> ComputedOperation {
    match aggregate {
        Aggregate::Highest => ComputedOperation::Highest,
        Aggregate::Lowest => ComputedOperation::Lowest,
        Aggregate::Sum => ComputedOperation::Sum,
        Aggregate::Average => ComputedOperation::Average,
        Aggregate::Count => ComputedOperation::Count,
    }
}
