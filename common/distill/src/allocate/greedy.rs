//! The plain rule of the specification: from the most important down, each source gets the highest level that still fits.

use super::floor_tokens;
use super::ladder::Ladder;

/// Index of the rung each source stands on. The ladders come most important first; what the floors cost is set aside.
pub(super) fn climb(ladders: &[Ladder], budget: u64) -> Vec<usize> {
    let mut left = budget.saturating_sub(floor_tokens(ladders));
    let mut chosen = Vec::with_capacity(ladders.len());
    for ladder in ladders {
        let floor = ladder.floor_tokens();
        let rung = ladder.rungs.iter().rposition(|rung| rung.tokens <= floor.saturating_add(left));
        let rung = rung.unwrap_or(ladder.floor).max(ladder.floor);
        left -= ladder.rungs[rung].tokens - floor;
        chosen.push(rung);
    }
    chosen
}
