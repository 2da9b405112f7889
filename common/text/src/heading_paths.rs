//! The headings above each block of a text.

use precis_proto::{Block, BlockKind};

use crate::text::CanonicalText;

/// Behind a heading that was cut.
pub const CUT: char = '…';
/// Most characters kept of a heading.
const MAX_HEADING_CHARS: usize = 120;

/// The headings above the character `at` of `text`, outermost first; empty if its blocks are not known.
#[must_use]
pub fn headings_above(text: &CanonicalText, at: usize) -> Vec<String> {
    let blocks = text.blocks();
    let block = blocks.partition_point(|block| block.end <= at);
    HeadingPaths::new(blocks).names(text, block)
}

/// For each block the lowest heading above it: of one level the last one counts, unless a higher one follows it.
#[derive(Debug)]
pub struct HeadingPaths<'b> {
    blocks: &'b [Block],
    /// One more than there are blocks: the last is that of the end of the text.
    above: Vec<Option<usize>>,
}

impl<'b> HeadingPaths<'b> {
    /// The paths of the blocks of a text, which are in its order.
    #[must_use]
    pub fn new(blocks: &'b [Block]) -> Self {
        let mut open: Vec<usize> = Vec::new();
        let mut above = Vec::with_capacity(blocks.len() + 1);
        for (at, block) in blocks.iter().enumerate() {
            if block.kind != BlockKind::Heading {
                above.push(open.last().copied());
                continue;
            }
            open.retain(|other| level(&blocks[*other]) < level(block));
            above.push(open.last().copied());
            open.push(at);
        }
        above.push(open.last().copied());
        Self { blocks, above }
    }

    /// The headings above the block at `at`, outermost first, each cut to [`MAX_HEADING_CHARS`] characters.
    pub fn names(&self, text: &CanonicalText, at: usize) -> Vec<String> {
        let name = |block: &Block| heading_name(text.slice(block.range()).chars());
        let mut names: Vec<String> = self.chain(at).map(name).collect();
        names.reverse();
        names
    }

    /// The number of headings above the block at `at`.
    pub fn depth(&self, at: usize) -> usize {
        self.chain(at).count()
    }

    /// The headings above the block at `at`, lowest first.
    fn chain(&self, at: usize) -> impl Iterator<Item = &'b Block> + '_ {
        let first = self.above.get(at).copied().flatten();
        std::iter::successors(first, |heading| self.above[*heading]).map(|heading| &self.blocks[heading])
    }
}

/// A heading cut to [`MAX_HEADING_CHARS`] characters, with [`CUT`] behind it if it is longer: a reader must see that words are missing.
pub fn heading_name(mut heading: impl Iterator<Item = char>) -> String {
    let name: String = heading.by_ref().take(MAX_HEADING_CHARS).collect();
    let name = name.trim_end();
    if heading.next().is_some() { format!("{name}{CUT}") } else { name.to_owned() }
}

fn level(heading: &Block) -> u8 {
    heading.level.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_at_the_limit_is_whole_and_longer_ones_marked() {
        for (chars, is_cut) in
            [(MAX_HEADING_CHARS - 1, false), (MAX_HEADING_CHARS, false), (MAX_HEADING_CHARS + 1, true)]
        {
            let name = heading_name("x".repeat(chars).chars());
            assert_eq!((name.ends_with(CUT), name.trim_end_matches(CUT).len()), (is_cut, chars.min(MAX_HEADING_CHARS)));
        }
    }
}
