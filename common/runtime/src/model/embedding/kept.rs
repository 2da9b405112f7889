//! What is stored of an answer with vectors: their numbers, and who paid.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use precis_proto::SessionId;
use serde::{Deserialize, Serialize};

/// The stored answer of a request for vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::model) struct KeptVectors {
    /// The session that made the request. If it finds its answer again after a crash, the cost is counted once.
    pub(super) paid_by: SessionId,
    /// Tokens as reported by the provider, else as counted here.
    pub(super) tokens: u64,
    /// All numbers, in base64, each as four bytes, little-endian.
    numbers: String,
}

impl KeptVectors {
    pub(super) fn new(paid_by: SessionId, tokens: u64, vectors: &[Vec<f32>]) -> Self {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        Self { paid_by, tokens, numbers: STANDARD.encode(bytes) }
    }

    /// The vectors of `texts` texts; `None` if they are not as many, or not of `dimensions` finite numbers: what is in a store may be
    /// anything.
    pub(super) fn vectors(&self, texts: usize, dimensions: usize) -> Option<Vec<Vec<f32>>> {
        let bytes = STANDARD.decode(&self.numbers).ok()?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || dimensions == 0 || numbers.len() != texts * dimensions {
            return None;
        }
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let is_whole = numbers.iter().all(|number| number.is_finite());
        is_whole.then(|| numbers.chunks_exact(dimensions).map(<[f32]>::to_vec).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(vectors: &[Vec<f32>]) -> KeptVectors {
        KeptVectors::new(SessionId::new("s").expect("a letter"), 3, vectors)
    }

    #[test]
    fn kept_vectors_come_back_bit_by_bit_and_nothing_else_does() {
        let vectors = vec![vec![0.1, -2.5], vec![3.0, 1e-30]];
        assert_eq!(kept(&vectors).vectors(2, 2), Some(vectors.clone()));
        for (texts, dimensions) in [(1, 2), (2, 1), (3, 2), (2, 3), (4, 0), (0, 0)] {
            assert_eq!(kept(&vectors).vectors(texts, dimensions), None, "{texts} {dimensions}");
        }
        assert_eq!(kept(&[vec![f32::NAN, 1.0]]).vectors(1, 2), None);
        assert_eq!(KeptVectors { numbers: "?".to_owned(), ..kept(&vectors) }.vectors(2, 2), None);
        assert_eq!(KeptVectors { numbers: "AAAA".to_owned(), ..kept(&vectors) }.vectors(2, 2), None);
    }
}
