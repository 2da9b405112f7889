//! Inline markup to visible text: without stars, backquotes, roles and targets, but with every word.
//!
//! Text that only looks like markup stays as it is: the specification requires white space or punctuation around markup. An end mark that
//! was not found once is not searched for again, so time is linear.

use super::definitions::Definitions;
use super::delimiters::{is_quoted, may_end_before, may_start_behind, simple_name, simple_name_before, unescaped};
use super::roles;

/// Longest name of a role, label or target, in bytes; chosen, not measured.
const MAX_NAME_BYTES: usize = 128;

/// `source` without its markup.
pub(super) fn shown(source: &str, definitions: &Definitions) -> String {
    scanned(source, definitions, false)
}

/// Within other markup only backquotes are interpreted: docutils would show them there, which no author intends.
fn scanned(text: &str, definitions: &Definitions, is_inner: bool) -> String {
    let out = String::with_capacity(text.len());
    let mut scanner = InlineScanner { text, at: 0, out, missing: [false; 5], definitions, is_inner };
    while scanner.at < text.len() {
        scanner.step();
    }
    scanner.out
}

/// The kinds of end marks.
#[derive(Debug, Clone, Copy)]
enum EndMark {
    Strong,
    Emphasis,
    Literal,
    Backquote,
    Bar,
}

struct InlineScanner<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// For each [`EndMark`], whether there is none ahead.
    missing: [bool; 5],
    definitions: &'a Definitions,
    is_inner: bool,
}

