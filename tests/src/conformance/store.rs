//! Laws of the store seam: caches, leases, fence and breaker, on Redis and in memory alike.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use precis_proto::SessionId;
use precis_runtime::store::{Admission, BreakerPolicy, BreakerState, Claim, Lease, Outcome, Store};

use super::{fresh_name, within};

/// Long enough for a few operations on a loaded machine, short enough to wait for.
const SHORT: Duration = Duration::from_millis(400);
/// Past the end of [`SHORT`].
const PAST: Duration = Duration::from_millis(500);
/// Does not end during a law.
const LONG: Duration = Duration::from_secs(600);

/// A store the laws can be tried on.
pub trait StoreUnderTest: Sync {
    /// A handle as a worker holds it.
    fn store(&self) -> impl Future<Output = Store> + Send;
    /// Forgets everything, as a flush does.
    fn wipe(&self) -> impl Future<Output = ()> + Send;
    /// Makes the store unreachable, or reachable again.
    fn set_available(&self, available: bool) -> impl Future<Output = ()> + Send;
}

/// Calls a macro with the name of every law of this file.
#[macro_export]
macro_rules! store_laws {
    ($run:ident) => {
        $run! {
            a_value_is_read_until_it_expires
            of_racing_writers_one_wins_and_all_read_its_value
            a_cached_text_of_every_family_is_kept
            compare_and_set_replaces_only_what_was_expected
            racing_compare_and_sets_lose_no_update
            a_deleted_value_is_gone_and_may_be_written_anew
            a_lease_is_held_by_one_owner_until_it_ends
            a_lease_is_seen_by_who_only_looks
            an_owner_renews_its_lease_and_only_an_owner_releases_it
            an_older_revision_is_stale
            a_revision_is_held_by_one_holder_at_a_time
            a_newer_revision_takes_the_hold_over
            a_hold_that_is_not_renewed_ends
            a_returned_copy_is_taken_over_at_once
            a_hold_is_renewed_by_its_holder_until_it_is_lost
            a_wipe_does_not_end_a_hold_that_is_renewed
            an_advance_never_goes_back_and_leaves_the_next_holder_alone
            only_the_holder_lets_go_of_a_hold
            a_breaker_opens_and_refuses_until_its_time_is_over
            one_probe_is_admitted_among_many_askers
            a_failed_probe_opens_again_and_a_good_one_closes
            a_probe_that_says_nothing_frees_its_place
            a_report_of_an_older_generation_is_ignored
            breakers_have_nothing_to_do_with_each_other
            a_wiped_store_knows_nothing
            an_unreachable_store_says_so_and_remembers
        }
    };
}

async fn put(store: &Store, key: &str, value: &'static str, ttl: Duration) -> Bytes {
    within("a put", store.put_if_absent(key, Bytes::from_static(value.as_bytes()), ttl)).await.expect("reachable")
}

async fn get(store: &Store, key: &str) -> Option<Bytes> {
    within("a get", store.get(key)).await.expect("reachable")
}

async fn set(store: &Store, key: &str, expected: Option<&str>, new: &str) -> bool {
    let new = Bytes::from(new.to_owned());
    let set = store.compare_and_set(key, expected.map(str::as_bytes), new, LONG);
    within("a compare-and-set", set).await.expect("reachable")
}

async fn claim(store: &Store, session: &SessionId, revision: u64, holder: &str, ttl: Duration) -> Claim {
    within("a claim", store.claim(session, revision, holder, ttl)).await.expect("reachable")
}

async fn renew(store: &Store, session: &SessionId, revision: u64, holder: &str, ttl: Duration) -> Claim {
    within("a renewal", store.renew(session, revision, holder, ttl)).await.expect("reachable")
}

async fn advance(store: &Store, session: &SessionId, revision: u64) {
    within("an advance", store.advance(session, revision, LONG)).await.expect("reachable");
}

fn session() -> SessionId {
    SessionId::new(fresh_name("session")).expect("a short name")
}

fn claimed(first: bool) -> Claim {
    Claim::Claimed { first }
}

