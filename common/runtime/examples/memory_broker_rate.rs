//! How many messages per second the memory broker publishes, delivers and acks on one core.
//!
//! `cargo run --release -p precis-runtime --example memory_broker_rate`

#![allow(clippy::disallowed_macros, reason = "a measurement that prints")]

use std::error::Error;
use std::time::Instant;

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{Broker, MemoryBroker, Outgoing, Route, Topology, names};
use precis_runtime::failpoints::Failpoints;

const MESSAGES: usize = 1_000_000;
const WINDOW: usize = 64;
const PREFETCH: u16 = 64;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = MemoryBroker::new();
    let worker = Broker::Memory(server.connect(Failpoints::none()));
    worker.declare(&Topology::standard()).await?;
    let queue = names::job_queue("digest");
    let mut consumer = worker.consume(&queue, PREFETCH).await?;
    let header = Header {
        message_type: "job".to_owned(),
        message_id: "0".repeat(64),
        correlation_id: "a session".to_owned(),
        subject: "digest".to_owned(),
        ..Header::default()
    };
    let envelope = Envelope { header, body: Bytes::from(vec![b'x'; 1_000]) };

    let started = Instant::now();
    let publisher = worker.clone();
    let publishing = tokio::spawn(async move {
        for _ in 0..MESSAGES / WINDOW {
            let message = || Outgoing { route: Route::queue(&queue), envelope: envelope.clone() };
            publisher.publish_all(std::iter::repeat_with(message).take(WINDOW).collect()).await?;
            // Nothing in memory makes a publisher wait; without this all messages would be published first.
            tokio::task::yield_now().await;
        }
        Ok::<(), precis_runtime::broker::BrokerError>(())
    });
    let mut acked = 0;
    while acked < MESSAGES / WINDOW * WINDOW {
        consumer.next().await.ok_or("the connection ended")?.ack().await?;
        acked += 1;
    }
    publishing.await??;
    let seconds = started.elapsed().as_secs_f64();
    println!("{acked} messages in {seconds:.2} s: {:.0} per second", acked as f64 / seconds);
    Ok(())
}
