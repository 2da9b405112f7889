//! [`Values`]: output expressions in prose, such as `{{ name }}`, which are shown as they are written.
//!
//! What an expression holds is no Markdown: its bars end no cell, its stars mark nothing. So a token stands for it while the page is parsed.

use super::expression::is_expression;
use crate::runs::visible_chars;

/// Around a token: punctuation that begins nothing in Markdown, so that marks beside it open and close as they do beside a brace.
const AROUND: char = ',';
/// Marks of a value of a template.
pub(super) const BRACES: (&str, &str) = ("{{", "}}");

/// The expressions of a page, by the number in their tokens.
#[derive(Debug, Default)]
pub(in crate::markdown) struct Values {
    texts: Vec<String>,
    /// A character that the page does not hold, around the number; `None` if the page has no values.
    mark: Option<char>,
}

impl Values {
    pub(super) fn new(mark: char) -> Self {
        Self { texts: Vec::new(), mark: Some(mark) }
    }

    /// A token for the expression `text`.
    pub(super) fn add(&mut self, text: &str) -> String {
        let mark = self.mark.unwrap_or_default();
        self.texts.push(self.restored(text));
        format!("{AROUND}{mark}{}{mark}{AROUND}", self.texts.len() - 1)
    }

    /// `text` in pieces, with whether each is an expression.
    pub(in crate::markdown) fn pieces<'t>(&'t self, text: &'t str) -> Vec<(&'t str, bool)> {
        let Some(mark) = self.mark.filter(|mark| text.contains(*mark)) else { return vec![(text, false)] };
        let parts: Vec<&str> = text.split(mark).collect();
        // Punctuation stands around each token, so what is nothing but digits is a number.
        let value = |at: usize| {
            let part = parts.get(at).filter(|part| (1..parts.len() - 1).contains(&at) && !part.is_empty())?;
            part.parse::<usize>().ok().and_then(|number| self.texts.get(number))
        };
        let piece = |(at, part): (usize, &&'t str)| match value(at) {
            Some(value) => (value.as_str(), true),
            None => {
                let is_behind = at > 0 && value(at - 1).is_some();
                let text = part.strip_prefix(AROUND).filter(|_| is_behind).unwrap_or(part);
                (text.strip_suffix(AROUND).filter(|_| value(at + 1).is_some()).unwrap_or(text), false)
            }
        };
        parts.iter().enumerate().map(piece).collect()
    }

    /// `text` with expressions in place of their tokens.
    pub(in crate::markdown) fn restored(&self, text: &str) -> String {
        self.pieces(text).into_iter().map(|(piece, _)| piece).collect()
    }

    /// The same in HTML, of which an expression is text.
    pub(in crate::markdown) fn restored_in_html(&self, html: &str) -> String {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let pieces = self.pieces(html).into_iter();
        pieces.map(|(piece, is_value)| if is_value { escaped(piece) } else { piece.to_owned() }).collect()
    }
}

/// Number of visible characters of `text` if it is nothing but values of templates, else 0.
pub(in crate::markdown) fn chars_of_values(text: &str) -> u64 {
    let mut rest = text.trim_start();
    while let Some(inside) = rest.strip_prefix(BRACES.0) {
        let Some((_, behind)) = inside.split_once(BRACES.1).filter(|(text, _)| is_value(text)) else { break };
        rest = behind.trim_start();
    }
    if rest.is_empty() { visible_chars(text) } else { 0 }
}

/// Whether the text between two pairs of braces is a value.
pub(super) fn is_value(text: &str) -> bool {
    is_expression(text.trim_matches('-'))
}
