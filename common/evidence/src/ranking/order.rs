//! Sorts chunks by score.

use std::cmp::Reverse;

/// Scores closer than 1 / `RESOLUTION` count as equal and position decides, so that rounding errors do not change the order.
const RESOLUTION: f64 = 1e12;

/// Sorts best first; ties by position.
pub(super) fn sort(order: &mut [(usize, f64)]) {
    order.sort_by_key(|&(chunk, score)| (Reverse((score * RESOLUTION).round() as u64), chunk));
}
