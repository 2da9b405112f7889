//! The sentences of a document, each as what it stands as.

use super::sentences::LanguageSentences;

/// What a sentence stands as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceForm {
    /// Between two other sentences.
    Paragraph,
    Item,
    /// Behind a number that is written out.
    Clause,
    Heading,
    /// Of a row, behind another.
    Cell,
}

/// All forms.
const FORMS: [SentenceForm; 5] =
    [SentenceForm::Paragraph, SentenceForm::Item, SentenceForm::Clause, SentenceForm::Heading, SentenceForm::Cell];

/// A sentence, what it stands as, and for a paragraph what stands before and behind.
pub(super) struct PlacedSentence {
    pub(super) form: SentenceForm,
    pub(super) sentence: String,
    pub(super) around: [&'static str; 2],
    pub(super) number: usize,
}

/// A document of all sentences of a language; each format begins with another form.
pub(super) fn placed(language: &LanguageSentences, shift: usize) -> Vec<PlacedSentence> {
    let place = |(n, sentence): (usize, String)| PlacedSentence {
        form: FORMS[(n + shift) % FORMS.len()],
        sentence,
        around: language.around,
        number: n + 1,
    };
    language.sentences().into_iter().enumerate().map(place).collect()
}
