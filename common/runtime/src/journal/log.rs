//! The journal: appends entries, makes them durable in groups, and writes a snapshot when the history is much longer than what is live.
//!
//! Nobody waits for others to join a group: a sync begins as soon as none is under way, and makes everything durable that was appended
//! before it. What is appended meanwhile is the next group. So a lone entry waits for one sync, and under load a sync carries as many
//! entries as come in the time of one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::error::{JournalFailed, OpenJournalError};
use super::folder;
use super::recovery::{self, Recovered, UnknownEntry};
use super::snapshot::{self, Entries};
use super::writer::LogWriter;

/// The files may have this many times the bytes of what is live before a snapshot is due; while it is written there is one more.
const HISTORY_FACTOR: u64 = 2;
/// The files may have this many bytes beyond that: small journals are not rewritten all the time.
const HISTORY_BYTES: u64 = 32 << 20;

/// A journal of this process. A clone is another handle to it.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    shared: Arc<SharedLog>,
}

#[derive(Debug)]
struct SharedLog {
    dir: PathBuf,
    state: Mutex<LogState>,
    /// Changed by syncs, and when the journal fails or is closed.
    progress: watch::Sender<Progress>,
    /// Held during a sync: one that ends before an earlier one would tell of files that the earlier one has still to sync.
    turn: Mutex<()>,
    /// The task that syncs, while there is something to sync.
    syncing: Mutex<Option<AbortOnDropHandle<()>>>,
}

#[derive(Debug)]
struct LogState {
    /// `None` once the journal has failed or is closed.
    writer: Option<LogWriter>,
    /// The lock of the folder; released with the writer.
    lock: Option<File>,
    /// A snapshot is being written.
    is_compacting: bool,
    /// No snapshot is due below this: the last one failed.
    compact_above: u64,
}

#[derive(Debug, Clone, Default)]
struct Progress {
    /// Everything before this position survives a power failure.
    durable: u64,
    failed: Option<JournalFailed>,
}

/// A journal that was read and is not written yet.
#[derive(Debug)]
pub(crate) struct Opening {
    dir: PathBuf,
    lock: File,
    recovered: Recovered,
}

impl Opening {
    /// Locks the journal in `dir`, which is created if it is missing, and calls `replay` with every entry, in order. Blocks.
    ///
    /// # Errors
    /// [`OpenJournalError`]; nothing was changed.
    pub(crate) fn read(
        dir: &Path,
        mut replay: impl FnMut(&[u8]) -> Result<(), UnknownEntry>,
    ) -> Result<Self, OpenJournalError> {
        let lock = folder::lock_folder(dir)?;
        let recovered = recovery::read(dir, &mut replay)?;
        if recovered.torn_bytes > 0 {
            tracing::warn!(dir = %dir.display(), bytes = recovered.torn_bytes, "the end of the journal is torn and was left out; nobody was told that it was kept");
        }
        Ok(Self { dir: dir.to_owned(), lock, recovered })
    }

    /// Begins a new log behind a snapshot of what is `live`, and removes the history. Blocks.
    ///
    /// # Errors
    /// [`OpenJournalError::Io`]; the history is still there.
    pub(crate) fn begin(self, live: Entries) -> Result<Journal, OpenJournalError> {
        let Recovered { next, position, .. } = self.recovered;
        let failed = |error| OpenJournalError::io("write a snapshot to", &self.dir)(error);
        let mut writer = LogWriter::create(&self.dir, next, position).map_err(failed)?;
        writer.take_unsynced().sync().map_err(failed)?;
        let head = writer.bytes_on_disk();
        writer.set_bytes_on_disk(head + snapshot::write(&self.dir, next, live).map_err(failed)?);
        let state = LogState { writer: Some(writer), lock: Some(self.lock), is_compacting: false, compact_above: 0 };
        let progress = watch::Sender::new(Progress { durable: position, failed: None });
        let shared = SharedLog {
            dir: self.dir,
            state: Mutex::new(state),
            progress,
            turn: Mutex::default(),
            syncing: Mutex::default(),
        };
        Ok(Journal { shared: Arc::new(shared) })
    }
}

impl Journal {
    /// Appends an entry; returns its position for [`Self::durable`]. Entries are in the file in the order of these calls.
    ///
    /// # Errors
    /// [`JournalFailed`], also for every later call.
    pub(crate) fn append(&self, entry: &[u8]) -> Result<u64, JournalFailed> {
        let mut state = self.shared.lock();
        let durable = self.shared.progress.borrow().durable;
        let appended = match &mut state.writer {
            Some(writer) => writer.append(entry, durable),
            None => return Err(self.failure().unwrap_or_else(closed_failure)),
        };
        appended.map_err(|error| self.shared.fail(&mut state, &error.to_string()))
    }

