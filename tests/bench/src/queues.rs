//! Queues on disk beside a bare log: what durability costs, and what the broker adds to it.
//!
//! The bare log appends the same bodies to one file with one `write` each and waits with `fdatasync` after each window; it cannot be read
//! back, delivers nothing and removes nothing. The queues confirm each window, hand the messages out and remove them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{Broker, MemoryBroker, Outgoing, Queue, Route, Topology};
use precis_runtime::clock::Clock;
use precis_runtime::failpoints::Failpoints;

const QUEUE: &str = "bench";

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Messages of a round.
    pub messages: usize,
    /// Messages that are confirmed together.
    pub window: usize,
    /// Bytes of a body.
    pub body_bytes: usize,
}

/// Messages per second of one round.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Appended to a bare log.
    pub bare: f64,
    /// Published and confirmed.
    pub published: f64,
    /// Handed out and acked.
    pub acked: f64,
}

/// Sizes of the folder while many messages went through it.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// The largest, in bytes.
    pub largest_bytes: u64,
    /// The largest beyond four times what was live, in bytes.
    pub beyond_four_times_live_bytes: u64,
    /// At the end, when nothing is live, in bytes.
    pub last_bytes: u64,
}

/// Measures one round of each, below `dir`.
///
/// # Errors
/// If the disk or the broker refuses.
pub async fn round(dir: &Path, load: Load) -> io::Result<Round> {
    let bare = bare(&dir.join("bare"), load)?;
    let (published, acked) = queued(&dir.join("queues"), load).await?;
    Ok(Round { bare, published, acked })
}

fn bare(path: &Path, load: Load) -> io::Result<f64> {
    let body = vec![b'x'; load.body_bytes];
    let mut file = File::create(path)?;
    let since = Instant::now();
    for window in windows(load) {
        for _ in 0..window {
            file.write_all(&body)?;
        }
        file.sync_data()?;
    }
    let rate = per_second(load.messages, since);
    fs::remove_file(path)?;
    Ok(rate)
}

async fn queued(dir: &Path, load: Load) -> io::Result<(f64, f64)> {
    let (server, broker) = opened(dir).await?;
    let since = Instant::now();
    for window in windows(load) {
        broker.publish_all(vec![message(load.body_bytes); window]).await.map_err(io::Error::other)?;
    }
    let published = per_second(load.messages, since);
    let since = Instant::now();
    take(&broker, load).await?;
    let acked = per_second(load.messages, since);
    server.close();
    fs::remove_dir_all(dir)?;
    Ok((published, acked))
}

/// Sends `load` through the queues, with at most `live` messages in them, and watches the folder.
///
/// # Errors
/// As [`round`].
pub async fn growth(dir: &Path, load: Load, live: usize) -> io::Result<Growth> {
    let (server, broker) = opened(dir).await?;
    let mut growth = Growth { largest_bytes: 0, beyond_four_times_live_bytes: 0, last_bytes: 0 };
    let live_bytes = (live * load.body_bytes) as u64;
    for window in windows(Load { window: live, ..load }) {
        for part in windows(Load { messages: window, ..load }) {
            broker.publish_all(vec![message(load.body_bytes); part]).await.map_err(io::Error::other)?;
        }
        growth.look(size(dir)?, live_bytes);
        take(&broker, Load { messages: window, ..load }).await?;
        growth.look(size(dir)?, 0);
    }
    server.close();
    let (server, _) = opened(dir).await?;
    growth.last_bytes = size(dir)?;
    server.close();
    Ok(growth)
}

impl Growth {
    fn look(&mut self, bytes: u64, live_bytes: u64) {
        self.largest_bytes = self.largest_bytes.max(bytes);
        let beyond = bytes.saturating_sub(4 * live_bytes);
        self.beyond_four_times_live_bytes = self.beyond_four_times_live_bytes.max(beyond);
    }
}

async fn opened(dir: &Path) -> io::Result<(MemoryBroker, Broker)> {
    let queue = Queue { name: QUEUE.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None };
    let topology = Topology { queues: vec![queue], ..Topology::default() };
    let server = MemoryBroker::open(dir, topology, Clock::system()).await.map_err(io::Error::other)?;
    let broker = Broker::Memory(server.connect(Failpoints::none()));
    Ok((server, broker))
}

/// Takes and acks the messages of `load`, a window at a time, as a worker with as many tasks does.
async fn take(broker: &Broker, load: Load) -> io::Result<()> {
    let prefetch = u16::try_from(load.window).unwrap_or(u16::MAX);
    let mut consumer = broker.consume(QUEUE, prefetch).await.map_err(io::Error::other)?;
    for window in windows(load) {
        let mut acks = Vec::with_capacity(window);
        for _ in 0..window {
            let delivery = consumer.next().await.ok_or_else(|| io::Error::other("the consumer has ended"))?;
            acks.push(delivery.ack());
        }
        for acked in futures_util::future::join_all(acks).await {
            acked.map_err(io::Error::other)?;
        }
    }
    Ok(())
}

fn message(body_bytes: usize) -> Outgoing {
    let header = Header { message_type: "job".to_owned(), message_id: "0".repeat(64), ..Header::default() };
    let envelope = Envelope { header, body: Bytes::from(vec![b'x'; body_bytes]) };
    Outgoing { route: Route::queue(QUEUE), envelope }
}

/// The sizes of the windows of `load`.
fn windows(load: Load) -> impl Iterator<Item = usize> {
    let window = load.window.max(1);
    (0..load.messages).step_by(window).map(move |at| window.min(load.messages - at))
}

fn per_second(messages: usize, since: Instant) -> f64 {
    messages as f64 / since.elapsed().as_secs_f64()
}

fn size(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        // Removed meanwhile: it counts no more.
        bytes += entry?.metadata().map_or(0, |metadata| metadata.len());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_add_up() {
        for (messages, window, sizes) in [(5, 2, vec![2, 2, 1]), (4, 2, vec![2, 2]), (1, 64, vec![1]), (0, 2, vec![])] {
            let load = Load { messages, window, body_bytes: 1 };
            assert_eq!(windows(load).collect::<Vec<_>>(), sizes);
        }
    }
}
