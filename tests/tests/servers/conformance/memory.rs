//! Broker and store in memory, on a paused clock: hours pass at once, and nothing depends on the machine's speed.

use precis_runtime::broker::{Broker, MemoryBroker};
use precis_runtime::failpoints::Failpoints;
use precis_runtime::store::{MemoryStore, Store};
use precis_tests::conformance::broker::BrokerUnderTest;
use precis_tests::conformance::store::StoreUnderTest;
use precis_tests::{broker_laws, store_laws};

struct InMemory(MemoryBroker);

impl BrokerUnderTest for InMemory {
    async fn connect(&self) -> Broker {
        Broker::Memory(self.0.connect(Failpoints::none()))
    }

    async fn kill(&self, connection: &Broker) {
        match connection {
            Broker::Memory(connection) => connection.kill(),
            Broker::Rabbit(_) => unreachable!("these laws run in memory"),
        }
    }

    async fn restart(&self) {
        self.0.restart();
    }
}

macro_rules! broker {
    ($($law:ident)*) => {
        mod broker {
            $(
                #[tokio::test(start_paused = true)]
                async fn $law() {
                    precis_tests::conformance::broker::$law(&super::InMemory(super::MemoryBroker::new())).await;
                }
            )*
        }
    };
}

broker_laws!(broker);

struct Stored(MemoryStore);

impl StoreUnderTest for Stored {
    async fn store(&self) -> Store {
        Store::Memory(self.0.clone())
    }

    async fn wipe(&self) {
        self.0.wipe();
    }

    async fn set_available(&self, available: bool) {
        self.0.set_available(available);
    }
}

macro_rules! store {
    ($($law:ident)*) => {
        mod store {
            $(
                #[tokio::test(start_paused = true)]
                async fn $law() {
                    precis_tests::conformance::store::$law(&super::Stored(super::MemoryStore::new())).await;
                }
            )*
        }

        mod store_over_a_disk_cache {
            $(
                #[tokio::test(start_paused = true)]
                async fn $law() {
                    let dir = tempfile::tempdir().expect("a directory");
                    let disk = super::open_disk(dir.path());
                    let store = super::Stored(super::MemoryStore::new().with_disk(disk));
                    precis_tests::conformance::store::$law(&store).await;
                }
            )*
        }
    };
}

store_laws!(store);

fn open_disk(dir: &std::path::Path) -> precis_runtime::store::DiskCache {
    precis_runtime::store::DiskCache::open(dir, 1 << 30).expect("opens")
}