    /// Waits until everything before `position` survives a power failure.
    ///
    /// # Errors
    /// [`JournalFailed`].
    pub(crate) async fn durable(&self, position: u64) -> Result<(), JournalFailed> {
        let mut progress = self.shared.progress.subscribe();
        if progress.borrow_and_update().durable >= position {
            return Ok(());
        }
        SharedLog::start_syncing(&self.shared);
        let reached = progress.wait_for(|now| now.durable >= position || now.failed.is_some()).await;
        match reached {
            Ok(now) if now.durable >= position => Ok(()),
            Ok(now) => Err(now.failed.clone().unwrap_or_else(closed_failure)),
            Err(_) => Err(closed_failure()),
        }
    }

    /// Whether a snapshot is due, where the entries of what is live have about `live_bytes`.
    pub(crate) fn is_long(&self, live_bytes: u64) -> bool {
        let state = self.shared.lock();
        let Some(writer) = state.writer.as_ref().filter(|_| !state.is_compacting) else { return false };
        let bytes = writer.bytes_on_disk();
        bytes > HISTORY_FACTOR.saturating_mul(live_bytes).saturating_add(HISTORY_BYTES) && bytes > state.compact_above
    }

    /// Replaces the history by a snapshot of what is `live` as of the last append, in the background. The caller must keep others from
    /// appending until this returns. Without a runtime nothing happens.
    pub(crate) fn compact(&self, live: Entries) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut state = self.shared.lock();
        let Some(writer) = state.writer.as_mut() else { return };
        if let Err(error) = writer.succeed() {
            let bytes = writer.bytes_on_disk();
            return state.put_off(bytes, &error);
        }
        let (generation, before) = (writer.generation(), writer.bytes_on_disk());
        state.is_compacting = true;
        drop(state);
        let shared = Arc::clone(&self.shared);
        runtime.spawn_blocking(move || shared.write_snapshot(generation, before, live));
    }

    /// Why the journal can no longer be written; `None` while it can.
    pub(crate) fn failure(&self) -> Option<JournalFailed> {
        self.shared.progress.borrow().failed.clone()
    }

    /// Waits until the journal can no longer be written.
    pub(crate) async fn wait_for_failure(&self) -> JournalFailed {
        let mut progress = self.shared.progress.subscribe();
        match progress.wait_for(|now| now.failed.is_some()).await {
            Ok(now) => now.failed.clone().unwrap_or_else(closed_failure),
            Err(_) => closed_failure(),
        }
    }

    /// Ends the journal as it is, as the end of the process would; another process may open it. Idempotent.
    pub(crate) fn close(&self) {
        let mut state = self.shared.lock();
        if state.writer.is_some() {
            self.shared.fail(&mut state, "it was closed");
        }
    }
}

fn closed_failure() -> JournalFailed {
    JournalFailed("it was closed".to_owned())
}

impl SharedLog {
    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the journal. Nothing is tried again: after a write or sync that failed, nobody knows what the file holds.
    fn fail(&self, state: &mut LogState, reason: &str) -> JournalFailed {
        state.writer = None;
        state.lock = None;
        let failed = JournalFailed(format!("{}: {reason}", self.dir.display()));
        self.progress.send_modify(|now| now.failed = now.failed.take().or_else(|| Some(failed.clone())));
        failed
    }

    /// Starts the task that syncs, unless it runs.
    fn start_syncing(shared: &Arc<Self>) {
        let mut syncing = shared.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        // A task has finished without being taken out if the runtime it was started on is gone.
        if syncing.as_ref().is_none_or(AbortOnDropHandle::is_finished) {
            *syncing = Some(AbortOnDropHandle::new(tokio::spawn(sync_all(Arc::clone(shared)))));
        }
    }

