//! The breaker: one for the whole fleet, one probe at a time.

use futures_util::future::join_all;
use precis_runtime::store::{Admission, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, ReportResult, Store};

use super::{PAST, SHORT, StoreUnderTest, fresh_name, within};

/// The default policy with times a law can wait for.
pub(super) fn policy() -> BreakerPolicy {
    let ms = u64::try_from(SHORT.as_millis()).expect("short");
    BreakerPolicy { open_ms: ms, probe_ms: ms, ..BreakerPolicy::default() }
}

/// Fails five admitted calls, which opens a fresh breaker; returns the generation they were admitted in.
pub(super) async fn open(store: &Store, name: &str) -> u64 {
    let Ok(Admission::Allowed { generation }) = store.breakers().admit(name, &policy()).await else {
        panic!("not closed")
    };
    for state in
        [BreakerState::Closed, BreakerState::Closed, BreakerState::Closed, BreakerState::Closed, BreakerState::Open]
    {
        assert_eq!(tell(store, name, generation, CallOutcome::Failure).await.state, state);
    }
    generation
}

async fn tell(store: &Store, name: &str, generation: u64, outcome: CallOutcome) -> ReportResult {
    store.breakers().report(name, &policy(), generation, outcome).await.expect("reachable")
}

async fn probe(store: &Store, name: &str) -> u64 {
    match store.breakers().admit(name, &policy()).await {
        Ok(Admission::Probe { generation }) => generation,
        other => panic!("expected to be the probe, got {other:?}"),
    }
}

async fn is_open(store: &Store, name: &str) -> bool {
    matches!(store.breakers().admit(name, &policy()).await, Ok(Admission::Open { retry_after }) if retry_after <= SHORT)
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
        tokio::spawn(async move { store.breakers().admit(&name, &policy()).await })
    });
    let answers = within("the askers", join_all(askers)).await;
    let got: Vec<Admission> = answers.into_iter().map(|a| a.expect("no panic").expect("reachable")).collect();
    assert_eq!(got.iter().filter(|a| matches!(a, Admission::Probe { .. })).count(), 1, "{got:?}");
    assert_eq!(got.iter().filter(|a| matches!(a, Admission::Open { .. })).count(), 7, "{got:?}");
}

/// A new iteration of a session need not wait for the time to be over, and is one probe all the same.
pub async fn who_need_not_wait_is_the_probe(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    assert!(is_open(&store, &name).await);
    let early = store.breakers().admit_early(&name, &policy()).await;
    let Ok(Admission::Probe { generation }) = early else { panic!("expected to be the probe, got {early:?}") };
    assert!(
        matches!(store.breakers().admit_early(&name, &policy()).await, Ok(Admission::Open { .. })),
        "one probe at a time"
    );
    assert_eq!(tell(&store, &name, generation, CallOutcome::Success).await.state, BreakerState::Closed);
    assert!(matches!(store.breakers().admit_early(&name, &policy()).await, Ok(Admission::Allowed { .. })));
}

/// The probe decides for everybody.
pub async fn a_failed_probe_opens_again_and_a_good_one_closes(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    tokio::time::sleep(PAST).await;
    let first = probe(&store, &name).await;
    assert_eq!(tell(&store, &name, first, CallOutcome::Failure).await.state, BreakerState::Open);
    assert!(is_open(&store, &name).await);
    tokio::time::sleep(PAST).await;
    let second = probe(&store, &name).await;
    assert_eq!(tell(&store, &name, second, CallOutcome::Success).await.state, BreakerState::Closed);
    open(&store, &name).await;
}

/// Neither a 429 nor a dead worker keeps the breaker half-open for ever.
pub async fn a_probe_that_says_nothing_frees_its_place(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    tokio::time::sleep(PAST).await;
    let neutral = probe(&store, &name).await;
    assert_eq!(tell(&store, &name, neutral, CallOutcome::Neutral).await.state, BreakerState::HalfOpen);
    let silent = probe(&store, &name).await;
    assert!(is_open(&store, &name).await, "its time runs");
    tokio::time::sleep(PAST).await;
    let last = probe(&store, &name).await;
    assert_eq!(tell(&store, &name, silent, CallOutcome::Success).await.state, BreakerState::HalfOpen, "too late");
    assert_eq!(tell(&store, &name, last, CallOutcome::Success).await.state, BreakerState::Closed);
}

/// Of all that report an outage, one says that the breaker opened, and on what.
pub async fn who_opens_a_breaker_is_told_and_nobody_else(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    let reports = (0..12).map(|_| tell(&store, &name, 0, CallOutcome::Failure));
    let told = within("the reports", join_all(reports)).await;
    let opened: Vec<OutcomeWindow> = told.into_iter().filter_map(|reported| reported.opened).collect();
    assert_eq!(opened, [OutcomeWindow { failures: 5, size: 5 }]);
    tokio::time::sleep(PAST).await;
    let generation = probe(&store, &name).await;
    let failed = tell(&store, &name, generation, CallOutcome::Failure).await;
    assert_eq!(failed.opened, Some(OutcomeWindow { failures: 1, size: 1 }));
}

/// Calls that began before the outage say nothing about the time after it.
pub async fn a_report_of_an_older_generation_is_ignored(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    let before = open(&store, &name).await;
    assert_eq!(tell(&store, &name, before, CallOutcome::Success).await.state, BreakerState::Open);
    tokio::time::sleep(PAST).await;
    let generation = probe(&store, &name).await;
    assert_eq!(tell(&store, &name, generation, CallOutcome::Success).await.state, BreakerState::Closed);
    for old in [before, generation] {
        for _ in 0..10 {
            assert_eq!(tell(&store, &name, old, CallOutcome::Failure).await.state, BreakerState::Closed);
        }
    }
}

/// One provider's outage is not another's.
pub async fn breakers_have_nothing_to_do_with_each_other(under_test: &impl StoreUnderTest) {
    let (store, name) = (under_test.store().await, fresh_name("breaker"));
    open(&store, &name).await;
    let other = store.breakers().admit(&fresh_name("breaker"), &policy()).await;
    assert!(matches!(other, Ok(Admission::Allowed { .. })), "{other:?}");
}
