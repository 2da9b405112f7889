//! The store of a fleet in one process, opened again after a kill: what keeps a session from being paid for twice is there.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::{LifeId, SessionId};
use precis_runtime::clock::Clock;
use precis_runtime::store::{
    Amount, CeilingHold, CeilingPolicy, FenceClaim, Lease, Measure, MemoryStore, Revision, Spending, Store,
};
use precis_tests::conformance::store::StoreUnderTest;
use precis_tests::store_laws;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(24 * 3600);

struct Stored {
    store: MemoryStore,
    /// Removed with it.
    _dir: TempDir,
}

impl Stored {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = opened(dir.path(), &Clock::system());
        Self { store, _dir: dir }
    }
}

fn opened(dir: &Path, clock: &Clock) -> MemoryStore {
    MemoryStore::open(&dir.join("store"), 1 << 30, clock).expect("opens")
}

impl StoreUnderTest for Stored {
    async fn store(&self) -> Store {
        Store::Memory(self.store.clone())
    }

    async fn wipe(&self) {
        self.store.wipe();
    }

    async fn set_available(&self, available: bool) {
        self.store.set_available(available);
    }
}

macro_rules! store {
    ($($law:ident)*) => {
        mod store {
            $(
                #[tokio::test(start_paused = true)]
                async fn $law() {
                    precis_tests::conformance::store::$law(&super::Stored::new()).await;
                }
            )*
        }
    };
}

store_laws!(store);

/// A process with the store in `dir`, killed after `work`.
async fn killed<T>(dir: &Path, clock: &Clock, work: impl AsyncFnOnce(Store) -> T) -> T {
    let store = opened(dir, clock);
    let done = work(Store::Memory(store.clone())).await;
    store.close();
    done
}

