//! The overlap score of a chunk. Sums run in the order of the query's terms, so equal inputs give bit-identical scores.

use super::matches::{ChunkMatches, Matches};

/// Share of the query's terms that occur, times the mean over those of `1 / log2(df + 2)`, where `df` counts the chunks
/// that hold the term. Above 0, below 0.64.
pub(super) fn overlap(found: &ChunkMatches, all: &Matches) -> f64 {
    let mut matched = 0_u32;
    let mut weights = 0.0;
    for (&count, &frequency) in found.counts.iter().zip(&all.document_frequency) {
        if count > 0 {
            matched += 1;
            weights += 1.0 / f64::from(frequency + 2).log2();
        }
    }
    let share = f64::from(matched) / found.counts.len() as f64;
    share * (weights / f64::from(matched.max(1)))
}
