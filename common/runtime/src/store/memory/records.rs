//! The records of a store that outlive the process: fences, the marks of running jobs, and what was spent under ceilings. They are in a
//! journal, which nobody waits for: a process that is killed leaves all of them, a power failure may cost the latest, and then work is
//! repeated, as after a wipe.

use std::path::Path;

use precis_proto::SessionId;
use tokio::time::Instant;

use super::kept::{KeptRecord, KeptRecords};
use super::state::{ExpiringCeiling, MemoryState, OwnedLease, later};
use crate::clock::Clock;
use crate::journal::{OpenJournalError, Opening, UnknownEntry};

/// Leases with this prefix mark running jobs. The other leases are about calls of this process, which end with it.
const MARKS: &str = "running:";
/// Bytes of a record in the journal, about.
const RECORD_BYTES: usize = 300;

impl MemoryState {
    /// Reads the records in `dir` into this store, which is new, and keeps later ones there. Blocks.
    ///
    /// # Errors
    /// [`OpenJournalError`].
    pub(super) fn open_records(&mut self, dir: &Path, clock: &Clock) -> Result<(), OpenJournalError> {
        self.zero_ms = u64::try_from(clock.own().0).unwrap_or(0);
        let now = self.started;
        let opening = Opening::read(dir, |entry| {
            let record =
                serde_json::from_slice(entry).map_err(|_| UnknownEntry("a record in another form".to_owned()))?;
            self.apply(record, now);
            Ok(())
        })?;
        self.forget_expired(now);
        self.records = Some(KeptRecords { journal: opening.begin(self.live(now))? });
        Ok(())
    }

    fn apply(&mut self, record: KeptRecord, now: Instant) {
        match record {
            KeptRecord::Fence(session, Some(fence)) => drop(self.fences.insert(session, fence)),
            KeptRecord::Fence(session, None) => drop(self.fences.remove(&session)),
            KeptRecord::Mark(key, Some((owner, until_ms))) => {
                let expires = self.instant_of(until_ms, now);
                self.leases.insert(key, OwnedLease { owner, expires });
            }
            KeptRecord::Mark(key, None) => drop(self.leases.remove(&key)),
            KeptRecord::Ceiling(name, ceiling, until_ms) => {
                let expires = self.instant_of(until_ms, now);
                self.ceilings.insert(name, ExpiringCeiling { ceiling, expires });
            }
        }
    }

    /// Keeps the fence of `session` as it is now.
    pub(super) fn keep_fence(&mut self, session: &SessionId, now: Instant) {
        let record = |state: &Self| KeptRecord::Fence(session.clone(), state.fences.get(session).cloned());
        self.keep(record, now);
    }

    /// Keeps the lease `key` as it is now, if it is a mark.
    pub(super) fn keep_mark(&mut self, key: &str, now: Instant) {
        if key.starts_with(MARKS) {
            self.keep(|state| state.mark(key, now), now);
        }
    }

    /// Keeps the ceiling `name` as it is now.
    pub(super) fn keep_ceiling(&mut self, name: &str, now: Instant) {
        if let Some(counted) = self.ceilings.get(name) {
            let (ceiling, until_ms) = (counted.ceiling.clone(), self.ms_of(counted.expires, now));
            self.keep(|_| KeptRecord::Ceiling(name.to_owned(), ceiling, until_ms), now);
        }
    }

    /// Makes the records on disk those of now, after all of them were removed.
    pub(super) fn keep_nothing(&mut self) {
        if let Some(records) = &self.records {
            records.journal.compact(self.live(Instant::now()));
        }
    }

    fn mark(&self, key: &str, now: Instant) -> KeptRecord {
        let held = self.leases.get(key).map(|lease| (lease.owner.clone(), self.ms_of(lease.expires, now)));
        KeptRecord::Mark(key.to_owned(), held)
    }

    fn keep(&mut self, record: impl FnOnce(&Self) -> KeptRecord, now: Instant) {
        let Some(records) = &self.records else { return };
        let entry = record(self).encode();
        // Without effect if it fails, which is told once: the store goes on in memory, as one that may be wiped.
        let is_kept = records.journal.append(&entry).is_ok();
        let live = self.fences.len() + self.leases.len() + self.ceilings.len();
        if !is_kept {
            let failure = self.records.take().and_then(|records| records.journal.failure());
            tracing::warn!(?failure, "records of the store are no longer kept on disk");
        } else if records.journal.is_long((live * RECORD_BYTES) as u64) {
            records.journal.compact(self.live(now));
        }
    }

    /// Everything that a start must find.
    fn live(&self, now: Instant) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        let fences = self.fences.iter().map(|(session, fence)| KeptRecord::Fence(session.clone(), Some(fence.clone())));
        let marks = self.leases.keys().filter(|key| key.starts_with(MARKS)).map(|key| self.mark(key, now));
        let ceilings = self.ceilings.iter().map(|(name, counted)| {
            KeptRecord::Ceiling(name.clone(), counted.ceiling.clone(), self.ms_of(counted.expires, now))
        });
        let live: Vec<KeptRecord> = fences.chain(marks).chain(ceilings).collect();
        Box::new(live.into_iter().map(|record| record.encode()))
    }

    fn ms_of(&self, at: Instant, now: Instant) -> u64 {
        let left = u64::try_from(at.saturating_duration_since(now).as_millis()).unwrap_or(u64::MAX);
        self.clock_ms(now).saturating_add(left)
    }

    fn instant_of(&self, at_ms: u64, now: Instant) -> Instant {
        later(now, std::time::Duration::from_millis(at_ms.saturating_sub(self.clock_ms(now))))
    }
}
