//! What a door tells workers and callers of collections: that there is something to index, and how far it is.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use precis_proto::{CollectionId, Timestamp};
use precis_runtime::collections::{
    Collection, CollectionIndex, CollectionVersion, index_before, index_of, is_being_indexed, latest_version,
    read_collection, wake_message,
};
use precis_runtime::runner::{IndexingView, SessionWait};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use crate::callers::Caller;
use crate::door::Door;
use crate::indexing_standing::{IndexingStanding, IndexingState, unindexed};
use crate::limits::{WAKE_AGAIN, WAKES};
use crate::problem::Problem;

/// When workers were told of collections, so that looking at one again and again does not fill their queue. Another door need not know it.
#[derive(Debug, Default)]
pub(crate) struct IndexWakes(Mutex<HashMap<CollectionId, Instant>>);

impl IndexWakes {
    /// Whether workers are to be told of `id` now.
    fn is_due(&self, id: &CollectionId) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(id).is_some_and(|at| at.elapsed() < WAKE_AGAIN) {
            return false;
        }
        if told.len() >= WAKES {
            told.clear();
        }
        told.insert(id.clone(), Instant::now());
        true
    }
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CollectionDocument {
    /// Its id.
    pub id: CollectionId,
    /// Its name; may be empty.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its newest version: 0 before the first file, and one more with each change.
    pub version: u64,
    /// Number of files of this version.
    pub file_count: u64,
    /// Their size together, in bytes.
    pub bytes: u64,
    /// How far the newest version is indexed.
    pub indexing: IndexingDocument,
    /// The files, in the order of their names. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileDocument>>,
}

/// How far the newest version of a collection is indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexingDocument {
    /// Where it is.
    pub state: IndexingState,
    /// Since when it waits, or a worker is at it; absent once it is indexed, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What it waits for; absent unless it waits, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<SessionWait>,
    /// The newest version that is indexed, which a request may name; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_version: Option<u64>,
    /// Documents of that version that are searched: files with the same bytes count once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
}

/// A file of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileDocument {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// Whether it is searched.
    pub status: FileStatus,
    /// Why it could not be read: a stable code such as `unsupported` or `encrypted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a file is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// Not yet.
    Waiting,
    /// It is.
    Indexed,
    /// It could not be read.
    NotRead,
}

impl Door {
    /// Returns the collection `id`, if it is the caller's to see. One look-up for any text, and one answer for all that is not there.
    ///
    /// # Errors
    /// 404, 503.
    pub(crate) async fn collection(&self, caller: &Caller, id: &str) -> Result<Collection, Problem> {
        let found = read_collection(&self.parts.content, caller.tenant.as_deref(), id).await?;
        found.ok_or_else(Problem::unknown_collection)
    }

    /// Tells workers that a collection is to be indexed.
    ///
    /// # Errors
    /// 503.
    pub(crate) async fn wake_indexing(&self, id: &CollectionId) -> Result<(), Problem> {
        let user = self.link.broker()?.user().map(str::to_owned);
        self.link.publish(wake_message(id, user)).await?;
        // Whoever looks at it right now does not tell them once more.
        self.index_wakes.is_due(id);
        Ok(())
    }

    /// Describes a collection, with its files or without. Workers are told again of one that waits: the message may have been lost.
    ///
    /// # Errors
    /// 503.
    pub(crate) async fn collection_document(
        &self,
        collection: Collection,
        with_files: bool,
    ) -> Result<CollectionDocument, Problem> {
        let (content, id) = (&self.parts.content, &collection.id);
        let latest = latest_version(content, id).await?;
        let index = match &latest {
            Some(latest) => index_of(content, id, latest.version).await?,
            None => None,
        };
        let (standing, indexed) = match (&latest, index.clone()) {
            (None, _) => (IndexingStanding::of(IndexingState::Empty), None),
            (Some(_), Some(index)) => (IndexingStanding::of(IndexingState::Indexed), Some(index)),
            (Some(latest), None) => {
                let is_running = is_being_indexed(&self.parts.store, id).await.ok();
                let view = IndexingView::read(&self.parts.store, id).await.ok();
                if is_running != Some(true) && self.index_wakes.is_due(id) {
                    // Best effort: whoever looks again tells them again.
                    let _ = self.wake_indexing(id).await;
                }
                let standing = unindexed((latest.version, latest.at), is_running, view);
                (standing, index_before(content, id, latest.version).await?)
            }
        };
        let files = latest.as_ref().map_or(&[][..], |latest| &latest.files);
        Ok(CollectionDocument {
            version: latest.as_ref().map_or(0, |latest| latest.version),
            file_count: files.len() as u64,
            bytes: files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes)),
            indexing: IndexingDocument {
                state: standing.state,
                since: standing.since,
                waiting: standing.waiting,
                indexed_version: indexed.as_ref().map(|index| index.version),
                documents: indexed.as_ref().map(|index| index.documents),
            },
            files: with_files.then(|| file_documents(latest.as_ref(), index.as_ref())),
            id: collection.id,
            name: collection.name,
            created_at: collection.created_at,
        })
    }
}

/// The files of a version, with what its index says of them. Pure.
fn file_documents(version: Option<&CollectionVersion>, index: Option<&CollectionIndex>) -> Vec<FileDocument> {
    let unread: HashMap<&str, (&str, &str)> = index
        .iter()
        .flat_map(|index| &index.unread)
        .map(|one| (one.name.as_str(), (one.code.as_str(), one.message.as_str())))
        .collect();
    let files = version.map_or(&[][..], |version| &version.files);
    let describe = |file: &precis_runtime::collections::CollectionFile| {
        let fault = unread.get(file.name.as_str());
        let status = match (index, fault) {
            (None, _) => FileStatus::Waiting,
            (Some(_), Some(_)) => FileStatus::NotRead,
            (Some(_), None) => FileStatus::Indexed,
        };
        FileDocument {
            name: file.name.clone(),
            bytes: file.bytes,
            sha256: file.content.hex().to_owned(),
            status,
            code: fault.map(|(code, _)| (*code).to_owned()),
            reason: fault.map(|(_, message)| (*message).to_owned()),
        }
    };
    files.iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn workers_are_notified_of_one_collection_a_limited_number_of_times() {
        let (wakes, id) = (IndexWakes::default(), |text: &str| CollectionId::new(text).expect("an id"));
        assert!(wakes.is_due(&id("a")) && !wakes.is_due(&id("a")) && wakes.is_due(&id("b")));
        tokio::time::advance(WAKE_AGAIN - std::time::Duration::from_millis(1)).await;
        assert!(!wakes.is_due(&id("a")));
        tokio::time::advance(std::time::Duration::from_millis(1)).await;
        assert!(wakes.is_due(&id("a")));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let wakes = IndexWakes::default();
        for n in 0..=WAKES {
            assert!(wakes.is_due(&CollectionId::new(n.to_string()).expect("an id")));
        }
        assert_eq!(wakes.0.lock().expect("unpoisoned").len(), 1);
    }
}
