//! The records of standing questions on this machine: a content store in the user's data directory.
//!
//! A lock is held on a file, so it ends with the process that holds it, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use precis_proto::source::ContentRef;
use precis_proto::standing::{STANDING, StandingQuestion};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::files::private_dir;
use precis_runtime::runner::retention::remove_old;

use crate::cli::exit::{CommandFailure, Exit};

/// Directory of the store below the user's data directory.
const DIR: &str = "standing";
/// Directory of the lock files, beside the store.
const LOCKS: &str = "standing-locks";
const FILE_MODE: u32 = 0o600;

/// The records of this user.
#[derive(Debug)]
pub(crate) struct Records {
    content: ContentStore,
    locks: PathBuf,
}

/// Held while a question runs or is removed.
#[derive(Debug)]
pub(crate) struct QuestionLock(#[expect(dead_code, reason = "held open, because the lock ends with it")] File);

impl Records {
    /// Opens the store below `data`, the user's data directory, and makes it if it is missing.
    ///
    /// # Errors
    /// [`Exit::Failed`] if it cannot be made, or others may write to it.
    pub(crate) fn open(data: &Path) -> Result<Self, CommandFailure> {
        let failed = |why: String| {
            CommandFailure::new(Exit::Failed, "no_records", format!("open the standing questions: {why}"))
        };
        let (dir, locks) = (data.join(DIR), data.join(LOCKS));
        for private in [&dir, &locks] {
            private_dir(private).map_err(|e| failed(e.to_string()))?;
        }
        let content = ContentStore::directory(&dir).map_err(|e| failed(e.to_string()))?;
        Ok(Self { content, locks })
    }

    /// Takes the lock of a question; `None` if another process has it.
    ///
    /// # Errors
    /// [`Exit::Failed`] if the file cannot be opened.
    pub(crate) fn lock(&self, id: &str) -> Result<Option<QuestionLock>, CommandFailure> {
        let path = self.locks.join(ContentRef::from_bytes(id.as_bytes()).hex());
        let failed =
            |e: std::io::Error| CommandFailure::new(Exit::Failed, "no_lock", format!("lock {}: {e}", path.display()));
        // Never removed: another process may wait at the same file.
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(FILE_MODE).open(&path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(QuestionLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Returns the ids of all questions, sorted.
    pub(crate) async fn ids(&self) -> Result<Vec<String>, CommandFailure> {
        let listed = self.content.list_named(STANDING).await.map_err(|e| store_failed(&e))?;
        let mut ids: Vec<String> = listed.into_iter().map(|(id, _)| id).collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the record of a question, if there is one.
    ///
    /// # Errors
    /// [`Exit::Refused`] for a record of a later version, or one that is damaged.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<StandingQuestion>, CommandFailure> {
        let bytes = self.content.get_named(STANDING, id).await.map_err(|e| store_failed(&e))?;
        let read = bytes.map(|bytes| StandingQuestion::read(&bytes)).transpose();
        read.map_err(|e| CommandFailure::new(Exit::Refused, "unreadable_record", format!("{id}: {e}")))
    }

    /// Keeps a new question; returns whether it is new.
    pub(crate) async fn add(&self, question: &StandingQuestion) -> Result<bool, CommandFailure> {
        let bytes = record_bytes(question)?;
        let kept = self.content.put_named_if_absent(STANDING, &question.id, bytes.clone()).await;
        Ok(kept.map_err(|e| store_failed(&e))? == bytes)
    }

    /// Replaces the record of a question, whose lock the caller holds.
    pub(crate) async fn replace(&self, question: &StandingQuestion) -> Result<(), CommandFailure> {
        let replaced = self.content.replace_named(STANDING, &question.id, record_bytes(question)?).await;
        replaced.map_err(|e| store_failed(&e))
    }

    /// Removes a question; what it kept goes with the next retention. Returns whether there was one.
    pub(crate) async fn remove(&self, id: &str) -> Result<bool, CommandFailure> {
        self.content.remove_named(STANDING, id).await.map_err(|e| store_failed(&e))
    }

    /// Keeps bytes by their hash.
    pub(crate) async fn keep(&self, bytes: Bytes) -> Result<ContentRef, CommandFailure> {
        self.content.put(bytes).await.map_err(|e| store_failed(&e))
    }

    /// Returns bytes that were kept; `None` if they are gone or damaged.
    pub(crate) async fn read_kept(&self, content: &ContentRef) -> Result<Option<Bytes>, CommandFailure> {
        match self.content.get(content).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_outage() => Err(store_failed(&error)),
            Err(_) => Ok(None),
        }
    }

    /// Removes what no question keeps and is older than `hours`.
    pub(crate) async fn remove_old(&self, hours: u64) -> Result<(), CommandFailure> {
        let hours = u32::try_from(hours).unwrap_or(u32::MAX);
        remove_old(&self.content, hours, hours).await.map(drop).map_err(|e| store_failed(&e))
    }
}

fn record_bytes(question: &StandingQuestion) -> Result<Bytes, CommandFailure> {
    let refused = |e| CommandFailure::new(Exit::Refused, "record_too_large", format!("{}: {e}", question.id));
    question.clone().encode().map(Bytes::from).map_err(refused)
}

fn store_failed(error: &ContentError) -> CommandFailure {
    CommandFailure::new(Exit::Failed, "records_failed", format!("standing questions: {error}"))
}