/// Caches end by their time to live.
pub async fn a_value_is_read_until_it_expires(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let (short, long) = (fresh_name("value"), fresh_name("value"));
    assert_eq!(get(&store, &short).await, None);
    assert_eq!(put(&store, &short, "a", SHORT).await, "a");
    assert_eq!(put(&store, &long, "b", LONG).await, "b");
    assert_eq!(get(&store, &short).await.as_deref(), Some(&b"a"[..]));
    tokio::time::sleep(PAST).await;
    assert_eq!(get(&store, &short).await, None);
    assert_eq!(put(&store, &short, "c", LONG).await, "c", "an expired value is no value");
    assert_eq!(get(&store, &long).await.as_deref(), Some(&b"b"[..]));
}

/// First writer wins: all readers of a key see one text.
pub async fn of_racing_writers_one_wins_and_all_read_its_value(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    for family in ["answer", "call"] {
        let key = format!("{family}:{}", fresh_name("race"));
        let writers = (0..16).map(|n: u32| {
            let (store, key) = (store.clone(), key.clone());
            tokio::spawn(async move { store.put_if_absent(&key, Bytes::from(n.to_string()), LONG).await })
        });
        let read = within("the writers", join_all(writers)).await;
        let standing = get(&store, &key).await.expect("somebody won");
        for value in read {
            assert_eq!(value.expect("no panic").expect("reachable"), standing);
        }
    }
}

/// Keys of all families hold what they were given, whatever is in them.
pub async fn a_cached_text_of_every_family_is_kept(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    for family in ["digest", "summary", "answer", "call", "extract", "tokens", "limit", "cancel"] {
        let key = format!("{family}:../é {}", fresh_name("key"));
        for value in [Bytes::from_static(b"\x00\xff"), Bytes::from(vec![7; 300_000]), Bytes::new()] {
            let put = within("a put", store.put_if_absent(&key, value.clone(), LONG)).await;
            assert_eq!(put, Ok(value.clone()), "{family}");
            assert_eq!(get(&store, &key).await, Some(value), "{family}");
            within("a delete", store.delete(&key)).await.expect("reachable");
            assert_eq!(get(&store, &key).await, None, "{family}");
        }
    }
}

/// Shared state changes by compare-and-set.
pub async fn compare_and_set_replaces_only_what_was_expected(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("cas");
    assert!(!set(&store, &key, Some("a"), "b").await, "nothing is there yet");
    assert!(set(&store, &key, None, "a").await);
    assert!(!set(&store, &key, None, "b").await, "something is there");
    assert!(!set(&store, &key, Some("b"), "c").await);
    assert!(set(&store, &key, Some("a"), "c").await);
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"c"[..]));
}

/// Eight writers that retry count to eight.
pub async fn racing_compare_and_sets_lose_no_update(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("counter");
    let writers = (0..8).map(|_| {
        let (store, key) = (store.clone(), key.clone());
        tokio::spawn(async move {
            loop {
                let now = get(&store, &key).await;
                let count: u32 = now.as_deref().map_or(0, |b| String::from_utf8_lossy(b).parse().expect("a number"));
                let next = Bytes::from((count + 1).to_string());
                if store.compare_and_set(&key, now.as_deref(), next, LONG).await.expect("reachable") {
                    return;
                }
            }
        })
    });
    for written in within("the writers", join_all(writers)).await {
        written.expect("no panic");
    }
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"8"[..]));
}

/// Deleting is for marks that have served; deleting nothing is fine.
pub async fn a_deleted_value_is_gone_and_may_be_written_anew(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("deleted");
    within("a delete", store.delete(&key)).await.expect("nothing is there");
    put(&store, &key, "a", LONG).await;
    within("a delete", store.delete(&key)).await.expect("reachable");
    assert_eq!(get(&store, &key).await, None);
    assert_eq!(put(&store, &key, "b", LONG).await, "b");
}

/// Single flight: the others learn how long to wait at most.
pub async fn a_lease_is_held_by_one_owner_until_it_ends(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("lease");
    let acquire = |owner: &'static str| within("a lease", store.acquire(&key, owner, SHORT));
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
    assert_eq!(store.is_held(&key).await, Ok(false));
    assert_eq!(store.acquire(&key, "a", SHORT).await, Ok(Lease::Mine));
    assert_eq!(store.is_held(&key).await, Ok(true));
    tokio::time::sleep(PAST).await;
    assert_eq!(store.is_held(&key).await, Ok(false));
    assert_eq!(store.acquire(&key, "b", LONG).await, Ok(Lease::Mine));
    store.release(&key, "b").await.expect("reachable");
    assert_eq!(store.is_held(&key).await, Ok(false));
}

