//! The order in which sources are raised: a fixed list of steps, of which the budget pays for the first ones.
//!
//! Because the list does not depend on the budget, a larger budget never lowers a source; because each level is given to the more
//! important sources first, a more important source never gets less.

use precis_proto::fidelity::FidelityLevel;

use super::ladder::Ladder;

/// Levels to which all sources are raised, in turn, before any of them gets more. So nothing is left out while a headline of everything
/// fits.
const FOR_ALL_FIRST: [FidelityLevel; 2] = [FidelityLevel::Truncated, FidelityLevel::Headline];
/// Levels to which the most important sources are raised next, one after the other.
const FOR_THE_FIRST: [FidelityLevel; 2] = [FidelityLevel::KeyPoints, FidelityLevel::Condensed];
/// Levels to which all sources are raised last.
const FOR_ALL: [FidelityLevel; 3] = [FidelityLevel::KeyPoints, FidelityLevel::Condensed, FidelityLevel::Raw];

/// The steps, in order: which ladder is raised to which level. The ladders are sorted by importance: `protected` ones first, then the
/// others; the first `guarded` are raised to `condensed` before the others leave `headline`.
pub(super) fn order(ladders: usize, protected: usize, guarded: usize) -> impl Iterator<Item = (usize, FidelityLevel)> {
    let to =
        |places: std::ops::Range<usize>| move |level: FidelityLevel| places.clone().map(move |place| (place, level));
    let safe = FOR_ALL_FIRST.into_iter().flat_map(to(0..protected));
    let present = FOR_ALL_FIRST.into_iter().flat_map(to(protected..ladders));
    let first = FOR_THE_FIRST.into_iter().flat_map(to(0..guarded));
    safe.chain(present).chain(first).chain(FOR_ALL.into_iter().flat_map(to(0..ladders)))
}

/// The rung index of each source, and the step at which the budget ran out, with the tokens left.
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
        // Stop at the first step that does not fit: a cheaper later step would give a less important source more than a more important
        // one.
        if cost > left {
            return (chosen, Some((place, left)));
        }
        chosen[place] = to;
        left -= cost;
    }
    (chosen, None)
}
