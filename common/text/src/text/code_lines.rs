//! The lines of code: where each begins in a text whose white space is collapsed, so that code can be shown as its document shows it.

use precis_proto::{Block, CodeLine};

use super::{CanonicalText, is_space, normalize};

/// Columns from one stop of a tab to the next.
const TAB: usize = 8;
/// Most lines kept of a block. Chosen: a source file is rarely longer; beyond it code is shown on one line.
const MAX_LINES: usize = 20_000;
/// Widest indent that is kept, in columns. Chosen: wider ones would fill a page with nothing.
const MAX_INDENT: usize = 200;

/// The lines of `source`, each with its place in the normal form of `source`, in characters; empty if there is only one line, or more than
/// 20,000. Empty lines before the first and after the last are left out.
///
/// ```
/// use precis_proto::CodeLine;
/// let lines = precis_text::code_lines("if x {\n    y\n}");
/// assert_eq!(lines[1], CodeLine { start: 7, indent: 4 });
/// ```
#[must_use]
pub fn code_lines(source: &str) -> Vec<CodeLine> {
    let (mut lines, mut at) = (Vec::new(), 0);
    for line in source.lines() {
        let words = normalize(line);
        if words.is_empty() && lines.is_empty() {
            continue;
        }
        if lines.len() == MAX_LINES {
            return Vec::new();
        }
        lines.push(CodeLine { start: at, indent: if words.is_empty() { 0 } else { indent(line) } });
        if !words.is_empty() {
            at += words.chars().count() + 1;
        }
    }
    while lines.last().is_some_and(|line| line.start == at) {
        lines.pop();
    }
    if lines.len() > 1 { lines } else { Vec::new() }
}

/// The columns of white space with which `line` begins.
fn indent(line: &str) -> u32 {
    let column = |column: usize, c: char| if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 };
    let columns = line.chars().take_while(|c| is_space(*c)).fold(0, column);
    u32::try_from(columns.min(MAX_INDENT)).unwrap_or(0)
}

/// The text of `block` in its lines; as it is in the text if it has none.
#[must_use]
pub fn in_lines(text: &CanonicalText, block: &Block) -> String {
    let mut out = String::new();
    for (at, line) in block.lines.iter().enumerate() {
        let end = block.lines.get(at + 1).map_or(block.end, |next| next.start);
        let words = text.slice(precis_proto::CharRange::new(line.start, end)).trim_end();
        if at > 0 {
            out.push('\n');
        }
        if !words.is_empty() {
            out.push_str(&" ".repeat(usize::try_from(line.indent).unwrap_or(0).min(MAX_INDENT)));
            out.push_str(words);
        }
    }
    if block.lines.is_empty() { text.slice(block.range()).to_owned() } else { out }
}

/// Whether `lines` are in order and lie within characters `start..end`.
pub(super) fn are_sound(lines: &[CodeLine], start: usize, end: usize) -> bool {
    let starts = lines.first().is_none_or(|line| line.start == start);
    starts && lines.is_sorted_by_key(|line| line.start) && lines.last().is_none_or(|line| line.start < end)
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::super::Leaf;
    use super::*;

    fn rebuilt(source: &str) -> String {
        let leaf = Leaf { lines: code_lines(source), ..Leaf::new(BlockKind::Code, source) };
        let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, "Before."), leaf]);
        text.blocks().get(1).map(|block| in_lines(&text, block)).unwrap_or_default()
    }

    #[test]
    fn code_is_shown_in_the_lines_of_its_source() {
        for (source, want) in [
            ("one", "one"),
            ("\n\n  a {\n\n\tb\n  }\n\n", "  a {\n\n        b\n  }"),
            ("a\r\n  é  \u{3000}c\r\n", "a\n  é c"),
            ("", ""),
        ] {
            assert_eq!(rebuilt(source), want, "{source:?}");
        }
    }

    #[test]
    fn words_of_any_code_stand_in_their_lines() {
        let mut seed = 7_u64;
        for _ in 0..2_000 {
            let mut source = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                source.push_str(["\n", " ", "\t", "x", "é", "e\u{301}", "\u{301}", "{}", "\r\n", "  "][(seed >> 33) as usize % 10]);
            }
            let lines = |text: &str| {
                let words: Vec<String> = text.lines().map(normalize).collect();
                words.join("\n").trim_matches('\n').to_owned()
            };
            // A mark without a letter at the start of a line joins the space before it.
            if !source.lines().any(|line| line.trim_start().starts_with('\u{301}')) {
                assert_eq!(lines(&rebuilt(&source)), if source.trim_matches(is_space).contains('\n') { lines(&source) } else { normalize(&source) }, "{source:?}");
            }
        }
    }

    #[test]
    fn lines_and_indents_are_bounded() {
        for (lines, kept) in [(MAX_LINES - 1, MAX_LINES - 1), (MAX_LINES, MAX_LINES), (MAX_LINES + 1, 0)] {
            assert_eq!(code_lines(&"x\n".repeat(lines)).len(), kept);
        }
        for (columns, kept) in [(MAX_INDENT - 1, MAX_INDENT - 1), (MAX_INDENT, MAX_INDENT), (MAX_INDENT + 1, MAX_INDENT)] {
            assert_eq!(code_lines(&format!("a\n{}b", " ".repeat(columns)))[1].indent as usize, kept);
        }
    }
}
