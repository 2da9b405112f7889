//! Leases: one owner at a time, until it ends.

use std::time::Duration;

use precis_runtime::store::Lease;

use super::{LONG, PAST, SHORT, StoreUnderTest, fresh_name, within};

/// Single flight: the others learn how long to wait at most.
pub async fn a_lease_is_held_by_one_owner_until_it_ends(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("lease");
    let acquire = |owner: &'static str| within("a lease", store.leases().acquire(&key, owner, SHORT));
    assert_eq!(acquire("a").await, Ok(Lease::Mine));
    match acquire("b").await {
        Ok(Lease::Held(left)) => assert!(left > Duration::ZERO && left <= SHORT, "{left:?}"),
        other => panic!("held by a, but b got {other:?}"),
    }
    tokio::time::sleep(PAST).await;
    assert_eq!(acquire("b").await, Ok(Lease::Mine));
}

/// Waiting for another's work needs no lease of one's own.
pub async fn a_lease_is_seen_by_who_only_looks(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("lease");
    assert_eq!(store.leases().is_held(&key).await, Ok(false));
    assert_eq!(store.leases().acquire(&key, "a", SHORT).await, Ok(Lease::Mine));
    assert_eq!(store.leases().is_held(&key).await, Ok(true));
    tokio::time::sleep(PAST).await;
    assert_eq!(store.leases().is_held(&key).await, Ok(false));
    assert_eq!(store.leases().acquire(&key, "b", LONG).await, Ok(Lease::Mine));
    store.leases().release(&key, "b").await.expect("reachable");
    assert_eq!(store.leases().is_held(&key).await, Ok(false));
}

/// Renewing is taking again; nobody can end another's lease.
pub async fn an_owner_renews_its_lease_and_only_an_owner_releases_it(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("lease");
    assert_eq!(store.leases().acquire(&key, "a", SHORT).await, Ok(Lease::Mine));
    assert_eq!(store.leases().acquire(&key, "a", LONG).await, Ok(Lease::Mine));
    tokio::time::sleep(PAST).await;
    store.leases().release(&key, "b").await.expect("reachable");
    assert!(matches!(store.leases().acquire(&key, "b", SHORT).await, Ok(Lease::Held(left)) if left > PAST));
    store.leases().release(&key, "a").await.expect("reachable");
    assert_eq!(store.leases().acquire(&key, "b", SHORT).await, Ok(Lease::Mine));
}
