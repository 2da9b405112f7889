//! Tells the fleet, every five seconds, that this worker is there and what it does: `precis sessions --workers` and `GET /v1/workers` show it.

use precis_proto::Timestamp;
use precis_runtime::clock::Clock;
use precis_runtime::runner::Queues;
use precis_runtime::runner::roll::{TELL, WorkerEntry, tell};
use precis_runtime::store::Store;
use precis_runtime::telemetry::metrics;
use tokio_util::sync::CancellationToken;

/// Where Linux says what a machine or container is called.
const HOST: &str = "/proc/sys/kernel/hostname";
/// Where Linux says how much memory this process has.
const STATUS: &str = "/proc/self/status";

/// Tells again and again. Best effort: a store that is away shows no workers.
pub(super) async fn keep_telling((worker, queues): (&str, &Queues), store: &Store, stop: &CancellationToken) {
    let host = read(HOST).await.trim().to_owned();
    loop {
        let entry = WorkerEntry {
            worker: worker.to_owned(),
            version: precis_runtime::VERSION.to_owned(),
            host: host.clone(),
            queues: words(queues),
            sessions_held: metrics().sessions.held_count(),
            jobs_held: metrics().jobs.held_count(),
            is_draining: stop.is_cancelled(),
            memory_bytes: resident(&read(STATUS).await),
            told_at: now(store).await,
        };
        let _ = tell(store, &entry).await;
        tokio::time::sleep(TELL).await;
    }
}

/// The time by the clock of the store, which all workers share; that of this machine if the store does not tell.
pub async fn now(store: &Store) -> Timestamp {
    store.time().await.ok().flatten().unwrap_or_else(|| Clock::system().now())
}

async fn read(file: &'static str) -> String {
    tokio::task::spawn_blocking(move || read_now(file)).await.unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a page of the kernel's own")]
fn read_now(file: &str) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

fn words(queues: &Queues) -> Vec<String> {
    match queues {
        Queues::All => vec!["all".to_owned()],
        Queues::Only(names) => names.clone(),
    }
}

/// The memory of a process, in bytes, in the words of the kernel.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_words_of_the_kernel() {
        assert_eq!(resident("VmPeak:\t 9 kB\nVmRSS:\t   128 kB\n"), Some(131_072));
        for odd in ["", "VmRSS:", "VmRSS: x kB", "VmRSS: 99999999999999999999 kB"] {
            assert_eq!(resident(odd), None, "{odd}");
        }
    }
}
