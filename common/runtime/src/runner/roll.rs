//! The roll of a fleet's workers in the store, for operators: each tells every five seconds who it is. Display only; no decision reads it.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError};

/// How often a worker tells who it is.
pub const TELL: Duration = Duration::from_secs(5);
/// How long what it told is believed: three times as long.
pub const BELIEVED: Duration = Duration::from_secs(15);
/// Most workers on the roll; of more, those that told last (chosen, not measured).
pub const MAX_ROLL: usize = 1_000;
/// Most attempts to write it: others write too.
const ATTEMPTS: usize = 8;
/// Key of the roll. One value, because values cannot be listed.
const ROLL: &str = "worker:roll";

/// What a worker tells of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerEntry {
    /// Its id, unique in the fleet.
    pub worker: String,
    /// Its version.
    pub version: String,
    /// The name of its machine or container; empty if it has none.
    pub host: String,
    /// The words of the queues it serves.
    pub queues: Vec<String>,
    /// Sessions it holds.
    pub sessions_held: u64,
    /// Jobs it holds.
    pub jobs_held: u64,
    /// Whether it takes no new work: it is stopping, or not connected.
    pub is_draining: bool,
    /// Its memory, in bytes; absent if the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// When it told, by the clock of the store.
    pub told_at: Timestamp,
}

/// Puts `entry` on the roll in place of what its worker told before, and takes those off that told nothing for [`BELIEVED`].
///
/// # Errors
/// [`StoreError`] if the store cannot be reached.
pub async fn tell(store: &Store, entry: &WorkerEntry) -> Result<(), StoreError> {
    for _ in 0..ATTEMPTS {
        let found = store.values().get(ROLL).await?;
        let json = serde_json::to_vec(&with(read(found.as_deref()), entry)).expect("plain data");
        if store.values().compare_and_set(ROLL, found.as_deref(), Bytes::from(json), BELIEVED).await? {
            break;
        }
    }
    // Otherwise too many told at once: this one is on the roll for ten seconds more, and tells again in five.
    Ok(())
}

/// Returns the workers that told within [`BELIEVED`] before `now`, by id.
///
/// # Errors
/// [`StoreError`] if the store cannot be reached.
pub async fn workers(store: &Store, now: Timestamp) -> Result<Vec<WorkerEntry>, StoreError> {
    let mut present = read(store.values().get(ROLL).await?.as_deref());
    present.retain(|entry| is_believed(entry, now));
    present.sort_by(|a, b| a.worker.cmp(&b.worker));
    Ok(present)
}

fn read(found: Option<&[u8]>) -> Vec<WorkerEntry> {
    found.and_then(|json| serde_json::from_slice(json).ok()).unwrap_or_default()
}

/// The roll with `entry`, newest first. Pure.
fn with(mut roll: Vec<WorkerEntry>, entry: &WorkerEntry) -> Vec<WorkerEntry> {
    roll.retain(|other| other.worker != entry.worker && is_believed(other, entry.told_at));
    roll.insert(0, entry.clone());
    roll.truncate(MAX_ROLL);
    roll
}

fn is_believed(entry: &WorkerEntry, now: Timestamp) -> bool {
    let age_ms = u64::try_from(now.0.saturating_sub(entry.told_at.0)).unwrap_or(0);
    Duration::from_millis(age_ms) <= BELIEVED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    fn entry(worker: &str, told_at: i64) -> WorkerEntry {
        WorkerEntry {
            worker: worker.to_owned(),
            version: "1".to_owned(),
            host: "h".to_owned(),
            queues: vec!["all".to_owned()],
            sessions_held: 0,
            jobs_held: 0,
            is_draining: false,
            memory_bytes: None,
            told_at: Timestamp(told_at),
        }
    }

    #[tokio::test]
    async fn a_worker_is_on_the_roll_for_as_long_as_it_tells() {
        let store = Store::Memory(MemoryStore::new());
        assert_eq!(workers(&store, Timestamp(0)).await, Ok(Vec::new()));
        let all = [entry("a", 0), entry("b", 5_000)];
        for one in [&all[1], &all[0], &all[1]] {
            tell(&store, one).await.expect("in memory");
        }
        assert_eq!(workers(&store, Timestamp(14_999)).await, Ok(all.to_vec()));
        assert_eq!(workers(&store, Timestamp(15_000)).await, Ok(all.to_vec()));
        assert_eq!(workers(&store, Timestamp(15_001)).await, Ok(vec![all[1].clone()]));
        tell(&store, &entry("c", 15_001)).await.expect("in memory");
        let names: Vec<String> =
            workers(&store, Timestamp(15_001)).await.expect("read").into_iter().map(|entry| entry.worker).collect();
        assert_eq!(names, ["b", "c"]);
    }

    #[tokio::test]
    async fn workers_that_tell_at_once_are_all_on_the_roll() {
        let store = Store::Memory(MemoryStore::new());
        let mut telling = tokio::task::JoinSet::new();
        for n in 0..20 {
            let store = store.clone();
            telling.spawn(async move { tell(&store, &entry(&format!("w{n}"), n)).await });
        }
        while telling.join_next().await.is_some() {}
        assert_eq!(workers(&store, Timestamp(20)).await.expect("read").len(), 20);
    }

    #[test]
    fn the_roll_has_so_many_workers_and_no_more() {
        for count in [MAX_ROLL - 1, MAX_ROLL, MAX_ROLL + 1] {
            let mut roll = Vec::new();
            for n in 0..count {
                roll = with(roll, &entry(&format!("w{n}"), 0));
            }
            assert_eq!((roll.len(), roll[0].worker.clone()), (count.min(MAX_ROLL), format!("w{}", count - 1)));
        }
    }
}
