//! Citations in the forms in which models write them, as bracketed numbers: `[^1]`, `【1】`, `[F1]`, `[Finding 1]`, `[1-3]`, `(1)`.
//!
//! A form is read as a citation only if all its numbers were given. Round brackets are read so only in a report that has no other
//! citation, because they enclose years and numbers of items too.

use std::collections::BTreeSet;

use precis_language::citation_word::is_citation_word;

/// Most characters within brackets that may be a citation.
const MOST_CHARS: usize = 80;
/// Most numbers of a range.
const MOST_OF_RANGE: u32 = 50;

/// `markdown` with every citation of numbers in `known` written as `[3]`, `[3][7]` or, where it was, `[3, 7]`.
pub(super) fn plain_citations(markdown: &str, known: &BTreeSet<u32>) -> String {
    let written = replace_forms(markdown, &[('[', ']'), ('【', '】'), ('［', '］')], known);
    match cites(&written, known) {
        true => written,
        false => replace_forms(&written, &[('(', ')'), ('（', '）')], known),
    }
}

/// Whether `markdown` has a bracketed number of `known`.
pub(super) fn cites(markdown: &str, known: &BTreeSet<u32>) -> bool {
    markdown.match_indices('[').any(|(at, _)| {
        let inside = markdown[at + 1..].split(']').next().unwrap_or_default();
        inside.len() < MOST_CHARS && numbers(inside).is_some_and(|all| all.iter().any(|n| known.contains(n)))
    })
}

/// `markdown` with the forms between `pairs` of brackets replaced, outside code: `a[^1]` is an index there.
fn replace_forms(markdown: &str, pairs: &[(char, char)], known: &BTreeSet<u32>) -> String {
    let mut is_fenced = false;
    let line = |line: &str| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced || is_fence {
            return line.to_owned();
        }
        let parts = line.split('`').enumerate();
        let parts = parts.map(|(n, part)| if n % 2 == 0 { in_prose(part, pairs, known) } else { part.to_owned() });
        parts.collect::<Vec<_>>().join("`")
    };
    markdown.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Whether brackets hold numbers alone, which the reader of a draft knows as they are and compares with the passages: a passage may have
/// `[1, 2]` itself.
fn is_plain(open: char, inside: &str) -> bool {
    open == '[' && inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ';' | ' '))
}

fn in_prose(markdown: &str, pairs: &[(char, char)], known: &BTreeSet<u32>) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| pairs.iter().any(|(open, _)| open == c)) {
        let close = pairs.iter().find(|(first, _)| *first == open).map_or(']', |(_, last)| *last);
        let inside_at = at + open.len_utf8();
        let inside = rest[inside_at..].split(close).next().unwrap_or_default();
        let end = inside_at + inside.len();
        let is_closed = rest[end..].starts_with(close);
        let is_escaped = rest[..at].ends_with('\\');
        // A link has its text in brackets too.
        let is_link = rest[end..].strip_prefix(close).is_some_and(|behind| behind.starts_with('('));
        let found = numbers(inside).filter(|_| !is_plain(open, inside));
        let found = found.filter(|all| is_closed && !is_escaped && !is_link && all.iter().all(|n| known.contains(n)));
        match found {
            Some(all) => {
                out.push_str(&rest[..at]);
                all.iter().for_each(|n| out.push_str(&format!("[{n}]")));
                rest = &rest[end + close.len_utf8()..];
            }
            None => {
                out.push_str(&rest[..inside_at]);
                rest = &rest[inside_at..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The numbers within brackets: `3`, `^3`, `3, 7`, `F3`, `Finding 3`, `3-5`, `3†source`; `None` if there is anything else.
fn numbers(inside: &str) -> Option<Vec<u32>> {
    if inside.chars().count() > MOST_CHARS {
        return None;
    }
    let mut found: Vec<u32> = Vec::new();
    for part in inside.split([',', ';', '，', '、']).flat_map(|part| part.split(" and ")) {
        let part = part.split('†').next().unwrap_or_default().trim();
        let part = part.trim_start_matches(['^', '#', '[', ' ']);
        let part = without_word(part).trim();
        let (first, last) = match part.split_once(['-', '–', '—']) {
            Some((first, last)) => (first.trim(), without_word(last.trim()).trim()),
            None => (part, part),
        };
        let (first, last): (u32, u32) = (digits(first)?, digits(last)?);
        if first > last || last - first > MOST_OF_RANGE {
            return None;
        }
        found.extend((first..=last).filter(|n| !found.contains(n)).collect::<Vec<_>>());
    }
    (!found.is_empty()).then_some(found)
}

fn digits(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// `part` without a word such as `Finding` before its number.
fn without_word(part: &str) -> &str {
    let word: &str = part.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match is_citation_word(&word.to_lowercase()) {
        true => part[word.len()..].trim_start_matches(['.', ':', '#', ' ', '_', '-']),
        false => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(markdown: &str) -> String {
        plain_citations(markdown, &BTreeSet::from([1, 2, 3, 12]))
    }

    #[test]
    fn citations_are_read_in_every_form_that_models_write() {
        for (written, want) in [
            ("It fell [1].", "It fell [1]."),
            ("It fell [1, 2].", "It fell [1, 2]."),
            ("It fell [F1, F2].", "It fell [1][2]."),
            ("It fell [^1][^12].", "It fell [1][12]."),
            ("It fell 【1】【2†source】.", "It fell [1][2]."),
            ("It fell [F1] and [Finding 2].", "It fell [1] and [2]."),
            ("It fell [Passages 1, 2].", "It fell [1][2]."),
            ("It fell [1-3].", "It fell [1][2][3]."),
            ("It fell [1–3; 12].", "It fell [1][2][3][12]."),
            ("It fell (1) and rose (2).", "It fell [1] and rose [2]."),
            ("It fell [passage 3 and 12].", "It fell [3][12]."),
        ] {
            assert_eq!(plain(written), want, "{written}");
        }
    }

    #[test]
    fn what_is_no_citation_of_what_was_given_stays() {
        for text in [
            "It fell [1] in the year (2).",
            "An interval [0, 1] and [1-9].",
            "See [the text](1) and [2](https://a.b).",
            "It fell [4].",
            r"It fell \[1\].",
            "It fell [1",
            "It fell [a1] [x] [].",
            "In (1999) it fell.",
            "[1-60]",
            "Call `a[^1]` and `fee[F1]`.",
            "```\na[^1] = b[1-3]\n```",
        ] {
            assert_eq!(plain(text), text, "{text}");
        }
    }
}
