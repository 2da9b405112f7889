//! Ceilings: set aside before, spent after, one for the whole fleet.

use std::time::Duration;

use futures_util::future::join_all;
use precis_runtime::store::{Amount, CeilingHold, CeilingPolicy, Measure, Spending, Store};

use super::{StoreUnderTest, fresh_name, within};

const NOTHING: Amount = Amount { requests: 0, tokens: 0, micro_usd: 0 };
const GRANTED: Spending = Spending::Granted { window: 0 };

fn tokens(n: u64) -> Amount {
    Amount { tokens: n, ..NOTHING }
}

fn ceiling_of(tokens: u64) -> CeilingPolicy {
    CeilingPolicy { tokens: Some(tokens), ..CeilingPolicy::default() }
}

/// A hold that is told from others by its amount.
fn hold(amount: Amount) -> CeilingHold {
    CeilingHold { id: amount.tokens.to_string(), amount, lease: Duration::from_secs(3_600) }
}

async fn ask(store: &Store, name: &str, policy: &CeilingPolicy, amount: Amount, spent: Amount) -> Spending {
    within("setting aside", store.ceilings().set_aside(name, policy, &hold(amount), &spent)).await.expect("reachable")
}

async fn spend(store: &Store, name: &str, policy: &CeilingPolicy, aside: Amount, used: Amount) {
    within("spending", store.ceilings().spend(name, policy, 0, &hold(aside).id, &used)).await.expect("reachable");
}

/// However many ask at once, what is set aside stays under the ceiling.
pub async fn of_many_spenders_no_more_set_aside_than_the_ceiling_has_room_for(under_test: &impl StoreUnderTest) {
    let (store, name, policy) = (under_test.store().await, fresh_name("spend"), ceiling_of(1_000));
    let askers = (0..16).map(|n| {
        let (store, name, policy) = (store.clone(), name.clone(), policy.clone());
        let hold = CeilingHold { id: format!("asker {n}"), ..hold(tokens(300)) };
        tokio::spawn(async move { store.ceilings().set_aside(&name, &policy, &hold, &NOTHING).await })
    });
    let answers = within("the askers", join_all(askers)).await;
    let answers: Vec<Spending> = answers.into_iter().map(|a| a.expect("ran").expect("reachable")).collect();
    assert_eq!(answers.iter().filter(|a| **a == GRANTED).count(), 3, "{answers:?}");
    assert_eq!(answers.iter().filter(|a| **a == Spending::Busy).count(), 13, "{answers:?}");
}

/// Room that calls under way may leave is worth waiting for; room that is gone is not.
pub async fn a_busy_ceiling_is_told_from_one_that_is_reached(under_test: &impl StoreUnderTest) {
    let (store, name, policy) = (under_test.store().await, fresh_name("spend"), ceiling_of(1_000));
    assert_eq!(ask(&store, &name, &policy, tokens(800), NOTHING).await, GRANTED);
    assert_eq!(ask(&store, &name, &policy, tokens(300), NOTHING).await, Spending::Busy);
    assert_eq!(ask(&store, &name, &policy, tokens(1_001), NOTHING).await, Spending::Reached(Measure::Tokens));
    spend(&store, &name, &policy, tokens(800), tokens(100)).await;
    assert_eq!(ask(&store, &name, &policy, tokens(900), NOTHING).await, GRANTED);
    spend(&store, &name, &policy, tokens(900), tokens(900)).await;
    assert_eq!(ask(&store, &name, &policy, tokens(1), NOTHING).await, Spending::Reached(Measure::Tokens));
    assert_eq!(ask(&store, &name, &policy, tokens(0), NOTHING).await, GRANTED, "it costs nothing");
}

/// A worker that dies has set something aside that nobody gives back: its lease ends. A worker that was only slow has spent it.
pub async fn what_is_set_aside_comes_back_when_its_lease_ends(under_test: &impl StoreUnderTest) {
    let (store, name, policy) = (under_test.store().await, fresh_name("spend"), ceiling_of(1_000));
    let short = CeilingHold { lease: Duration::from_millis(400), ..hold(tokens(800)) };
    let granted =
        within("setting aside", store.ceilings().set_aside(&name, &policy, &short, &NOTHING)).await.expect("reachable");
    assert_eq!(granted, GRANTED);
    let freed = async {
        while ask(&store, &name, &policy, tokens(300), NOTHING).await != GRANTED {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within("the end of a lease", freed).await;
    assert_eq!(ask(&store, &name, &policy, tokens(701), NOTHING).await, Spending::Busy, "the lease of another goes on");
    spend(&store, &name, &policy, tokens(800), tokens(100)).await;
    assert_eq!(ask(&store, &name, &policy, tokens(901), NOTHING).await, Spending::Reached(Measure::Tokens));
    assert_eq!(ask(&store, &name, &policy, tokens(600), NOTHING).await, GRANTED);
}

/// A store that was wiped goes on from what the caller knows.
pub async fn a_wiped_ceiling_counts_on_from_what_is_known_to_be_spent(under_test: &impl StoreUnderTest) {
    let (store, name, policy) = (under_test.store().await, fresh_name("spend"), ceiling_of(1_000));
    assert_eq!(ask(&store, &name, &policy, tokens(700), NOTHING).await, GRANTED);
    spend(&store, &name, &policy, tokens(700), tokens(700)).await;
    under_test.wipe().await;
    assert_eq!(ask(&store, &name, &policy, tokens(400), tokens(700)).await, Spending::Reached(Measure::Tokens));
    assert_eq!(ask(&store, &name, &policy, tokens(300), tokens(700)).await, GRANTED);
}

/// The first measure that has no room decides, and nothing of the others is taken.
pub async fn a_ceiling_holds_for_money_and_tokens_together(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("spend"));
    let policy = CeilingPolicy { micro_usd: Some(50), ..ceiling_of(1_000) };
    let dear = Amount { requests: 1, tokens: 900, micro_usd: 51 };
    assert_eq!(ask(&store, &name, &policy, dear, NOTHING).await, Spending::Reached(Measure::MicroUsd));
    assert_eq!(ask(&store, &name, &policy, tokens(1_000), NOTHING).await, GRANTED);
}

/// Each window has its own room, and the last one's calls are no concern of the next.
pub async fn a_ceiling_per_window_begins_anew_with_the_next(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("spend"));
    let length = Duration::from_secs(1);
    let policy = CeilingPolicy { window: Some(length), ..ceiling_of(1_000) };
    let mut old = None;
    // The window may end between two questions; then it is asked in the next.
    for _ in 0..20 {
        if let Spending::Granted { window } = ask(&store, &name, &policy, tokens(1_000), NOTHING).await
            && ask(&store, &name, &policy, tokens(1), NOTHING).await == Spending::Busy
        {
            old = Some(window);
            break;
        }
    }
    let old = old.expect("a window long enough for two questions");
    tokio::time::sleep(length).await;
    let Spending::Granted { window } = ask(&store, &name, &policy, tokens(600), NOTHING).await else {
        panic!("a new window has room")
    };
    assert!(window > old);
    within("spending", store.ceilings().spend(&name, &policy, old, "1000", &tokens(1_000))).await.expect("reachable");
    let next = ask(&store, &name, &policy, tokens(400), NOTHING).await;
    assert!(matches!(next, Spending::Granted { .. }), "{next:?}");
}
