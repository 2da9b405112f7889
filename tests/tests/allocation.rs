//! The laws of allocation, over many random sessions.

use precis_distill::allocate::{Allocation, Fate, Item, MIN_ITEMS, MIN_SHARE_TOKENS, allocate, allocate_plainly};
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use proptest::prelude::*;

/// Random sessions per law.
const CASES: u32 = 10_000;

fn item() -> impl Strategy<Value = (u64, f64, bool, bool)> {
    let tokens = prop_oneof![Just(0_u64), 1..60_u64, 60..3_000_u64, 3_000..200_000_u64];
    (tokens, 0.0..=1.0_f64, prop::bool::weighted(0.15), prop::bool::weighted(0.2))
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let made = |n: usize, (tokens, priority, protected, is_digest): (u64, f64, bool, bool)| Item {
        source_id: SourceId::new(format!("s{n:03}")).expect("an id"),
        tokens,
        priority,
        protected,
        is_digest,
    };
    prop::collection::vec(item(), 0..40)
        .prop_map(move |all| all.into_iter().enumerate().map(|(n, i)| made(n, i)).collect())
}

fn budget() -> impl Strategy<Value = u64> {
    prop_oneof![0..200_u64, 200..8_000_u64, 8_000..400_000_u64, Just(u64::MAX)]
}

fn tokens_of(allocation: &Allocation, items: &[Item]) -> u64 {
    let whole = |id: &SourceId| items.iter().find(|i| &i.source_id == id).map_or(0, |i| i.tokens);
    let cost = |(id, fate): &(SourceId, Fate)| match fate {
        Fate::Keep => whole(id),
        Fate::Reduce { tokens, .. } => *tokens,
        Fate::Drop => 0,
    };
    allocation.fates.iter().map(cost).sum()
}

fn fate<'a>(allocation: &'a Allocation, item: &Item) -> &'a Fate {
    &allocation.fates.iter().find(|(id, _)| id == &item.source_id).expect("every item has a fate").1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_allocated_is_never_more_than_the_budget(items in items(), budget in budget(), dropping: bool) {
        let allocation = allocate(&items, budget, dropping);
        prop_assert_eq!(allocation.fates.len(), items.len());
        prop_assert_eq!(allocation.allocated, tokens_of(&allocation, &items));
        prop_assert!(allocation.allocated <= budget);
    }

    #[test]
    fn the_choice_is_never_worth_less_than_that_of_the_plain_rule(items in items(), budget in budget(), dropping: bool) {
        let (chosen, plain) = (allocate(&items, budget, dropping), allocate_plainly(&items, budget, dropping));
        prop_assert!(plain.allocated <= budget);
        prop_assert!(chosen.worth >= plain.worth, "{} {}", chosen.worth, plain.worth);
        prop_assert_eq!(chosen.warnings, plain.warnings);
    }

    #[test]
    fn a_guardrail_yields_with_a_warning_or_not_at_all(items in items(), budget in budget()) {
        let allocation = allocate(&items, budget, true);
        if !allocation.warnings.is_empty() {
            return Ok(());
        }
        for item in items.iter().filter(|item| allocation.priority_ids.contains(&item.source_id)) {
            let is_guarded = match fate(&allocation, item) {
                Fate::Keep => true,
                Fate::Reduce { level, .. } => *level == FidelityLevel::Condensed,
                Fate::Drop => false,
            };
            prop_assert!(is_guarded || item.tokens <= MIN_SHARE_TOKENS, "{:?}", item);
        }
        let kept = allocation.fates.iter().filter(|(_, fate)| *fate != Fate::Drop).count();
        prop_assert!(kept >= MIN_ITEMS.min(items.len()));
    }

    #[test]
    fn a_protected_source_is_left_out_only_where_its_share_holds_no_passage(items in items(), budget in 1_200..400_000_u64) {
        let allocation = allocate(&items, budget, true);
        let protected: Vec<&Item> = items.iter().filter(|item| item.protected).collect();
        let fair = budget / protected.len().max(1) as u64;
        for item in protected.into_iter().filter(|item| !item.is_digest) {
            prop_assert!(fair < MIN_SHARE_TOKENS || *fate(&allocation, item) != Fate::Drop, "{:?} of {}", item, budget);
        }
    }

    #[test]
    fn a_digest_is_never_shortened(items in items(), budget in budget(), dropping: bool) {
        let allocation = allocate(&items, budget, dropping);
        for item in items.iter().filter(|item| item.is_digest) {
            let is_shortened = matches!(fate(&allocation, item), Fate::Reduce { .. });
            prop_assert!(!is_shortened, "{:?}", item);
        }
    }
}
