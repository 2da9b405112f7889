//! Chooses the instructions, and cuts a product into pieces.

use super::tile::{ROWS, Sums, TOKENS, Tile};
use super::{scalar, wide};

/// Tokens for which rows are made wide once: their activations stay in the second cache.
const BLOCK: usize = 24 * TOKENS;

/// Which instructions are used. One that the processor does not have cannot be made.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    name: &'static str,
    tile: Tile,
}

impl Kernel {
    /// The plain one, which every other is held to.
    pub const SCALAR: Self = Self { name: "scalar", tile: scalar::tile };

    /// Every kernel that this processor has, the plain one first and the widest last.
    pub fn all() -> Vec<Self> {
        let mut kernels = vec![Self::SCALAR];
        kernels.extend(wide::tiles().into_iter().map(|(name, tile)| Self { name, tile }));
        kernels
    }

    /// The widest that this processor has and that gives the sums of the plain one on a sample of extreme numbers.
    pub fn widest() -> Self {
        Self::all().into_iter().rev().find(|kernel| kernel.is_right()).unwrap_or(Self::SCALAR)
    }

    /// As logs show it: `scalar`, `sse2`, `avx2`, `avx512`, `avx512-vnni`, `neon`.
    pub fn name(self) -> &'static str {
        self.name
    }

    fn is_right(self) -> bool {
        const LENGTH: usize = 64;
        let sample = |count: usize, by: usize| -> Vec<i16> {
            (0..count).map(|at| if at % 7 == 0 { i16::MIN } else { (at * by) as i16 }).collect()
        };
        let (weights, activations) = (sample(ROWS * LENGTH, 7919), sample(TOKENS * LENGTH, 104_729));
        let (mut ours, mut plain) = (Sums::default(), Sums::default());
        (self.tile)(&weights, &activations, LENGTH, &mut ours);
        scalar::tile(&weights, &activations, LENGTH, &mut plain);
        ours == plain
    }

    /// `sums[token · rows + row]` of `weights` (rows of `length`) and `activations` (tokens of `length`).
    pub(crate) fn products(self, weights: &[i8], activations: &[i16], length: usize, sums: &mut [i32]) {
        let rows = weights.len() / length;
        debug_assert!(rows.is_multiple_of(ROWS) && length.is_multiple_of(crate::limits::ROW_STEP));
        let mut wide = vec![0_i16; ROWS * length];
        for (block, activations) in activations.chunks(BLOCK * length).enumerate() {
            for (at, weights) in weights.chunks_exact(ROWS * length).enumerate() {
                wide.iter_mut().zip(weights).for_each(|(wide, weight)| *wide = i16::from(*weight));
                for (group, activations) in activations.chunks(TOKENS * length).enumerate() {
                    let mut tile = Sums::default();
                    (self.tile)(&wide, activations, length, &mut tile);
                    let first = block * BLOCK + group * TOKENS;
                    for (token, row) in tile.iter().take(activations.len() / length).enumerate() {
                        let to = (first + token) * rows + at * ROWS;
                        sums[to..to + ROWS].copy_from_slice(row);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sums(kernel: Kernel, weights: &[i8], activations: &[i16], length: usize) -> Vec<i32> {
        let mut sums = vec![0; weights.len() / length * (activations.len() / length)];
        kernel.products(weights, activations, length, &mut sums);
        sums
    }

    proptest! {
        #[test]
        fn every_kernel_gives_the_sums_of_the_plain_one(
            steps in 1_usize..6, groups in 1_usize..4, tokens in 1_usize..60, seed in any::<u64>(),
        ) {
            let length = steps * crate::limits::ROW_STEP;
            let mut state = seed | 1;
            let mut next = || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state };
            let weights: Vec<i8> = (0..groups * ROWS * length).map(|_| next() as i8).collect();
            // All of 16 bits, so that sums wrap as well.
            let activations: Vec<i16> = (0..tokens * length).map(|_| next() as i16).collect();
            let plain: Vec<i32> = activations.chunks(length).flat_map(|token| {
                weights.chunks(length).map(move |row| {
                    row.iter().zip(token).fold(0_i32, |sum, (a, b)| sum.wrapping_add(i32::from(*a) * i32::from(*b)))
                })
            }).collect();
            for kernel in Kernel::all() {
                prop_assert_eq!(&sums(kernel, &weights, &activations, length), &plain, "{}", kernel.name());
            }
        }
    }

    #[test]
    fn a_kernel_with_other_sums_is_not_used() {
        fn wrong(_: &[i16], _: &[i16], _: usize, sums: &mut Sums) {
            sums[0][0] = 1;
        }
        assert!(!Kernel { name: "wrong", tile: wrong }.is_right());
        assert!(Kernel::all().into_iter().all(Kernel::is_right));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn every_processor_of_this_family_has_a_wide_kernel() {
        assert_eq!(Kernel::all()[1].name(), "sse2");
    }
}
