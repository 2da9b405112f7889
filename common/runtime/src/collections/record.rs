//! What is kept of a collection, and under which names. Readers ignore fields they do not know.

use precis_proto::source::ContentRef;
use precis_proto::{CollectionId, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::content::ContentError;

/// Kind of the records of collections.
pub(super) const COLLECTIONS: &str = "collections";
/// Kind of the marks of collections that were removed.
pub(super) const REMOVED: &str = "collections-removed";
/// Version of all records.
pub(super) const RECORD_VERSION: u32 = 1;
/// What versions are subtracted from, so that the newest one is the first name.
const LAST_VERSION: u64 = 9_999_999_999;
/// Digits of the name of a version.
const VERSION_DIGITS: usize = 10;

/// A collection. Written once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    /// Version of this record.
    pub schema_version: u32,
    /// Its id.
    pub id: CollectionId,
    /// The tenant it belongs to; `None` for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Its name, for people; may be empty, and need not be unique.
    #[serde(default)]
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Name of the token that made it, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The files of a collection after a change. Written once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionVersion {
    /// Version of this record.
    pub schema_version: u32,
    /// Number of the version, from 1.
    pub version: u64,
    /// When it was made.
    pub at: Timestamp,
    /// Its files, in the order of their names, which are unique.
    pub files: Vec<CollectionFile>,
}

/// A file of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionFile {
    /// Its name, without folders.
    pub name: String,
    /// Its bytes in the content store.
    pub content: ContentRef,
    /// Its size.
    pub bytes: u64,
}

/// The index of a version. Written once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionIndex {
    /// Version of this record.
    pub schema_version: u32,
    /// The version that is indexed.
    pub version: u64,
    /// When it was indexed.
    pub at: Timestamp,
    /// What made it: a program with another one may not be able to search it, and makes it again.
    pub reading: String,
    /// The manifest of the published corpus.
    pub manifest: ContentRef,
    /// Number of documents that can be searched: files with the same bytes count once.
    pub documents: u64,
    /// The files that could not be read, in the order of their names.
    pub unread: Vec<UnreadFile>,
    /// The contents that the corpus is made of, its manifest among them. Retention keeps them, whatever the version of this record.
    pub keeps: Vec<ContentRef>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadFile {
    /// Its name.
    pub name: String,
    /// Stable code: `unsupported`, `encrypted`, `too_large`, …
    pub code: String,
    /// Message for users.
    pub message: String,
}

/// Kind of the versions of a collection.
pub(super) fn versions_kind(id: &CollectionId) -> String {
    format!("collection-versions-{id}")
}

/// Kind of the indexes of a collection.
pub(super) fn indexes_kind(id: &CollectionId) -> String {
    format!("collection-indexes-{id}")
}

/// The name of a version: the newest one comes first.
pub(super) fn version_name(version: u64) -> String {
    format!("{:0VERSION_DIGITS$}", LAST_VERSION.saturating_sub(version))
}

/// The version with this name.
pub(super) fn version_of(name: &str) -> Option<u64> {
    let is_name = name.len() == VERSION_DIGITS && name.bytes().all(|byte| byte.is_ascii_digit());
    is_name.then(|| name.parse().ok()).flatten().and_then(|turned| LAST_VERSION.checked_sub(turned))
}

pub(super) fn to_json(record: &impl Serialize) -> bytes::Bytes {
    serde_json::to_vec(record).expect("a record is plain data").into()
}

pub(super) fn read<T: DeserializeOwned>(kept: &[u8]) -> Result<T, ContentError> {
    let unreadable = |_| ContentError::Unavailable("the record of a collection cannot be parsed".to_owned());
    serde_json::from_slice(kept).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_versions_have_earlier_names() {
        let names: Vec<String> = [10_001, 10_000, 9, 2, 1].map(version_name).into();
        assert!(names.is_sorted(), "{names:?}");
        for version in [1, 9, 10_000, LAST_VERSION] {
            assert_eq!(version_of(&version_name(version)), Some(version));
        }
        for wrong in ["", "1", "99999999999", "+999999999", "../../../a"] {
            assert_eq!(version_of(wrong), None, "{wrong}");
        }
    }
}
