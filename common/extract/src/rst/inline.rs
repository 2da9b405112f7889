//! Inline markup to runs: without stars, backquotes, roles and targets, but with every word.
//!
//! Text that only looks like markup stays as it is: the specification requires white space or punctuation around markup. An end mark that
//! was not found once is not searched for again, and names are short, so time is linear.

use super::definitions::Definitions;
use super::lines::{MAX_NAME_BYTES, simple_name};
use crate::roles;
use crate::runs::RunText;

/// Characters with which markup begins.
const MARKS: [char; 7] = ['\\', '`', '*', '_', ':', '|', '['];
/// Marks around text, and the mark that ends it. The longer of two comes first: the shorter one would match its beginning.
const AROUND: [(&str, &str); 5] = [("``", "``"), ("**", "**"), ("*", "*"), ("`", "`"), ("_`", "`")];
/// The runs of `text`.
pub(super) fn read(text: &str, definitions: &Definitions) -> RunText {
    let mut out = RunText::default();
    scan(text, definitions, false, &mut out);
    out
}

/// The words of `text`, in which no name is replaced: replacements in a replacement could grow without bound.
pub(super) fn replacement(text: &str) -> String {
    read(text, &Definitions::default()).words().text
}

/// Appends the runs of `text`. Within emphasis only backquotes are markup: docutils would show them there, which no author intends.
fn scan(text: &str, definitions: &Definitions, is_emphasis: bool, out: &mut RunText) {
    let (mut at, mut without_end) = (0, Vec::new());
    while at < text.len() {
        let (head, rest) = text.split_at(at);
        let opens = may_open(head.chars().next_back());
        let role = role_name(rest).filter(|name| rest[name.len() + 2..].starts_with('`'));
        let skip = role.map_or(0, |role| role.len() + 2);
        let is_around =
            |(open, _): &&(&str, &str)| rest[skip..].starts_with(open) && (!is_emphasis || open.contains('`'));
        let around = AROUND.iter().find(is_around).filter(|_| opens);
        let found = around.and_then(|(open, close)| {
            let from = skip + open.len();
            let end = end(text, at, from, close, &mut without_end)?;
            let (inside, behind) = (&rest[from..end], &rest[end + close.len()..]);
            Some(
                end + close.len()
                    + match *close {
                        "``" => push_role(out, "code", inside),
                        "`" => push_interpreted(out, role, inside, behind),
                        _ => {
                            scan(inside, definitions, true, out);
                            0
                        }
                    },
            )
        });
        let found = found.or_else(|| match rest.chars().next()? {
            '\\' => Some(1 + push_escaped(&rest[1..], out)),
            '_' if !is_emphasis => reference(head, rest),
            '|' if !is_emphasis && opens => substitution(rest, definitions, out),
            '[' if !is_emphasis && opens => note(rest, definitions, out),
            _ => None,
        });
        at += found.unwrap_or_else(|| {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let plain = rest[first..].find(MARKS).map_or(rest, |behind| &rest[..first + behind]);
            out.plain(plain);
            plain.len()
        });
    }
}

/// The position behind `at` of the mark `close` that ends the text which begins `from` bytes behind `at`.
fn end<'m>(text: &str, at: usize, from: usize, close: &'m str, without_end: &mut Vec<&'m str>) -> Option<usize> {
    let inner = &text[at + from..];
    let first = inner.chars().next().filter(|c| !c.is_whitespace() && (close != "`" || *c != '`'))?;
    if without_end.contains(&close) || is_quoted(text[..at].chars().next_back(), first) {
        return None;
    }
    let closes = |(at, _): &(usize, &str)| {
        let (inside, behind) = (&inner[..*at], inner[*at..].strip_prefix(close));
        let backslashes = inside.len() - inside.trim_end_matches('\\').len();
        let is_tight = *at > 0 && !inside.ends_with(char::is_whitespace) && (close == "``" || backslashes % 2 == 0);
        let may_end = |behind: &str| may_close(behind.chars().next()) || (close == "`" && behind.starts_with('_'));
        is_tight && behind.is_some_and(may_end)
    };
    let found = inner.match_indices(&close[..1]).find(closes).map(|(at, _)| from + at);
    without_end.extend(found.is_none().then_some(close));
    found
}

/// Appends the character that a backslash escapes; white space is none. Returns its length.
fn push_escaped(rest: &str, out: &mut RunText) -> usize {
    let Some(c) = rest.chars().next() else { return 0 };
    if !c.is_whitespace() {
        out.plain(&rest[..c.len_utf8()]);
    }
    c.len_utf8()
}

