//! Allocates a token budget: which sources are carried whole, which are reduced, which are left out.
//!
//! The budget is never exceeded. If it is short, sources are lowered in fixed steps: key points, headline, a cut, and finally left out;
//! so nothing is left out while a headline of everything fits. A larger budget never lowers a source, and a more important source never
//! gets less. Guardrails (the five most important at `condensed`, protected sources at `headline`, at least three sources) yield to the
//! budget with a warning.
//!
//! ```
//! use precis_context::allocate::{AllocationItem, Fate, allocate};
//! use precis_proto::SourceId;
//! use precis_proto::fidelity::FidelityLevel;
//! use precis_proto::source::Quality;
//!
//! let item = |id: &str, priority: f64| AllocationItem {
//!     source_id: SourceId::new(id).expect("a source id"),
//!     found_at: None,
//!     tokens: 1_000,
//!     priority,
//!     quality: Quality::Medium,
//!     protected: false,
//!     whole_tokens: 1_000,
//!     relevance: None,
//! };
//! let split = allocate(&[item("minor", 0.2), item("major", 0.9)], 1_200, true);
//! assert_eq!(split.allocated, 1_200);
//! assert_eq!(split.fates[0].0.as_str(), "major");
//! assert_eq!(split.fates[0].1, Fate::Reduce { level: FidelityLevel::Condensed, tokens: 700 });
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`aside`] | sources whose best passages are enough |
//! | [`item`] | the input and output of an allocation |
//! | [`mod@confidence`] | how far a source is trusted, from properties that can be checked |
//! | [`importance`] | how important a source is |
//! | [`ladder`] | the levels at which a source can be carried, and the cost of each |
//! | [`steps`] | the order in which sources are raised |
//! | [`guard`] | the guardrails, and the warnings if they are broken |

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

use precis_text::tie_break::tie_break;

use ladder::{Ladder, Rung};

/// Allocates `budget_tokens` to `items`. If `allow_dropping` is false, every source keeps a share of the budget, however small.
///
/// The fates are sorted: protected sources first, then by importance, then by quality, then by id, or
/// by place if a search found them.
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
    // If no source may be left out, each must get a cut before protected sources get more.
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
    // `total_cmp` ranks NaN above every number, so a priority that could not be computed would come first.
    let priority = |item: &AllocationItem| if item.priority.is_nan() { 0.0 } else { item.priority };
    let by_priority = priority(b).total_cmp(&priority(a));
    let by_quality = by_priority.then_with(|| b.quality.cmp(&a.quality));
    by_quality.then_with(|| tie_break(&a.source_id, a.found_at).cmp(&tie_break(&b.source_id, b.found_at)))
}

/// If the smallest cuts do not fit together, lowers them to fair shares of `budget`, at the expense of the larger sources.
fn share_out(ladders: &mut [Ladder], budget: u64) {
    let mut places: Vec<usize> = (0..ladders.len()).filter(|place| ladders[*place].rungs.len() > 1).collect();
    // Smallest first: a source that needs less than its fair share leaves the rest to the larger ones.
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

/// Gives the rest, `left`, which is too little for the next level, to the source whose turn it is: its share grows, its level stays.
fn spend(ladder: &mut Ladder, rung: &mut usize, left: u64) {
    if let Fate::Reduce { level, tokens } = ladder.rungs[*rung].fate {
        let tokens = tokens + left;
        ladder.rungs[*rung] = Rung::new(Fate::Reduce { level, tokens }, tokens);
    }
}

#[cfg(test)]
mod tests;
