//! Markup inside a block: macros and links give their text, attributes their value, and marks go.

use super::attributes::Attributes;
use crate::runs::{Marks, Position, RunText};

/// Longest markup inside a line, in bytes; chosen: it bounds the search for an end.
const MAX_MARKUP_BYTES: usize = 1_000;
/// Begin a macro or address whose text is in the brackets behind it.
const MACROS: &str =
    "xref: link: image: footnote: kbd: btn: menu: pass: icon: mailto: anchor: stem: indexterm: https:// http:// ftp://";
/// The role of text that is struck out.
const STRUCK: &str = "line-through";
/// Characters that may begin markup.
const SIGNS: [char; 9] = ['*', '_', '`', '#', '^', '~', '+', '\\', '['];

/// The words of a block.
#[derive(Debug, Default)]
pub(super) struct ShownText {
    pub(super) words: RunText,
    /// Texts of notes written inside the block.
    pub(super) notes: Vec<String>,
    last: Option<char>,
}

impl ShownText {
    fn push(&mut self, text: &str, marks: Marks) {
        self.words.push(text, marks);
        self.last = text.chars().next_back().or(self.last);
    }
}

/// The words of `text`, with the values of `attributes`.
pub(super) fn shown(text: &str, attributes: &Attributes) -> ShownText {
    let mut out = ShownText::default();
    scan(&attributes.replace(text), Marks::default(), 0, &mut out);
    out
}

fn scan(text: &str, marks: Marks, depth: usize, out: &mut ShownText) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_start = out.last.is_none_or(|c| !c.is_alphanumeric());
        let taken = match first {
            '<' => reference(rest, marks, out),
            '{' => address(rest, marks, depth, out),
            _ if is_start && first.is_ascii_lowercase() => macro_text(rest, marks, depth, out),
            _ if SIGNS.contains(&first) && depth < 4 => marked(rest, first, marks, depth, out),
            _ => None,
        };
        let taken = taken.unwrap_or_else(|| {
            let length = first.len_utf8();
            let is_break = first == '+' && rest[1..].starts_with('\n') && out.last.is_some_and(char::is_whitespace);
            out.push(if is_break { "" } else { &rest[..length] }, marks);
            length
        });
        rest = &rest[taken..];
    }
}

/// The length of a reference `<<id,text>>`, of which the text is shown, else the name.
fn reference(rest: &str, marks: Marks, out: &mut ShownText) -> Option<usize> {
    let inner = rest.strip_prefix("<<")?;
    let end = window(inner).find(">>").filter(|end| *end > 0)?;
    let shown = inner[..end].split_once(',').map_or(inner[..end].trim_start_matches('#'), |(_, text)| text.trim());
    // A name alone is a place of the same document.
    let target = inner[..end].split(',').next().unwrap_or_default();
    out.words.begin_link(if target.contains(['#', '.']) { target } else { "" });
    out.push(shown, marks);
    out.words.end_link();
    Some(end + 4)
}

/// The length of a link whose address begins with a name that has no value: its text is shown.
fn address(rest: &str, marks: Marks, depth: usize, out: &mut ShownText) -> Option<usize> {
    let near = window(rest);
    let open = near.find(|c: char| c == '[' || c.is_whitespace()).filter(|at| near[*at..].starts_with('['))?;
    let end = closing_bracket(near, open).filter(|end| *end > open + 1)?;
    near[..open].contains('}').then(|| scan(near[open + 1..end].trim_end_matches('^'), marks, depth + 1, out))?;
    Some(end + 1)
}

/// The name and colon of a macro that the document's own program defines, if a target follows directly.
fn own_macro(rest: &str) -> Option<&str> {
    let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    let begin = rest.get(..=name).filter(|begin| begin.ends_with(':'))?;
    rest[begin.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '{').then_some(begin)
}

