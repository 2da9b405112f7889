//! Untrusted text as it is shown to a model: with a label, titles on one line, invisible characters removed.

use std::borrow::Cow;

use askama::Template;
use precis_text::{hiding_marks, visible};

/// Text that is not citable evidence, with the label in its mark line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelledText {
    /// Number in its task; 0 if it has none.
    pub(super) id: u32,
    /// Cutting order: higher scores are kept longer.
    pub(super) score: f64,
    /// Label after the nonce.
    pub(super) label: String,
    pub(super) body: String,
}

impl LabelledText {
    pub(super) fn new(id: u32, score: f64, label: impl Into<String>, body: String) -> Option<Self> {
        (!body.trim().is_empty()).then(|| Self { id, score, label: label.into(), body })
    }
}

/// Most characters of a title that are shown to the model.
pub(super) const MAX_TITLE_CHARS: usize = 200;

pub(super) fn title(text: &str) -> String {
    one_line(&readable(text), MAX_TITLE_CHARS)
}

/// White space collapsed, control characters left out, at most `max` characters.
pub(super) fn one_line(text: &str, max: usize) -> String {
    let mut line = String::with_capacity(text.len().min(max));
    let mut left = max;
    for word in text.split_whitespace() {
        let space = if line.is_empty() && left == max { None } else { Some(' ') };
        for c in space.into_iter().chain(word.chars().filter(|c| !c.is_control())) {
            if left == 0 {
                return line;
            }
            line.push(c);
            left -= 1;
        }
    }
    line
}

pub(super) fn render_template(template: &impl Template) -> String {
    // Writing into a String cannot fail, and no template calls a function that can.
    template.render().expect("a compiled-in prompt renders")
}

/// The visible part of `text`, so that a message hidden in invisible characters does not reach a model.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    match hiding_marks(text) {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(visible(text)),
    }
}
