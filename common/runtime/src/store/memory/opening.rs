//! A store in memory with a folder: what of it outlives the process, and what becomes of damaged files.

use std::path::Path;

use super::event_logs::{EventLogs, unix_ms};
use super::{DiskCache, MemoryStore};
use crate::clock::Clock;
use crate::files;
use crate::journal::OpenJournalError;

impl MemoryStore {
    /// Opens the store in `dir`, which is created if it is missing, with at most `max_bytes` of values on disk. Values, fences, marks of
    /// running jobs, ceilings and events outlive the process, even if it is killed; breakers and rate limits begin anew. Records and events
    /// that are damaged are set aside: a store may be wiped at any time. Blocks.
    ///
    /// # Errors
    /// [`OpenJournalError`], also if the directory cannot be trusted or is in use.
    pub fn open(dir: &Path, max_bytes: u64, clock: &Clock) -> Result<Self, OpenJournalError> {
        let values = dir.join("values");
        files::private_dir(dir)?;
        let disk = DiskCache::of_server(&values, max_bytes).map_err(|error| OpenJournalError::Io {
            what: "open",
            path: values.clone(),
            reason: error.to_string(),
        })?;
        let open_records = |records: &Path| {
            let store = Self::new();
            let opened = store.lock().open_records(records, clock);
            opened.map(|()| store)
        };
        let store = open_or_set_aside(&dir.join("records"), clock, open_records)?;
        let events = open_or_set_aside(&dir.join("events"), clock, |place| EventLogs::open(place, unix_ms()))?;
        store.lock().events = events;
        Ok(store.with_disk(disk))
    }

    /// Keeps nothing more on disk of what [`Self::open`] opened there, as the end of the process would. Idempotent.
    pub fn close(&self) {
        let mut state = self.lock();
        state.events.close();
        if let Some(records) = state.records.take() {
            records.close();
        }
    }
}

/// Opens a journal of the store in `place`, and another one if that is damaged, which is then kept beside it.
fn open_or_set_aside<T>(
    place: &Path,
    clock: &Clock,
    open: impl Fn(&Path) -> Result<T, OpenJournalError>,
) -> Result<T, OpenJournalError> {
    match open(place) {
        Err(error @ OpenJournalError::Damaged { .. }) => {
            tracing::warn!(%error, "a journal of the store is set aside; work may be repeated, and readers of events begin anew");
            let aside = place.with_extension(format!("damaged-{}", clock.own().0));
            std::fs::rename(place, aside).map_err(|error| OpenJournalError::Io {
                what: "set aside",
                path: place.to_owned(),
                reason: error.to_string(),
            })?;
            open(place)
        }
        opened => opened,
    }
}
