//! [`Review`]: who decides about the statements of a draft, and what may be decided.

/// Sentences with the findings cited behind the last of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitedSentences {
    /// As written, trimmed, never empty.
    pub(crate) sentences: Vec<String>,
    /// Ids as written, in order; empty if nothing is cited.
    pub(crate) ids: Vec<u32>,
}

/// The decision on one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Keep it as it is.
    Keep,
    /// Replace it with this text.
    Replace(String),
    /// Remove it.
    Remove,
    /// Keep it and append these words in brackets.
    Mark(String),
}

/// The decision on a statement: a ruling for each sentence, and the findings to cite instead of its own, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rulings {
    pub(crate) sentences: Vec<Ruling>,
    pub(crate) ids: Option<Vec<u32>>,
}

impl Rulings {
    /// Keeps `sentences` sentences and their citations.
    pub(crate) fn keep(sentences: usize) -> Self {
        Self { sentences: vec![Ruling::Keep; sentences], ids: None }
    }
}

/// Decides on the statements of a draft.
pub(crate) trait Review {
    /// Whether `mark`, such as `[12]` or `[3, 4]`, occurs between `before` and `after` in the quoted document itself.
    fn is_of_source(&self, before: &str, mark: &str, after: &str) -> bool;
    /// Whether a finding has this id.
    fn is_known(&self, id: u32) -> bool;
    /// Whether every citation ends a statement, however the text behind it begins; true if every statement is a quote.
    fn every_mark_ends(&self) -> bool {
        false
    }
    /// Whether a sentence without a citation of its own is no part of the statement that is cited behind it.
    fn stands_alone(&self, _sentence: &str) -> bool {
        false
    }
    /// A paragraph, item or cell begins. `under` is what it stands under: the head of its column and the label of its row, or the label of
    /// its item.
    fn begins_run(&mut self, _under: Vec<String>) {}
    /// Decides on a statement; returns as many rulings as there are sentences.
    fn rule(&mut self, statement: &CitedSentences) -> Rulings;
}

/// Keeps every statement as it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoReview;

impl Review for NoReview {
    fn is_of_source(&self, _: &str, _: &str, _: &str) -> bool {
        false
    }

    fn is_known(&self, _: u32) -> bool {
        true
    }

    fn rule(&mut self, statement: &CitedSentences) -> Rulings {
        Rulings::keep(statement.sentences.len())
    }
}
