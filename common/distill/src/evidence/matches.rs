//! How often each term of a query occurs in each chunk: the only thing scores are made of.

use std::collections::HashMap;

use crate::chunk::Chunk;
use crate::terms::for_each_word;
use crate::text::CanonicalText;

/// Counts of one chunk.
#[derive(Debug)]
pub(super) struct ChunkMatches {
    /// Position of the chunk in the text.
    pub(super) chunk: usize,
    /// Occurrences of each query term, in the order of the query's terms.
    pub(super) counts: Vec<u32>,
    /// Words of the chunk, function words included.
    pub(super) words: u32,
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
    /// Words of all chunks.
    pub(super) total_words: u64,
}

/// Counts `query` (distinct terms) in `chunks`. One pass; only the query's terms are kept.
pub(super) fn count(text: &CanonicalText, chunks: &[Chunk], query: &[String]) -> Matches {
    let position: HashMap<&str, usize> = query.iter().enumerate().map(|(k, term)| (term.as_str(), k)).collect();
    let mut matches = Matches {
        chunks: Vec::new(),
        document_frequency: vec![0; query.len()],
        total_chunks: chunks.len(),
        total_words: 0,
    };
    for (chunk, place) in chunks.iter().enumerate() {
        let mut found = ChunkMatches { chunk, counts: vec![0; query.len()], words: 0 };
        for_each_word(text.slice(place.range), |word| {
            found.words += 1;
            if let Some(&k) = position.get(word) {
                found.counts[k] += 1;
            }
        });
        matches.total_words += u64::from(found.words);
        for (frequency, &count) in matches.document_frequency.iter_mut().zip(&found.counts) {
            *frequency += u32::from(count > 0);
        }
        if found.counts.iter().any(|&count| count > 0) {
            matches.chunks.push(found);
        }
    }
    matches
}
