//! Limits: reserved before, settled after, one for the whole fleet.

use std::time::Duration;

use futures_util::future::join_all;
use precis_runtime::store::{Amount, LimitPolicy, Reservation, Store};

use super::{StoreUnderTest, fresh_name, within};

/// Ten a second with sixty at once on top: what a minute of 600 allows.
const POLICY: LimitPolicy =
    LimitPolicy { requests: Some(600), tokens: None, micro_usd: None, share: 0.25, is_even: false };
const CALL: Amount = Amount { requests: 1, tokens: 0, micro_usd: 0 };
/// One every 60/540 s, after the slack of 60.
const PACE: Duration = Duration::from_micros(111_112);

async fn reserve(store: &Store, name: &str, policy: &LimitPolicy, amount: Amount) -> Reservation {
    within("a reservation", store.limits().reserve(name, policy, &amount)).await.expect("reachable")
}

/// Reserves `amount` until it is refused; says how long to wait, which is more than nothing.
async fn exhaust(store: &Store, name: &str, policy: &LimitPolicy, amount: Amount) -> Duration {
    for _ in 0..1_000 {
        if let Reservation::Wait(wait) = reserve(store, name, policy, amount).await {
            assert!(wait > Duration::ZERO);
            return wait;
        }
    }
    panic!("{name} never refused");
}

/// Asking again after the wait is enough.
pub async fn a_limit_grants_its_slack_at_once_and_then_its_pace(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("limit"));
    let wait = exhaust(&store, &name, &POLICY, CALL).await;
    assert!(wait <= PACE, "{wait:?}");
    tokio::time::sleep(wait).await;
    assert_eq!(reserve(&store, &name, &POLICY, CALL).await, Reservation::Granted);
}

/// The fleet shares one limit: however many ask at once.
pub async fn of_many_askers_no_more_are_granted_than_there_is_room_for(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("limit"));
    let policy = LimitPolicy { requests: Some(10), ..POLICY };
    let askers = (0..16).map(|_| {
        let (store, name) = (store.clone(), name.clone());
        tokio::spawn(async move { store.limits().reserve(&name, &policy, &CALL).await })
    });
    let answers = within("the askers", join_all(askers)).await;
    let granted = answers.into_iter().filter(|a| matches!(a, Ok(Ok(Reservation::Granted)))).count();
    assert_eq!(granted, 2, "one, and one of slack");
}

/// What the tokens refuse takes no request either.
pub async fn a_reservation_takes_all_its_measures_or_none(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("limit"));
    let policy = LimitPolicy { requests: Some(1), tokens: Some(1_000), micro_usd: Some(1_000), ..POLICY };
    let tokens = Amount { tokens: 900, ..Amount::default() };
    exhaust(&store, &name, &policy, tokens).await;
    let both = Amount { requests: 1, ..tokens };
    assert!(matches!(reserve(&store, &name, &policy, both).await, Reservation::Wait(_)));
    assert_eq!(reserve(&store, &name, &policy, CALL).await, Reservation::Granted, "the request was not taken");
}

/// An estimate is settled with the usage.
pub async fn what_was_not_used_is_given_back(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("limit"));
    let policy = LimitPolicy { requests: None, tokens: Some(1_000), ..POLICY };
    let (estimate, used) = (Amount { tokens: 1_000, ..CALL }, Amount { tokens: 10, ..CALL });
    for _ in 0..5 {
        assert_eq!(reserve(&store, &name, &policy, estimate).await, Reservation::Granted);
        within("a settlement", store.limits().settle(&name, &policy, &estimate, &used)).await.expect("reachable");
    }
    assert_eq!(reserve(&store, &name, &policy, used).await, Reservation::Granted);
    within("a settlement", store.limits().settle(&name, &policy, &used, &estimate)).await.expect("reachable");
    assert!(matches!(reserve(&store, &name, &policy, used).await, Reservation::Wait(_)), "it came to more");
}

/// One provider's limit is not another's.
pub async fn limits_have_nothing_to_do_with_each_other(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("limit"));
    exhaust(&store, &name, &POLICY, CALL).await;
    assert_eq!(reserve(&store, &fresh_name("limit"), &POLICY, CALL).await, Reservation::Granted);
}
