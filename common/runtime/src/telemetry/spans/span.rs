//! A span: what was done, from when to when, as part of what.

use std::time::Duration;

use crate::clock::unix_time;
use crate::telemetry::trace::TraceContext;

/// What a span is to others, with the numbers of OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work of this process.
    Internal = 1,
    /// A request to somebody else.
    Client = 3,
    /// A message that was worked on.
    Consumer = 5,
}

/// The value of an attribute. There is none for free text: values are ids, words of closed sets, names of the configuration, and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A word, a name or an id.
    Word(String),
    /// A number.
    Number(u64),
}

/// A span that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its trace, its id in it, and whether it is recorded.
    pub context: TraceContext,
    /// The id of the span that it is part of.
    pub parent: Option<u64>,
    /// Its name.
    pub name: String,
    /// What it is to others.
    pub kind: SpanKind,
    /// When it began, since 1970.
    pub start: Duration,
    /// When it ended, since 1970.
    pub end: Duration,
    /// What is said of it.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The code of its failure.
    pub error: Option<String>,
}

impl Span {
    /// A span that took `took` and ends now.
    pub(super) fn ending_now(
        context: TraceContext,
        parent: Option<u64>,
        kind: SpanKind,
        name: String,
        took: Duration,
    ) -> Self {
        let end = unix_time();
        let start = end.saturating_sub(took);
        Self { context, parent, name, kind, start, end, attributes: Vec::new(), error: None }
    }

    /// This span with a word.
    pub(super) fn word(mut self, name: &'static str, word: impl Into<String>) -> Self {
        self.attributes.push((name, Attribute::Word(word.into())));
        self
    }

    /// This span with a number.
    pub(super) fn number(mut self, name: &'static str, number: u64) -> Self {
        self.attributes.push((name, Attribute::Number(number)));
        self
    }
}
