//! Writes one run of inline Markdown: citations are inserted, and everything else is escaped as far as it would act as Markdown.

use precis_text::{is_shown, shown_text};

use super::bare_addresses::addresses_as_code;
use super::inline::{Inline, bracketed_numbers};
use super::numbering::CitationNumbering;

/// The place of a run, as far as it changes what must be escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContext {
    /// A paragraph: line breaks are kept.
    Paragraph,
    /// One line, or the start of one, where a number, a dash or `>` would start a block.
    OneLine,
    /// A heading, a table cell, or text that other text or emphasis stands before: one line in which no block starts.
    Within,
}

/// Writes `row` as Markdown that holds citations, emphasis, code and plain text, and nothing else: addresses are code, and what nobody
/// sees is left out.
pub(super) fn write(row: Vec<Inline>, numbering: &mut CitationNumbering<'_>, place: EscapeContext) -> String {
    // Addresses come last: what is removed before them may have kept their parts from being one.
    escape(&addresses_as_code(resolve(&visible_row(row), numbering)), place)
}

/// `row` without the characters that are not shown. They go first: they could hide a citation or an address, and neighbours decide what
/// must be escaped.
fn visible_row(row: Vec<Inline>) -> Vec<Inline> {
    let mut seen: Vec<Inline> = Vec::with_capacity(row.len());
    let mut rest = row.into_iter().peekable();
    while let Some(inline) = rest.next() {
        let is_kept = match (&inline, seen.last()) {
            (Inline::Char(c), before) => is_shown(before.and_then(char_of), *c, rest.peek().and_then(char_of)),
            _ => true,
        };
        seen.extend(Some(inline).filter(|_| is_kept));
    }
    seen
}

fn char_of(inline: &Inline) -> Option<char> {
    if let Inline::Char(c) = inline { Some(*c) } else { None }
}

/// Replaces bracketed finding ids with citations and removes unknown ids together with the space before them.
fn resolve(row: &[Inline], numbering: &mut CitationNumbering<'_>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(row.len());
    let mut group: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < row.len() {
        let cited =
            bracketed_numbers(&row[at..]).and_then(|b| numbering.resolve(&b.numbers).map(|numbers| (b.len, numbers)));
        let Some((len, numbers)) = cited else {
            if row[at] != Inline::Char(' ') {
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
        out.extend(fresh.into_iter().map(Inline::Cite));
        for inline in markup.iter().filter(|g| matches!(g, Inline::MarkupStart(_) | Inline::MarkupEnd(_))) {
            push(&mut out, inline);
        }
    }
    out
}

/// Appends an inline; removes markup that would be empty, and turns brackets into ordinary characters.
fn push(out: &mut Vec<Inline>, inline: &Inline) {
    match inline {
        Inline::Open => out.push(Inline::Char('[')),
        Inline::Close => out.push(Inline::Char(']')),
        Inline::MarkupEnd(markup) => {
            let filled = out.iter().rposition(|g| *g != Inline::Char(' '));
            match filled.filter(|at| out[*at] == Inline::MarkupStart(markup)) {
                Some(start) => drop(out.remove(start)),
                None => out.push(Inline::MarkupEnd(markup)),
            }
        }
        other => out.push(other.clone()),
    }
}

/// Closes the gap that a removed citation leaves before `next`; returns how many of the following inlines to skip as well.
fn close_gap(out: &mut Vec<Inline>, next: Option<&Inline>) -> usize {
    let at_start = matches!(out.last(), None | Some(Inline::MarkupStart(_) | Inline::Break));
    let next_is_space = next == Some(&Inline::Char(' '));
    if at_start {
        return usize::from(next_is_space);
    }
    let ends = match next {
        None | Some(Inline::MarkupEnd(_) | Inline::Break) => true,
        Some(Inline::Char(c)) => " .,;:!?)。，；：！？）".contains(*c),
        Some(_) => false,
    };
    while ends && out.last() == Some(&Inline::Char(' ')) {
        out.pop();
    }
    0
}

fn escape(row: &[Inline], place: EscapeContext) -> String {
    let row: Vec<&Inline> = row.iter().collect();
    let mut lines = Lines { out: String::new(), start: 0, gap: PendingSpace::None };
    for (at, inline) in row.iter().enumerate() {
        match inline {
            Inline::Char(c) => lines.push(*c, &CharContext { row: &row, at, place }),
            Inline::Cite(n) => lines.word(&format!("[{n}]")),
            Inline::MarkupStart(markup) => lines.word(markup),
            Inline::MarkupEnd(markup) => lines.out.push_str(markup),
            Inline::Code(code) => lines.code(code, place),
            Inline::Break if place == EscapeContext::Paragraph => lines.gap = PendingSpace::Line,
            Inline::Break => lines.space(),
            Inline::Open | Inline::Close => {}
        }
    }
    lines.out
}

/// A character and its neighbours, which decide whether it could act as Markdown; only such characters are escaped.
struct CharContext<'r> {
    row: &'r [&'r Inline],
    at: usize,
    place: EscapeContext,
}

