//! A set of chunks as one bit per chunk.

/// Chunks of a segment or window, numbered from its start.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ChunkSet {
    bits: Vec<u64>,
}

impl ChunkSet {
    /// An empty set for `chunks` chunks.
    pub(crate) fn new(chunks: u32) -> Self {
        Self { bits: vec![0; (chunks as usize).div_ceil(64)] }
    }

    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Adds the first `chunks` chunks.
    pub(crate) fn fill(&mut self, chunks: u32) {
        (0..chunks).for_each(|chunk| self.insert(chunk));
    }

    #[inline]
    pub(crate) fn insert(&mut self, chunk: u32) {
        self.bits[chunk as usize / 64] |= 1 << (chunk % 64);
    }

    #[inline]
    pub(crate) fn holds(&self, chunk: u32) -> bool {
        self.bits[chunk as usize / 64] >> (chunk % 64) & 1 == 1
    }

    pub(crate) fn len(&self) -> usize {
        self.bits.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }

    /// Adds the chunks next to those of `other`, and those themselves.
    pub(crate) fn widen(&mut self, other: &Self) {
        let mut before = 0;
        for (at, &bits) in other.bits.iter().enumerate() {
            let behind = other.bits.get(at + 1).copied().unwrap_or_default();
            self.bits[at] |= bits | bits << 1 | bits >> 1 | before >> 63 | behind << 63;
            before = bits;
        }
    }

    /// The chunks, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.bits.iter().zip(0_u32..).flat_map(|(bits, at)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let lowest = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * 64 + lowest)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_inserted_and_widens_across_words() {
        let mut set = ChunkSet::new(200);
        assert!(set.is_empty());
        [0, 63, 130].into_iter().for_each(|chunk| set.insert(chunk));
        assert_eq!((set.iter().collect::<Vec<_>>(), set.len()), (vec![0, 63, 130], 3));
        assert!(set.holds(63) && !set.holds(64));
        let mut wide = ChunkSet::new(200);
        wide.widen(&set);
        assert_eq!(wide.iter().collect::<Vec<_>>(), [0, 1, 62, 63, 64, 129, 130, 131]);
        wide.clear();
        wide.fill(65);
        assert_eq!((wide.len(), wide.holds(64), wide.holds(65)), (65, true, false));
    }
}
