//! Tests what allocation promises, by example; the laws over many random cases are in `tests/tests/fast/allocation.rs`.

use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel::{Condensed, Headline, KeyPoints, Truncated};
use precis_proto::source::Quality;
use precis_proto::warning::WarningCode::{self, ProtectedOverflow, TokenBudgetFloored};

use super::*;

fn item(n: usize, tokens: u64, priority: f64, protected: bool) -> AllocationItem {
    let source_id = SourceId::new(format!("s{n:03}")).expect("an id");
    AllocationItem {
        source_id,
        found_at: None,
        tokens,
        priority,
        quality: Quality::Medium,
        protected,
        whole_tokens: tokens,
        relevance: None,
    }
}

fn alike(count: usize, tokens: u64, protected: bool) -> Vec<AllocationItem> {
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

/// For twelve equal sources of 1,000 tokens, the number of those whole, condensed, key points, headline, cut, and left out.
#[test]
fn sources_go_down_in_the_order_of_the_specification() {
    let count =
        |allocation: &Allocation, wanted: fn(&Fate) -> bool| allocation.fates.iter().filter(|(_, f)| wanted(f)).count();
    let cases = [
        (12_000, [12, 0, 0, 0, 0, 0], vec![]),
        (11_999, [11, 1, 0, 0, 0, 0], vec![]),
        (6_000, [0, 12, 0, 0, 0, 0], vec![]),
        (5_999, [0, 11, 1, 0, 0, 0], vec![]),
        (4_250, [0, 5, 7, 0, 0, 0], vec![]),
        (4_249, [0, 5, 6, 1, 0, 0], vec![]),
        (3_200, [0, 5, 0, 7, 0, 0], vec![]),
        (3_199, [0, 4, 1, 7, 0, 0], vec![TokenBudgetFloored]),
        (1_200, [0, 0, 0, 12, 0, 0], vec![TokenBudgetFloored]),
        (1_199, [0, 0, 0, 11, 1, 0], vec![TokenBudgetFloored]),
        (288, [0, 0, 0, 0, 12, 0], vec![TokenBudgetFloored]),
        (287, [0, 0, 0, 0, 11, 1], vec![TokenBudgetFloored]),
        (72, [0, 0, 0, 0, 3, 9], vec![TokenBudgetFloored]),
        (23, [0, 0, 0, 0, 0, 12], vec![TokenBudgetFloored]),
    ];
    for (budget, levels, told) in cases {
        let allocation = allocate(&alike(12, 1_000, false), budget, true);
        let found = [
            count(&allocation, |f| *f == Fate::Keep),
            count(&allocation, |f| matches!(f, Fate::Reduce { level: Condensed, .. })),
            count(&allocation, |f| matches!(f, Fate::Reduce { level: KeyPoints, .. })),
            count(&allocation, |f| matches!(f, Fate::Reduce { level: Headline, .. })),
            count(&allocation, |f| matches!(f, Fate::Reduce { level: Truncated, .. })),
            count(&allocation, |f| *f == Fate::Drop),
        ];
        assert_eq!((found, codes(&allocation)), (levels, told), "{budget}");
        assert!(allocation.allocated <= budget && allocation.allocated + 24 > budget, "{budget}");
    }
}

#[test]
fn the_least_important_goes_down_first() {
    let items: Vec<AllocationItem> = (0..8).map(|n| item(n, 1_000, 1.0 - n as f64 / 10.0, false)).collect();
    let allocation = allocate(&items, 7_500, true);
    assert_eq!(fate_of(&allocation, 0), Fate::Keep);
    assert_eq!(fate_of(&allocation, 7), Fate::Reduce { level: Condensed, tokens: 500 });
    assert!(allocation.warnings.is_empty());
}

#[test]
fn of_equally_important_sources_the_better_one_is_carried_longer() {
    let with = |n, quality| AllocationItem { quality, ..item(n, 6_000, 0.5, false) };
    let items = [with(0, Quality::Low), with(1, Quality::High), with(2, Quality::Medium)];
    let shares = |budget| {
        let allocation = allocate(&items, budget, true);
        [1, 2, 0].map(|n| match fate_of(&allocation, n) {
            Fate::Keep => 6_000,
            Fate::Reduce { tokens, .. } => tokens,
            Fate::Drop => 0,
        })
    };
    for budget in [100, 2_000, 6_400, 9_000, 17_000] {
        assert!(shares(budget).is_sorted_by(|a, b| a >= b), "{budget}: {:?}", shares(budget));
    }
}

#[test]
fn a_protected_source_stays_at_a_headline_while_others_go() {
    let mut items = alike(9, 1_000, false);
    items[8].protected = true;
    for budget in [100, 101, 700, 1_200] {
        let allocation = allocate(&items, budget, true);
        assert!(
            matches!(fate_of(&allocation, 8), Fate::Reduce { level: Headline | KeyPoints | Condensed, .. }),
            "{budget}"
        );
        assert_eq!(codes(&allocation), [TokenBudgetFloored], "{budget}");
    }
}

#[test]
fn protected_sources_are_cut_first_and_the_warning_is_accurate() {
    let cases = [
        (400, 0, vec![TokenBudgetFloored], "4 of them are shortened further"),
        (399, 0, vec![ProtectedOverflow, TokenBudgetFloored], ": 1 of them cut below a headline"),
        (96, 0, vec![ProtectedOverflow, TokenBudgetFloored], ": 4 of them cut below a headline"),
        (95, 1, vec![ProtectedOverflow, TokenBudgetFloored], ": 3 of them cut below a headline, 1 left out"),
    ];
    for (budget, out, told, words) in cases {
        let allocation = allocate(&alike(4, 1_000, true), budget, true);
        assert_eq!(allocation.fates.iter().filter(|(_, fate)| *fate == Fate::Drop).count(), out, "{budget}");
        assert_eq!(codes(&allocation), told, "{budget}");
        let remedy = if told.contains(&ProtectedOverflow) { format!("; {}", guard::REMEDY) } else { String::new() };
        let message = &allocation.warnings[0].message;
        assert!(message.ends_with(&format!("{words}{remedy}")), "{message}");
    }
}

#[test]
fn nothing_is_left_out_where_that_is_not_allowed() {
    for budget in [1_000, 480, 479, 60, 20] {
        let allocation = allocate(&alike(20, 1_000, false), budget, false);
        assert!(allocation.allocated <= budget);
        assert!(allocation.fates.iter().all(|(_, fate)| *fate != Fate::Drop), "{budget}: {allocation:?}");
    }
    assert_eq!(allocate(&alike(20, 1_000, false), 19, false).allocated, 19, "less than a token for each");
}

#[test]
fn less_relevant_unguarded_sources_become_passages_under_any_budget() {
    let with = |relevances: [f64; 8]| -> Vec<AllocationItem> {
        let of = |(n, relevance)| AllocationItem {
            relevance: Some(relevance),
            ..item(n, 6_000, 1.0 - n as f64 / 100.0, false)
        };
        relevances.into_iter().enumerate().map(of).collect()
    };
    let asides = |items: &[AllocationItem]| -> Vec<usize> {
        let found = allocate(items, u64::MAX, true).asides;
        (0..items.len()).filter(|n| found.contains_key(&items[*n].source_id)).collect()
    };
    let items = with([0.1, 0.0, 0.8, 0.1, 0.1, 0.39, 0.4, 0.0]);
    assert_eq!(asides(&items), [5, 7], "the five most important are whole, whatever they speak of");
    assert_eq!(
        asides(&with([0.1, 0.0, 0.39, 0.1, 0.1, 0.1, 0.1, 0.0])),
        [0; 0],
        "nobody answers in the question's words"
    );
    assert_eq!(asides(&with([0.1, 0.0, 0.4, 0.1, 0.1, 0.19, 0.2, 0.0])), [5, 7]);
    for (n, change) in [
        (5, (|i| i.protected = true) as fn(&mut AllocationItem)),
        (5, |i| (i.tokens, i.whole_tokens) = (127, 127)),
        (5, |i| i.whole_tokens = 6_001),
        (5, |i| i.relevance = None),
    ] {
        let mut items = items.clone();
        change(&mut items[n]);
        assert!(!asides(&items).contains(&n));
    }
    for (budget, tokens) in [(u64::MAX, 320), (36_640, 320), (4_240, 320), (3_000, 24)] {
        let allocation = allocate(&items, budget, true);
        assert_eq!(fate_of(&allocation, 7), Fate::Reduce { level: Truncated, tokens }, "{budget}");
        assert!(allocation.asides.contains_key(&items[7].source_id));
    }
    assert_eq!(fate_of(&allocate(&items, 36_640, true), 6), Fate::Keep, "all that is left is carried whole");
    assert_eq!(allocate(&items, u64::MAX, true).allocated, 36_640);
    for (tokens, passages) in [(128, 64), (200, 100), (639, 319), (640, 320), (9_000, 320)] {
        let mut items = items.clone();
        (items[7].tokens, items[7].whole_tokens) = (tokens, tokens);
        assert_eq!(allocate(&items, u64::MAX, true).asides[&items[7].source_id], passages, "{tokens}");
    }
}
