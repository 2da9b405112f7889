//! Merges the bytes of a short piece into tokens, pair by pair in order of rank.

/// Rank of a pair that is not a token.
pub(super) const NO_TOKEN: u32 = u32::MAX;

/// Reused buffers for the parts of a piece.
#[derive(Debug, Default)]
pub(super) struct Merger {
    /// Start of each part, followed by the end of the piece.
    starts: Vec<usize>,
    /// The rank of each part joined with the next one.
    ranks: Vec<u32>,
}

impl Merger {
    /// Number of tokens that `piece` becomes: the pair with the lowest rank is merged first, the leftmost of equal ones. The cost grows
    /// with the square of the length.
    pub(super) fn count(&mut self, piece: &[u8], rank: impl Fn(&[u8]) -> u32) -> usize {
        let Self { starts, ranks } = self;
        starts.clear();
        starts.extend(0..=piece.len());
        ranks.clear();
        ranks.extend(piece.windows(2).map(&rank));
        while let Some(at) = lowest(ranks) {
            starts.remove(at + 1);
            ranks.remove(at);
            if at > 0 {
                ranks[at - 1] = rank(&piece[starts[at - 1]..starts[at + 1]]);
            }
            if at < ranks.len() {
                ranks[at] = rank(&piece[starts[at]..starts[at + 2]]);
            }
        }
        starts.len() - 1
    }
}

/// Index of the leftmost pair with the lowest rank; `None` if no pair is a token.
fn lowest(ranks: &[u32]) -> Option<usize> {
    let packed = ranks.iter().zip(0_u64..).map(|(rank, at)| u64::from(*rank) << 32 | at).min()?;
    (packed >> 32 != u64::from(NO_TOKEN)).then_some(packed as u32 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_rank_goes_first_and_of_equal_ones_the_leftmost() {
        let rank = |pair: &[u8]| match pair {
            b"bc" => 1,
            b"aa" | b"ab" => 2,
            b"aaa" => 3,
            b"abc" => 4,
            _ => NO_TOKEN,
        };
        let mut merger = Merger::default();
        for (piece, tokens) in
            [("", 0), ("a", 1), ("abc", 1), ("aab", 2), ("aaaa", 2), ("aaa", 1), ("bca", 2), ("xyz", 3)]
        {
            assert_eq!(merger.count(piece.as_bytes(), rank), tokens, "{piece}");
        }
    }
}
