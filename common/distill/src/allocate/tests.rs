//! What allocation promises, by example; the laws over many random cases are in `tests/tests/allocation.rs`.

use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel::{Condensed, Headline, KeyPoints, Truncated};
use precis_proto::warning::WarningCode;

use super::*;

fn item(n: usize, tokens: u64, priority: f64, protected: bool) -> Item {
    let source_id = SourceId::new(format!("s{n:03}")).expect("an id");
    Item { source_id, tokens, priority, protected, is_digest: false }
}

fn alike(count: usize, tokens: u64, protected: bool) -> Vec<Item> {
    (0..count).map(|n| item(n, tokens, 1.0 - n as f64 / 100.0, protected)).collect()
}

fn fate_of(allocation: &Allocation, n: usize) -> Fate {
    let id = format!("s{n:03}");
    allocation.fates.iter().find(|(i, _)| i.as_str() == id).expect("there").1
}

fn codes(allocation: &Allocation) -> Vec<WarningCode> {
    allocation.warnings.iter().map(|w| w.code).collect()
}

#[test]
fn what_fits_is_kept_whole() {
    let items = alike(4, 100, false);
    for (budget, all_kept) in [(399, false), (400, true), (401, true)] {
        let allocation = allocate(&items, budget, true);
        assert_eq!(allocation.fates.iter().all(|(_, f)| *f == Fate::Keep), all_kept, "{budget}");
    }
}

#[test]
fn eight_thousand_tokens_in_a_budget_of_twelve_hundred_stay_within_it() {
    let allocation = allocate(&alike(8, 1_000, false), 1_200, true);
    assert!(allocation.allocated <= 1_200 && allocation.allocated > 1_000, "{allocation:?}");
    assert_eq!(codes(&allocation), [WarningCode::TokenBudgetFloored], "five at `condensed` are 2,500");
    assert!(allocation.fates[..3].iter().all(|(_, fate)| *fate != Fate::Drop));
}

#[test]
fn four_protected_sources_in_the_budget_of_one_all_survive() {
    let allocation = allocate(&alike(4, 1_000, true), 1_000, true);
    assert!(allocation.allocated <= 1_000);
    assert_eq!(codes(&allocation), [WarningCode::ProtectedOverflow]);
    assert!(allocation.fates.iter().all(|(_, fate)| *fate != Fate::Drop));
}

#[test]
fn a_small_protected_source_survives_large_protected_ones() {
    for budget in [1_000, 300, 100, 64] {
        let mut items = alike(4, 1_000, true);
        items.push(item(9, 40, 0.1, true));
        let allocation = allocate(&items, budget, true);
        assert!(allocation.allocated <= budget);
        assert_ne!(fate_of(&allocation, 9), Fate::Drop, "{budget}: {allocation:?}");
        assert_eq!(codes(&allocation), [WarningCode::ProtectedOverflow]);
    }
}

#[test]
fn the_least_important_goes_down_first() {
    let items: Vec<Item> = (0..8).map(|n| item(n, 1_000, 1.0 - n as f64 / 10.0, false)).collect();
    let allocation = allocate(&items, 7_500, true);
    assert_eq!(fate_of(&allocation, 0), Fate::Keep);
    assert_eq!(fate_of(&allocation, 7), Fate::Reduce { level: Condensed, tokens: 500 });
    assert!(allocation.warnings.is_empty());
}

#[test]
fn the_five_most_important_stay_at_condensed_while_the_others_go() {
    let allocation = allocate(&alike(12, 1_000, false), 2_600, true);
    for n in 0..5 {
        assert!(matches!(fate_of(&allocation, n), Fate::Keep | Fate::Reduce { level: Condensed, .. }), "{n}");
    }
    assert!(allocation.warnings.is_empty(), "no guardrail yielded");
    assert_eq!(allocation.priority_ids.len(), 5);
}

#[test]
fn guardrails_yield_in_order_and_say_so() {
    let floored = vec![WarningCode::TokenBudgetFloored];
    let cases =
        [(2_500, vec![]), (2_499, floored.clone()), (500, floored.clone()), (300, floored.clone()), (90, floored)];
    for (budget, expected) in cases {
        let allocation = allocate(&alike(9, 1_000, false), budget, true);
        assert_eq!(codes(&allocation), expected, "{budget}");
        let kept = allocation.fates.iter().filter(|(_, fate)| *fate != Fate::Drop).count();
        assert!(kept >= MIN_ITEMS, "{budget}: {allocation:?}");
    }
    let least = allocate(&alike(9, 1_000, false), 90, true);
    assert_eq!(least.fates[2].1, Fate::Reduce { level: Truncated, tokens: 30 });
    assert_eq!(allocate(&alike(9, 1_000, false), 20, true).allocated, 0, "20 tokens hold no passage");
}

#[test]
fn nothing_is_left_out_where_that_is_not_allowed() {
    let allocation = allocate(&alike(20, 1_000, false), 1_000, false);
    assert!(allocation.allocated <= 1_000);
    assert!(allocation.fates.iter().all(|(_, fate)| *fate != Fate::Drop), "{allocation:?}");
}

#[test]
fn a_digest_is_carried_whole_or_not_at_all_and_its_tokens_go_to_others() {
    let mut items = alike(4, 100, false);
    items[0] = Item { tokens: 10_000, protected: true, is_digest: true, ..items[0].clone() };
    let allocation = allocate(&items, 400, true);
    assert_eq!(fate_of(&allocation, 0), Fate::Drop);
    assert!((1..4).all(|n| fate_of(&allocation, n) == Fate::Keep), "{allocation:?}");
    assert_eq!(codes(&allocation), [WarningCode::ProtectedOverflow]);
}

#[test]
fn tokens_go_where_they_are_worth_most() {
    // One source of 8,000 tokens and eight of 1,000, one as important as the other: whole, the large one would cost the others.
    let mut items: Vec<Item> = (1..9).map(|n| item(n, 1_000, 0.5, false)).collect();
    items.push(item(0, 8_000, 0.51, false));
    let (chosen, plain) = (allocate(&items, 12_000, true), allocate_plainly(&items, 12_000, true));
    assert!(chosen.worth > plain.worth, "{} {}", chosen.worth, plain.worth);
    assert!(matches!(fate_of(&chosen, 0), Fate::Reduce { level: Condensed | KeyPoints | Headline, .. }));
}

#[test]
fn few_sources_get_the_best_choice_there_is() {
    let items = [item(0, 400, 0.9, false), item(1, 310, 0.6, false), item(2, 90, 0.5, false), item(3, 700, 0.4, false)];
    for budget in [300, 500, 700, 900, 1_100] {
        let guarded = guard::guard(&items, budget, true);
        let best = brute(&guarded.ladders, budget);
        assert!((allocate(&items, budget, true).worth - best).abs() < 1e-9, "{budget}");
    }
}

/// The highest worth there is, by trying everything.
fn brute(ladders: &[Ladder], budget: u64) -> f64 {
    let Some((ladder, rest)) = ladders.split_first() else { return 0.0 };
    let rungs = ladder.rungs[ladder.floor..].iter().filter(|rung| rung.tokens <= budget);
    let rungs = rungs.filter(|rung| floor_tokens(rest) <= budget - rung.tokens);
    rungs.map(|rung| rung.worth + brute(rest, budget - rung.tokens)).fold(f64::NEG_INFINITY, f64::max)
}
