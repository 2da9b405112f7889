//! The laws of the broker on a private RabbitMQ: all on one server and side by side, except the one that restarts it. One test,
//! because a server takes seconds to start; it names every law that failed.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use precis_runtime::broker::{Broker, RabbitConnection, RabbitSettings};
use precis_tests::broker_laws;
use precis_tests::conformance::broker::{self, BrokerUnderTest};
use precis_tests::servers::rabbit::RabbitServer;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use crate::conformance::rabbit_faults;

/// Laws under way at once: enough to wait side by side, few enough for two cores.
const AT_ONCE: usize = 6;
/// Stops the broker, and so must run alone.
const ALONE: &str = "a_restart_keeps_queues_and_ends_connections";

struct OnRabbit {
    server: RabbitServer,
    /// The wire of each connection, by its name; cutting it is what the death of a process looks like to the broker.
    wires: Mutex<HashMap<String, AbortOnDropHandle<()>>>,
}

impl BrokerUnderTest for OnRabbit {
    async fn connect(&self) -> Broker {
        let (port, wire) = lay_wire(self.server.port()).await;
        let address = format!("amqp://guest:guest@127.0.0.1:{port}/%2f");
        let mut settings = RabbitSettings::new(serde_json::from_value(address.into()).expect("an address"));
        settings.connection_name = port.to_string();
        let connection = RabbitConnection::connect(&settings).await.expect("the broker answers");
        self.wires.lock().unwrap_or_else(PoisonError::into_inner).insert(port.to_string(), wire);
        Broker::Rabbit(connection)
    }

    async fn kill(&self, connection: &Broker) {
        match connection {
            Broker::Rabbit(connection) => {
                let wire = self.wires.lock().unwrap_or_else(PoisonError::into_inner).remove(connection.name());
                drop(wire.expect("laid by connect"));
            }
            Broker::Memory(_) => unreachable!("these laws run on RabbitMQ"),
        }
    }

    async fn restart(&self) {
        self.server.kill();
        self.server.start_again().await;
    }
}

/// Forwards a port of its own to `to`, until the handle is dropped.
async fn lay_wire(to: u16) -> (u16, AbortOnDropHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let forwarding = async move {
        let mut streams = JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            streams.spawn(async move {
                let Ok(mut far) = TcpStream::connect((Ipv4Addr::LOCALHOST, to)).await else { return };
                // However it ends, both sides are closed then.
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    };
    (port, AbortOnDropHandle::new(tokio::spawn(forwarding)))
}

type Law = futures_util::future::BoxFuture<'static, ()>;

macro_rules! all_laws {
    ($($law:ident)*) => {
        fn laws(on: &Arc<OnRabbit>) -> Vec<(&'static str, Law)> {
            vec![$((stringify!($law), {
                let on = Arc::clone(on);
                Box::pin(async move { broker::$law(&*on).await })
            })),*]
        }
    };
}

broker_laws!(all_laws);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_laws_of_the_broker_hold_on_rabbitmq() {
    let Some(server) = RabbitServer::start().await else { return };
    let on = Arc::new(OnRabbit { server, wires: Mutex::default() });
    let (alone, side_by_side): (Vec<_>, Vec<_>) = laws(&on).into_iter().partition(|(name, _)| *name == ALONE);
    let mut failed = run(side_by_side, AT_ONCE).await;
    failed.extend(run(alone, 1).await);
    let faults: Law = Box::pin({
        let on = Arc::clone(&on);
        async move { rabbit_faults::hold(&on.server).await }
    });
    failed.extend(run(vec![("faults of a network", faults)], 1).await);
    assert!(failed.is_empty(), "{} laws do not hold:\n{}", failed.len(), failed.join("\n"));
}

/// Runs laws, at most `at_once` together; returns those that failed.
async fn run(laws: Vec<(&'static str, Law)>, at_once: usize) -> Vec<String> {
    let mut failed = Vec::new();
    let mut running = JoinSet::new();
    let mut waiting = laws.into_iter();
    loop {
        while running.len() < at_once
            && let Some((name, law)) = waiting.next()
        {
            running.spawn(async move { (name, tokio::spawn(law).await) });
        }
        let Some(done) = running.join_next().await else { return failed };
        if let (name, Err(panic)) = done.expect("not aborted") {
            failed.push(format!("{name}: {panic}"));
        }
    }
}