/// The length of a macro, of which the text is shown: `xref:target[text]`, `https://a.b[text]`.
fn macro_text(rest: &str, marks: Marks, depth: usize, out: &mut ShownText) -> Option<usize> {
    let begin = MACROS.split(' ').find(|begin| rest.starts_with(begin)).or_else(|| own_macro(rest))?;
    let near = window(rest);
    let open = near.find(|c: char| c == '[' || c.is_whitespace()).filter(|at| near[*at..].starts_with('['))?;
    let end = closing_bracket(near, open)?;
    let (target, inner) = (&rest[begin.len()..open], &rest[open + 1..end]);
    // A name without a value before it is an address.
    let target = target.split_once("}/").filter(|_| target.starts_with('{')).map_or(target, |(_, target)| target);
    let is_link = matches!(begin, "xref:" | "link:") || begin.ends_with("//");
    if is_link {
        out.words.begin_link(&rest[if begin.ends_with("//") { 0 } else { begin.len() }..open]);
    }
    let text = inner.split(",role=").next().unwrap_or_default().trim_end_matches('^').trim_matches('"');
    match begin {
        "footnote:" => out.notes.push(text.to_owned()),
        "icon:" | "anchor:" | "indexterm:" => {}
        "menu:" => out.push(&[target, text].join(" > "), marks),
        "pass:" | "stem:" | "kbd:" | "btn:" => out.push(text, marks),
        "image:" => out.push(text.split(',').next().unwrap_or_default(), marks),
        _ if text.is_empty() && begin.ends_with("//") => out.push(&rest[..open], marks),
        _ if text.is_empty() || (text.contains('=') && !text.contains(char::is_whitespace)) => out.push(target, marks),
        _ => scan(text, marks, depth + 1, out),
    }
    if is_link {
        out.words.end_link();
    }
    Some(end + 1)
}

/// Where the bracket at a byte is closed; those of macros in its text are closed before.
fn closing_bracket(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut is_escaped) = (0, false);
    text[open..].char_indices().find_map(|(at, c)| {
        match c {
            '[' if !is_escaped => depth += 1,
            ']' if !is_escaped => depth -= 1,
            _ => {}
        }
        is_escaped = c == '\\';
        (depth == 0).then_some(open + at)
    })
}

/// Code without the marks of what is passed through, `+a+`, `++a++` and `+++a+++`.
fn typed(code: &str) -> String {
    let whole = code.strip_prefix('+').and_then(|code| code.strip_suffix('+')).filter(|code| !code.starts_with('+'));
    let (mut out, mut rest) = (String::new(), whole.unwrap_or(code));
    while let Some((before, (inside, behind))) =
        rest.split_once("++").and_then(|(before, rest)| Some((before, rest.split_once("++")?)))
    {
        out.push_str(before);
        // A third plus stands on each side.
        let inner = inside.strip_prefix('+').filter(|_| behind.starts_with('+'));
        out.push_str(inner.unwrap_or(inside));
        rest = &behind[usize::from(inner.is_some())..];
    }
    (out + rest).replace("\\{", "{")
}

