//! Joins paragraphs that continue in the next column, or behind other blocks, if the page shows that they belong together.

use super::page_block::PageBlock;
use super::paragraphs::{Paragraph, ends_sentence};

/// Most blocks between the parts of a paragraph.
const MAX_BETWEEN: usize = 8;
/// Least relative difference of two sizes that counts as different.
const SIZE: f64 = 0.05;

/// Joins the parts of paragraphs. Blocks that stood between them follow.
pub(super) fn join(blocks: &mut Vec<PageBlock>) {
    let mut k = 0;
    while k < blocks.len() {
        let found = match &blocks[k] {
            PageBlock::Paragraph(open) if is_open(open) => next_part(open, &blocks[k + 1..]).map(|n| k + 1 + n),
            _ => None,
        };
        let Some(at) = found else {
            k += 1;
            continue;
        };
        if let PageBlock::Paragraph(part) = blocks.remove(at)
            && let Some(PageBlock::Paragraph(open)) = blocks.get_mut(k)
        {
            open.lines.extend(part.lines);
            open.is_full = part.is_full;
            open.ends_column = part.ends_column;
        }
    }
}

/// Whether the text breaks off at the end of a column: its last line is full and does not end a sentence.
fn is_open(paragraph: &Paragraph) -> bool {
    let last = paragraph.lines.last();
    paragraph.ends_column
        && last.is_some_and(|line| {
            !ends_sentence(&line.text) && (paragraph.is_full || line.text.ends_with('-')) && line.text.contains(' ')
        })
}

/// The index of the block that continues `open`: the first one of the same size that begins a column in lower case.
fn next_part(open: &Paragraph, blocks: &[PageBlock]) -> Option<usize> {
    for (n, block) in blocks.iter().enumerate().take(MAX_BETWEEN) {
        let PageBlock::Paragraph(next) = block else {
            continue;
        };
        let same_size = size(open).is_some_and(|a| size(next).is_some_and(|b| (a - b).abs() <= SIZE * a));
        if !same_size {
            continue;
        }
        if next.begins_column && goes_on(next) {
            return Some(n);
        }
    }
    None
}

fn goes_on(next: &Paragraph) -> bool {
    next.lines.first().is_some_and(|line| line.text.chars().next().is_some_and(char::is_lowercase))
}

fn size(paragraph: &Paragraph) -> Option<f64> {
    paragraph.lines.first().map(|line| line.em)
}

#[cfg(test)]
mod tests {
    use super::super::line::Line;
    use super::*;

    /// Parts with their sizes; then the paragraphs.
    type FlowCase = (&'static [(&'static str, f64)], &'static [&'static str]);

    fn part(text: &str, em: f64) -> PageBlock {
        let line =
            Line { text: text.into(), u0: 0.0, u1: 100.0, v: 0.0, em, head: 10.0, ends: [em; 2], ..Line::default() };
        PageBlock::Paragraph(Paragraph { lines: vec![line], is_full: true, begins_column: true, ends_column: true })
    }

    fn joined(parts: &[(&str, f64)]) -> Vec<String> {
        let mut blocks = parts.iter().map(|(text, em)| part(text, *em)).collect();
        join(&mut blocks);
        let text = |b: &PageBlock| match b {
            PageBlock::Paragraph(p) => p.lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join(" "),
            _ => String::new(),
        };
        blocks.iter().map(text).collect()
    }

    #[test]
    fn a_paragraph_goes_on_in_the_next_column() {
        let table: [FlowCase; 4] = [
            (&[("it breaks", 10.0), ("off here.", 10.0)], &["it breaks off here."]),
            (&[("it ends here.", 10.0), ("another one", 10.0)], &["it ends here.", "another one"]),
            (&[("it breaks", 10.0), ("Figure 1", 8.0), ("off here.", 10.0)], &["it breaks off here.", "Figure 1"]),
            (&[("it breaks", 10.0), ("Not off", 10.0)], &["it breaks", "Not off"]),
        ];
        for (given, want) in table {
            assert_eq!(joined(given), want);
        }
    }
}
