//! Allocation: which sources are carried whole, which are reduced, which are left out, so that all of it fits a budget.
//!
//! The budget is never exceeded. Sources go down in the order of the specification: key points, headline, a cut, and out at last; so
//! nothing is left out while a headline of everything fits. More budget never lowers a source, and one that matters more never gets
//! less. Guardrails (the five most important at `condensed`, protected sources at `headline`, three sources at least) yield to the
//! budget with a warning that says what happened.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`aside`] | sources of which the best passages are enough |
//! | [`item`] | what asks for tokens, and what becomes of it |
//! | [`mod@confidence`] | how far a source is trusted for what can be checked of it |
//! | [`importance`] | how important a source is |
//! | [`ladder`] | the levels a source can be carried at, and what each costs |
//! | [`steps`] | the order in which sources go up |
//! | [`guard`] | which guardrails yielded, in words |

mod aside;
mod confidence;
mod guard;
mod importance;
mod item;
mod ladder;
mod steps;

use std::cmp::Ordering;

pub use confidence::confidence;
pub use guard::{MIN_ITEMS, TOP_ITEMS};
pub use importance::{priority, recency};
pub use item::{Allocation, AllocationItem, Fate};
pub use ladder::MIN_SHARE_TOKENS;

use ladder::{Ladder, Rung};

/// Gives `budget_tokens` out. `allow_dropping` false keeps every source at its share of the budget, however small.
///
/// Protected sources come first in the answer, then the more important ones, of these the better ones; ties by id.
#[must_use]
pub fn allocate(items: &[AllocationItem], budget_tokens: u64, allow_dropping: bool) -> Allocation {
    let mut order: Vec<&AllocationItem> = items.iter().collect();
    order.sort_by(|a, b| b.protected.cmp(&a.protected).then_with(|| by_importance(a, b)));
    let protected = order.iter().take_while(|item| item.protected).count();
    let guarded = protected.max(TOP_ITEMS).min(order.len());
    let highest = aside::highest(items.iter());
    let aside = |(n, item): (usize, &&AllocationItem)| {
        if n < guarded { None } else { aside::aside_tokens(item, highest) }
    };
    let asides: Vec<Option<u64>> = order.iter().enumerate().map(aside).collect();
    let ladder = |(item, aside): (&&AllocationItem, &Option<u64>)| match aside {
        Some(tokens) => Ladder::of_passages(item, *tokens),
        None => Ladder::new(item),
    };
    let mut ladders: Vec<Ladder> = order.iter().zip(&asides).map(ladder).collect();
    if !allow_dropping {
        share_out(&mut ladders, budget_tokens);
    }
    // Where nobody may be left out, everybody has a cut before a protected source gets more.
    let safe = if allow_dropping { protected } else { 0 };
    let (mut chosen, ended) = steps::climb(&ladders, (safe, guarded), budget_tokens);
    if let Some((place, left)) = ended {
        spend(&mut ladders[place], &mut chosen[place], left);
    }
    let rung = |place: usize| &ladders[place].rungs[chosen[place]];
    let aside = order.iter().zip(&asides).filter_map(|(item, tokens)| Some((item.source_id.clone(), (*tokens)?)));
    Allocation {
        asides: aside.collect(),
        priority_ids: order[..guarded].iter().map(|item| item.source_id.clone()).collect(),
        allocated: (0..order.len()).map(|place| rung(place).tokens).fold(0, u64::saturating_add),
        warnings: guard::warnings(&order, &ladders, &chosen, guarded, budget_tokens),
        fates: order.iter().enumerate().map(|(place, item)| (item.source_id.clone(), rung(place).fate)).collect(),
    }
}

fn by_importance(a: &AllocationItem, b: &AllocationItem) -> Ordering {
    let priority = |item: &AllocationItem| if item.priority.is_nan() { 0.0 } else { item.priority };
    let by_priority = priority(b).total_cmp(&priority(a));
    by_priority.then_with(|| b.quality.cmp(&a.quality)).then_with(|| a.source_id.cmp(&b.source_id))
}

/// Lowers the cuts of all sources to fair shares of `budget`, where not even those fit together: large sources yield to small ones.
fn share_out(ladders: &mut [Ladder], budget: u64) {
    let mut places: Vec<usize> = (0..ladders.len()).filter(|place| ladders[*place].rungs.len() > 1).collect();
    places.sort_by_key(|place| ladders[*place].rungs[1].tokens);
    let least: u64 = places.iter().map(|place| ladders[*place].rungs[1].tokens).fold(0, u64::saturating_add);
    if least <= budget {
        return;
    }
    let (mut left, mut waiting) = (budget, places.len() as u64);
    for place in places {
        let fair = left / waiting;
        waiting -= 1;
        if fair == 0 {
            ladders[place].rungs.truncate(1);
            continue;
        }
        if ladders[place].rungs[1].tokens > fair {
            ladders[place].insert(Rung::cut(fair));
        }
        left -= ladders[place].rungs[1].tokens.min(left);
    }
}

/// Gives what is `left`, too little for the next level, to the source whose turn it is: its share grows, its level stays.
fn spend(ladder: &mut Ladder, rung: &mut usize, left: u64) {
    if let Fate::Reduce { level, tokens } = ladder.rungs[*rung].fate {
        let tokens = tokens + left;
        ladder.rungs[*rung] = Rung::new(Fate::Reduce { level, tokens }, tokens);
    }
}

#[cfg(test)]
mod tests;
