//! The order of chunks by their scores.

use std::cmp::Reverse;

/// Scores closer than this are equal, and position decides: the last bits of a sum are no reason to reorder.
const RESOLUTION: f64 = 1e12;

/// Best first; ties by position.
pub(super) fn sort(order: &mut [(usize, f64)]) {
    order.sort_by_key(|&(chunk, score)| (Reverse((score * RESOLUTION).round() as u64), chunk));
}