    /// Makes everything durable that was appended until now. Blocks.
    fn sync(&self) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(unsynced) = self.lock().writer.as_mut().map(LogWriter::take_unsynced) else { return };
        match unsynced.sync() {
            Ok(()) => self.progress.send_modify(|now| now.durable = unsynced.position),
            Err(error) => drop(self.fail(&mut self.lock(), &error.to_string())),
        }
    }

    fn is_durable(&self) -> bool {
        let durable = self.progress.borrow().durable;
        self.lock().writer.as_ref().is_none_or(|writer| writer.position() <= durable)
    }

    fn write_snapshot(&self, generation: u64, before: u64, live: Entries) {
        // First: a snapshot must not be there without its log.
        self.sync();
        let written = if self.has_failed() { return } else { snapshot::write(&self.dir, generation, live) };
        let mut state = self.lock();
        state.is_compacting = false;
        let Some(bytes) = state.writer.as_ref().map(LogWriter::bytes_on_disk) else { return };
        match written {
            Ok(snapshot) => {
                state.compact_above = 0;
                if let Some(writer) = &mut state.writer {
                    writer.set_bytes_on_disk(snapshot + bytes.saturating_sub(before));
                }
            }
            Err(error) => state.put_off(bytes, &error),
        }
    }

    fn has_failed(&self) -> bool {
        self.progress.borrow().failed.is_some()
    }
}

impl LogState {
    /// A snapshot that cannot be written is tried again when the journal has grown by a quarter; nothing is lost meanwhile.
    fn put_off(&mut self, bytes: u64, error: &std::io::Error) {
        tracing::warn!(%error, bytes, "the journal cannot be compacted and grows; is the disk full?");
        self.compact_above = bytes.saturating_add(bytes / 4);
    }
}

