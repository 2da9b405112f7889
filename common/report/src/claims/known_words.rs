//! What a text as a whole tells about its words: its language, what it denies, and the words in scripts without spaces.

use std::ops::Range;

use precis_language::negation::negations_in;
use precis_language::number_words::numbers_in;
use precis_language::quantifier::{Quantifier, quantifiers_in};
use precis_language::scale::{Scale, leading_scale};
use precis_language::unit::leading_unit;
use precis_language::{FoundWord, Language, detect};

/// What a number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// A unit, by its common name.
    Unit(&'static str),
    /// Thousand, million and the like.
    Scale(Scale),
}

/// A word of a script without spaces.
pub(super) struct KnownWord {
    /// Bytes in the text.
    pub(super) range: Range<usize>,
    pub(super) kind: KnownKind,
}

/// What such a word does.
pub(super) enum KnownKind {
    Denies,
    Quantifies(Quantifier),
    Counts(u8),
    Measures(Measure),
}

/// What the words of a text are judged by.
pub(super) struct TextFacts {
    pub(super) language: Option<Language>,
    /// Places that deny, in order.
    denied: Vec<Range<usize>>,
    quantifiers: Vec<FoundWord<Quantifier>>,
    numbers: Vec<FoundWord<u8>>,
}

impl TextFacts {
    pub(super) fn of_text(text: &str) -> Self {
        let language = detect(text).known;
        Self {
            language,
            denied: negations_in(text),
            quantifiers: quantifiers_in(text, language),
            numbers: numbers_in(text, language),
        }
    }

    /// The place within `range` that denies.
    pub(super) fn denied_in(&self, range: &Range<usize>) -> Option<&Range<usize>> {
        self.denied.iter().find(|denied| range.start <= denied.start && denied.end <= range.end)
    }

    /// The word of a script without spaces that begins at byte `at` of `text`; a unit or scale only behind a number.
    pub(super) fn unspaced_word(&self, text: &str, at: usize, is_behind_number: bool) -> Option<KnownWord> {
        let known = |range: &Range<usize>, kind| KnownWord { range: range.clone(), kind };
        if let Some(range) = self.denied.iter().find(|range| range.start == at) {
            return Some(known(range, KnownKind::Denies));
        }
        if let Some(found) = self.quantifiers.iter().find(|found| found.range.start == at) {
            return Some(known(&found.range, KnownKind::Quantifies(found.value)));
        }
        if let Some(found) = self.numbers.iter().find(|found| found.range.start == at) {
            return Some(known(&found.range, KnownKind::Counts(found.value)));
        }
        let rest = is_behind_number.then(|| &text[at..])?;
        let scale = leading_scale(rest).map(|(scale, bytes)| (Measure::Scale(scale), bytes));
        let unit = || leading_unit(rest).map(|(unit, bytes)| (Measure::Unit(unit), bytes));
        let (measure, bytes) = scale.or_else(unit)?;
        Some(known(&(at..at + bytes), KnownKind::Measures(measure)))
    }
}
