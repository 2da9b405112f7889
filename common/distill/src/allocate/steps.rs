//! The order in which sources go up their ladders: a fixed list of steps, of which a budget pays for a beginning.
//!
//! Since the list does not depend on the budget, more budget never lowers a source; since each level is given to the more important
//! first, a source that matters more never gets less.

use precis_proto::fidelity::FidelityLevel;

use super::ladder::Ladder;

/// Levels up to which everybody is taken, in turn, before anybody gets more. So nothing is left out while
/// a headline of everything fits.
const FOR_ALL_FIRST: [FidelityLevel; 2] = [FidelityLevel::Truncated, FidelityLevel::Headline];
/// Levels the most important are taken to next, one after the other.
const FOR_THE_FIRST: [FidelityLevel; 2] = [FidelityLevel::KeyPoints, FidelityLevel::Condensed];
/// Levels everybody is taken to at last.
const FOR_ALL: [FidelityLevel; 3] = [FidelityLevel::KeyPoints, FidelityLevel::Condensed, FidelityLevel::Raw];

/// Who goes up to which level, in order. The ladders come most important first: `protected` ones, then the others, of which the first
/// `guarded` go up to `condensed` before the others leave `headline`.
pub(super) fn order(ladders: usize, protected: usize, guarded: usize) -> impl Iterator<Item = (usize, FidelityLevel)> {
    let to =
        |places: std::ops::Range<usize>| move |level: FidelityLevel| places.clone().map(move |place| (place, level));
    let safe = FOR_ALL_FIRST.into_iter().flat_map(to(0..protected));
    let present = FOR_ALL_FIRST.into_iter().flat_map(to(protected..ladders));
    let first = FOR_THE_FIRST.into_iter().flat_map(to(0..guarded));
    safe.chain(present).chain(first).chain(FOR_ALL.into_iter().flat_map(to(0..ladders)))
}

/// Index of the rung each source stands on, and the step at which the budget ended with what was left of it.
pub(super) fn climb(
    ladders: &[Ladder],
    (protected, guarded): (usize, usize),
    budget: u64,
) -> (Vec<usize>, Option<(usize, u64)>) {
    let mut chosen = vec![0; ladders.len()];
    let mut left = budget;
    for (place, level) in order(ladders.len(), protected, guarded) {
        let ladder = &ladders[place];
        let (from, to) = (chosen[place], ladder.rung_of(level));
        if to <= from {
            continue;
        }
        let cost = ladder.rungs[to].tokens - ladder.rungs[from].tokens;
        if cost > left {
            return (chosen, Some((place, left)));
        }
        chosen[place] = to;
        left -= cost;
    }
    (chosen, None)
}
