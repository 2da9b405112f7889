//! Inline Markdown as a flat row of pieces (inlines) in which a bracket written as markup differs from a literal one.
//!
//! The parser returns `[3]` as three pieces of text and `\[3\]` as the same characters; only the source tells them apart.

use std::ops::Range;

use pulldown_cmark::{CowStr, Options};

/// Parser options for drafts and reports: CommonMark with tables and strikethrough, nothing that hides or fetches text.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// A piece of inline Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    /// A literal character.
    Char(char),
    /// `[`, not escaped.
    Open,
    /// `]`, not escaped.
    Close,
    /// Start of markup such as `**`.
    MarkupStart(&'static str),
    /// End of the same markup.
    MarkupEnd(&'static str),
    /// A code span.
    Code(String),
    /// A hard line break.
    Break,
    /// A citation, by its final number.
    Cite(u32),
}

/// Appends the inlines of a text event: `text` as the parser decoded it from `source[range]`.
pub(crate) fn push_text(row: &mut Vec<Inline>, source: &str, range: &Range<usize>, text: &CowStr<'_>) {
    // If the parser decoded an entity, the text differs from the source, so none of its characters is markup.
    let as_written = source.get(range.clone()) == Some(text.as_ref());
    for (at, c) in text.char_indices() {
        row.push(match c {
            '[' if as_written && !is_escaped(source, range.start + at) => Inline::Open,
            ']' if as_written && !is_escaped(source, range.start + at) => Inline::Close,
            _ => Inline::Char(c),
        });
    }
}

/// Appends raw HTML as plain text; a citation in it still counts.
pub(super) fn push_html(row: &mut Vec<Inline>, html: &str) {
    row.extend(html.trim_end_matches('\n').chars().map(|c| match c {
        '[' => Inline::Open,
        ']' => Inline::Close,
        '\n' => Inline::Break,
        c => Inline::Char(c),
    }));
}

fn is_escaped(source: &str, at: usize) -> bool {
    source[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

/// A bracketed list of numbers that may be a citation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BracketedNumbers {
    /// The numbers as written: runs of digits, never empty.
    pub numbers: Vec<String>,
    /// Number of inlines, both brackets included.
    pub len: usize,
}

/// Most inlines between brackets that hold a citation; limits the work on a row of unclosed brackets.
pub(super) const MAX_BRACKETED: usize = 64;

/// Reads `[3]`, `[ 3 ]` or `[3, 7]` at the start of `row`; markup inside the brackets does not matter.
pub(crate) fn bracketed_numbers(row: &[Inline]) -> Option<BracketedNumbers> {
    if row.first() != Some(&Inline::Open) {
        return None;
    }
    let inside = row[1..].iter().take(MAX_BRACKETED).position(|g| *g == Inline::Close)?;
    numbers(&row[1..=inside]).map(|numbers| BracketedNumbers { numbers, len: inside + 2 })
}

/// The numbers in `row` if it holds only numbers, separators and markup, with one number between separators.
pub(super) fn numbers(row: &[Inline]) -> Option<Vec<String>> {
    let mut text = String::new();
    for inline in row {
        match inline {
            Inline::Char(c) => text.push(*c),
            Inline::MarkupStart(_) | Inline::MarkupEnd(_) => {}
            Inline::Open | Inline::Close | Inline::Code(_) | Inline::Break | Inline::Cite(_) => return None,
        }
    }
    let parts: Vec<String> = text.split([',', ';']).map(|part| part.trim().to_owned()).collect();
    let plain = parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    plain.then_some(parts)
}

/// The words of `row` as a reader sees them, without citations, in one line.
pub(super) fn shown_words(row: &[Inline]) -> String {
    let (mut words, mut depth) = (String::new(), 0_usize);
    for inline in row {
        match inline {
            Inline::Open => depth += 1,
            Inline::Close => depth = depth.saturating_sub(1),
            Inline::Char(c) if depth == 0 => words.push(*c),
            Inline::Code(code) if depth == 0 => words.push_str(code),
            Inline::Break => words.push(' '),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
