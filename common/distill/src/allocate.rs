//! Allocation: which sources are carried whole, which are reduced, which are left out, so that all of it fits a budget.
//!
//! The budget is never exceeded. Guardrails (the five most important at `condensed` or better, protected sources never dropped,
//! three sources at least) yield before it does, with a warning that says so.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::Quality;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId};

/// Sources kept at `condensed` or better where the budget allows it.
pub const TOP_ITEMS: usize = 5;
/// Sources kept at all where the budget allows it.
pub const MIN_ITEMS: usize = 3;
/// A share smaller than this cannot hold a passage; the source is dropped instead.
pub const MIN_SHARE_TOKENS: u64 = 24;

/// The ladder below full fidelity: level and the share of the tokens it takes (seed figures: about 50, 25 and 10 %).
const LADDER: [(FidelityLevel, u64); 3] =
    [(FidelityLevel::Condensed, 50), (FidelityLevel::KeyPoints, 25), (FidelityLevel::Headline, 10)];

/// A source that asks for tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The source.
    pub source_id: SourceId,
    /// Tokens at full fidelity.
    pub tokens: u64,
    /// Importance, 0 to 1; see [`priority`].
    pub priority: f64,
    /// Never dropped while the budget allows it.
    pub protected: bool,
    /// Already a digest: never summarized further, only kept or dropped.
    pub is_digest: bool,
}

/// What becomes of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Carried as it is.
    Keep,
    /// Carried at a lower level, in at most this many tokens.
    Reduce {
        /// Level to aim for.
        level: FidelityLevel,
        /// Its share.
        tokens: u64,
    },
    /// Left out.
    Drop,
}

/// What becomes of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// One per item, most important first.
    pub fates: Vec<(SourceId, Fate)>,
    /// Which guardrails yielded.
    pub warnings: Vec<Warning>,
    /// Tokens given out; never more than the budget.
    pub allocated: u64,
}

/// Importance from quality (40 %), confidence (30 %), recency (15 %) and relevance (15 %), each 0 to 1.
///
/// Unknown confidence and recency count as 0.5. Source: seed 000, phase 3.
#[must_use]
pub fn priority(quality: Quality, confidence: Option<f64>, recency: Option<f64>, relevance: f64) -> f64 {
    let quality = match quality {
        Quality::High => 1.0,
        Quality::Medium => 0.7,
        Quality::Low => 0.4,
    };
    let unit = |x: f64| x.clamp(0.0, 1.0);
    0.4 * quality + 0.3 * unit(confidence.unwrap_or(0.5)) + 0.15 * unit(recency.unwrap_or(0.5)) + 0.15 * unit(relevance)
}

/// Gives `budget_tokens` out. `allow_dropping` false keeps every source at its share of the budget, however small.
///
/// Protected sources come first, then by priority; ties by id. The least important ones go down the ladder first.
#[must_use]
pub fn allocate(items: &[Item], budget_tokens: u64, allow_dropping: bool) -> Allocation {
    let mut order: Vec<&Item> = items.iter().collect();
    order.sort_by(|a, b| {
        b.protected
            .cmp(&a.protected)
            .then(b.priority.total_cmp(&a.priority))
            .then_with(|| a.source_id.cmp(&b.source_id))
    });
    let mut fates: Vec<Fate> = vec![Fate::Keep; order.len()];
    let cost = |fates: &[Fate]| -> u64 {
        order.iter().zip(fates).map(|(item, fate)| taken(item, *fate)).fold(0, u64::saturating_add)
    };
    let mut total = cost(&fates);
    'fit: for (level, percent) in LADDER {
        for place in (0..order.len()).rev() {
            if total <= budget_tokens {
                break 'fit;
            }
            let guarded = place < TOP_ITEMS && level > FidelityLevel::Condensed;
            if !order[place].is_digest && !guarded {
                total -= taken(order[place], fates[place]);
                fates[place] = Fate::Reduce { level, tokens: share(order[place].tokens, percent) };
                total += taken(order[place], fates[place]);
            }
        }
    }
    let mut warnings = Vec::new();
    if cost(&fates) > budget_tokens {
        squeeze(&order, &mut fates, budget_tokens, allow_dropping, &mut warnings);
    }
    let allocated = cost(&fates);
    Allocation { fates: order.iter().map(|i| i.source_id.clone()).zip(fates).collect(), warnings, allocated }
}

fn taken(item: &Item, fate: Fate) -> u64 {
    match fate {
        Fate::Keep => item.tokens,
        Fate::Reduce { tokens, .. } => tokens,
        Fate::Drop => 0,
    }
}

fn share(tokens: u64, percent: u64) -> u64 {
    (tokens.saturating_mul(percent) / 100).max(MIN_SHARE_TOKENS).min(tokens)
}