/// Renewing is taking again; nobody can end another's lease.
pub async fn an_owner_renews_its_lease_and_only_an_owner_releases_it(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("lease");
    assert_eq!(store.acquire(&key, "a", SHORT).await, Ok(Lease::Mine));
    assert_eq!(store.acquire(&key, "a", LONG).await, Ok(Lease::Mine));
    tokio::time::sleep(PAST).await;
    store.release(&key, "b").await.expect("reachable");
    assert!(matches!(store.acquire(&key, "b", SHORT).await, Ok(Lease::Held(left)) if left > PAST));
    store.release(&key, "a").await.expect("reachable");
    assert_eq!(store.acquire(&key, "b", SHORT).await, Ok(Lease::Mine));
}

/// What makes a late writer harmless.
pub async fn an_older_revision_is_stale(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(store.latest(&session).await, Ok(None));
    assert_eq!(claim(&store, &session, 3, "a", LONG).await, claimed(true));
    assert_eq!(store.latest(&session).await, Ok(Some(3)));
    advance(&store, &session, 4).await;
    assert_eq!(store.latest(&session).await, Ok(Some(4)));
    assert_eq!(claim(&store, &session, 3, "a", LONG).await, Claim::Stale { latest: 4 }, "even for its old holder");
    assert_eq!(claim(&store, &session, 4, "b", LONG).await, claimed(false));
}

/// Two deliveries of one revision: one works, the other waits.
pub async fn a_revision_is_held_by_one_holder_at_a_time(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    let askers = (0..8).map(|n| {
        let (store, session) = (store.clone(), session.clone());
        tokio::spawn(async move { store.claim(&session, 1, &format!("holder {n}"), LONG).await })
    });
    let claims = within("the askers", join_all(askers)).await;
    let got: Vec<Claim> = claims.into_iter().map(|c| c.expect("no panic").expect("reachable")).collect();
    assert_eq!(got.iter().filter(|c| **c == claimed(true)).count(), 1, "{got:?}");
    assert_eq!(got.iter().filter(|c| **c == Claim::Held).count(), 7, "{got:?}");
}

/// The newest state is the session; who still works on an older one works for nothing.
pub async fn a_newer_revision_takes_the_hold_over(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    assert_eq!(claim(&store, &session, 2, "b", LONG).await, claimed(false));
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, Claim::Stale { latest: 2 });
    assert_eq!(claim(&store, &session, 2, "a", LONG).await, Claim::Held);
}

/// A dead holder blocks nobody for longer than its hold; a live one renews.
pub async fn a_hold_that_is_not_renewed_ends(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "a", SHORT).await, claimed(true));
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(false), "a renewal");
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, Claim::Held);
    assert_eq!(claim(&store, &session, 1, "a", SHORT).await, claimed(false));
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, claimed(false));
}

/// The broker gave the delivery back, so whoever held it is dead or cut off.
pub async fn a_returned_copy_is_taken_over_at_once(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "copy|a", LONG).await, claimed(true));
    assert_eq!(claim(&store, &session, 1, "other copy|b", LONG).await, Claim::Held);
    assert_eq!(claim(&store, &session, 1, "copy|b", LONG).await, claimed(false));
    assert_eq!(renew(&store, &session, 1, "copy|a", LONG).await, Claim::Held, "lost");
    assert_eq!(renew(&store, &session, 1, "copy|b", LONG).await, claimed(false));
}

/// A live worker keeps its hold; one that lost it learns so.
pub async fn a_hold_is_renewed_by_its_holder_until_it_is_lost(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 1, "c|a", SHORT).await, claimed(true));
    assert_eq!(renew(&store, &session, 1, "c|a", LONG).await, claimed(false));
    tokio::time::sleep(PAST).await;
    assert_eq!(claim(&store, &session, 1, "d|b", LONG).await, Claim::Held);
    advance(&store, &session, 2).await;
    assert_eq!(renew(&store, &session, 1, "c|a", LONG).await, Claim::Stale { latest: 2 });
}

