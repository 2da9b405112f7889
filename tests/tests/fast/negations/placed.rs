//! The sentences of a document, each with the form in which it is written.

use super::sentences::LanguageSentences;

/// The form of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceForm {
    /// Between two other sentences.
    Paragraph,
    Item,
    /// Behind a number written as text.
    Clause,
    Heading,
    /// A cell of a row, behind another cell.
    Cell,
}

/// All forms.
const FORMS: [SentenceForm; 5] =
    [SentenceForm::Paragraph, SentenceForm::Item, SentenceForm::Clause, SentenceForm::Heading, SentenceForm::Cell];

/// A sentence, its form, and for a paragraph the sentences before and behind it.
pub(super) struct PlacedSentence {
    pub(super) form: SentenceForm,
    pub(super) sentence: String,
    pub(super) around: [&'static str; 2],
    pub(super) number: usize,
}

/// A document with all sentences of a language; each format begins with a different form.
pub(super) fn placed(language: &LanguageSentences, shift: usize) -> Vec<PlacedSentence> {
    let place = |(n, sentence): (usize, String)| PlacedSentence {
        form: FORMS[(n + shift) % FORMS.len()],
        sentence,
        around: language.around,
        number: n + 1,
    };
    language.sentences().into_iter().enumerate().map(place).collect()
}
