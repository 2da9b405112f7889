//! Guardrails: the least each source must get, and the order in which that yields to the budget.

use std::collections::BTreeSet;

use precis_proto::Phase;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::warning::{Warning, WarningCode};

use super::item::Item;
use super::ladder::Ladder;
use super::{floor_tokens, squeeze};

/// Sources kept at `condensed` or better where the budget allows it. Source: seed 000.
pub const TOP_ITEMS: usize = 5;
/// Sources kept at all where the budget allows it. Source: seed 000.
pub const MIN_ITEMS: usize = 3;

/// Items with the least each gets; the least of all of them together fits the budget.
pub(super) struct Guarded<'a> {
    /// Protected ones, then the more important ones; ties by id.
    pub(super) order: Vec<&'a Item>,
    /// One per item, in the same order.
    pub(super) ladders: Vec<Ladder>,
    /// Whether each is one of the [`TOP_ITEMS`].
    pub(super) is_top: Vec<bool>,
    /// Which guardrails yielded.
    pub(super) warnings: Vec<Warning>,
}

/// Sets the floors, and lowers them until they fit: first the fidelity of the most important, then the presence of those beyond
/// the third, then the fidelity of the protected, then shares of what is left.
pub(super) fn guard(items: &[Item], budget: u64, allow_dropping: bool) -> Guarded<'_> {
    let mut order: Vec<&Item> = items.iter().collect();
    order.sort_by(|a, b| b.protected.cmp(&a.protected).then_with(|| by_importance(a, b)));
    let ladders = order.iter().map(|item| Ladder::new(item)).collect();
    let is_top = top(&order);
    let mut guarded = Guarded { order, ladders, is_top, warnings: Vec::new() };
    guarded.set_floors(allow_dropping);
    guarded.fit_floors(budget, allow_dropping);
    guarded
}

fn by_importance(a: &Item, b: &Item) -> std::cmp::Ordering {
    b.priority.total_cmp(&a.priority).then_with(|| a.source_id.cmp(&b.source_id))
}

fn top(order: &[&Item]) -> Vec<bool> {
    let mut ranked: Vec<&Item> = order.to_vec();
    ranked.sort_by(|a, b| by_importance(a, b));
    let top: BTreeSet<_> = ranked.iter().take(TOP_ITEMS).map(|item| &item.source_id).collect();
    order.iter().map(|item| top.contains(&item.source_id)).collect()
}

impl Guarded<'_> {
    fn set_floors(&mut self, allow_dropping: bool) {
        for place in 0..self.order.len() {
            let least = if self.is_top[place] || self.order[place].protected {
                FidelityLevel::Condensed
            } else if place < MIN_ITEMS || !allow_dropping {
                FidelityLevel::Headline
            } else {
                FidelityLevel::Dropped
            };
            self.ladders[place].floor = self.ladders[place].rung_of(least);
        }
    }

    fn fit_floors(&mut self, budget: u64, allow_dropping: bool) {
        let steps = [FidelityLevel::KeyPoints, FidelityLevel::Headline];
        let mut total = floor_tokens(&self.ladders);
        if total <= budget {
            return;
        }
        for level in steps {
            total = self.lower(level, budget, total, |_, item| !item.protected);
        }
        if allow_dropping {
            total =
                self.lower(FidelityLevel::Dropped, budget, total, |place, item| place >= MIN_ITEMS && !item.protected);
        }
        let protected_overflows = total > budget && self.order.iter().any(|item| item.protected);
        for level in steps {
            total = self.lower(level, budget, total, |_, item| item.protected);
        }
        let (code, what) = match protected_overflows {
            true => (WarningCode::ProtectedOverflow, "protected sources at `condensed`"),
            false => (WarningCode::TokenBudgetFloored, "the most important sources at `condensed`"),
        };
        let message = format!("the budget of {budget} tokens does not hold {what}; they are shortened further");
        self.warnings.push(Warning::new(code, Phase::Summarization, message));
        if total > budget {
            squeeze::squeeze(&self.order, &mut self.ladders, budget);
        }
    }

    /// Lowers the floors of the items that `may` to `level`, the least important first, until `total` fits `budget`; returns the
    /// new total.
    fn lower(&mut self, level: FidelityLevel, budget: u64, mut total: u64, may: impl Fn(usize, &Item) -> bool) -> u64 {
        for place in (0..self.order.len()).rev() {
            if total <= budget {
                break;
            }
            if may(place, self.order[place]) {
                let ladder = &mut self.ladders[place];
                let lower = ladder.rung_of(level).min(ladder.floor);
                total -= ladder.floor_tokens() - ladder.rungs[lower].tokens;
                ladder.floor = lower;
            }
        }
        total
    }
}
