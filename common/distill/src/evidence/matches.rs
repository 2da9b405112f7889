//! How often each term of a query occurs in each chunk: the only thing scores are made of.

use std::collections::HashMap;

use crate::chunk::Chunk;
use crate::terms::{for_each_word, is_part, is_term, likeness};
use crate::text::CanonicalText;

/// When a word of the text counts as a term of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Where it is that term.
    Whole,
    /// Where it is that term, a form of it, or a part of the same compound.
    Forms,
}

/// Counts of one chunk.
#[derive(Debug)]
pub(super) struct ChunkMatches {
    /// Position of the chunk in the text.
    pub(super) chunk: usize,
    /// Occurrences of each query term, in the order of the query's terms.
    pub(super) counts: Vec<u32>,
    /// Terms of the chunk, repeats counted: its length.
    pub(super) terms: u32,
}

/// Counts of a whole text.
#[derive(Debug)]
pub(super) struct Matches {
    /// Chunks with at least one term, in order.
    pub(super) chunks: Vec<ChunkMatches>,
    /// For each query term, the chunks that hold it.
    pub(super) document_frequency: Vec<u32>,
    /// All chunks of the text.
    pub(super) total_chunks: usize,
    /// Terms of all chunks.
    pub(super) total_terms: u64,
}

/// Counts `query` (distinct terms) in `chunks`. One pass; of other words at most one look-up each is kept.
pub(super) fn count(text: &CanonicalText, chunks: &[Chunk], query: &[String], meeting: Meeting) -> Matches {
    let mut finder = Finder::new(query, meeting);
    let mut matches = Matches {
        chunks: Vec::new(),
        document_frequency: vec![0; query.len()],
        total_chunks: chunks.len(),
        total_terms: 0,
    };
    for (chunk, place) in chunks.iter().enumerate() {
        let mut found = ChunkMatches { chunk, counts: vec![0; query.len()], terms: 0 };
        for_each_word(text.slice(place.range), |word| {
            found.terms += u32::from(is_term(word));
            for &k in finder.terms(word) {
                found.counts[k] += 1;
            }
        });
        matches.total_terms += u64::from(found.terms);
        for (frequency, &count) in matches.document_frequency.iter_mut().zip(&found.counts) {
            *frequency += u32::from(count > 0);
        }
        if found.counts.iter().any(|&count| count > 0) {
            matches.chunks.push(found);
        }
    }
    matches
}

/// Which terms of the query a word meets.
struct Finder<'q> {
    query: &'q [String],
    meeting: Meeting,
    /// The query's own terms, and with [`Meeting::Forms`] every word asked for so far.
    known: HashMap<String, Vec<usize>>,
}

impl<'q> Finder<'q> {
    fn new(query: &'q [String], meeting: Meeting) -> Self {
        let mut known = HashMap::new();
        if meeting == Meeting::Whole {
            known.extend(query.iter().enumerate().map(|(k, term)| (term.clone(), vec![k])));
        }
        Self { query, meeting, known }
    }

    fn terms(&mut self, word: &str) -> &[usize] {
        if self.meeting == Meeting::Forms && !self.known.contains_key(word) {
            let meets = |term: &str| likeness(term, word) > 0.0 || is_part(term, word);
            let met = self.query.iter().enumerate().filter(|(_, term)| meets(term));
            self.known.insert(word.to_owned(), met.map(|(k, _)| k).collect());
        }
        self.known.get(word).map_or(&[], Vec::as_slice)
    }
}
