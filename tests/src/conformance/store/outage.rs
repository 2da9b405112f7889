//! A store that is wiped, and one that is away.

use bytes::Bytes;
use precis_runtime::store::{Admission, FenceClaim, Lease};

use super::breaker::{open, policy};
use super::{LONG, StoreUnderTest, at, claim, claimed, fresh_name, get, put, session, within};

/// Redis may be flushed at any time; what is left is a fresh start.
pub async fn a_wiped_store_knows_nothing(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    let (answer, call) = (format!("answer:{}", fresh_name("a")), format!("call:{}", fresh_name("c")));
    let (lease, name) = (fresh_name("lease"), fresh_name("breaker"));
    put(&store, &answer, "a", LONG).await;
    put(&store, &call, "c", LONG).await;
    assert_eq!(store.leases().acquire(&lease, "a", LONG).await, Ok(Lease::Mine));
    assert_eq!(claim(&store, &session, 7, "a", LONG).await, claimed(true));
    open(&store, &name).await;
    within("a wipe", under_test.wipe()).await;
    assert_eq!((get(&store, &answer).await, get(&store, &call).await), (None, None));
    assert_eq!(store.leases().acquire(&lease, "b", LONG).await, Ok(Lease::Mine));
    assert_eq!(claim(&store, &session, 6, "b", LONG).await, claimed(true));
    assert!(matches!(store.breakers().admit(&name, &policy()).await, Ok(Admission::Allowed { .. })));
}

/// An outage is told at once and is not a loss.
pub async fn an_unreachable_store_says_so_and_remembers(under_test: &impl StoreUnderTest) {
    let (store, session, key) = (under_test.store().await, session(), fresh_name("key"));
    put(&store, &key, "a", LONG).await;
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    within("the outage", under_test.set_available(false)).await;
    assert!(within("an answer", store.values().get(&key)).await.is_err());
    assert!(within("an answer", store.values().put_if_absent(&key, Bytes::new(), LONG)).await.is_err());
    assert!(within("an answer", store.fences().claim(at(&session, 1), "b", LONG)).await.is_err());
    assert!(within("an answer", store.breakers().admit(&key, &policy())).await.is_err());
    within("the return", under_test.set_available(true)).await;
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"a"[..]));
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, FenceClaim::Held);
}
