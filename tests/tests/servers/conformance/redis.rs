//! The store on a real Redis, one server for each law. Where Redis is not installed, each says so and ends.

use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_proto::SessionId;
use precis_runtime::content::ContentStore;
use precis_runtime::store::{Lease, RedisStore, Store, Work};
use precis_tests::conformance::store::StoreUnderTest;
use precis_tests::servers::redis::RedisServer;
use precis_tests::store_laws;

/// Longest wait for a Redis that is back to be noticed.
const NOTICED: Duration = Duration::from_secs(20);

struct OnRedis {
    server: RedisServer,
    store: RedisStore,
}

impl OnRedis {
    async fn start() -> Option<Self> {
        let server = RedisServer::start().await?;
        Some(Self { store: server.store(), server })
    }
}

impl StoreUnderTest for OnRedis {
    async fn store(&self) -> Store {
        Store::Redis(self.store.clone())
    }

    async fn wipe(&self) {
        self.server.flush().await;
    }

    async fn set_available(&self, available: bool) {
        if available {
            self.server.go_on();
            reachable(&self.store().await).await;
        } else {
            self.server.pause();
        }
    }
}

/// Waits until `store` answers.
pub(crate) async fn reachable(store: &Store) {
    let until = Instant::now() + NOTICED;
    while let Err(error) = store.values().get("nothing").await {
        assert!(Instant::now() < until, "waited {NOTICED:?} for Redis to be noticed: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

macro_rules! store {
    ($($law:ident)*) => {
        mod store {
            $(
                #[tokio::test]
                async fn $law() {
                    if let Some(redis) = super::OnRedis::start().await {
                        precis_tests::conformance::store::$law(&redis).await;
                    }
                }
            )*
        }
    };
}

store_laws!(store);

/// What others wrote into Redis is not believed: not changed, not moved to another name, not made up, not of another fleet.
#[tokio::test]
async fn a_foreign_record_is_refused_counted_and_remade() {
    let Some(server) = RedisServer::start().await else { return };
    let (content, ttl) = (ContentStore::in_memory(), Duration::from_secs(60));
    let store = Store::Redis(server.store().with_fleet_key(content.clone()));
    // Whoever may write to Redis, without the key of the fleet.
    let intruder = Store::Redis(server.store());
    let value = |text: &'static str| Bytes::from_static(text.as_bytes());
    let refused = || {
        let text = precis_runtime::telemetry::metrics().text();
        let line = "precis_cache_records_refused_total{family=\"digest\"} ";
        text.lines().find_map(|l| l.strip_prefix(line)).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
    };
    store.values().put_if_absent("digest:a", value("true"), ttl).await.expect("kept");
    assert_eq!(store.values().get("digest:a").await, Ok(Some(value("true"))));
    // The name is made of a text: nobody guesses it who lacks the key.
    assert_eq!(intruder.values().get("k1:digest:a").await, Ok(None));
    let fleet = content.fleet_key().await.expect("in memory");
    let named = |key: &str| format!("k2:digest:{}", fleet.name(key));
    let kept =
        intruder.values().get(&named("digest:a")).await.expect("reachable").expect("kept under a name of its own");
    assert!(kept.ends_with(b"true") && kept.len() == 36, "a tag and the value: {kept:?}");
    let mut changed = kept.to_vec();
    *changed.last_mut().expect("not empty") ^= 1;
    let other = Store::Redis(server.store().with_fleet_key(ContentStore::in_memory()));
    let forgeries =
        [Bytes::from(changed), value("made up, and longer than a tag of 32 bytes"), value("short"), Bytes::new()];
    for (number, forgery) in forgeries.into_iter().enumerate() {
        let before = refused();
        intruder.values().put(&named("digest:b"), forgery, ttl).await.expect("kept");
        assert_eq!(store.values().get("digest:b").await, Ok(None), "forgery {number}");
        assert_eq!(refused(), before + 1, "forgery {number} is counted");
        assert_eq!(store.values().put_if_absent("digest:b", value("again"), ttl).await, Ok(value("again")), "{number}");
        assert_eq!(
            store.values().get("digest:b").await,
            Ok(Some(value("again"))),
            "{number}: it takes the place of the forgery"
        );
    }
    intruder.values().put(&named("digest:c"), kept, ttl).await.expect("kept");
    assert_eq!(store.values().get("digest:c").await, Ok(None), "moved to another name");
    other.values().put("answer:d", value("x"), ttl).await.expect("kept");
    assert_eq!(store.values().get("answer:d").await, Ok(None), "of another fleet");
    other.values().put("digest:d", value("x"), ttl).await.expect("kept");
    assert_eq!(store.values().get("digest:d").await, Ok(None), "of another fleet, under a name of its own");
    let lease = store.leases().acquire("search:0a", "w", ttl).await;
    assert_eq!(lease, Ok(Lease::Mine));
    assert_eq!(intruder.leases().is_held("search:0a").await, Ok(false), "a lease of it is named as it is");
    assert_eq!(store.leases().is_held("search:0a").await, Ok(true));
    let work = |answer: &str| Work {
        session: SessionId::new("s").expect("an id"),
        life: None,
        owner: "w".to_owned(),
        mark: "running:j".to_owned(),
        answer: answer.to_owned(),
    };
    intruder
        .values()
        .put("k1:answer:j", value("{\"outcome\":\"forged\"}                     "), ttl)
        .await
        .expect("kept");
    assert_eq!(store.leases().enter(&work("answer:j"), ttl).await.map(|entry| entry.answer), Ok(None));
    assert_eq!(store.leases().leave(&work("answer:j"), value("mine"), ttl).await, Ok(value("mine")));
    assert_eq!(store.leases().enter(&work("answer:j"), ttl).await.map(|entry| entry.answer), Ok(Some(value("mine"))));
    assert_eq!(store.values().compare_and_set("session:s", None, value("1"), ttl).await, Ok(true));
    assert_eq!(store.values().compare_and_set("session:s", Some(b"1"), value("2"), ttl).await, Ok(true));
    assert_eq!(store.values().get("session:s").await, Ok(Some(value("2"))));
}

/// The same laws hold where values carry tags.
struct OnKeyedRedis(OnRedis);

impl StoreUnderTest for OnKeyedRedis {
    async fn store(&self) -> Store {
        Store::Redis(self.0.store.clone())
    }

    async fn wipe(&self) {
        self.0.wipe().await;
    }

    async fn set_available(&self, available: bool) {
        self.0.set_available(available).await;
    }
}

macro_rules! keyed {
    ($($law:ident)*) => {
        mod keyed {
            $(
                #[tokio::test]
                async fn $law() {
                    if let Some(mut redis) = super::OnRedis::start().await {
                        redis.store = redis.store.with_fleet_key(precis_runtime::content::ContentStore::in_memory());
                        precis_tests::conformance::store::$law(&super::OnKeyedRedis(redis)).await;
                    }
                }
            )*
        }
    };
}

store_laws!(keyed);