/// Redis may forget a hold; its holder goes on, and a late duplicate of an older revision changes nothing.
pub async fn a_wipe_does_not_end_a_hold_that_is_renewed(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    assert_eq!(claim(&store, &session, 5, "c|a", LONG).await, claimed(true));
    within("a wipe", under_test.wipe()).await;
    assert!(matches!(renew(&store, &session, 5, "c|a", LONG).await, Claim::Claimed { .. }));
    assert_eq!(claim(&store, &session, 5, "d|b", LONG).await, Claim::Held);
    within("a wipe", under_test.wipe()).await;
    assert_eq!(claim(&store, &session, 4, "late duplicate|b", LONG).await, claimed(true));
    assert_eq!(renew(&store, &session, 5, "c|a", LONG).await, claimed(false));
    assert_eq!(renew(&store, &session, 4, "late duplicate|b", LONG).await, Claim::Stale { latest: 5 });
}

/// The publisher records its publish after the next worker may have begun.
pub async fn an_advance_never_goes_back_and_leaves_the_next_holder_alone(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    advance(&store, &session, 5).await;
    assert_eq!(claim(&store, &session, 5, "next", LONG).await, claimed(false));
    advance(&store, &session, 5).await;
    assert_eq!(claim(&store, &session, 5, "third", LONG).await, Claim::Held);
    advance(&store, &session, 2).await;
    assert_eq!(store.latest(&session).await, Ok(Some(5)));
    assert_eq!(claim(&store, &session, 5, "third", LONG).await, Claim::Held);
    advance(&store, &session, 6).await;
    assert_eq!(claim(&store, &session, 6, "third", LONG).await, claimed(false), "the hold ended with its revision");
}

/// A draining worker lets go, so that the next delivery need not wait.
pub async fn only_the_holder_lets_go_of_a_hold(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    store.unclaim(&session, 1, "a").await.expect("nothing is there");
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    for (revision, holder) in [(1, "b"), (0, "a"), (2, "a")] {
        store.unclaim(&session, revision, holder).await.expect("reachable");
        assert_eq!(claim(&store, &session, 1, "c", LONG).await, Claim::Held, "after {revision} {holder}");
    }
    store.unclaim(&session, 1, "a").await.expect("reachable");
    assert_eq!(claim(&store, &session, 1, "c", LONG).await, claimed(false));
}

/// The default policy with times a law can wait for.
fn policy() -> BreakerPolicy {
    let ms = u64::try_from(SHORT.as_millis()).expect("short");
    BreakerPolicy { open_ms: ms, probe_ms: ms, ..BreakerPolicy::default() }
}

/// Fails five admitted calls, which opens a fresh breaker; returns the generation they were admitted in.
async fn open(store: &Store, name: &str) -> u64 {
    let Ok(Admission::Allowed { generation }) = store.admit(name, &policy()).await else { panic!("not closed") };
    for state in
        [BreakerState::Closed, BreakerState::Closed, BreakerState::Closed, BreakerState::Closed, BreakerState::Open]
    {
        assert_eq!(store.report(name, &policy(), generation, Outcome::Failure).await, Ok(state));
    }
    generation
}

async fn probe(store: &Store, name: &str) -> u64 {
    match store.admit(name, &policy()).await {
        Ok(Admission::Probe { generation }) => generation,
        other => panic!("expected to be the probe, got {other:?}"),
    }
}

async fn is_open(store: &Store, name: &str) -> bool {
    matches!(store.admit(name, &policy()).await, Ok(Admission::Open { retry_after }) if retry_after <= SHORT)
}

/// Five failures are enough, and then nobody calls.
pub async fn a_breaker_opens_and_refuses_until_its_time_is_over(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    assert!(is_open(&store, &name).await);
    tokio::time::sleep(PAST).await;
    probe(&store, &name).await;
}

/// One half-open probe in the whole fleet.
pub async fn one_probe_is_admitted_among_many_askers(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    tokio::time::sleep(PAST).await;
    let askers = (0..8).map(|_| {
        let (store, name) = (store.clone(), name.clone());
        tokio::spawn(async move { store.admit(&name, &policy()).await })
    });
    let answers = within("the askers", join_all(askers)).await;
    let got: Vec<Admission> = answers.into_iter().map(|a| a.expect("no panic").expect("reachable")).collect();
    assert_eq!(got.iter().filter(|a| matches!(a, Admission::Probe { .. })).count(), 1, "{got:?}");
    assert_eq!(got.iter().filter(|a| matches!(a, Admission::Open { .. })).count(), 7, "{got:?}");
}

