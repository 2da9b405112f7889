//! Finds a piece by its bytes, which are given one at a time.

use super::pieces::Pieces;

/// Slots that are looked at for one piece. With half of them free, hashes of honest vocabularies need a few dozen at most; a file made to
/// need more is refused, because it would make reading it quadratic.
const MAX_PROBES: usize = 512;
/// Offset basis and prime of FNV-1a.
const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0100_0000_01B3;

/// The hash of the bytes so far.
#[derive(Clone, Copy)]
pub(super) struct Prefix(u64);

impl Prefix {
    pub(super) const EMPTY: Self = Self(BASIS);

    #[inline]
    pub(super) fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(PRIME))
    }
}

/// Slots with a piece's number and one, or zero. A power of two, at least twice as many as pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Index {
    slots: Vec<u32>,
}

impl Index {
    /// `None` if too many pieces share a place. Empty pieces are not found; of equal ones the first is.
    pub(super) fn new(pieces: &Pieces) -> Option<Self> {
        let mut index = Self { slots: vec![0; (pieces.count() * 2).next_power_of_two().max(2)] };
        for token in 0..pieces.count() {
            let bytes = pieces.piece(token);
            if bytes.is_empty() {
                continue;
            }
            let hash = bytes.iter().fold(Prefix::EMPTY, |prefix, byte| prefix.with(*byte));
            let slot = index.places(hash).take(MAX_PROBES).find(|slot| index.slots[*slot] == 0)?;
            index.slots[slot] = token as u32 + 1;
        }
        Some(index)
    }

    fn places(&self, Prefix(hash): Prefix) -> impl Iterator<Item = usize> + use<> {
        let last = self.slots.len() - 1;
        let first = (hash ^ (hash >> 32)) as usize;
        (0..=last).map(move |step| first.wrapping_add(step) & last)
    }

    /// The piece of these bytes, whose hash is `hash`.
    pub(super) fn find(&self, pieces: &Pieces, hash: Prefix, bytes: &[u8]) -> Option<u32> {
        for slot in self.places(hash).take(MAX_PROBES) {
            let token = self.slots[slot].checked_sub(1)?;
            if pieces.piece(token as usize) == bytes {
                return Some(token);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: &[u8]) -> Prefix {
        bytes.iter().fold(Prefix::EMPTY, |prefix, byte| prefix.with(*byte))
    }

    #[test]
    fn a_piece_is_found_by_its_bytes() {
        let pieces = Pieces::new(vec![1, 1, 3, 4], b"abca".to_vec()).expect("valid");
        let index = Index::new(&pieces).expect("few");
        let found = |bytes: &[u8]| index.find(&pieces, hash(bytes), bytes);
        assert_eq!([found(b"a"), found(b"bc"), found(b"b"), found(b"")], [Some(0), Some(2), None, None]);
    }

    #[test]
    fn a_vocabulary_that_shares_one_place_is_refused() {
        for (count, is_fine) in [(MAX_PROBES - 1, true), (MAX_PROBES, true), (MAX_PROBES + 1, false)] {
            let pieces = Pieces::new((1..=count as u32).collect(), vec![b'a'; count]).expect("valid");
            assert_eq!(Index::new(&pieces).is_some(), is_fine, "{count}");
        }
    }
}
