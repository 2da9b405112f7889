//! Which braces of a page belong together, and what stands between the bars inside them.

use std::ops::Range;

/// A template or parameter that is in no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// From its first to behind its last brace.
    pub(super) range: Range<usize>,
    pub(super) kind: SpanKind,
}

/// What braces enclose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Between two braces.
    Template,
    /// Between three: what the page that includes this one gives.
    Parameter,
}

impl SpanKind {
    fn braces(self) -> usize {
        match self {
            Self::Template => 2,
            Self::Parameter => 3,
        }
    }
}

impl Span {
    /// What stands between its braces.
    pub(super) fn inside(&self) -> Range<usize> {
        self.range.start + self.kind.braces()..self.range.end - self.kind.braces()
    }
}

/// The outermost spans of `text`, in order. One pass; braces that are not closed enclose nothing, and nor do those without a name.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let length = |at: usize| bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
    // Where runs of braces begin, and how many of each are left.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['{', '}']) {
        let start = at + found;
        let run = length(start);
        at = start + run;
        if bytes[start] == b'{' {
            open.extend((run > 1).then_some((start, run)));
            continue;
        }
        let mut left = run;
        while let Some((first, count)) = open.last_mut().filter(|_| left > 1) {
            let kind = if *count > 2 && left > 2 { SpanKind::Parameter } else { SpanKind::Template };
            let (from, to) = (*first + *count - kind.braces(), at - left + kind.braces());
            *count -= kind.braces();
            left -= kind.braces();
            if *count < 2 {
                open.pop();
            }
            let span = Span { range: from..to, kind };
            if has_name(&text[span.inside()]) {
                let before = spans.iter().rposition(|span| span.range.end <= from);
                spans.truncate(before.map_or(0, |last| last + 1));
                spans.push(span);
            }
        }
    }
    spans
}

/// Longest name, in bytes; chosen: titles of pages have at most 255.
const MAX_NAME_BYTES: usize = 400;

/// Whether what stands between braces begins with the name of a page, or of a function.
fn has_name(inside: &str) -> bool {
    let near = &inside[..inside.floor_char_boundary(MAX_NAME_BYTES)];
    let end = near.find('|').unwrap_or(near.len());
    let name = near[..end].trim();
    let is_function = name.starts_with('#') || name.contains(':');
    let is_named = !name.is_empty() && (end < near.len() || near.len() == inside.len());
    is_named && (is_function || name.starts_with('{') || !name.contains(['\n', '[', ']', '{', '}', '<', '>', '#']))
}

/// What stands between the bars of `inside`; those inside links and other braces part nothing.
pub(super) fn parts(inside: &str) -> Vec<&str> {
    let bytes = inside.as_bytes();
    let (mut parts, mut start, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        let is_double = bytes.get(at + 1) == Some(byte);
        match byte {
            b'[' | b'{' if is_double => (depth, at) = (depth + 1, at + 1),
            b']' | b'}' if is_double => (depth, at) = (depth.saturating_sub(1), at + 1),
            b'|' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&inside[start..]);
    parts
}

/// The name and the value of `part`, if it has a name.
pub(super) fn name_and_value(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.split_once('=')?;
    let name = name.trim();
    let is_name =
        !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(['[', '{', '<', '\n', '/', ':', '.', ',']);
    is_name.then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_belong_together_from_the_inside() {
        for (text, want) in [
            ("a {{b}} c {{d|{{e}}}}", &["{{b}}", "{{d|{{e}}}}"][..]),
            ("{{{a}}} {{{{b}}}} {{{{{c}}}}}", &["{{{a}}}", "{{{b}}}", "{{{{{c}}}}}"]),
            ("{{a {{b}}", &["{{b}}"]),
            ("{{a}} }} {{", &["{{a}}"]),
            ("{{}} {{ }} {a}", &[]),
            ("{{a\nb}} {{[a]}}", &[]),
            ("{{#if:{{a}}|b}}", &["{{#if:{{a}}|b}}"]),
            ("f({{a(b),c(d)},e})", &[]),
        ] {
            let found: Vec<&str> = spans(text).into_iter().map(|span| &text[span.range]).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn bars_inside_links_part_nothing() {
        assert_eq!(parts("a|b=[[c|d]]|{{e|f}}|g"), ["a", "b=[[c|d]]", "{{e|f}}", "g"]);
        assert_eq!(name_and_value(" b = c=d "), Some(("b", "c=d")));
        assert_eq!(name_and_value("see https://a.b/?c=d"), None);
    }

    #[test]
    fn a_name_has_so_many_bytes() {
        for (bytes, is_span) in [(MAX_NAME_BYTES - 1, true), (MAX_NAME_BYTES, true), (MAX_NAME_BYTES + 1, false)] {
            assert_eq!(spans(&format!("{{{{{}}}}}", "a".repeat(bytes))).len() == 1, is_span, "{bytes}");
        }
    }

    #[test]
    fn many_braces_are_matched_in_one_pass() {
        for text in ["{{".repeat(100_000), "{{a ".repeat(100_000), "{{a}} ".repeat(100_000), "}}".repeat(100_000)] {
            assert!(spans(&text).len() <= 100_000);
        }
        assert_eq!(spans(&format!("{}{}", "{{a|".repeat(100_000), "}}".repeat(100_000))).len(), 1);
    }
}
