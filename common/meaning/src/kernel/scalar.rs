//! The plain kernel: what every other is held to, and what a processor without one of ours uses.

use super::tile::{ROWS, Sums};

/// See [`super::tile::Tile`].
pub(super) fn tile(weights: &[i16], activations: &[i16], length: usize, sums: &mut Sums) {
    for (activations, sums) in activations.chunks_exact(length).zip(sums) {
        for (row, sum) in weights.chunks_exact(length).zip(sums).take(ROWS) {
            let products = row.iter().zip(activations).map(|(a, b)| i32::from(*a) * i32::from(*b));
            *sum = products.fold(0, i32::wrapping_add);
        }
    }
}
