//! How often each term of a query occurs in each chunk: the sole input of the overlap score.

use std::collections::HashMap;

use precis_text::CanonicalText;
use precis_text::chunk::Chunk;
use precis_text::terms::{for_each_word, is_part, likeness};

/// When a word of the text counts as a query term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Only if it is equal to the term.
    Whole,
    /// If it is equal to the term, a form of it, or a part of the same compound.
    Forms,
}

/// Counts of one chunk.
#[derive(Debug)]
pub(super) struct ChunkMatches {
    /// Index of the chunk in the text.
    pub(super) chunk: usize,
    /// Occurrences of each query term, in the order of the query's terms.
    pub(super) counts: Vec<u32>,
}

/// Counts of a whole text.
#[derive(Debug)]
pub(super) struct Matches {
    /// Chunks with at least one term, in order.
    pub(super) chunks: Vec<ChunkMatches>,
    /// For each query term, the number of chunks that hold it.
    pub(super) document_frequency: Vec<u32>,
}

/// Counts the distinct terms of `query` in `chunks`, in one pass. With [`Meeting::Forms`], each distinct word is compared only once.
pub(super) fn count(text: &CanonicalText, chunks: &[Chunk], query: &[String], meeting: Meeting) -> Matches {
    let mut finder = Finder::new(query, meeting);
    let mut matches = Matches { chunks: Vec::new(), document_frequency: vec![0; query.len()] };
    for (chunk, place) in chunks.iter().enumerate() {
        let mut found = ChunkMatches { chunk, counts: vec![0; query.len()] };
        for_each_word(text.slice(place.range), |word| {
            for &k in finder.terms(word) {
                found.counts[k] += 1;
            }
        });
        for (frequency, &count) in matches.document_frequency.iter_mut().zip(&found.counts) {
            *frequency += u32::from(count > 0);
        }
        if found.counts.iter().any(|&count| count > 0) {
            matches.chunks.push(found);
        }
    }
    matches
}

/// Finds the query terms that a word meets.
struct Finder<'q> {
    query: &'q [String],
    meeting: Meeting,
    /// The numbers 0, 1, 2, … up to the number of terms, so that a slice of it can be returned.
    places: Vec<usize>,
    /// For whole terms: whether a word of this shape may be a query term.
    likely: [bool; 256],
    /// For forms: the results for every word looked up so far.
    known: HashMap<String, Vec<usize>>,
}

impl<'q> Finder<'q> {
    fn new(query: &'q [String], meeting: Meeting) -> Self {
        let mut likely = [false; 256];
        query.iter().for_each(|term| likely[shape(term)] = true);
        Self { query, meeting, places: (0..query.len()).collect(), likely, known: HashMap::new() }
    }

    #[inline]
    fn terms(&mut self, word: &str) -> &[usize] {
        match self.meeting {
            Meeting::Whole if !self.likely[shape(word)] => &[],
            Meeting::Whole => self.whole(word),
            Meeting::Forms => self.forms(word),
        }
    }

    fn whole(&self, word: &str) -> &[usize] {
        self.query.iter().position(|term| term == word).map_or(&[], |k| &self.places[k..=k])
    }

    fn forms(&mut self, word: &str) -> &[usize] {
        if !self.known.contains_key(word) {
            let meets = |term: &str| likeness(term, word) > 0.0 || is_part(term, word);
            let met = self.query.iter().enumerate().filter(|(_, term)| meets(term));
            self.known.insert(word.to_owned(), met.map(|(k, _)| k).collect());
        }
        self.known.get(word).map_or(&[], Vec::as_slice)
    }
}

/// A hash below 256, equal for equal words and cheap to compute.
fn shape(word: &str) -> usize {
    let bytes = word.as_bytes();
    let ends = bytes.first().zip(bytes.last());
    ends.map_or(0, |(&first, &last)| usize::from(first ^ last.rotate_left(3) ^ (bytes.len() as u8).rotate_left(5)))
}
