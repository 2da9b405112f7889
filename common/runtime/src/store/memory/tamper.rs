//! What somebody can do who may write to the store of a fleet but has none of its keys. For tests, which prove what that costs.
//!
//! Values and fences are sealed under their names, so they can be removed and restored, and anything else in their place is nothing; that
//! this is so on Redis is what the conformance tests show there. Leases carry no tag: they can be given to anybody.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use tokio::time::Instant;

use super::{MemoryStore, OwnedLease, later};
use crate::store::fence::Fence;

/// Where a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordName {
    /// The fence of a session.
    Fence(SessionId),
    /// A value, by its key.
    Value(String),
    /// A lease, by its key.
    Lease(String),
}

/// A record as it was at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Where it was.
    pub name: RecordName,
    content: RecordContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RecordContent {
    Fence(Fence),
    Value(Bytes),
    /// The owner.
    Lease(String),
}

impl StoredRecord {
    /// The revision and whether somebody held it, if this is a fence.
    #[must_use]
    pub fn fence_state(&self) -> Option<(u64, bool)> {
        match &self.content {
            RecordContent::Fence(fence) => Some((fence.revision(), fence.is_held())),
            RecordContent::Value(_) | RecordContent::Lease(_) => None,
        }
    }
}

impl MemoryStore {
    /// Returns the fences that the store has.
    #[must_use]
    pub fn fence_records(&self) -> Vec<StoredRecord> {
        let fences = self.lock().fences.clone();
        let record =
            |(session, fence)| StoredRecord { name: RecordName::Fence(session), content: RecordContent::Fence(fence) };
        fences.into_iter().map(record).collect()
    }

    /// Returns all records that the store has but breakers, limits and ceilings, in the order of their names.
    #[must_use]
    pub fn records(&self) -> Vec<StoredRecord> {
        let mut records = self.fence_records();
        let state = self.lock();
        records.extend(state.values.entries().map(|(key, value)| StoredRecord {
            name: RecordName::Value(key.to_owned()),
            content: RecordContent::Value(value.clone()),
        }));
        records.extend(state.leases.iter().map(|(key, lease)| StoredRecord {
            name: RecordName::Lease(key.clone()),
            content: RecordContent::Lease(lease.owner.clone()),
        }));
        drop(state);
        records.sort_by_key(|record| format!("{:?}", record.name));
        records
    }

    /// Removes a record.
    pub fn remove_record(&self, name: &RecordName) {
        let mut state = self.lock();
        match name {
            RecordName::Fence(session) => drop(state.fences.remove(session)),
            RecordName::Value(key) => state.values.remove(key),
            RecordName::Lease(key) => drop(state.leases.remove(key)),
        }
    }

    /// Puts `record` under `name` for `ttl`. A fence or a value that comes from another name is nothing there.
    pub fn plant_record(&self, name: &RecordName, record: &StoredRecord, ttl: Duration) {
        self.remove_record(name);
        let (now, mut state) = (Instant::now(), self.lock());
        match (name, &record.content) {
            (RecordName::Fence(session), RecordContent::Fence(fence)) if *name == record.name => {
                state.fences.insert(session.clone(), fence.clone());
            }
            (RecordName::Value(key), RecordContent::Value(value)) if *name == record.name => {
                state.values.set(key, value.clone(), later(now, ttl), now);
            }
            (RecordName::Lease(key), RecordContent::Lease(owner)) => {
                let lease = OwnedLease { owner: owner.clone(), expires: later(now, ttl) };
                state.leases.insert(key.clone(), lease);
            }
            (RecordName::Fence(_) | RecordName::Value(_) | RecordName::Lease(_), _) => {}
        }
    }

    /// Gives the lease `key` to `owner` for `ttl`.
    pub fn plant_lease(&self, key: &str, owner: &str, ttl: Duration) {
        let lease = OwnedLease { owner: owner.to_owned(), expires: later(Instant::now(), ttl) };
        self.lock().leases.insert(key.to_owned(), lease);
    }
}
