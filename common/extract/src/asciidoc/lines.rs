//! What a line of an AsciiDoc document is, by its first characters.

use crate::field_line::field_name;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AsciiDocLine<'a> {
    Blank,
    /// `//` and text.
    Comment(&'a str),
    /// `:name: value`.
    Attribute(&'a str, &'a str),
    /// `[…]` above a block, without its brackets.
    BlockAttributes(&'a str),
    /// `.Title` above a block.
    BlockTitle(&'a str),
    /// Equals signs and text: its level and the text.
    Heading(usize, &'a str),
    /// The first or last line of a block; the line itself.
    Delimiter(Delimited, &'a str),
    /// `name::target[attributes]` without its target.
    Macro(&'a str, &'a str),
    /// A marker and text.
    Item(&'a str, &'a str),
    /// `term:: text`: the colons, the term and the text.
    Term(&'a str, &'a str, &'a str),
    /// A plus sign, which joins the next block to the item.
    Continuation,
    Rule,
    /// An indented line, as typed.
    Literal(&'a str),
    Text(&'a str),
}

/// What a delimited block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimited {
    Code,
    Comment,
    /// For one exporter, as raw HTML.
    Passthrough,
    Quotation,
    /// Blocks.
    Blocks,
    Table,
}

/// The sign of each delimiter, how many of it are needed, and what is between two of them.
const DELIMITERS: [(char, usize, Delimited); 8] = [
    ('-', 4, Delimited::Code),
    ('.', 4, Delimited::Code),
    ('`', 3, Delimited::Code),
    ('/', 4, Delimited::Comment),
    ('+', 4, Delimited::Passthrough),
    ('_', 4, Delimited::Quotation),
    ('=', 4, Delimited::Blocks),
    ('*', 4, Delimited::Blocks),
];
/// Behind a term; a longer one nests a list.
const TERM_MARKS: [&str; 4] = ["::::", ":::", "::", ";;"];
/// Deepest marker of a list.
const MAX_MARKS: usize = 5;

/// Signs of the line below a title, by level; the title of a document first.
const UNDERLINES: [char; 5] = ['=', '-', '~', '^', '+'];

/// The level of `line` if it is a title by the line `below` it, which is about as long.
pub(super) fn underlined(line: &str, below: &str) -> Option<usize> {
    let (title, rule) = (line.trim_end(), below.trim_end());
    let sign = rule.chars().next()?;
    let level = UNDERLINES.iter().position(|one| *one == sign)? + 1;
    let is_title = title.starts_with(char::is_alphanumeric) && rule.chars().all(|c| c == sign);
    let is_as_long = title.chars().count().abs_diff(rule.chars().count()) <= 1 && rule.len() > 1;
    (is_title && is_as_long).then_some(level)
}

/// What `line` is.
pub(super) fn of(line: &str) -> AsciiDocLine<'_> {
    let text = line.trim_end();
    if text.is_empty() {
        return AsciiDocLine::Blank;
    }
    if text.starts_with([' ', '\t']) {
        return list_line(text.trim_start()).unwrap_or(AsciiDocLine::Literal(text));
    }
    if let Some(kind) = delimiter(text) {
        return AsciiDocLine::Delimiter(kind, text);
    }
    if let Some(comment) = text.strip_prefix("//").filter(|rest| !rest.starts_with('/')) {
        return AsciiDocLine::Comment(comment);
    }
    if text == "+" {
        return AsciiDocLine::Continuation;
    }
    if matches!(text, "'''" | "<<<" | "---" | "***") {
        return AsciiDocLine::Rule;
    }
    let special = attribute(text).or_else(|| heading(text)).or_else(|| block_macro(text)).or_else(|| above(text));
    special.or_else(|| list_line(text)).unwrap_or(AsciiDocLine::Text(text))
}

fn delimiter(text: &str) -> Option<Delimited> {
    if text
        .strip_prefix(['|', '!', ',', ':'])
        .is_some_and(|signs| signs.len() >= 3 && signs.trim_matches('=').is_empty())
    {
        return Some(Delimited::Table);
    }
    if text == "--" {
        return Some(Delimited::Blocks);
    }
    let first = text.chars().next()?;
    let (_, least, kind) = DELIMITERS.into_iter().find(|(sign, _, _)| *sign == first)?;
    // Behind backquotes a language may follow.
    let signs = text.len() - text.trim_start_matches(first).len();
    let is_all = signs == text.len() || (first == '`' && text[signs..].chars().all(char::is_alphanumeric));
    (signs >= least && is_all).then_some(kind)
}

fn attribute(text: &str) -> Option<AsciiDocLine<'_>> {
    let (name, bytes) = field_name(text)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-!".contains(c));
    is_name.then(|| AsciiDocLine::Attribute(name, text[bytes..].trim()))
}

fn heading(text: &str) -> Option<AsciiDocLine<'_>> {
    let rest = text.trim_start_matches('=');
    let level = text.len() - rest.len();
    let text = rest.strip_prefix(' ').filter(|_| (1..=6).contains(&level))?.trim();
    Some(AsciiDocLine::Heading(level, text))
}

fn block_macro(text: &str) -> Option<AsciiDocLine<'_>> {
    let (name, rest) = text.split_once("::")?;
    let (target, attributes) = rest.strip_suffix(']')?.split_once('[')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (is_name && !target.contains(char::is_whitespace)).then_some(AsciiDocLine::Macro(name, attributes))
}

/// A line that tells of the block below it.
fn above(text: &str) -> Option<AsciiDocLine<'_>> {
    if let Some(attributes) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let begins = |c: char| c.is_alphanumeric() || "_.#%{,\"'[".contains(c);
        let is_list = attributes.is_empty() || (attributes.starts_with(begins) && !attributes.contains("]("));
        return is_list.then_some(AsciiDocLine::BlockAttributes(attributes));
    }
    let title = text.strip_prefix('.').filter(|rest| !rest.starts_with(['.', ' ']) && !rest.is_empty())?;
    Some(AsciiDocLine::BlockTitle(title))
}

fn list_line(text: &str) -> Option<AsciiDocLine<'_>> {
    if let Some((marker, rest)) = text.split_once(' ') {
        let is_row = |sign: char| marker.len() <= MAX_MARKS && marker.chars().all(|c| c == sign);
        let number = marker.strip_suffix('.').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        let callout = marker.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        let is_callout = callout.is_some_and(|n| n == "." || n.bytes().all(|b| b.is_ascii_digit()));
        if marker == "-" || number || is_callout || is_row('*') || is_row('.') {
            return Some(AsciiDocLine::Item(marker, rest.trim()));
        }
    }
    // The longest mark first: a shorter one is its beginning.
    let (at, marker) = TERM_MARKS.iter().find_map(|mark| {
        let ends = |at: &usize| text[at + mark.len()..].is_empty() || text[at + mark.len()..].starts_with(' ');
        Some((text.match_indices(mark).map(|(at, _)| at).find(ends)?, *mark))
    })?;
    let (term, about) = (&text[..at], text[at + marker.len()..].trim());
    (!term.trim().is_empty()).then_some(AsciiDocLine::Term(marker, term, about))
}