/// Syncs until nothing is left to sync.
async fn sync_all(shared: Arc<SharedLog>) {
    loop {
        let syncing = Arc::clone(&shared);
        if tokio::task::spawn_blocking(move || syncing.sync()).await.is_err() {
            return;
        }
        // Under the lock of the slot: whoever appended before is seen here, and whoever appends later finds the slot empty.
        let mut slot = shared.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.is_durable() {
            let own = slot.take();
            drop(slot);
            // Dropping the handle would abort this task, which is about to end.
            own.map(AbortOnDropHandle::detach);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Opens the journal in `dir`; returns it and the entries that were in it.
    fn opened(dir: &Path) -> Result<(Journal, Vec<String>), OpenJournalError> {
        let mut found = Vec::new();
        let opening = Opening::read(dir, |entry| {
            found.push(String::from_utf8(entry.to_vec()).expect("a text"));
            Ok(())
        })?;
        let live: Vec<Vec<u8>> = found.iter().map(|entry| entry.clone().into_bytes()).collect();
        Ok((opening.begin(Box::new(live.into_iter()))?, found))
    }

    fn log_of(dir: &Path) -> PathBuf {
        let files = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.filter(|path| path.extension().is_some_and(|e| e == "log")).max().expect("a log")
    }

    #[tokio::test]
    async fn appended_entries_survive_a_restart_and_a_second_owner_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        let last = ["a", "b", "c"].map(|entry| journal.append(entry.as_bytes()).expect("written"))[2];
        journal.durable(last).await.expect("synced");
        assert!(matches!(opened(dir.path()), Err(OpenJournalError::InUse(_))));
        journal.append(b"d").expect("written");
        journal.close();
        assert!(journal.append(b"e").is_err());
        assert!(journal.durable(last + 1).await.is_err());
        for _ in 0..2 {
            let (journal, found) = opened(dir.path()).expect("opens");
            assert_eq!(found, ["a", "b", "c", "d"]);
            journal.close();
        }
    }

    /// A law: whatever byte a power failure cuts the end at, what was durable is there, and nothing is there that was not appended.
    #[tokio::test]
    async fn an_end_torn_at_any_byte_costs_nothing_that_was_durable() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        let kept = journal.append(b"durable").expect("written");
        journal.durable(kept).await.expect("synced");
        let durable_bytes = fs::metadata(log_of(dir.path())).expect("there").len() as usize;
        journal.append(b"first").expect("written");
        journal.append(b"second").expect("written");
        journal.close();
        let whole = fs::read(log_of(dir.path())).expect("readable");
        for cut in durable_bytes..=whole.len() {
            for zeros in [0, 7, whole.len() - cut] {
                let copy = tempfile::tempdir().expect("a directory");
                for entry in fs::read_dir(dir.path()).expect("a folder") {
                    let path = entry.expect("an entry").path();
                    fs::copy(&path, copy.path().join(path.file_name().expect("named"))).expect("copied");
                }
                // A file may also have grown before its bytes were written.
                let torn = [&whole[..cut], &vec![0; zeros]].concat();
                fs::write(log_of(copy.path()), torn).expect("written");
                let (journal, found) = opened(copy.path()).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
                assert_eq!(found[0], "durable", "cut at {cut}");
                assert!(
                    ["durable", "first", "second"].starts_with(&found.iter().map(String::as_str).collect::<Vec<_>>())
                );
                journal.append(b"later").expect("written");
                journal.close();
                assert_eq!(opened(copy.path()).expect("opens").1.last().expect("some"), "later", "cut at {cut}");
            }
        }
    }

    #[tokio::test]
    async fn bytes_that_were_durable_and_have_changed_are_not_passed_over() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        let kept = journal.append(b"durable").expect("written");
        journal.durable(kept).await.expect("synced");
        let at = fs::metadata(log_of(dir.path())).expect("there").len() as usize - 1;
        journal.append(b"tells of it").expect("written");
        journal.close();
        let log = log_of(dir.path());
        let mut bytes = fs::read(&log).expect("readable");
        bytes[at] ^= 1;
        fs::write(&log, &bytes).expect("written");
        for _ in 0..2 {
            let refused = opened(dir.path()).expect_err("damaged").to_string();
            assert!(refused.contains("damaged at byte") && refused.contains(".log"), "{refused}");
        }
        bytes[at] ^= 1;
        fs::write(&log, &bytes).expect("written");
        assert_eq!(opened(dir.path()).expect("nothing was changed").1, ["durable", "tells of it"]);
    }

    #[tokio::test]
    async fn a_damaged_snapshot_is_not_passed_over() {
        let dir = tempfile::tempdir().expect("a directory");
        opened(dir.path()).expect("opens").0.append(b"a").expect("written");
        let (journal, found) = opened(dir.path()).expect("opens");
        assert_eq!(found, ["a"]);
        journal.close();
        let snapshot = log_of(dir.path()).with_extension("snapshot");
        let whole = fs::read(&snapshot).expect("readable");
        for cut in 0..whole.len() {
            fs::write(&snapshot, &whole[..cut]).expect("written");
            assert!(matches!(opened(dir.path()), Err(OpenJournalError::Damaged { .. })), "cut at {cut}");
        }
    }

    #[tokio::test]
    async fn a_long_history_becomes_a_snapshot_while_appends_continue() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        let entry = vec![b'x'; 1 << 20];
        while !journal.is_long(0) {
            journal.append(&entry).expect("written");
        }
        assert!(!journal.is_long(1 << 20), "with as much more that is live it is not long");
        journal.compact(Box::new([b"live".to_vec()].into_iter()));
        let last = journal.append(b"meanwhile").expect("written");
        journal.durable(last).await.expect("synced");
        let bytes = || -> u64 {
            let files = fs::read_dir(dir.path()).expect("a folder");
            files.map(|entry| entry.expect("an entry").metadata().map_or(0, |m| m.len())).sum()
        };
        let small = async {
            while bytes() > 1 << 20 {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), small).await.expect("compacted");
        assert!(!journal.is_long(0));
        journal.close();
        assert_eq!(opened(dir.path()).expect("opens").1, ["live", "meanwhile"]);
    }

    /// A process may be killed at any moment of a compaction: between its files there is never less than everything.
    #[tokio::test]
    async fn an_unfinished_compaction_leaves_everything() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        journal.append(b"a").expect("written");
        journal.shared.lock().writer.as_mut().expect("open").succeed().expect("a second log");
        journal.append(b"b").expect("written");
        journal.close();
        let generation = log_of(dir.path());
        fs::write(generation.with_extension("new"), b"half a snapshot").expect("written");
        assert_eq!(opened(dir.path()).expect("opens").1, ["a", "b"]);
        assert_eq!(opened(dir.path()).expect("opens").1, ["a", "b"]);
    }

    #[tokio::test]
    async fn many_who_wait_share_syncs() {
        let dir = tempfile::tempdir().expect("a directory");
        let (journal, _) = opened(dir.path()).expect("opens");
        let mut waiting = tokio::task::JoinSet::new();
        for n in 0..200 {
            let journal = journal.clone();
            waiting.spawn(async move {
                let at = journal.append(format!("{n}").as_bytes()).expect("written");
                journal.durable(at).await.expect("synced");
            });
        }
        while let Some(done) = waiting.join_next().await {
            done.expect("no panic");
        }
        journal.close();
        assert_eq!(opened(dir.path()).expect("opens").1.len(), 200);
    }
}
