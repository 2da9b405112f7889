//! The store on a real Redis, one server for each law. Where Redis is not installed, each says so and ends.

use std::time::{Duration, Instant};

use precis_runtime::store::{RedisStore, Store};
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
    while let Err(error) = store.get("nothing").await {
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
