//! Levels by worth per token: a multiple-choice knapsack, taken along the upper hull of each source's levels.
//!
//! Source: Sinha and Zoltners, "The multiple-choice knapsack problem" (1979): the linear relaxation is solved by taking the steps
//! of all hulls in the order of their slope. What is left over at the end goes to whatever still fits.

use super::floor_tokens;
use super::ladder::{Ladder, Rung};

/// A step from one rung of a source to a higher one.
#[derive(Debug, Clone, Copy)]
struct Climb {
    place: usize,
    from: usize,
    to: usize,
    tokens: u64,
    /// Worth per token.
    slope: f64,
}

/// Index of the rung each source stands on.
pub(super) fn climb(ladders: &[Ladder], budget: u64) -> Vec<usize> {
    let mut chosen: Vec<usize> = ladders.iter().map(|ladder| ladder.floor).collect();
    let mut left = budget.saturating_sub(floor_tokens(ladders));
    let mut climbs: Vec<Climb> = Vec::with_capacity(ladders.len() * 4);
    for (place, ladder) in ladders.iter().enumerate() {
        hull(place, ladder, &mut climbs);
    }
    climbs.sort_unstable_by(|a, b| b.slope.total_cmp(&a.slope).then(a.place.cmp(&b.place)).then(a.from.cmp(&b.from)));
    for climb in climbs {
        if chosen[climb.place] == climb.from && climb.tokens <= left {
            chosen[climb.place] = climb.to;
            left -= climb.tokens;
        }
    }
    spend(ladders, &mut chosen, left);
    chosen
}

/// The steps of the upper hull above the floor of `ladder`: each with a smaller slope than the one before.
fn hull(place: usize, ladder: &Ladder, climbs: &mut Vec<Climb>) {
    let mut from = ladder.floor;
    while let Some((to, slope)) = steepest(&ladder.rungs, from) {
        climbs.push(Climb { place, from, to, tokens: ladder.rungs[to].tokens - ladder.rungs[from].tokens, slope });
        from = to;
    }
}

/// The rung above `from` that gives most worth per token, the highest of equals.
fn steepest(rungs: &[Rung], from: usize) -> Option<(usize, f64)> {
    let slope = |to: usize| (rungs[to].worth - rungs[from].worth) / (rungs[to].tokens - rungs[from].tokens) as f64;
    let steps = (from + 1..rungs.len()).map(|to| (to, slope(to))).filter(|(_, slope)| *slope > 0.0);
    steps.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Spends what is `left`, most important source first, on the highest rung it pays for.
fn spend(ladders: &[Ladder], chosen: &mut [usize], mut left: u64) {
    for (ladder, rung) in ladders.iter().zip(chosen) {
        let now = ladder.rungs[*rung].tokens;
        if let Some(higher) = ladder.rungs.iter().rposition(|r| r.tokens > now && r.tokens - now <= left) {
            left -= ladder.rungs[higher].tokens - now;
            *rung = higher;
        }
    }
}
