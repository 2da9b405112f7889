//! The single lock that all handles of a broker share. What changed under it is in the journal, if there is one, before it is released.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::task::AbortOnDropHandle;

use super::change::Change;
use super::replay::Replay;
use super::state::BrokerState;
use crate::broker::topology::Topology;
use crate::clock::Clock;
use crate::journal::{Journal, JournalFailed, OpenJournalError, Opening};

/// The position of changes that could not be appended: it is never durable.
const NEVER: u64 = u64::MAX;

/// The broker state behind its lock. Lock order: this lock first, then a mailbox's.
#[derive(Default)]
pub(super) struct SharedServer {
    state: Mutex<BrokerState>,
    journal: Option<QueueJournal>,
}

/// Where the queues of a broker are on disk.
struct QueueJournal {
    journal: Journal,
    /// The clock that due times are kept by.
    clock: Clock,
    /// Ends the connections when the journal can no longer be written. Ends with the broker, or when it is closed.
    watch: AbortOnDropHandle<()>,
}

impl SharedServer {
    /// Opens the queues in `dir`; see [`MemoryBroker::open`](super::MemoryBroker::open).
    pub(super) async fn open(dir: &Path, topology: Topology, clock: Clock) -> Result<Arc<Self>, OpenJournalError> {
        let (dir, now) = (dir.to_owned(), clock.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let mut replay = Replay::default();
            let opening = Opening::read(&dir, |entry| replay.apply(entry))?;
            let state = replay.finish(topology, &now);
            let live = state.live(&now);
            opening.begin(entries(live)).map(|journal| (journal, state))
        });
        let (journal, state) = match reading.await {
            Ok(read) => read?,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        };
        let shared = Arc::new_cyclic(|weak: &std::sync::Weak<Self>| {
            let (weak, failing) = (weak.clone(), journal.clone());
            let watch = tokio::spawn(async move {
                let failure = failing.wait_for_failure().await;
                tracing::error!(%failure, "the queues end");
                if let Some(shared) = weak.upgrade() {
                    shared.lock().fail();
                }
            });
            let journal = QueueJournal { journal, clock, watch: AbortOnDropHandle::new(watch) };
            Self { state: Mutex::new(state), journal: Some(journal) }
        });
        BrokerState::start_timers(&shared);
        Ok(shared)
    }

    pub(super) fn lock(&self) -> LockedBroker<'_> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        LockedBroker { state, journal: self.journal.as_ref() }
    }

    /// Changes the state; returns also the position of the change for [`Self::durable`], `None` if nothing on disk changed.
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut BrokerState) -> T) -> (T, Option<u64>) {
        let mut locked = self.lock();
        let done = act(&mut locked);
        let position = locked.write();
        (done, position)
    }

    /// Waits until the changes at a position that [`Self::change`] returned survive a power failure.
    ///
    /// # Errors
    /// [`JournalFailed`]: the connections have ended, or are about to.
    pub(super) async fn durable(&self, position: Option<u64>) -> Result<(), JournalFailed> {
        match (&self.journal, position) {
            (Some(kept), Some(position)) => kept.journal.durable(position).await,
            (None, _) | (_, None) => Ok(()),
        }
    }

    /// Ends the broker as it is on disk. Without effect on a broker in memory only.
    pub(super) fn close(&self) {
        if let Some(QueueJournal { journal, watch, .. }) = &self.journal {
            watch.abort();
            // First: what the end of the connections returns to its queues is returned by the next start anyway.
            journal.close();
            self.lock().fail();
        }
    }

    /// The journal of the queues, if they are on disk.
    pub(super) fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref().map(|kept| &kept.journal)
    }
}

/// The state of the broker, locked.
pub(super) struct LockedBroker<'a> {
    state: MutexGuard<'a, BrokerState>,
    journal: Option<&'a QueueJournal>,
}

impl LockedBroker<'_> {
    /// Writes what changed; returns the position to wait for, `None` if nothing on disk changed.
    fn write(&mut self) -> Option<u64> {
        let QueueJournal { journal, clock, .. } = self.journal?;
        let changes = self.state.take_changes(clock);
        if changes.is_empty() {
            return None;
        }
        let mut entry = Vec::new();
        changes.iter().for_each(|change| change.encode(&mut entry));
        match journal.append(&entry) {
            Ok(position) => {
                if journal.is_long(self.state.live_bytes()) {
                    journal.compact(entries(self.state.live(clock)));
                }
                Some(position)
            }
            Err(_) => {
                // The state is now ahead of the disk: nobody may build on it.
                self.state.fail();
                Some(NEVER)
            }
        }
    }
}

impl Drop for LockedBroker<'_> {
    fn drop(&mut self) {
        self.write();
    }
}

impl Deref for LockedBroker<'_> {
    type Target = BrokerState;

    fn deref(&self) -> &BrokerState {
        &self.state
    }
}

impl DerefMut for LockedBroker<'_> {
    fn deref_mut(&mut self) -> &mut BrokerState {
        &mut self.state
    }
}

/// One entry for each change of a snapshot, made when it is written.
fn entries(live: Vec<Change>) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
    Box::new(live.into_iter().map(|change| {
        let mut entry = Vec::new();
        change.encode(&mut entry);
        entry
    }))
}
