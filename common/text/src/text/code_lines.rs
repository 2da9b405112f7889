//! The lines of code: where each begins in a text whose white space is collapsed, so that code can be shown as its document shows it.

use precis_proto::CodeLine;

use super::{is_space, normalize};

/// Columns from one stop of a tab to the next.
const TAB: usize = 8;
/// Most lines kept of a block. Chosen: a source file is rarely longer; beyond it code is shown on one line.
const MAX_LINES: usize = 20_000;
/// Widest indent that is kept, in columns. Chosen: wider ones would fill a page with nothing.
pub(super) const MAX_INDENT: usize = 200;

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

/// Whether `lines` are in order and lie within characters `start..end`.
pub(super) fn are_sound(lines: &[CodeLine], start: usize, end: usize) -> bool {
    let starts = lines.first().is_none_or(|line| line.start == start);
    starts && lines.is_sorted_by_key(|line| line.start) && lines.last().is_none_or(|line| line.start < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_indents_are_bounded() {
        for (lines, kept) in [(MAX_LINES - 1, MAX_LINES - 1), (MAX_LINES, MAX_LINES), (MAX_LINES + 1, 0)] {
            assert_eq!(code_lines(&"x\n".repeat(lines)).len(), kept);
        }
        for (columns, kept) in
            [(MAX_INDENT - 1, MAX_INDENT - 1), (MAX_INDENT, MAX_INDENT), (MAX_INDENT + 1, MAX_INDENT)]
        {
            assert_eq!(code_lines(&format!("a\n{}b", " ".repeat(columns)))[1].indent as usize, kept);
        }
    }
}
