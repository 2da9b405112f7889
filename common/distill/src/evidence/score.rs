//! The two scores of a chunk. Sums run in the order of the query's terms, so equal inputs give equal bits.

use super::matches::{ChunkMatches, Matches};

/// Saturation of repeated terms; the customary value.
const K1: f64 = 1.2;
/// Weight of the chunk's length; the customary value.
const B: f64 = 0.75;

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

/// Okapi BM25 over chunks, with the inverse document frequency that never falls below 0. Above 0, without upper bound.
pub(super) fn bm25(found: &ChunkMatches, all: &Matches) -> f64 {
    let total = all.total_chunks as f64;
    // At least one, since a query may consist of names that are function words elsewhere.
    let mean_terms = (all.total_terms as f64 / total).max(1.0);
    let length = 1.0 - B + B * f64::from(found.terms) / mean_terms;
    let mut score = 0.0;
    for (&count, &frequency) in found.counts.iter().zip(&all.document_frequency) {
        let (count, frequency) = (f64::from(count), f64::from(frequency));
        let inverse = ((total - frequency + 0.5) / (frequency + 0.5)).ln_1p();
        score += inverse * count * (K1 + 1.0) / (count + K1 * length);
    }
    score
}