/// The ladder was not enough: drop the least important, then share what there is among the rest, most important first.
fn squeeze(order: &[&Item], fates: &mut [Fate], budget: u64, allow_dropping: bool, warnings: &mut Vec<Warning>) {
    let cost =
        |fates: &[Fate]| -> u64 { order.iter().zip(fates).map(|(i, f)| taken(i, *f)).fold(0, u64::saturating_add) };
    if allow_dropping {
        for place in (MIN_ITEMS..order.len()).rev() {
            if cost(fates) <= budget {
                return;
            }
            if !order[place].protected {
                fates[place] = Fate::Drop;
            }
        }
    }
    if cost(fates) <= budget {
        return;
    }
    let code = if order.iter().any(|i| i.protected) {
        WarningCode::ProtectedOverflow
    } else {
        WarningCode::TokenBudgetFloored
    };
    let message = format!("the budget of {budget} tokens is too small for what should be kept");
    warnings.push(Warning::new(code, Phase::Summarization, message));
    // Small ones first get what they need, so that one large source cannot starve the others.
    let mut places: Vec<usize> = (0..order.len()).filter(|p| fates[*p] != Fate::Drop).collect();
    places.sort_by_key(|p| (taken(order[*p], fates[*p]), *p));
    let mut left = budget;
    for (done, place) in places.iter().enumerate() {
        let fair = left / (places.len() - done) as u64;
        let wanted = taken(order[*place], fates[*place]);
        if wanted <= fair {
            left -= wanted;
            continue;
        }
        let too_small = fair < MIN_SHARE_TOKENS || order[*place].is_digest;
        fates[*place] =
            if too_small { Fate::Drop } else { Fate::Reduce { level: FidelityLevel::Truncated, tokens: fair } };
        left -= taken(order[*place], fates[*place]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(n: usize, tokens: u64, priority: f64, protected: bool) -> Item {
        let source_id = SourceId::new(format!("s{n:03}")).expect("an id");
        Item { source_id, tokens, priority, protected, is_digest: false }
    }

    fn fate_of(allocation: &Allocation, n: usize) -> &Fate {
        let id = format!("s{n:03}");
        &allocation.fates.iter().find(|(i, _)| i.as_str() == id).expect("there").1
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let items: Vec<Item> = (0..4).map(|n| item(n, 100, 0.5, false)).collect();
        for (budget, all_kept) in [(399, false), (400, true), (401, true)] {
            let allocation = allocate(&items, budget, true);
            assert_eq!(allocation.fates.iter().all(|(_, f)| *f == Fate::Keep), all_kept, "{budget}");
        }
    }

    #[test]
    fn eight_thousand_tokens_in_a_budget_of_twelve_hundred_stay_within_it() {
        let items: Vec<Item> = (0..8).map(|n| item(n, 1_000, 0.5, false)).collect();
        let allocation = allocate(&items, 1_200, true);
        assert!(allocation.allocated <= 1_200, "{}", allocation.allocated);
    }

    #[test]
    fn a_small_protected_source_survives_large_protected_ones() {
        let mut items: Vec<Item> = (0..4).map(|n| item(n, 1_000, 0.9, true)).collect();
        items.push(item(9, 40, 0.1, true));
        let allocation = allocate(&items, 1_000, true);
        assert!(allocation.allocated <= 1_000);
        assert_ne!(fate_of(&allocation, 9), &Fate::Drop);
        assert!(allocation.warnings.is_empty() || allocation.warnings[0].code == WarningCode::ProtectedOverflow);
    }

    #[test]
    fn the_least_important_goes_down_first() {
        let items: Vec<Item> = (0..8).map(|n| item(n, 1_000, 1.0 - n as f64 / 10.0, false)).collect();
        let allocation = allocate(&items, 7_500, true);
        assert_eq!(fate_of(&allocation, 0), &Fate::Keep);
        assert_eq!(fate_of(&allocation, 7), &Fate::Reduce { level: FidelityLevel::Condensed, tokens: 500 });
    }

    #[test]
    fn the_law_holds_on_many_cases() {
        // A fixed multiplicative generator: the cases are the same on every machine.
        let mut seed = 7_u64;
        let mut next = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for _ in 0..10_000 {
            let items: Vec<Item> = (0..next(12) as usize)
                .map(|n| {
                    let mut item = item(n, next(3_000), next(100) as f64 / 100.0, next(4) == 0);
                    item.is_digest = next(5) == 0;
                    item
                })
                .collect();
            let budget = next(8_000);
            let allocation = allocate(&items, budget, next(2) == 0);
            assert!(allocation.allocated <= budget, "{items:?} in {budget}: {allocation:?}");
            assert_eq!(allocation.fates.len(), items.len());
        }
    }
}
