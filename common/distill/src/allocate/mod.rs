//! Allocation: which sources are carried whole, which are reduced, which are left out, so that all of it fits a budget.
//!
//! The budget is never exceeded. Guardrails (the five most important at `condensed` or better, protected sources never dropped,
//! three sources at least) yield before it does, with a warning that says so. Within them the levels are chosen by what a source
//! is worth per token: a multiple-choice knapsack over source and level, never worth less than the plain rule of [`greedy`].
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`item`] | what asks for tokens, and what becomes of it |
//! | [`importance`] | how important a source is |
//! | [`ladder`] | the levels a source can be carried at, what each costs and is worth |
//! | [`guard`] | the least each source must get, and how that yields |
//! | [`squeeze`] | fair shares where even the least is too much |
//! | [`knapsack`] | levels by worth per token |
//! | [`exact`] | the best levels of few sources |
//! | [`greedy`] | the plain rule: from the top, the highest level that still fits |

mod exact;
mod greedy;
mod guard;
mod importance;
mod item;
mod knapsack;
mod ladder;
mod squeeze;

pub use guard::{MIN_ITEMS, TOP_ITEMS};
pub use importance::{priority, recency};
pub use item::{Allocation, Fate, Item};
pub use ladder::MIN_SHARE_TOKENS;

use guard::Guarded;
use ladder::Ladder;

/// Gives `budget_tokens` out. `allow_dropping` false keeps every source at its share of the budget, however small.
///
/// Protected sources come first in the answer, then the more important ones; ties by id.
#[must_use]
pub fn allocate(items: &[Item], budget_tokens: u64, allow_dropping: bool) -> Allocation {
    let guarded = guard::guard(items, budget_tokens, allow_dropping);
    let ladders = &guarded.ladders;
    let plain = greedy::climb(ladders, budget_tokens);
    let mut best = knapsack::climb(ladders, budget_tokens);
    for other in [exact::climb(ladders, budget_tokens), Some(plain)].into_iter().flatten() {
        if worth(ladders, &other) > worth(ladders, &best) {
            best = other;
        }
    }
    settled(guarded, &best)
}

/// The same by the plain rule alone: what [`allocate`] is compared with.
#[must_use]
pub fn allocate_plainly(items: &[Item], budget_tokens: u64, allow_dropping: bool) -> Allocation {
    let guarded = guard::guard(items, budget_tokens, allow_dropping);
    let chosen = greedy::climb(&guarded.ladders, budget_tokens);
    settled(guarded, &chosen)
}

fn settled(guarded: Guarded<'_>, chosen: &[usize]) -> Allocation {
    let Guarded { order, ladders, is_top, warnings } = guarded;
    let rung = |place: usize| &ladders[place].rungs[chosen[place]];
    let important = order.iter().zip(is_top).filter(|(item, is_top)| *is_top || item.protected);
    Allocation {
        priority_ids: important.map(|(item, _)| item.source_id.clone()).collect(),
        allocated: (0..order.len()).map(|place| rung(place).tokens).fold(0, u64::saturating_add),
        worth: worth(&ladders, chosen),
        fates: order.iter().enumerate().map(|(place, item)| (item.source_id.clone(), rung(place).fate)).collect(),
        warnings,
    }
}

fn worth(ladders: &[Ladder], chosen: &[usize]) -> f64 {
    ladders.iter().zip(chosen).map(|(ladder, rung)| ladder.rungs[*rung].worth).sum()
}

/// What the lowest rungs cost together.
fn floor_tokens(ladders: &[Ladder]) -> u64 {
    ladders.iter().map(|ladder| ladder.rungs[ladder.floor].tokens).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