/// Appends text between backquotes: that of a role, which may stand on either side, of a reference, or a title. Returns the length of the
/// part of `behind` that belongs to it.
fn push_interpreted(out: &mut RunText, role: Option<&str>, inside: &str, behind: &str) -> usize {
    let role_behind = role_name(behind).filter(|name| may_close(behind[name.len() + 2..].chars().next()));
    let underscores = behind.len() - behind.trim_start_matches('_').len();
    match (role, role_behind) {
        (Some(role), _) => push_role(out, role, inside),
        (None, Some(role)) => push_role(out, role, inside) + role.len() + 2,
        (None, None) if underscores > 0 => push_role(out, "ref", inside) + underscores,
        (None, None) => push_role(out, "", inside),
    }
}

/// The length of the underscores behind the name of a reference.
fn reference(head: &str, rest: &str) -> Option<usize> {
    let bytes = rest.len() - rest.trim_start_matches('_').len();
    let head = &head[head.floor_char_boundary(head.len().saturating_sub(MAX_NAME_BYTES))..];
    let name = head.rsplit(|c: char| !c.is_alphanumeric() && !"-.+:".contains(c)).next()?;
    let opens = may_open(head[..head.len() - name.len()].chars().next_back());
    let is_name = bytes <= 2 && opens && name.ends_with(char::is_alphanumeric);
    (is_name && may_close(rest[bytes..].chars().next())).then_some(bytes)
}

/// Appends the replacement for the name between bars; returns the length of both.
fn substitution(rest: &str, definitions: &Definitions, out: &mut RunText) -> Option<usize> {
    let (name, _) = rest[1..rest.floor_char_boundary(MAX_NAME_BYTES)].split_once('|')?;
    out.plain(definitions.substitution(name)?);
    let behind = &rest[name.len() + 2..];
    Some(rest.len() - behind.trim_start_matches('_').len())
}

/// Appends a reference to a note or to the list of references, as shown; returns its length.
fn note(rest: &str, definitions: &Definitions, out: &mut RunText) -> Option<usize> {
    let (label, _) = rest[1..rest.floor_char_boundary(MAX_NAME_BYTES)].split_once("]_")?;
    let behind = rest[label.len() + 3..].chars().next();
    (is_note_label(label) && may_close(behind)).then(|| {
        out.plain(&definitions.note(label, true));
        label.len() + 3
    })
}

/// Whether inline markup may begin behind the character `before`.
fn may_open(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || "-:/'\"<([{".contains(c) || (!c.is_ascii() && !c.is_alphanumeric()))
}

/// Whether inline markup may end before the character `behind`.
fn may_close(behind: Option<char>) -> bool {
    behind
        .is_none_or(|c| c.is_whitespace() || "'\")]}>-/\\:.,;!?".contains(c) || (!c.is_ascii() && !c.is_alphanumeric()))
}

/// Whether `close` closes what `open` opens: a markup character between the two is literal.
fn is_quoted(open: Option<char>, close: char) -> bool {
    let pairs = ["\"\"", "''", "()", "[]", "{}", "<>", "“”", "‘’", "«»", "‹›", "„“", "»«", "「」", "『』"];
    open.is_some_and(|open| pairs.iter().any(|pair| pair.chars().eq([open, close])))
}

/// The role name between colons at the start of `text`.
fn role_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(':')?;
    let name = &rest[..simple_name(rest)];
    (!name.is_empty() && rest[name.len()..].starts_with(':')).then_some(name)
}

/// Whether `label` can be the label of a note: a number, `#`, `#name`, `*` or a name.
pub(super) fn is_note_label(label: &str) -> bool {
    let name = label.strip_prefix('#').unwrap_or(label);
    matches!(label, "#" | "*") || (!name.is_empty() && simple_name(name) == name.len())
}

/// Appends what a page shows of `inside` in the role `role`. Returns 0, since nothing behind the text belongs to it.
fn push_role(out: &mut RunText, role: &str, inside: &str) -> usize {
    let shown = roles::shown(role, inside, false);
    let text = if shown.is_typed { shown.text.into_owned() } else { unescape(&shown.text) };
    out.begin_link(shown.target);
    out.push(&text, shown.marks);
    out.end_link();
    0
}

/// `source` without escaping backslashes; white space after a backslash is removed too.
fn unescape(source: &str) -> String {
    let mut chars = source.chars();
    let next = || chars.next().map(|c| if c == '\\' { chars.next().filter(|c| !c.is_whitespace()) } else { Some(c) });
    std::iter::from_fn(next).flatten().collect()
}
