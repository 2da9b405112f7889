//! The best levels of few sources, by trying all that could be the best.
//!
//! States are pairs of tokens and worth; of two states the dearer and worse one can never lead to the best end and is left out
//! (Nemhauser and Ullmann, 1969).

use super::floor_tokens;
use super::ladder::Ladder;

/// More sources than this are not tried. Chosen so that a search stays below a millisecond.
const MAX_SOURCES: usize = 16;
/// More states than this are not followed.
const MAX_STATES: usize = 512;

/// A choice for the sources so far.
#[derive(Debug, Clone, Copy)]
struct State {
    tokens: u64,
    worth: f64,
    /// Place of the state before, in the list before.
    before: usize,
    rung: usize,
}

/// Index of the rung each source stands on, at the highest worth there is; `None` where that would take too long.
pub(super) fn climb(ladders: &[Ladder], budget: u64) -> Option<Vec<usize>> {
    let floors = floor_tokens(ladders);
    if ladders.len() > MAX_SOURCES || floors > budget {
        return None;
    }
    let mut lists = vec![vec![State { tokens: floors, worth: 0.0, before: 0, rung: 0 }]];
    for ladder in ladders {
        let next = follow(lists.last().map_or(&[][..], Vec::as_slice), ladder, budget);
        if next.len() > MAX_STATES {
            return None;
        }
        lists.push(next);
    }
    Some(walk_back(&lists))
}

/// Every useful way to go on from `states` with one more source, cheapest first.
fn follow(states: &[State], ladder: &Ladder, budget: u64) -> Vec<State> {
    let floor = ladder.floor_tokens();
    let mut all: Vec<State> = Vec::with_capacity(states.len() * ladder.rungs.len());
    for (before, state) in states.iter().enumerate() {
        for (rung, there) in ladder.rungs.iter().enumerate().skip(ladder.floor) {
            let tokens = state.tokens - floor + there.tokens;
            if tokens <= budget {
                all.push(State { tokens, worth: state.worth + there.worth, before, rung });
            }
        }
    }
    all.sort_unstable_by(|a, b| a.tokens.cmp(&b.tokens).then(b.worth.total_cmp(&a.worth)).then(a.rung.cmp(&b.rung)));
    let mut best = f64::NEG_INFINITY;
    all.retain(|state| {
        let is_better = state.worth > best;
        best = best.max(state.worth);
        is_better
    });
    all
}

/// The rungs that led to the last state, which is the best: the list is sorted by worth too.
fn walk_back(lists: &[Vec<State>]) -> Vec<usize> {
    let mut place = lists.last().map_or(0, |list| list.len().saturating_sub(1));
    let mut rungs = Vec::with_capacity(lists.len());
    for list in lists[1..].iter().rev() {
        rungs.push(list[place].rung);
        place = list[place].before;
    }
    rungs.reverse();
    rungs
}