#[tokio::test(start_paused = true)]
async fn answers_cancellations_and_paid_calls_outlive_the_process() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let value = Bytes::from_static(b"paid");
    let families = ["call", "answer", "digest"];
    killed(dir.path(), &clock, async |store| {
        for family in families {
            store.values().put_if_absent(&format!("{family}:k"), value.clone(), DAY).await.expect("reachable");
        }
        store.values().put("cancel:s", Bytes::from_static(b"stop"), DAY).await.expect("reachable");
        store.values().put("cancel:s", Bytes::from_static(b"cancel"), DAY).await.expect("reachable");
    })
    .await;
    killed(dir.path(), &clock, async |store| {
        for family in families {
            let found = store.values().get(&format!("{family}:k")).await.expect("reachable");
            assert_eq!(found.as_deref(), Some(&b"paid"[..]), "{family}");
        }
        let cancelled = store.values().get("cancel:s").await.expect("reachable");
        assert_eq!(cancelled.as_deref(), Some(&b"cancel"[..]), "the latest");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_fence_survives_a_kill_with_revision_and_holder() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let (session, life) = (SessionId::new("s").expect("an id"), LifeId::new("1").expect("an id"));
    let first = Revision { session: &session, life: Some(&life), number: 1 };
    killed(dir.path(), &clock, async |store| {
        store.fences().advance(first.at(3), DAY).await.expect("reachable");
        store.fences().claim(first.at(3), "copy|a", Duration::from_secs(60)).await.expect("reachable");
    })
    .await;
    killed(dir.path(), &clock, async |store| {
        let fences = store.fences();
        let claim = |number, holder| fences.claim(first.at(number), holder, Duration::from_secs(60));
        assert_eq!(claim(2, "old|b").await, Ok(FenceClaim::Stale { latest: 3 }));
        assert_eq!(claim(3, "another|b").await, Ok(FenceClaim::Held), "its holder may live");
        assert_eq!(claim(3, "copy|b").await, Ok(FenceClaim::Claimed { first: false }), "its copy was redelivered");
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(
            claim(3, "another|b").await,
            Ok(FenceClaim::Claimed { first: false }),
            "a hold ends after a kill too"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn job_marks_outlive_the_process_and_other_leases_do_not() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let minute = Duration::from_secs(60);
    killed(dir.path(), &clock, async |store| {
        for key in ["running:held", "running:released", "flight:call"] {
            assert_eq!(store.leases().acquire(key, "copy", minute).await, Ok(Lease::Mine));
        }
        store.leases().release("running:released", "copy").await.expect("reachable");
    })
    .await;
    tokio::time::advance(Duration::from_secs(20)).await;
    killed(dir.path(), &clock, async |store| {
        let leases = store.leases();
        assert_eq!(leases.acquire("running:held", "other", minute).await, Ok(Lease::Held(Duration::from_secs(40))));
        assert_eq!(leases.acquire("running:released", "other", minute).await, Ok(Lease::Mine));
        assert_eq!(
            leases.acquire("flight:call", "other", minute).await,
            Ok(Lease::Mine),
            "its call ended with the process"
        );
        assert_eq!(leases.acquire("running:held", "copy", minute).await, Ok(Lease::Mine), "the same copy goes on");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_was_spent_under_a_ceiling_stays_spent() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let policy = CeilingPolicy { tokens: Some(100), ..CeilingPolicy::default() };
    let tokens = |tokens| Amount { tokens, ..Amount::default() };
    let hold = |id: &str, amount| CeilingHold { id: id.to_owned(), amount: tokens(amount), lease: DAY };
    killed(dir.path(), &clock, async |store| {
        let ceilings = store.ceilings();
        let granted = ceilings.set_aside("tenant:t", &policy, &hold("a", 60), &tokens(0)).await;
        assert_eq!(granted, Ok(Spending::Granted { window: 0 }));
        ceilings.spend("tenant:t", &policy, 0, "a", &tokens(60)).await.expect("reachable");
    })
    .await;
    killed(dir.path(), &clock, async |store| {
        let more = store.ceilings().set_aside("tenant:t", &policy, &hold("b", 41), &tokens(0)).await;
        assert_eq!(more, Ok(Spending::Reached(Measure::Tokens)));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn damaged_records_are_set_aside_and_the_store_starts_over() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let (session, life) = (SessionId::new("s").expect("an id"), LifeId::new("1").expect("an id"));
    let at = Revision { session: &session, life: Some(&life), number: 3 };
    killed(dir.path(), &clock, async |store| store.fences().advance(at, DAY).await.expect("reachable")).await;
    killed(dir.path(), &clock, async |_| ()).await;
    let records = dir.path().join("store/records");
    for entry in std::fs::read_dir(&records).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "snapshot") {
            std::fs::write(path, b"not a snapshot").expect("written");
        }
    }
    killed(dir.path(), &clock, async |store| {
        assert_eq!(store.fences().latest(&session, Some(&life)).await, Ok(None));
        store.fences().advance(at, DAY).await.expect("reachable");
    })
    .await;
    let aside = std::fs::read_dir(dir.path().join("store")).expect("a folder").flatten();
    assert_eq!(aside.filter(|entry| entry.file_name().to_string_lossy().starts_with("records.damaged-")).count(), 1);
    killed(dir.path(), &clock, async |store| {
        assert_eq!(store.fences().latest(&session, Some(&life)).await, Ok(Some(3)));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn damaged_events_are_set_aside_and_nothing_else_with_them() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let (session, life) = (SessionId::new("s").expect("an id"), LifeId::new("1").expect("an id"));
    let at = Revision { session: &session, life: Some(&life), number: 3 };
    let event = [(session.clone(), Bytes::from_static(b"{}"))];
    killed(dir.path(), &clock, async |store| {
        store.fences().advance(at, DAY).await.expect("reachable");
        store.events().add(&event).await.expect("reachable");
    })
    .await;
    killed(dir.path(), &clock, async |store| {
        assert_eq!(store.events().from(&session, None, 9).await.expect("reachable").len(), 1);
    })
    .await;
    for entry in std::fs::read_dir(dir.path().join("store/events")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "snapshot") {
            std::fs::write(path, b"not a snapshot").expect("written");
        }
    }
    for count in [0, 1] {
        killed(dir.path(), &clock, async |store| {
            assert_eq!(store.events().from(&session, None, 9).await.expect("reachable").len(), count);
            assert_eq!(store.fences().latest(&session, Some(&life)).await, Ok(Some(3)));
            store.events().add(&event).await.expect("reachable");
        })
        .await;
    }
    let aside = std::fs::read_dir(dir.path().join("store")).expect("a folder").flatten();
    assert_eq!(aside.filter(|entry| entry.file_name().to_string_lossy().starts_with("events.damaged-")).count(), 1);
}