impl<'a> InlineScanner<'a> {
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return };
        let before = self.text[..self.at].chars().next_back();
        let found = match c {
            '\\' => {
                let escaped = rest[1..].chars().next();
                let shown = escaped.filter(|c| !c.is_whitespace()).map(String::from).unwrap_or_default();
                Some((shown, 1 + escaped.map_or(0, char::len_utf8)))
            }
            '`' if !may_start_behind(before) => None,
            // The longer of two marks comes first: the shorter one would match its beginning.
            '`' if rest.starts_with("``") => self.literal(),
            '`' => self.interpreted(None, 0),
            _ if self.is_inner => None,
            '_' => self.reference().or_else(|| may_start_behind(before).then(|| self.target()).flatten()),
            _ if !may_start_behind(before) => None,
            '*' if rest.starts_with("**") => self.enclosed("**", EndMark::Strong),
            '*' => self.enclosed("*", EndMark::Emphasis),
            ':' => self.role(),
            '|' => self.substitution(),
            '[' => self.note(),
            _ => None,
        };
        let (shown, bytes) = found.unwrap_or_else(|| (c.to_string(), c.len_utf8()));
        self.out.push_str(&shown);
        self.at += bytes;
    }

    /// The position of `mark` that ends the markup begun at `from`, and the length of the suffix that belongs to it.
    fn end(&mut self, mark: EndMark, from: usize) -> Option<(usize, usize)> {
        let open = self.text[..self.at].chars().next_back();
        let first = self.text[from..].chars().next().filter(|c| !c.is_whitespace())?;
        if self.missing[mark as usize] || is_quoted(open, first) {
            return None;
        }
        let is_raw = matches!(mark, EndMark::Literal);
        let sign = match mark {
            EndMark::Strong => "**",
            EndMark::Emphasis => "*",
            EndMark::Literal => "``",
            EndMark::Backquote => "`",
            EndMark::Bar => "|",
        };
        let mut before = None;
        let mut chars = self.text[from..].char_indices();
        while let Some((at, c)) = chars.next() {
            let at = from + at;
            let is_end = before.is_some_and(|c: char| !c.is_whitespace()) && self.text[at..].starts_with(sign);
            if let Some(tail) = is_end.then(|| self.tail(mark, at + sign.len())).flatten() {
                return Some((at, tail));
            }
            before = if c == '\\' && !is_raw { chars.next().map(|(_, c)| c) } else { Some(c) };
        }
        self.missing[mark as usize] = true;
        None
    }

    /// Length of the suffix behind an end mark: the mark of a reference, or a role.
    fn tail(&self, mark: EndMark, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let mut tails = vec![0];
        if matches!(mark, EndMark::Backquote | EndMark::Bar) {
            tails.extend(["__", "_"].iter().filter(|tail| rest.starts_with(**tail)).map(|tail| tail.len()));
        }
        if matches!(mark, EndMark::Backquote) {
            tails.extend(role_name(rest).map(|name| name.len() + 2));
        }
        tails.into_iter().rev().find(|&bytes| may_end_before(rest[bytes..].chars().next()))
    }

    fn enclosed(&mut self, sign: &str, mark: EndMark) -> Option<(String, usize)> {
        let from = self.at + sign.len();
        let (end, _) = self.end(mark, from)?;
        Some((scanned(&self.text[from..end], self.definitions, true), end + sign.len() - self.at))
    }

    fn literal(&mut self) -> Option<(String, usize)> {
        let from = self.at + 2;
        let (end, _) = self.end(EndMark::Literal, from)?;
        Some((self.text[from..end].to_owned(), end + 2 - self.at))
    }

    /// Text between backquotes: that of a role, a reference or a title. `skip` bytes precede the first backquote.
    fn interpreted(&mut self, role: Option<&str>, skip: usize) -> Option<(String, usize)> {
        let from = self.at + skip + 1;
        if self.text[from..].starts_with('`') {
            return None;
        }
        let (end, tail) = self.end(EndMark::Backquote, from)?;
        let (inside, behind) = (&self.text[from..end], &self.text[end + 1..end + 1 + tail]);
        let shown = match (role, behind) {
            (Some(_), "_" | "__") => return None,
            (Some(role), _) => roles::shown(role, inside),
            (None, "") => unescaped(inside),
            (None, "_" | "__") => roles::titled(inside),
            (None, role) => roles::shown(role.trim_matches(':'), inside),
        };
        Some((shown, end + 1 + tail - self.at))
    }

    fn role(&mut self) -> Option<(String, usize)> {
        let name = role_name(&self.text[self.at..])?;
        let skip = name.len() + 2;
        self.text[self.at + skip..].starts_with('`').then(|| self.interpreted(Some(name), skip)).flatten()
    }

    fn substitution(&mut self) -> Option<(String, usize)> {
        let from = self.at + 1;
        let (end, tail) = self.end(EndMark::Bar, from)?;
        let shown = self.definitions.substitution(&self.text[from..end])?;
        Some((shown, end + 1 + tail - self.at))
    }

    /// A reference to a note or to the list of references, as shown.
    fn note(&mut self) -> Option<(String, usize)> {
        let rest = &self.text[self.at + 1..];
        let label = &rest[..rest.bytes().take(MAX_NAME_BYTES).position(|byte| byte == b']')?];
        let behind = rest[label.len()..].strip_prefix("]_")?;
        let is_label = is_note_label(label) && may_end_before(behind.chars().next());
        is_label.then(|| (format!("[{}]", self.definitions.note_referred(label)), label.len() + 3))
    }

    /// The underscore behind a name that is a known target.
    fn reference(&self) -> Option<(String, usize)> {
        let rest = &self.text[self.at..];
        let bytes = if rest.starts_with("__") { 2 } else { 1 };
        if !may_end_before(rest[bytes..].chars().next()) {
            return None;
        }
        let name = simple_name_before(&self.text[..self.at], MAX_NAME_BYTES);
        let before = self.text[..self.at - name.len()].chars().next_back();
        let is_known = !name.is_empty() && may_start_behind(before) && self.definitions.is_target(name, bytes == 2);
        is_known.then(|| (String::new(), bytes))
    }

    /// The text of an inline target.
    fn target(&mut self) -> Option<(String, usize)> {
        let from = self.at + 2;
        self.text[self.at..].starts_with("_`").then_some(())?;
        let (end, tail) = self.end(EndMark::Backquote, from)?;
        (tail == 0).then(|| (unescaped(&self.text[from..end]), end + 1 - self.at))
    }
}

/// The role name between colons at the start of `text`.
fn role_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(':')?;
    let mut most = rest.len().min(MAX_NAME_BYTES);
    while !rest.is_char_boundary(most) {
        most -= 1;
    }
    let bytes = simple_name(&rest[..most]);
    (bytes > 0 && rest[bytes..].starts_with(':')).then(|| &rest[..bytes])
}

/// Whether `label` can be the label of a note: a number, `#`, `#name`, `*` or a name.
pub(super) fn is_note_label(label: &str) -> bool {
    let name = label.strip_prefix('#').unwrap_or(label);
    label == "#" || label == "*" || (!name.is_empty() && is_name(name))
}

/// Whether `name` is a simple name.
fn is_name(name: &str) -> bool {
    simple_name(name) == name.len()
}