impl CharContext<'_> {
    /// The next inline.
    fn next(&self) -> Option<&Inline> {
        self.row.get(self.at + 1).copied()
    }

    fn before(&self) -> Option<&Inline> {
        self.at.checked_sub(1).map(|at| self.row[at])
    }

    /// Whether a space or the end of a line follows.
    fn ends_word(&self) -> bool {
        is_gap(self.next())
    }

    /// The inlines on both sides of the run of equal characters that contains this one.
    fn beside_run(&self, c: char) -> (Option<&Inline>, Option<&Inline>) {
        let same = |inline: &&&Inline| ***inline == Inline::Char(c);
        let ahead = self.row[..self.at].iter().rev().take_while(same).count();
        let behind = self.row[self.at + 1..].iter().take_while(same).count();
        let before = self.at.checked_sub(ahead + 1).map(|at| self.row[at]);
        (before, self.row.get(self.at + behind + 1).copied())
    }

    /// Whether a run of marks between `before` and `after` starts or ends text that may stand in emphasis, whose own marks are next to it.
    fn edges(&self, before: Option<&Inline>, after: Option<&Inline>) -> bool {
        self.place == EscapeContext::Within && (before.is_none() || after.is_none())
    }

    /// Whether letters and digits up to a semicolon follow, so that `&` would start a character reference.
    fn is_reference(&self) -> bool {
        let rest = self.row[self.at + 1..].iter();
        let mut tail = rest.skip_while(|g| matches!(g, Inline::Char(c) if *c == '#' || c.is_ascii_alphanumeric()));
        !self.ends_word() && matches!(tail.next(), Some(Inline::Char(';')))
    }

    /// Whether `c`, after `line`, could act as Markdown or as part of a citation mark.
    fn acts(&self, c: char, line: &str) -> bool {
        let starts_block = line.is_empty() && self.place != EscapeContext::Within;
        let after_cite = matches!(self.before(), Some(Inline::Cite(_)));
        let follows = |wanted: fn(char) -> bool| matches!(self.next(), Some(Inline::Char(c)) if wanted(*c));
        match c {
            '`' | '[' => true,
            // Escaped after anything that could be a citation number, even if Markdown does not require it.
            ']' => after_cite || matches!(self.before(), Some(Inline::Char(c)) if c.is_numeric() || *c == ' '),
            '\\' => !follows(|c| !c.is_ascii_punctuation() && !c.is_whitespace()),
            '<' => !(self.ends_word() || follows(|c| !c.is_ascii_alphabetic() && !"/!?".contains(c))),
            '|' => self.place != EscapeContext::Paragraph || self.row.contains(&&Inline::Break),
            '*' => {
                let (before, after) = self.beside_run(c);
                line.is_empty() || self.edges(before, after) || !(is_gap(before) && is_gap(after))
            }
            '~' => (starts_block && follows(|c| c == '~')) || !is_gap(self.beside_run(c).0),
            '_' => {
                let (before, after) = self.beside_run(c);
                line.is_empty() || self.edges(before, after) || !(is_word(before) || is_gap(after))
            }
            '&' => self.is_reference(),
            '!' => matches!(self.next(), Some(Inline::Cite(_))),
            '(' => after_cite,
            ':' => after_cite && line.starts_with('['),
            '#' => {
                let (before, after) = self.beside_run(c);
                (line.trim_end_matches(['#', '\\']).is_empty() && is_gap(after)) || (is_gap(after) && is_gap(before))
            }
            '+' => starts_block && self.ends_word(),
            '-' | '=' => starts_block && (self.ends_word() || follows(|c| c == '-' || c == '=')),
            '>' => starts_block,
            '.' | ')' if self.place == EscapeContext::Within => false,
            '.' | ')' => {
                let number = !line.is_empty() && line.len() <= 9 && line.bytes().all(|b| b.is_ascii_digit());
                number && self.ends_word()
            }
            _ => false,
        }
    }
}

