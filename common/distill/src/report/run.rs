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
        match glyph {
            Glyph::Char(c) => lines.push(*c, &Around { row: &row, at, place }),
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

/// A character and what stands around it: whether it could act as Markdown is decided from these, so that only what could is
/// escaped.
struct Around<'r> {
    row: &'r [&'r Glyph],
    at: usize,
    place: Place,
}

impl Around<'_> {
    /// The next glyph.
    fn next(&self) -> Option<&Glyph> {
        self.row.get(self.at + 1).copied()
    }

    fn before(&self) -> Option<&Glyph> {
        self.at.checked_sub(1).map(|at| self.row[at])
    }

    /// Whether a space or the end of a line follows.
    fn ends_word(&self) -> bool {
        is_gap(self.next())
    }

    /// The glyphs on both sides of the run of equal characters this one stands in.
    fn beside_run(&self, c: char) -> (Option<&Glyph>, Option<&Glyph>) {
        let same = |glyph: &&&Glyph| ***glyph == Glyph::Char(c);
        let ahead = self.row[..self.at].iter().rev().take_while(same).count();
        let behind = self.row[self.at + 1..].iter().take_while(same).count();
        let before = self.at.checked_sub(ahead + 1).map(|at| self.row[at]);
        (before, self.row.get(self.at + behind + 1).copied())
    }

    /// Whether letters and digits up to a semicolon follow: `&` would start a character reference.
    fn is_reference(&self) -> bool {
        let rest = self.row[self.at + 1..].iter();
        let mut tail = rest.skip_while(|g| matches!(g, Glyph::Char(c) if *c == '#' || c.is_ascii_alphanumeric()));
        !self.ends_word() && matches!(tail.next(), Some(Glyph::Char(';')))
    }

    /// Whether `c`, behind `line`, could mean something.
    fn acts(&self, c: char, line: &str) -> bool {
        let after_cite = matches!(self.before(), Some(Glyph::Cite(_)));
        let follows = |wanted: fn(char) -> bool| matches!(self.next(), Some(Glyph::Char(c)) if wanted(*c));
        match c {
            '`' | '[' => true,
            // Behind what could be a number of a citation, also where Markdown itself would not ask for it.
            ']' => after_cite || matches!(self.before(), Some(Glyph::Char(c)) if c.is_numeric() || *c == ' '),
            '\\' => !follows(|c| !c.is_ascii_punctuation() && !c.is_whitespace()),
            '<' => !(self.ends_word() || follows(|c| !c.is_ascii_alphabetic() && !"/!?".contains(c))),
            '|' => self.place == Place::OneLine || self.row.contains(&&Glyph::Break),
            '*' => line.is_empty() || !matches!(self.beside_run(c), (before, after) if is_gap(before) && is_gap(after)),
            '~' => (line.is_empty() && follows(|c| c == '~')) || !is_gap(self.beside_run(c).0),
            '_' => {
                let (before, after) = self.beside_run(c);
                line.is_empty() || !(is_word(before) || is_gap(after))
            }
            '&' => self.is_reference(),
            '!' => matches!(self.next(), Some(Glyph::Cite(_))),
            '(' => after_cite,
            ':' => after_cite && line.starts_with('['),
            '#' => {
                let (before, after) = self.beside_run(c);
                (line.trim_end_matches(['#', '\\']).is_empty() && is_gap(after)) || (is_gap(after) && is_gap(before))
            }
            '+' => line.is_empty() && self.ends_word(),
            '-' | '=' => line.is_empty() && (self.ends_word() || follows(|c| c == '-' || c == '=')),
            '>' => line.is_empty(),
            '.' | ')' => {
                let number = !line.is_empty() && line.len() <= 9 && line.bytes().all(|b| b.is_ascii_digit());
                number && self.ends_word()
            }
            _ => false,
        }
    }
}

/// Whether white space, or nothing of the line, stands there.
fn is_gap(glyph: Option<&Glyph>) -> bool {
    match glyph {
        None | Some(Glyph::Break) => true,
        Some(Glyph::Char(c)) => c.is_whitespace(),
        Some(_) => false,
    }
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

    fn push(&mut self, c: char, around: &Around<'_>) {
        if c.is_whitespace() {
            return self.space();
        }
        self.close_gap();
        if around.acts(c, &self.out[self.start..]) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Code that holds what looks like a citation is written as text: nothing can be escaped in a code span.
    fn code(&mut self, code: &str, place: Place) {
        let code: String = code.chars().filter(|c| !is_invisible(*c)).collect();
        let in_cell = place == Place::OneLine && code.contains('|');
        if looks_cited(&code) || in_cell || code.trim().is_empty() {
            let row: Vec<Glyph> = code.chars().map(Glyph::Char).collect();
            let row: Vec<&Glyph> = row.iter().collect();
            for (at, c) in code.chars().enumerate() {
                self.push(c, &Around { row: &row, at, place });
            }
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
pub(crate) fn is_invisible(c: char) -> bool {
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

#[cfg(test)]
mod tests;
