//! The fence: which revision is the last, and who works on it.

use std::time::Duration;

use futures_util::future::join_all;
use precis_proto::{LifeId, SessionId};
use precis_runtime::store::{FenceClaim, Revision, Store};

use super::{LONG, PAST, SHORT, StoreUnderTest, at, claim, claimed, life, session, within};

async fn renew(store: &Store, session: &SessionId, revision: u64, holder: &str, ttl: Duration) -> FenceClaim {
    within("a renewal", store.fences().renew(at(session, revision), holder, ttl)).await.expect("reachable")
}

async fn advance(store: &Store, session: &SessionId, revision: u64) {
    within("an advance", store.fences().advance(at(session, revision), LONG)).await.expect("reachable");
}

/// What makes a late writer harmless.
pub async fn an_older_revision_is_stale(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(store.fences().latest(&session, Some(life())).await, Ok(None));
    assert_eq!(claim(&store, &session, 3, "a", LONG).await, claimed(true));
    assert_eq!(store.fences().latest(&session, Some(life())).await, Ok(Some(3)));
    for latest in [3, u64::MAX] {
        advance(&store, &session, latest).await;
        assert_eq!(claim(&store, &session, 1, "late|a", LONG).await, FenceClaim::Stale { latest });
    }
    within("taking", store.fences().take(at(&session, 3), "a", LONG)).await.expect("reachable");
    assert_eq!(store.fences().latest(&session, Some(life())).await, Ok(Some(3)), "taken back from its end");
    advance(&store, &session, 4).await;
    assert_eq!(store.fences().latest(&session, Some(life())).await, Ok(Some(4)));
    assert_eq!(claim(&store, &session, 3, "a", LONG).await, FenceClaim::Stale { latest: 4 }, "even for its old holder");
    assert_eq!(claim(&store, &session, 4, "b", LONG).await, claimed(false));
}

/// Two deliveries of one revision: one works, the other waits.
pub async fn a_revision_is_held_by_one_holder_at_a_time(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    let askers = (0..8).map(|n| {
        let (store, session) = (store.clone(), session.clone());
        tokio::spawn(async move { store.fences().claim(at(&session, 1), &format!("holder {n}"), LONG).await })
    });
    let claims = within("the askers", join_all(askers)).await;
    let got: Vec<FenceClaim> = claims.into_iter().map(|c| c.expect("no panic").expect("reachable")).collect();
    assert_eq!(got.iter().filter(|c| **c == claimed(true)).count(), 1, "{got:?}");
    assert_eq!(got.iter().filter(|c| **c == FenceClaim::Held).count(), 7, "{got:?}");
}

/// The newest state is the session; who still works on an older one works for nothing.
pub async fn a_newer_revision_takes_the_hold_over(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    assert_eq!(claim(&store, &session, 2, "b", LONG).await, claimed(false));
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, FenceClaim::Stale { latest: 2 });
    assert_eq!(claim(&store, &session, 2, "a", LONG).await, FenceClaim::Held);
}

/// A dead holder blocks nobody for longer than its hold; a live one renews.
pub async fn a_hold_that_is_not_renewed_ends(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "a", SHORT).await, claimed(true));
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(false), "a renewal");
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, FenceClaim::Held);
    assert_eq!(claim(&store, &session, 1, "a", SHORT).await, claimed(false));
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, claimed(false));
}

/// The broker gave the delivery back, so whoever held it is dead or cut off.
pub async fn a_returned_copy_is_taken_over_at_once(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "copy|a", LONG).await, claimed(true));
    assert_eq!(claim(&store, &session, 1, "other copy|b", LONG).await, FenceClaim::Held);
    assert_eq!(claim(&store, &session, 1, "copy|b", LONG).await, claimed(false));
    assert_eq!(renew(&store, &session, 1, "copy|a", LONG).await, FenceClaim::Held, "lost");
    assert_eq!(renew(&store, &session, 1, "copy|b", LONG).await, claimed(false));
}

