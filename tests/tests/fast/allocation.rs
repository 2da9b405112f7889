//! The laws of allocation, over many random sessions.

use precis_context::allocate::{Allocation, AllocationItem, Fate, MIN_ITEMS, MIN_SHARE_TOKENS, allocate};
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::Quality;
use precis_proto::warning::WarningCode;
use proptest::prelude::*;

/// Random sessions per law.
const CASES: u32 = 10_000;
/// From this length on a source has a form of its own at each level: a tenth of it is at least a share.
const ALL_LEVELS: u64 = MIN_SHARE_TOKENS * 10 + 10;

/// Tokens, steps of priority, whether it is protected, quality, how much longer the text is where the source is a digest, and its relevance
/// where that counts.
type Drawn = (u64, u8, bool, u8, u64, Option<f64>);

fn item() -> impl Strategy<Value = Drawn> {
    let tokens = prop_oneof![Just(0_u64), 1..60_u64, 60..3_000_u64, 3_000..200_000_u64];
    let longer = prop_oneof![4 => Just(0_u64), 1 => 1..100_000_u64];
    let relevance = prop::option::weighted(0.7, 0.0..=1.0_f64);
    (tokens, 0..=10_u8, prop::bool::weighted(0.15), 0..3_u8, longer, relevance)
}

fn items() -> impl Strategy<Value = Vec<AllocationItem>> {
    let made = |n: usize, (tokens, priority, protected, quality, longer, relevance): Drawn| AllocationItem {
        source_id: SourceId::new(format!("s{n:03}")).expect("an id"),
        found_at: None,
        tokens,
        // Few steps, so that many are equally important.
        priority: f64::from(priority) / 10.0,
        quality: [Quality::Low, Quality::Medium, Quality::High][usize::from(quality)],
        protected,
        whole_tokens: tokens + longer,
        relevance,
    };
    prop::collection::vec(item(), 0..40)
        .prop_map(move |all| all.into_iter().enumerate().map(|(n, i)| made(n, i)).collect())
}

fn budget() -> impl Strategy<Value = u64> {
    prop_oneof![0..200_u64, 200..8_000_u64, 8_000..400_000_u64, Just(u64::MAX)]
}

fn fate<'a>(allocation: &'a Allocation, item: &AllocationItem) -> &'a Fate {
    &allocation.fates.iter().find(|(id, _)| id == &item.source_id).expect("every item has a fate").1
}

fn tokens(allocation: &Allocation, item: &AllocationItem) -> u64 {
    match fate(allocation, item) {
        Fate::Keep => item.tokens,
        Fate::Reduce { tokens, .. } => *tokens,
        Fate::Drop => 0,
    }
}

/// From everything to nothing, in the order of the specification.
fn level(allocation: &Allocation, item: &AllocationItem) -> FidelityLevel {
    match fate(allocation, item) {
        Fate::Keep => FidelityLevel::Raw,
        Fate::Reduce { level, .. } => *level,
        Fate::Drop => FidelityLevel::Dropped,
    }
}

