//! The context of a chunk: the headings above it, and the header row of the table it continues.

use precis_proto::{Block, BlockKind};
use precis_text::CanonicalText;
use precis_text::chunk::Chunk;

/// Longest heading or header used, in characters: a longer one is probably misread running text.
const MAX_NAME_CHARS: usize = 300;

/// For each chunk, the headings and header rows it is under, outermost first, except those within the chunk itself.
///
/// A heading applies until the next one of its level or higher, a header row to the rows of its table.
#[must_use]
pub fn contexts<'t>(text: &'t CanonicalText, chunks: &[Chunk]) -> Vec<Vec<&'t str>> {
    let blocks = text.blocks();
    let mut above: Vec<&Block> = Vec::new();
    let mut header: Option<&Block> = None;
    let mut next = 0;
    let mut contexts = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        while let Some(block) = blocks.get(next).filter(|block| block.start < chunk.range.start) {
            if block.kind == BlockKind::Heading {
                let level = block.level.unwrap_or(1);
                above.retain(|name| name.level.unwrap_or(1) < level);
                above.push(block);
            }
            if block.is_header {
                header = Some(block);
            }
            next += 1;
        }
        // The first block that reaches into the chunk; it may have begun before it.
        let first = blocks[..next].partition_point(|block| block.end <= chunk.range.start);
        let touched = blocks[first..].iter().take_while(|block| block.start < chunk.range.end);
        let is_of = |row: &Block| row.table.is_some() && header.is_some_and(|header| header.table == row.table);
        let columns = header.filter(|_| touched.clone().any(is_of));
        let names = above.iter().copied().chain(columns).filter(|name| name.range().len() <= MAX_NAME_CHARS);
        contexts.push(names.map(|name| text.slice(name.range())).collect());
    }
    contexts
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;
    use precis_text::chunk::chunks;

    use super::*;

    #[test]
    fn a_chunk_knows_its_headings_and_the_columns_of_its_table() {
        let heading = |level, text: &str| Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) };
        let body = |text: &str| Leaf::new(BlockKind::Paragraph, format!("{text} {}", "word ".repeat(75)));
        let row = |n: usize| Leaf::row(1, false, &[format!("Town {n}"), "x".repeat(150)]);
        let mut leaves = vec![heading(1, "Book"), body("a"), heading(2, "One"), body("b"), heading(2, "Two")];
        leaves.push(Leaf::row(1, true, &["Town", "Revenue"]));
        leaves.extend((0..6).map(row));
        leaves.push(body("c"));
        let text = CanonicalText::from_leaves(&leaves);
        let chunks = chunks(&text, 400);
        let found: Vec<(char, Vec<&str>)> = chunks
            .iter()
            .zip(contexts(&text, &chunks))
            .map(|(chunk, names)| (text.slice(chunk.range).chars().next().unwrap_or(' '), names))
            .collect();
        let of =
            |first: char| found.iter().filter(|(c, _)| *c == first).map(|(_, names)| names.clone()).collect::<Vec<_>>();
        assert!(of('T').contains(&vec!["Book", "Two", "Town Revenue"]), "{found:?}");
        assert_eq!(found.last(), Some(&('c', vec!["Book", "Two"])));
        assert_eq!(found[0].1, Vec::<&str>::new());
    }

    #[test]
    fn a_name_at_the_limit_is_read_and_longer_ones_not() {
        for (chars, names) in [(MAX_NAME_CHARS - 1, 1), (MAX_NAME_CHARS, 1), (MAX_NAME_CHARS + 1, 0)] {
            let heading = Leaf::new(BlockKind::Heading, "x".repeat(chars));
            let text = CanonicalText::from_leaves(&[heading, Leaf::new(BlockKind::Paragraph, "word ".repeat(300))]);
            let chunks = chunks(&text, 400);
            assert_eq!(contexts(&text, &chunks).last().map(Vec::len), Some(names), "{chars}");
        }
    }
}
