//! One run of inline Markdown: citations put in place, everything else written so that it means only itself.

use super::citations::Numbering;
use super::glyph::{Glyph, bracketed};

/// Where a run stands, as far as it changes what must be escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A paragraph: line breaks are kept.
    Paragraph,
    /// A heading or a table cell: one line.
    OneLine,
}

/// Writes `row` as Markdown that holds citations, emphasis, code and plain text, and nothing else.
pub(super) fn write(row: &[Glyph], numbering: &mut Numbering<'_>, place: Place) -> String {
    escape(&resolve(row, numbering), place)
}

/// Replaces bracketed finding ids by citations and takes the unknown ones out, together with the space before them.
fn resolve(row: &[Glyph], numbering: &mut Numbering<'_>) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::with_capacity(row.len());
    let mut group: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < row.len() {
        let cited = bracketed(&row[at..]).and_then(|b| numbering.resolve(&b.numbers).map(|numbers| (b.len, numbers)));
        let Some((len, numbers)) = cited else {
            if row[at] != Glyph::Char(' ') {
                group.clear();
            }
            push(&mut out, &row[at]);
            at += 1;
            continue;
        };
        let fresh: Vec<u32> = numbers.into_iter().filter(|n| !group.contains(n)).collect();
        let markup = &row[at..at + len];
        at += len;
        if fresh.is_empty() {
            at += close_gap(&mut out, row.get(at));
        }
        group.extend(&fresh);
        out.extend(fresh.into_iter().map(Glyph::Cite));
        for glyph in markup.iter().filter(|g| matches!(g, Glyph::MarkupStart(_) | Glyph::MarkupEnd(_))) {
            push(&mut out, glyph);
        }
    }
    out
}

/// Appends a glyph; markup that would hold nothing is taken out again, and brackets are ordinary characters from here on.
fn push(out: &mut Vec<Glyph>, glyph: &Glyph) {
    match glyph {
        Glyph::Open => out.push(Glyph::Char('[')),
        Glyph::Close => out.push(Glyph::Char(']')),
        Glyph::MarkupEnd(markup) => {
            let filled = out.iter().rposition(|g| *g != Glyph::Char(' '));
            match filled.filter(|at| out[*at] == Glyph::MarkupStart(markup)) {
                Some(start) => drop(out.remove(start)),
                None => out.push(Glyph::MarkupEnd(markup)),
            }
        }
        other => out.push(other.clone()),
    }
}

/// Closes the gap a removed citation leaves before `next`; returns how many glyphs after it go too.
fn close_gap(out: &mut Vec<Glyph>, next: Option<&Glyph>) -> usize {
    let at_start = matches!(out.last(), None | Some(Glyph::MarkupStart(_) | Glyph::Break));
    let next_is_space = next == Some(&Glyph::Char(' '));
    if at_start {
        return usize::from(next_is_space);
    }
    let ends = match next {
        None | Some(Glyph::MarkupEnd(_) | Glyph::Break) => true,
        Some(Glyph::Char(c)) => " .,;:!?)。，；：！？）".contains(*c),
        Some(_) => false,
    };
    while ends && out.last() == Some(&Glyph::Char(' ')) {
        out.pop();
    }
    0
}

fn escape(row: &[Glyph], place: Place) -> String {
    // Left out first: what stands beside what decides on the escapes.
    let row: Vec<&Glyph> = row.iter().filter(|g| !matches!(g, Glyph::Char(c) if is_invisible(*c))).collect();
    let mut lines = Lines { out: String::new(), start: 0, gap: Gap::None };
    for (at, glyph) in row.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| row[at]);
        match glyph {
            Glyph::Char(c) => lines.push(*c, before, row.get(at + 1).copied()),
            Glyph::Cite(n) => lines.word(&format!("[{n}]")),
            Glyph::MarkupStart(markup) => lines.word(markup),
            Glyph::MarkupEnd(markup) => lines.out.push_str(markup),
            Glyph::Code(code) => lines.code(code, place),
            Glyph::Break if place == Place::Paragraph => lines.gap = Gap::Line,
            Glyph::Break => lines.space(),
            Glyph::Open | Glyph::Close => {}
        }
    }
    lines.out
}

/// Markdown under way, where its current line starts, and the white space that the next word will need.
struct Lines {
    out: String,
    start: usize,
    gap: Gap,
}

#[derive(PartialEq, Eq)]
enum Gap {
    None,
    Space,
    Line,
}

impl Lines {
    fn space(&mut self) {
        if self.gap == Gap::None {
            self.gap = Gap::Space;
        }
    }

    /// Writes the white space that is due; none at the start of a line, where it would mean something.
    fn close_gap(&mut self) {
        let at_start = self.out.len() == self.start;
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::Space if !at_start => self.out.push(' '),
            Gap::Line if !at_start => {
                self.out.push_str("\\\n");
                self.start = self.out.len();
            }
            Gap::None | Gap::Space | Gap::Line => {}
        }
    }

    fn word(&mut self, text: &str) {
        self.close_gap();
        self.out.push_str(text);
    }

    fn push(&mut self, c: char, before: Option<&Glyph>, next: Option<&Glyph>) {
        if c.is_whitespace() {
            return self.space();
        }
        self.close_gap();
        let line = &self.out[self.start..];
        let after_cite = matches!(before, Some(Glyph::Cite(_)));
        let escape = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '|' => true,
            '_' => !(is_word(before) && is_word(next)),
            '&' => matches!(next, Some(Glyph::Char(c)) if *c == '#' || c.is_ascii_alphanumeric()),
            '!' => matches!(next, Some(Glyph::Cite(_))),
            '(' => after_cite,
            ':' => after_cite && line.starts_with('['),
            '#' => line.is_empty() || next.is_none(),
            '+' | '-' | '=' | '>' => line.is_empty(),
            '.' | ')' => !line.is_empty() && line.len() <= 9 && line.bytes().all(|b| b.is_ascii_digit()),
            _ => false,
        };
        if escape {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Code that holds what looks like a citation is written as text: nothing can be escaped in a code span.
    fn code(&mut self, code: &str, place: Place) {
        let code: String = code.chars().filter(|c| !is_invisible(*c)).collect();
        let in_cell = place == Place::OneLine && code.contains('|');
        if looks_cited(&code) || in_cell || code.trim().is_empty() {
            code.chars().for_each(|c| self.push(c, None, None));
            return;
        }
        let fence = "`".repeat(longest_run(&code, '`') + 1);
        let pad = if code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']) { " " } else { "" };
        self.word(&format!("{fence}{pad}{code}{pad}{fence}"));
    }
}

fn is_word(glyph: Option<&Glyph>) -> bool {
    matches!(glyph, Some(Glyph::Char(c)) if c.is_alphanumeric())
}

/// Control characters, and the ones that reorder text: in a report they could only make it read as what it is not.
pub(super) fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace()) || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a script that looks for `[n]` would find one.
pub(super) fn looks_cited(code: &str) -> bool {
    code.match_indices('[').any(|(at, _)| {
        let rest = code[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < code.len() - at - 1 && rest.starts_with(']')
    })
}

/// Length of the longest row of `wanted` in `text`.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut current) = (0, 0);
    for c in text.chars() {
        current = if c == wanted { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

/// Writes foreign text, such as a title or a quote, as one line of Markdown that means only itself.
pub(super) fn literal(text: &str) -> String {
    let row: Vec<Glyph> = text.chars().map(Glyph::Char).collect();
    escape(&row, Place::OneLine)
}