fn headline(item: &AllocationItem) -> u64 {
    (item.whole_tokens / 10).max(MIN_SHARE_TOKENS).min(item.tokens)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_allocated_is_never_more_than_the_budget(items in items(), budget in budget(), dropping: bool) {
        let allocation = allocate(&items, budget, dropping);
        prop_assert_eq!(allocation.fates.len(), items.len());
        prop_assert_eq!(allocation.allocated, items.iter().map(|item| tokens(&allocation, item)).sum::<u64>());
        prop_assert!(allocation.allocated <= budget);
    }

    #[test]
    fn nothing_is_left_out_or_cut_where_a_headline_of_everything_fits(items in items(), beyond in 0..50_000_u64) {
        let budget = items.iter().map(headline).sum::<u64>() + beyond;
        let allocation = allocate(&items, budget, true);
        for item in &items {
            let fate = fate(&allocation, item);
            if let Some(enough) = allocation.asides.get(&item.source_id) {
                prop_assert!(tokens(&allocation, item) >= headline(item).min(*enough), "{:?} {:?}", item, fate);
            } else {
                prop_assert!(level(&allocation, item) <= FidelityLevel::Headline, "{:?} {:?}", item, fate);
            }
        }
    }

    #[test]
    fn more_budget_never_lowers_a_source(items in items(), budget in budget(), more in 0..20_000_u64) {
        let (less, more) = (allocate(&items, budget, true), allocate(&items, budget.saturating_add(more), true));
        for item in &items {
            prop_assert!(level(&more, item) <= level(&less, item), "{:?}", item);
            prop_assert!(tokens(&more, item) >= tokens(&less, item), "{:?}", item);
        }
    }

    #[test]
    fn a_source_that_matters_more_never_gets_less(items in items(), budget in budget()) {
        let allocation = allocate(&items, budget, true);
        let order: Vec<&AllocationItem> = allocation.fates.iter().map(|(id, _)| items.iter().find(|i| &i.source_id == id).expect("known")).collect();
        let matters = |item: &AllocationItem| (item.protected, item.priority, item.quality);
        prop_assert!(order.is_sorted_by(|a, b| matters(a) >= matters(b)), "protected, then important, then good");
        // A digest has fewer levels.
        let has_all = |item: &AllocationItem| {
            item.tokens >= ALL_LEVELS && item.whole_tokens == item.tokens && !allocation.asides.contains_key(&item.source_id)
        };
        let of_length: Vec<&&AllocationItem> = order.iter().filter(|item| has_all(item)).collect();
        for pair in of_length.windows(2) {
            prop_assert!(level(&allocation, pair[0]) <= level(&allocation, pair[1]), "{:?}", pair);
            if pair[0].tokens == pair[1].tokens {
                prop_assert!(tokens(&allocation, pair[0]) >= tokens(&allocation, pair[1]), "{:?}", pair);
            }
        }
    }

    #[test]
    fn of_equal_priority_and_length_the_better_source_is_never_carried_shorter(
        priority in 0.0..=1.0_f64, tokens_each in 1..20_000_u64, qualities in prop::collection::vec(0..3_u8, 2..20), budget in budget(),
    ) {
        let of = |(n, quality): (usize, &u8)| AllocationItem {
            source_id: SourceId::new(format!("s{n:03}")).expect("an id"),
            found_at: None,
            tokens: tokens_each,
            priority,
            quality: [Quality::Low, Quality::Medium, Quality::High][usize::from(*quality)],
            protected: false,
            whole_tokens: tokens_each,
            relevance: None,
        };
        let mut items: Vec<AllocationItem> = qualities.iter().enumerate().map(of).collect();
        let allocation = allocate(&items, budget, true);
        items.sort_by_key(|item| std::cmp::Reverse(item.quality));
        for pair in items.windows(2).filter(|pair| pair[0].quality > pair[1].quality) {
            prop_assert!(tokens(&allocation, &pair[0]) >= tokens(&allocation, &pair[1]), "{:?}", pair);
        }
    }

    #[test]
    fn a_digest_keeps_at_least_the_length_of_less_important_sources(
        whole in ALL_LEVELS..200_000_u64, digested in prop::collection::vec(0..=100_u64, 2..20), budget in budget(),
    ) {
        let of = |(n, percent): (usize, &u64)| AllocationItem {
            source_id: SourceId::new(format!("s{n:03}")).expect("an id"),
            found_at: None,
            tokens: (whole * percent / 100).max(1),
            priority: 1.0 - n as f64 / 100.0,
            quality: Quality::Medium,
            protected: false,
            whole_tokens: whole,
            relevance: None,
        };
        let items: Vec<AllocationItem> = digested.iter().enumerate().map(of).collect();
        let allocation = allocate(&items, budget, true);
        for pair in items.windows(2) {
            let least = pair[0].tokens.min(tokens(&allocation, &pair[1]));
            prop_assert!(tokens(&allocation, &pair[0]) >= least, "{:?} in {}: {:?}", pair, budget, allocation.fates);
        }
    }

    #[test]
    fn a_guardrail_yields_with_the_warning_that_says_so_and_no_other(items in items(), budget in budget()) {
        let allocation = allocate(&items, budget, true);
        let told = |code| allocation.warnings.iter().any(|warning| warning.code == code);
        let cut = items.iter().any(|item| item.protected && level(&allocation, item) > FidelityLevel::Headline);
        prop_assert_eq!(told(WarningCode::ProtectedOverflow), cut);
        let kept = items.iter().filter(|item| level(&allocation, item) != FidelityLevel::Dropped).count();
        let is_short = |item: &&AllocationItem| level(&allocation, item) > FidelityLevel::Condensed;
        let short = items.iter().filter(|item| allocation.priority_ids.contains(&item.source_id)).any(|item| is_short(&item));
        prop_assert_eq!(told(WarningCode::TokenBudgetFloored), short || kept < MIN_ITEMS.min(items.len()));
    }

    #[test]
    fn a_protected_source_is_omitted_only_where_no_cut_fits(items in items(), budget in 0..20_000_u64) {
        let allocation = allocate(&items, budget, true);
        let protected: Vec<&AllocationItem> = items.iter().filter(|item| item.protected).collect();
        let cuts: u64 = protected.iter().map(|item| item.tokens.min(MIN_SHARE_TOKENS)).sum();
        let headlines: u64 = protected.iter().map(|item| headline(item)).sum();
        for item in protected {
            prop_assert!(budget < cuts || *fate(&allocation, item) != Fate::Drop, "{:?} of {}", item, budget);
            prop_assert!(budget < headlines || level(&allocation, item) <= FidelityLevel::Headline, "{:?} of {}", item, budget);
        }
    }

    #[test]
    fn nothing_is_left_out_where_that_is_not_allowed(items in items(), budget in 40..20_000_u64) {
        let allocation = allocate(&items, budget, false);
        for item in items.iter().filter(|item| item.tokens > 0) {
            prop_assert!(*fate(&allocation, item) != Fate::Drop, "{:?}", item);
        }
    }
}