/// The length of a text between marks. Two marks on each side stand anywhere, one only around words.
fn marked(rest: &str, sign: char, marks: Marks, depth: usize, out: &mut ShownText) -> Option<usize> {
    if sign == '\\' {
        let escaped = rest[1..].chars().next().filter(|c| SIGNS.contains(c) || "{<:".contains(*c))?;
        out.push(&rest[1..1 + escaped.len_utf8()], marks);
        return Some(1 + escaped.len_utf8());
    }
    if sign == '[' {
        // An anchor, or the role of the marked text behind it.
        let end = window(rest).find(']')?;
        let is_anchor = rest.starts_with("[[") && rest[end..].starts_with("]]");
        let is_role = rest[1..].starts_with(['.', '#']);
        // A name alone is a role too, where nothing but it can be meant: `[line-through]#text#`.
        let is_name = end > 1 && rest[1..end].bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let is_sign = |sign: &char| (is_role && "#*_`".contains(*sign)) || (is_name && *sign == '#');
        let sign = rest[end + 1..].chars().next().filter(is_sign);
        let is_struck = marks.is_struck || rest[..end].contains(STRUCK);
        if is_anchor {
            return Some(end + 2);
        }
        let length = marked(&rest[end + 1..], sign?, Marks { is_struck, ..marks }, depth, out)?;
        return Some(end + 1 + length);
    }
    let double: String = [sign, sign].iter().collect();
    let is_double = rest.starts_with(&double);
    let mark = if is_double { double.as_str() } else { &rest[..1] };
    let inner = &rest[mark.len()..];
    let opens = is_double || out.last.is_none_or(|c| !c.is_alphanumeric()) || "^~".contains(sign);
    if !opens || inner.starts_with(sign) || (!is_double && inner.starts_with(char::is_whitespace)) {
        return None;
    }
    let closes = |at: &usize| {
        let (body, behind) = (&inner[..*at], &inner[at + mark.len()..]);
        let ends = behind.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != sign);
        let is_tight = is_double || !body.ends_with(char::is_whitespace);
        !body.is_empty() && is_tight && (ends || is_double || "^~".contains(sign))
    };
    let end = window(inner).match_indices(mark).map(|(at, _)| at).find(closes)?;
    let body = &inner[..end];
    match sign {
        // Blanks that break no line are written in them.
        '^' | '~' if body.contains([' ', '\n']) => return None,
        '^' => out.push(body, Marks { position: Position::Raised, ..marks }),
        '~' => out.push(body, Marks { position: Position::Lowered, ..marks }),
        '`' | '+' => out.push(&typed(body), marks),
        _ => scan(body, marks, depth + 1, out),
    }
    out.last = Some(sign);
    Some(end + 2 * mark.len())
}

/// The part of `text` in which an end is searched.
fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MARKUP_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_targets_go_and_words_stay() {
        let mut attributes = Attributes::default();
        attributes.set("v", "1.2");
        for (text, want) in [
            ("Do *not* _go_ `x*y` and __so__on", "Do not go x*y and soon"),
            ("a*b*c and 2 * 3 and snake_case_name", "a*b*c and 2 * 3 and snake_case_name"),
            ("see xref:a.adoc#b[the *part*], <<c,that>> and <<d>>", "see the part, that and d"),
            ("https://a.b[the site] or https://c.d", "the site or https://c.d"),
            ("version {v} of {other} \\{v}", "version 1.2 of {other} {v}"),
            ("10^6^ H~2~O", "10⁶ H₂O"),
            ("[[x]]one [.red]#two# three footnote:[no]", "one two three "),
            ("a javadoc:a.b.C[], d:e[format=f] and {u}/g[the guide], `\\{w}`", "a a.b.C, e and the guide, {w}"),
            ("press kbd:[Ctrl+C] or menu:File[Open]", "press Ctrl+C or File > Open"),
            ("note: a [b] c", "note: a [b] c"),
            ("Dogs are [line-through]#not# ok, [big]#so# [a] # b", "Dogs are ok, so [a] # b"),
            ("10[.line-through]## not##[.line-through]#x# [.big]##6##^a{nbsp}b^", "10 6^(a b)"),
            ("{u}/a[the b:c.D[] and [e]] or b:{u}/f.G[]", "the c.D and [e] or f.G"),
            ("`+++https://a.b+++` `/++*++ ++*++/` `+a+` `C++` ++a*b*++", "https://a.b /* */ a C++ a*b*"),
            ("\\*not bold*", "*not bold*"),
        ] {
            let found = shown(text, &attributes).words.words().text;
            assert_eq!(found, want.trim(), "{text}");
        }
    }

    #[test]
    fn a_line_of_marks_ends() {
        for text in ["*a".repeat(100_000), " *a".repeat(100_000), "<<".repeat(100_000), "xref:a[ ".repeat(50_000)] {
            assert!(!shown(&text, &Attributes::default()).words.is_blank());
        }
    }

    #[test]
    fn markup_is_read_up_to_a_length() {
        for (bytes, is_read) in [(MAX_MARKUP_BYTES - 1, true), (MAX_MARKUP_BYTES, true), (MAX_MARKUP_BYTES + 1, false)]
        {
            let found = shown(&format!("*{}*", "a".repeat(bytes - 1)), &Attributes::default()).words.words().text;
            assert_eq!(!found.starts_with('*'), is_read, "{bytes}");
        }
    }
}
