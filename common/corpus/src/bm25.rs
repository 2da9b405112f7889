//! The formula of Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) for one field of a
//! chunk.

/// Saturation of repeated terms, and weight of the length of a chunk: lower than usual for whole documents, because chunks have similar
/// lengths. Compared with the usual 1.2 and 0.75: over 98 papers, the document with the answer is among the first five for 0.910
/// instead of 0.904 of 963 questions; over 736 proposals, both documents are for 0.66 instead of 0.58 of 87 questions; for paragraphs in
/// four languages nothing changes.
const K1: f64 = 0.9;
const B: f64 = 0.5;
/// The value that [`saturation`] stays below, however often a word is repeated.
pub(crate) const SATURATION: f64 = K1 + 1.0;
/// Lengths whose norms are computed once per search; longer chunks are rare.
const KNOWN_LENGTHS: u32 = 512;

/// Returns the inverse document frequency, in the variant that is never negative.
pub(crate) fn rarity(all: usize, frequency: usize) -> f64 {
    let (all, frequency) = (all as f64, frequency as f64);
    ((all - frequency + 0.5) / (frequency + 0.5)).ln_1p()
}

/// Returns what a word counts that occurs `count` times in a chunk whose length has this `norm`; rises with `count`, ever more slowly.
pub(crate) fn saturation(count: f64, norm: f64) -> f64 {
    count * (K1 + 1.0) / (count + norm)
}

/// The norms of the lengths of chunks.
pub(crate) struct LengthNorms {
    mean: f64,
    known: Vec<f64>,
}

impl LengthNorms {
    /// The norm of the mean length.
    pub(crate) const OF_MEAN: f64 = K1;

    pub(crate) fn new(mean: f64) -> Self {
        Self { mean, known: (0..KNOWN_LENGTHS).map(|length| norm(length, mean)).collect() }
    }

    pub(crate) fn norm(&self, length: u32) -> f64 {
        self.known.get(length as usize).copied().unwrap_or_else(|| norm(length, self.mean))
    }
}

fn norm(length: u32, mean: f64) -> f64 {
    K1 * (1.0 - B + B * f64::from(length) / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarity_falls_with_frequency_and_never_below_zero() {
        let found: Vec<f64> = [0, 1, 10, 100].into_iter().map(|frequency| rarity(100, frequency)).collect();
        assert!(found.windows(2).all(|pair| pair[0] > pair[1]) && found[3] > 0.0, "{found:?}");
    }

    #[test]
    fn a_long_chunk_has_the_same_norm_in_the_table_and_beyond() {
        let norms = LengthNorms::new(60.0);
        for length in [0, 60, KNOWN_LENGTHS - 1, KNOWN_LENGTHS, u32::MAX] {
            assert_eq!(norms.norm(length).to_bits(), norm(length, 60.0).to_bits(), "{length}");
        }
        assert_eq!(norms.norm(60).to_bits(), LengthNorms::OF_MEAN.to_bits());
    }

    #[test]
    fn saturation_is_never_reached_and_is_subadditive() {
        for (a, b, length) in [(1.0, 1.0, 0), (0.5, 300.0, 7), (60.0, 2.5, 400)] {
            let norm = norm(length, 60.0);
            assert!(saturation(a + b, norm) < SATURATION);
            assert!(saturation(a + b, norm) <= saturation(a, norm) + saturation(b, norm));
        }
    }
}
