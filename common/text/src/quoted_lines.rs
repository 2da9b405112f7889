//! The lines of code that is quoted: which of them lie in a quote, and the quote as a reader sees it.

use precis_proto::{Block, BlockKind, CharRange, CodeLine};

/// Most columns that a line of code is shown indented; chosen, not measured.
pub const MOST_INDENT: usize = 80;

/// Returns the lines of the code in `range`, each counted from its start; empty unless the block at its start is code, and the range has
/// several lines of it.
#[must_use]
pub fn quoted_lines(blocks: &[Block], range: CharRange) -> Vec<CodeLine> {
    let block = blocks.get(blocks.partition_point(|block| block.end <= range.start));
    let Some(block) = block.filter(|block| block.kind == BlockKind::Code && block.start <= range.start) else {
        return Vec::new();
    };
    let inside: Vec<CodeLine> = block
        .lines
        .iter()
        .filter(|line| range.start <= line.start && line.start < range.end)
        .map(|line| CodeLine { start: line.start - range.start, ..*line })
        .collect();
    let begins_inside = inside.first().is_none_or(|line| line.start > 0);
    let first = begins_inside.then_some(CodeLine { start: 0, indent: 0 });
    let lines: Vec<CodeLine> = first.into_iter().chain(inside).collect();
    if lines.last().is_some_and(|line| line.start > 0) { lines } else { Vec::new() }
}

/// Returns `text`, the characters of a quote, in these `lines` of it, less the indent that all have. A line that the text does not have a
/// space before is not begun.
#[must_use]
pub fn in_quoted_lines(text: &str, lines: &[CodeLine]) -> String {
    // A line without words begins where the next one with words does.
    let has_words = |at: usize| lines.get(at + 1).is_none_or(|next| next.start > lines[at].start);
    let least = (0..lines.len()).filter(|at| has_words(*at)).map(|at| lines[at].indent).min().unwrap_or(0);
    let mut out = String::with_capacity(text.len() + lines.len());
    let mut rest = lines.iter().enumerate().peekable();
    for (at, c) in text.chars().enumerate() {
        let mut breaks = 0;
        while let Some((n, line)) = rest.next_if(|(_, line)| line.start <= at) {
            breaks += 1;
            if has_words(n) {
                let broken = if out.ends_with(' ') { "\n".repeat(breaks) } else { String::new() };
                out.truncate(out.trim_end_matches(' ').len());
                let indent = usize::try_from(line.indent.saturating_sub(least)).unwrap_or(0).min(MOST_INDENT);
                out.push_str(&broken);
                out.push_str(&" ".repeat(if broken.is_empty() && at > 0 { 0 } else { indent }));
            }
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CanonicalText, Leaf, code_lines};

    fn shown(source: &str, from: usize, to: usize) -> String {
        let leaf = Leaf { lines: code_lines(source), ..Leaf::new(BlockKind::Code, source) };
        let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, "Use:"), leaf]);
        let start = text.blocks()[1].start;
        let range = CharRange::new(start + from, (start + to).min(text.chars()));
        in_quoted_lines(text.slice(range), &quoted_lines(text.blocks(), range))
    }

    #[test]
    fn quoted_code_is_shown_in_its_lines() {
        let source = "    def f(n):\n\n        if n:\n            return 1\n    end";
        assert_eq!(shown(source, 0, 99), "def f(n):\n\n    if n:\n        return 1\nend");
        assert_eq!(shown(source, 4, 15), "f(n):\n\n        if n:");
        assert_eq!(shown(source, 10, 15), "if n:");
        assert_eq!(shown("one line", 0, 8), "one line");
    }

    #[test]
    fn prose_has_no_lines_and_wrong_ones_cost_no_word() {
        let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, "One. Two.")]);
        assert!(quoted_lines(text.blocks(), CharRange::new(0, 9)).is_empty());
        let wrong =
            [CodeLine { start: 2, indent: 4 }, CodeLine { start: 3, indent: 900 }, CodeLine { start: 99, indent: 0 }];
        assert_eq!(in_quoted_lines("a b é", &wrong).split_whitespace().collect::<Vec<_>>(), ["a", "b", "é"]);
    }
}
