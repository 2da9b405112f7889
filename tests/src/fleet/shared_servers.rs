//! What all trials of a run share: RabbitMQ behind a proxy, Redis, and the caller. Starting them takes seconds, so it is done once.
//!
//! The caller's queues are declared once too, long before anything is killed: a quorum queue that was declared a moment before its
//! broker got SIGKILL has been seen to come back without a leader, and then nothing routed to it is ever confirmed.

use std::time::Duration;

use precis_runtime::broker::{Broker, RabbitConnection, RabbitSettings, Topology};
use precis_runtime::secret_url::SecretUrl;

use super::caller::Caller;
use crate::servers::proxy::Proxy;
use crate::servers::rabbit::RabbitServer;
use crate::servers::redis::RedisServer;

/// Longest wait for the broker to let somebody in; a restart on a loaded machine takes most of it.
const CONNECTING: Duration = Duration::from_secs(120);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Servers, and the way to the broker that can be broken.
#[derive(Debug)]
pub struct SharedServers {
    /// The broker.
    pub rabbit: RabbitServer,
    /// The store.
    pub redis: RedisServer,
    /// Between the workers and the broker.
    pub proxy: Proxy,
    /// Who asks.
    pub caller: Caller,
}

impl SharedServers {
    /// Starts them; `None`, said aloud, where one is not installed.
    pub async fn open() -> Option<Self> {
        let redis = RedisServer::start().await?;
        let rabbit = RabbitServer::start().await?;
        let proxy = Proxy::new(rabbit.port()).await;
        let broker = connect(&rabbit.address()).await;
        broker.declare(&Topology::standard()).await.expect("nobody declared anything else");
        broker.close().await;
        let caller = Caller::new(rabbit.address(), "caller").await;
        Some(Self { rabbit, redis, proxy, caller })
    }

    /// The broker's address for workers: through the proxy.
    #[must_use]
    pub fn address_for_workers(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.proxy.port())
    }

    /// A connection that no proxy disturbs.
    pub async fn connect(&self) -> Broker {
        connect(&self.rabbit.address()).await
    }

    /// Messages that wait or are held, by queue of the topology; queues without any are left out. Takes seconds: the broker tells
    /// of what is held only over its control program.
    ///
    /// # Panics
    /// Where the broker does not say.
    pub async fn messages(&self) -> Vec<(String, u64)> {
        let told = self.rabbit.control(&["--silent", "list_queues", "name", "messages"]).await;
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let ours: Vec<String> = Topology::standard().queues.into_iter().map(|queue| queue.name).collect();
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let rows = text.lines().filter_map(|row| row.split_once('\t'));
        let rows = rows.filter_map(|(name, count)| Some((name.to_owned(), count.trim().parse().ok()?)));
        rows.filter(|(name, count)| *count > 0 && ours.contains(name)).collect()
    }

    /// Messages that wait, by queue of the topology; queues without any are left out.
    pub async fn depths(&self) -> Vec<(String, u64)> {
        let broker = self.connect().await;
        let mut waiting = Vec::new();
        for queue in Topology::standard().queues {
            let depth = broker.depth(&queue.name).await.expect("declared");
            if depth.ready > 0 {
                waiting.push((queue.name, depth.ready));
            }
        }
        broker.close().await;
        waiting
    }
}

/// A connection to the broker at `address`, tried until it is there.
///
/// # Panics
/// Where it is not within two minutes.
pub async fn connect(address: &SecretUrl) -> Broker {
    let settings = RabbitSettings::new(address.clone());
    let connecting = async {
        loop {
            match RabbitConnection::connect(&settings).await {
                Ok(connection) => return Broker::Rabbit(connection),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    };
    tokio::time::timeout(CONNECTING, connecting).await.expect("the broker answers within two minutes")
}