/// The probe decides for everybody.
pub async fn a_failed_probe_opens_again_and_a_good_one_closes(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    tokio::time::sleep(PAST).await;
    let first = probe(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), first, Outcome::Failure).await, Ok(BreakerState::Open));
    assert!(is_open(&store, &name).await);
    tokio::time::sleep(PAST).await;
    let second = probe(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), second, Outcome::Success).await, Ok(BreakerState::Closed));
    open(&store, &name).await;
}

/// Neither a 429 nor a dead worker keeps the breaker half-open for ever.
pub async fn a_probe_that_says_nothing_frees_its_place(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    tokio::time::sleep(PAST).await;
    let neutral = probe(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), neutral, Outcome::Neutral).await, Ok(BreakerState::HalfOpen));
    let silent = probe(&store, &name).await;
    assert!(is_open(&store, &name).await, "its time runs");
    tokio::time::sleep(PAST).await;
    let last = probe(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), silent, Outcome::Success).await, Ok(BreakerState::HalfOpen), "too late");
    assert_eq!(store.report(&name, &policy(), last, Outcome::Success).await, Ok(BreakerState::Closed));
}

/// Calls that began before the outage say nothing about the time after it.
pub async fn a_report_of_an_older_generation_is_ignored(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    let before = open(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), before, Outcome::Success).await, Ok(BreakerState::Open));
    tokio::time::sleep(PAST).await;
    let generation = probe(&store, &name).await;
    assert_eq!(store.report(&name, &policy(), generation, Outcome::Success).await, Ok(BreakerState::Closed));
    for old in [before, generation] {
        for _ in 0..10 {
            let state = store.report(&name, &policy(), old, Outcome::Failure).await;
            assert_eq!(state, Ok(BreakerState::Closed));
        }
    }
}

/// One provider's outage is not another's.
pub async fn breakers_have_nothing_to_do_with_each_other(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    let other = store.admit(&fresh_name("breaker"), &policy()).await;
    assert!(matches!(other, Ok(Admission::Allowed { .. })), "{other:?}");
}

/// Redis may be flushed at any time; what is left is a fresh start.
pub async fn a_wiped_store_knows_nothing(under_test: &impl StoreUnderTest) {
    let (store, session) = (under_test.store().await, session());
    let (answer, call) = (format!("answer:{}", fresh_name("a")), format!("call:{}", fresh_name("c")));
    let (lease, name) = (fresh_name("lease"), fresh_name("breaker"));
    put(&store, &answer, "a", LONG).await;
    put(&store, &call, "c", LONG).await;
    assert_eq!(store.acquire(&lease, "a", LONG).await, Ok(Lease::Mine));
    assert_eq!(claim(&store, &session, 7, "a", LONG).await, claimed(true));
    open(&store, &name).await;
    within("a wipe", under_test.wipe()).await;
    assert_eq!((get(&store, &answer).await, get(&store, &call).await), (None, None));
    assert_eq!(store.acquire(&lease, "b", LONG).await, Ok(Lease::Mine));
    assert_eq!(claim(&store, &session, 6, "b", LONG).await, claimed(true));
    assert!(matches!(store.admit(&name, &policy()).await, Ok(Admission::Allowed { .. })));
}

/// An outage is told at once and is not a loss.
pub async fn an_unreachable_store_says_so_and_remembers(under_test: &impl StoreUnderTest) {
    let (store, session, key) = (under_test.store().await, session(), fresh_name("key"));
    put(&store, &key, "a", LONG).await;
    assert_eq!(claim(&store, &session, 1, "a", LONG).await, claimed(true));
    within("the outage", under_test.set_available(false)).await;
    assert!(within("an answer", store.get(&key)).await.is_err());
    assert!(within("an answer", store.put_if_absent(&key, Bytes::new(), LONG)).await.is_err());
    assert!(within("an answer", store.claim(&session, 1, "b", LONG)).await.is_err());
    assert!(within("an answer", store.admit(&key, &policy())).await.is_err());
    within("the return", under_test.set_available(true)).await;
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"a"[..]));
    assert_eq!(claim(&store, &session, 1, "b", LONG).await, Claim::Held);
}
