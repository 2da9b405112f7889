//! The pieces of a vocabulary, one after the other.

use crate::limits::{MAX_PIECE_BYTES, MAX_VOCABULARY};

/// The pieces of a vocabulary; the number of a piece is its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Pieces {
    /// `ends` has for each piece the byte after its last one. `None` unless they grow up to the end of `bytes`, no piece is longer than
    /// [`MAX_PIECE_BYTES`], and there are no more than [`MAX_VOCABULARY`].
    pub fn new(ends: Vec<u32>, bytes: Vec<u8>) -> Option<Self> {
        let mut from = 0_u32;
        for end in &ends {
            let length = end.checked_sub(from)?;
            if length as usize > MAX_PIECE_BYTES {
                return None;
            }
            from = *end;
        }
        (from as usize == bytes.len() && ends.len() <= MAX_VOCABULARY).then_some(Self { ends, bytes })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a piece; empty beyond the last.
    pub fn piece(&self, token: usize) -> &[u8] {
        let from = token.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        match (from, self.ends.get(token)) {
            (Some(from), Some(end)) => &self.bytes[from as usize..*end as usize],
            _ => &[],
        }
    }

    /// For each piece the byte after its last one.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// All pieces.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lie_one_after_the_other() {
        let pieces = Pieces::new(vec![1, 1, 3], b"abc".to_vec()).expect("valid");
        assert_eq!([pieces.piece(0), pieces.piece(1), pieces.piece(2), pieces.piece(3)], [&b"a"[..], b"", b"bc", b""]);
    }

    #[test]
    fn ends_that_go_back_or_beyond_are_refused() {
        for (ends, length) in [(vec![2, 1], 1), (vec![4], 3), (vec![2], 3), (vec![], 1), (vec![u32::MAX], 3)] {
            assert_eq!(Pieces::new(ends, vec![b'a'; length]), None);
        }
    }

    #[test]
    fn a_piece_has_at_most_its_limit() {
        for (length, is_fine) in [(MAX_PIECE_BYTES - 1, true), (MAX_PIECE_BYTES, true), (MAX_PIECE_BYTES + 1, false)] {
            assert_eq!(Pieces::new(vec![length as u32], vec![b'a'; length]).is_some(), is_fine, "{length}");
        }
    }
}