/// A live worker keeps its hold; one that lost it learns so.
pub async fn a_hold_is_renewed_by_its_holder_until_it_is_lost(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "c|a", SHORT).await, claimed(true));
    assert_eq!(renew(&store, &session, 1, "c|a", LONG).await, claimed(false));
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "d|b", LONG).await, FenceClaim::Held);
    advance(&store, &session, 2).await;
    assert_eq!(renew(&store, &session, 1, "c|a", LONG).await, FenceClaim::Stale { latest: 2 });
}

/// Redis may forget a hold; its holder goes on, and a late duplicate of an older revision changes nothing.
pub async fn a_wipe_does_not_end_a_hold_that_is_renewed(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 5, "c|a", LONG).await, claimed(true));
    within("a wipe", under_test.wipe()).await;
    assert!(matches!(renew(&store, &session, 5, "c|a", LONG).await, FenceClaim::Claimed { .. }));
    assert_eq!(claim(&store, &session, 5, "d|b", LONG).await, FenceClaim::Held);
    within("a wipe", under_test.wipe()).await;
    assert_eq!(claim(&store, &session, 4, "late duplicate|b", LONG).await, claimed(true));
    assert_eq!(renew(&store, &session, 5, "c|a", LONG).await, claimed(false));
    assert_eq!(renew(&store, &session, 4, "late duplicate|b", LONG).await, FenceClaim::Stale { latest: 5 });
}

/// The publisher records its publish after the next worker may have begun.
pub async fn an_advance_never_goes_back_and_leaves_the_next_holder_alone(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    advance(&store, &session, 5).await;
    assert_eq!(claim(&store, &session, 5, "next", LONG).await, claimed(false));
    advance(&store, &session, 5).await;
    assert_eq!(claim(&store, &session, 5, "third", LONG).await, FenceClaim::Held);
    advance(&store, &session, 2).await;
    assert_eq!(store.fences().latest(&session, Some(life())).await, Ok(Some(5)));
    assert_eq!(claim(&store, &session, 5, "third", LONG).await, FenceClaim::Held);
    advance(&store, &session, 6).await;
    assert_eq!(claim(&store, &session, 6, "third", LONG).await, claimed(false), "the hold ended with its revision");
}

/// A draining worker lets go, so that the next delivery need not wait.
pub async fn only_the_holder_lets_go_of_a_hold(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    store.fences().unclaim(at(&session, 1), "a").await.expect("nothing is there");
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    for (revision, holder) in [(1, "b"), (0, "a"), (2, "a")] {
        store.fences().unclaim(at(&session, revision), holder).await.expect("reachable");
        assert_eq!(claim(&store, &session, 1, "c", LONG).await, FenceClaim::Held, "after {revision} {holder}");
    }
    store.fences().unclaim(at(&session, 1), "a").await.expect("reachable");
    assert_eq!(claim(&store, &session, 1, "c", LONG).await, claimed(false));
}

/// An id may be used again: what the fence remembers of an earlier life makes nothing stale.
pub async fn a_fence_of_another_life_is_told_and_taken_over(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    let earlier = LifeId::new("an earlier life").expect("a short name");
    let at_earlier = |number| Revision { session: &session, life: Some(&earlier), number };
    let of = |life| store.fences().latest(&session, life);
    within("an advance", store.fences().advance(at_earlier(9), LONG)).await.expect("reachable");
    let other = claim(&store, &session, 1, "c|a", LONG).await;
    assert!(matches!(other, FenceClaim::Other { latest: 9, .. }), "{other:?}");
    assert_eq!((of(Some(life())).await, of(None).await, of(Some(&earlier)).await), (Ok(None), Ok(None), Ok(Some(9))));
    within("taking", store.fences().take(at(&session, 1), "c|a", LONG)).await.expect("reachable");
    assert_eq!(claim(&store, &session, 1, "d|b", LONG).await, FenceClaim::Held);
    within("an advance", store.fences().advance(at_earlier(10), LONG)).await.expect("reachable");
    assert_eq!(renew(&store, &session, 1, "c|a", LONG).await, claimed(false), "a holder does not lose to another life");
    assert_eq!(of(Some(life())).await, Ok(Some(1)));
}