/// Whether `inline` is white space or the end of the line.
fn is_gap(inline: Option<&Inline>) -> bool {
    match inline {
        None | Some(Inline::Break) => true,
        Some(Inline::Char(c)) => c.is_whitespace(),
        Some(_) => false,
    }
}

/// The Markdown written so far, the start of its current line, and the white space due before the next word.
struct Lines {
    out: String,
    start: usize,
    gap: PendingSpace,
}

#[derive(PartialEq, Eq)]
enum PendingSpace {
    None,
    Space,
    Line,
}

impl Lines {
    fn space(&mut self) {
        if self.gap == PendingSpace::None {
            self.gap = PendingSpace::Space;
        }
    }

    /// Writes the white space that is due, but none at the start of a line, where it would act as markup.
    fn close_gap(&mut self) {
        let at_start = self.out.len() == self.start;
        match std::mem::replace(&mut self.gap, PendingSpace::None) {
            PendingSpace::Space if !at_start => self.out.push(' '),
            PendingSpace::Line if !at_start => {
                self.out.push_str("\\\n");
                self.start = self.out.len();
            }
            PendingSpace::None | PendingSpace::Space | PendingSpace::Line => {}
        }
    }

    fn word(&mut self, text: &str) {
        self.close_gap();
        self.out.push_str(text);
    }

    fn push(&mut self, c: char, around: &CharContext<'_>) {
        if c.is_whitespace() {
            return self.space();
        }
        self.close_gap();
        if around.acts(c, &self.out[self.start..]) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Writes a code span; code that contains what looks like a citation is written as text, because code spans allow no escapes.
    fn code(&mut self, code: &str, place: EscapeContext) {
        let code = shown_text(code);
        let in_cell = place != EscapeContext::Paragraph && code.contains('|');
        if looks_cited(&code) || in_cell || code.trim().is_empty() {
            return self.code_as_text(&code, place);
        }
        // Longer than any run in the code, which would otherwise end the span.
        let fence = "`".repeat(longest_run(&code, '`') + 1);
        let pad = if code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']) { " " } else { "" };
        self.word(&format!("{fence}{pad}{code}{pad}{fence}"));
    }

    /// Writes code as text. The addresses in it stay code, without the brackets and bars for which the whole cannot be.
    fn code_as_text(&mut self, code: &str, place: EscapeContext) {
        let row = addresses_as_code(code.chars().map(Inline::Char).collect());
        let row: Vec<&Inline> = row.iter().collect();
        for (at, inline) in row.iter().enumerate() {
            match inline {
                Inline::Char(c) => self.push(*c, &CharContext { row: &row, at, place }),
                Inline::Code(address) => self.code(address, place),
                Inline::Open
                | Inline::Close
                | Inline::MarkupStart(_)
                | Inline::MarkupEnd(_)
                | Inline::Break
                | Inline::Cite(_) => {}
            }
        }
    }
}

fn is_word(inline: Option<&Inline>) -> bool {
    matches!(inline, Some(Inline::Char(c)) if c.is_alphanumeric())
}

/// Whether `code` contains `[n]`, so that a script that looks for citations would find one.
pub(super) fn looks_cited(code: &str) -> bool {
    code.match_indices('[').any(|(at, _)| {
        let rest = code[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < code.len() - at - 1 && rest.starts_with(']')
    })
}

/// Length of the longest run of `wanted` in `text`.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut current) = (0, 0);
    for c in text.chars() {
        current = if c == wanted { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

/// Escapes foreign text, such as a title, a quote or a model's words, as one line of Markdown that displays as it is and links nowhere:
/// addresses are code, and characters that nobody sees are left out.
pub(crate) fn literal(text: &str) -> String {
    let row = text.chars().map(Inline::Char).collect();
    escape(&addresses_as_code(visible_row(row)), EscapeContext::OneLine)
}

/// [`literal`] for a place where no block can start: after other text, in emphasis, a heading or a cell. `2. No` stays as it is there.
pub(crate) fn literal_within(text: &str) -> String {
    let row = text.trim().chars().map(Inline::Char).collect();
    escape(&addresses_as_code(visible_row(row)), EscapeContext::Within)
}

#[cfg(test)]
mod tests;
