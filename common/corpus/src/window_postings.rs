//! The postings of a word, read window by window.

use std::ops::Range;

use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{InvertedIndexReader, Term};

use crate::CorpusError;

/// Postings of a block. Fewer are read at once.
const BLOCK: usize = 128;

/// A chunk with a word, and how often it occurs there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Posting {
    pub(crate) chunk: u32,
    pub(crate) times: u32,
}

/// The postings of a word in one segment. Windows are asked for in ascending order, may overlap, and may be left out: what lies between
/// two of them is skipped without unpacking it.
pub(crate) struct WindowPostings {
    /// `None` if all postings were read at once, as is done if there are few of them.
    blocks: Option<Box<Blocks>>,
    /// Postings that were read, of which those before `from` were passed.
    found: Vec<Posting>,
    from: usize,
}

/// Postings that are unpacked block by block.
struct Blocks {
    blocks: BlockSegmentPostings,
    /// Index in the current block of the first posting that was not read.
    at: usize,
    /// Chunks before this one were read or skipped.
    read: u32,
}

impl WindowPostings {
    /// Opens the postings of `term`; `None` if the segment has none.
    pub(crate) fn open(inverted: &InvertedIndexReader, term: &Term) -> Result<Option<Self>, CorpusError> {
        let blocks = inverted.read_block_postings(term, IndexRecordOption::WithFreqs).map_err(CorpusError::unusable)?;
        Ok(blocks.map(|blocks| Self::new(Blocks { blocks, at: 0, read: 0 })))
    }

    fn new(mut blocks: Blocks) -> Self {
        let (mut found, from) = (Vec::new(), 0);
        // One block holds them all, so there is nothing to skip.
        if (blocks.blocks.doc_freq() as usize) < BLOCK {
            blocks.fill(u32::MAX, &mut found);
            return Self { blocks: None, found, from };
        }
        Self { blocks: Some(Box::new(blocks)), found, from }
    }

    /// Returns the postings in `window`; the same window may be asked for again.
    pub(crate) fn within(&mut self, window: &Range<u32>) -> &[Posting] {
        while self.found.get(self.from).is_some_and(|posting| posting.chunk < window.start) {
            self.from += 1;
        }
        let Some(blocks) = &mut self.blocks else {
            let found = &self.found[self.from..];
            return &found[..found.iter().take_while(|posting| posting.chunk < window.end).count()];
        };
        if self.from > 0 {
            self.found.drain(..self.from);
            self.from = 0;
        }
        if blocks.read < window.start {
            blocks.skip(window.start);
        }
        if blocks.read < window.end {
            blocks.fill(window.end, &mut self.found);
        }
        &self.found
    }
}

impl Blocks {
    fn skip(&mut self, to: u32) {
        if self.blocks.docs().get(self.at).is_some_and(|chunk| *chunk < to) {
            self.at = self.blocks.seek(to);
        }
        self.read = to;
    }

    /// Reads the postings before `end`.
    fn fill(&mut self, end: u32, found: &mut Vec<Posting>) {
        loop {
            let chunks = self.blocks.docs().get(self.at..).unwrap_or_default();
            let count = match chunks.last() {
                Some(last) if *last < end => chunks.len(),
                _ => chunks.partition_point(|chunk| *chunk < end),
            };
            let times = self.blocks.freqs().get(self.at..).unwrap_or_default();
            if times.is_empty() {
                // A field without counts.
                found.extend(chunks[..count].iter().map(|&chunk| Posting { chunk, times: 1 }));
            } else {
                found.extend(chunks[..count].iter().zip(times).map(|(&chunk, &times)| Posting { chunk, times }));
            }
            let is_more_in_block = count < chunks.len();
            self.at += count;
            if is_more_in_block || self.blocks.docs().is_empty() {
                break;
            }
            self.blocks.advance();
            self.at = 0;
        }
        self.read = end;
    }
}
