//! The versions of a collection, and their indexes.

use std::time::Duration;

use precis_proto::CollectionId;

use super::change::{FileChange, TooManyFiles};
use super::record::{
    CollectionIndex, CollectionVersion, RECORD_VERSION, indexes_kind, read, to_json, version_name, version_of,
    versions_kind,
};
use crate::clock::Clock;
use crate::content::{ContentError, ContentStore};

/// How often a change is made again on top of a version that came in between. Each time somebody else's change went through.
const TRIES: u32 = 100;
/// Longest pause before it is.
const PAUSE: Duration = Duration::from_millis(20);

/// Why files cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeError {
    /// There would be too many.
    TooMany(TooManyFiles),
    /// The content store cannot be used; or others changed the collection all the time.
    Content(ContentError),
}

impl From<ContentError> for ChangeError {
    fn from(error: ContentError) -> Self {
        Self::Content(error)
    }
}

/// Returns the newest version of a collection; `None` if it never had a file.
///
/// # Errors
/// [`ContentError`].
pub async fn latest_version(
    content: &ContentStore,
    id: &CollectionId,
) -> Result<Option<CollectionVersion>, ContentError> {
    let kind = versions_kind(id);
    let names = content.ordered_ids(&kind, None, 1).await?;
    let Some(name) = names.first() else { return Ok(None) };
    content.get_named(&kind, name).await?.map(|kept| read(&kept)).transpose()
}

/// Returns a version of a collection, if it is there.
///
/// # Errors
/// [`ContentError`].
pub async fn version(
    content: &ContentStore,
    id: &CollectionId,
    version: u64,
) -> Result<Option<CollectionVersion>, ContentError> {
    let kept = content.get_named(&versions_kind(id), &version_name(version)).await?;
    kept.map(|kept| read(&kept)).transpose()
}

/// Changes the files of a collection; returns the newest version, with the change in it, and whether it is new. What `change` adds must have
/// been put into the content store just now. `None` if nothing changed and there never was a file.
///
/// # Errors
/// [`ChangeError`].
pub async fn change_files(
    content: &ContentStore,
    id: &CollectionId,
    change: &FileChange,
    most: usize,
    clock: &Clock,
) -> Result<Option<(CollectionVersion, bool)>, ChangeError> {
    let kind = versions_kind(id);
    for _ in 0..TRIES {
        let latest = latest_version(content, id).await?;
        let files = latest.as_ref().map_or(&[][..], |latest| &latest.files);
        let Some(files) = change.apply(files, most).map_err(ChangeError::TooMany)? else {
            return Ok(latest.map(|latest| (latest, false)));
        };
        let number = latest.as_ref().map_or(0, |latest| latest.version) + 1;
        let wanted = CollectionVersion { schema_version: RECORD_VERSION, version: number, at: clock.now(), files };
        let json = to_json(&wanted);
        // Only if nobody else made a version meanwhile: otherwise the change is made again on top of theirs.
        if content.put_named_if_absent(&kind, &version_name(number), json.clone()).await? == json {
            return Ok(Some((wanted, true)));
        }
        tokio::time::sleep(PAUSE.mul_f64(rand::random())).await;
    }
    Err(ChangeError::Content(ContentError::Unavailable("others changed the collection all the time".to_owned())))
}

/// Returns the index of a version, if it is indexed.
///
/// # Errors
/// [`ContentError`].
pub async fn index_of(
    content: &ContentStore,
    id: &CollectionId,
    version: u64,
) -> Result<Option<CollectionIndex>, ContentError> {
    let kept = content.get_named(&indexes_kind(id), &version_name(version)).await?;
    kept.map(|kept| read(&kept)).transpose()
}

/// Returns the index of the newest version before `version` that is indexed.
///
/// # Errors
/// [`ContentError`].
pub async fn index_before(
    content: &ContentStore,
    id: &CollectionId,
    version: u64,
) -> Result<Option<CollectionIndex>, ContentError> {
    let kind = indexes_kind(id);
    let names = content.ordered_ids(&kind, Some(&version_name(version)), 1).await?;
    let Some(name) = names.first().filter(|name| version_of(name).is_some()) else { return Ok(None) };
    content.get_named(&kind, name).await?.map(|kept| read(&kept)).transpose()
}

/// Keeps the index of a version, unless it has one; returns the one that is kept. What it is made of must be in the content store.
///
/// # Errors
/// [`ContentError`].
pub async fn keep_index(
    content: &ContentStore,
    id: &CollectionId,
    index: &CollectionIndex,
) -> Result<CollectionIndex, ContentError> {
    let kept = content.put_named_if_absent(&indexes_kind(id), &version_name(index.version), to_json(index)).await?;
    read(&kept)
}

/// Keeps the index of a version in place of one that cannot be searched any more.
///
/// # Errors
/// [`ContentError`].
pub async fn replace_index(
    content: &ContentStore,
    id: &CollectionId,
    index: &CollectionIndex,
) -> Result<(), ContentError> {
    content.replace_named(&indexes_kind(id), &version_name(index.version), to_json(index)).await
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;
    use precis_proto::source::ContentRef;

    use super::*;
    use crate::collections::{CollectionFile, MAX_COLLECTION_FILES};

    fn id() -> CollectionId {
        CollectionId::new("c").expect("an id")
    }

    fn file(name: &str) -> CollectionFile {
        CollectionFile { name: name.to_owned(), content: ContentRef::from_bytes(name.as_bytes()), bytes: 1 }
    }

    async fn add(content: &ContentStore, name: &str) -> u64 {
        let change = FileChange::Add(vec![file(name)]);
        let clock = Clock::starting_at(Timestamp(7));
        let changed = change_files(content, &id(), &change, MAX_COLLECTION_FILES, &clock).await.expect("changed");
        changed.expect("a version").0.version
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn concurrent_additions_lose_no_file() {
        // On disk, whose operations come in between each other: those in memory end before the next begins.
        let dir = tempfile::tempdir().expect("a directory");
        let content = ContentStore::directory(dir.path()).expect("opens");
        let adding: Vec<_> = (0..24)
            .map(|n| {
                let content = content.clone();
                tokio::spawn(async move { add(&content, &format!("file-{n}")).await })
            })
            .collect();
        let mut versions = Vec::new();
        for one in adding {
            versions.push(one.await.expect("added"));
        }
        versions.sort_unstable();
        assert_eq!(versions, (1..=24).collect::<Vec<u64>>(), "one version each");
        let latest = latest_version(&content, &id()).await.expect("read").expect("a version");
        assert_eq!((latest.version, latest.files.len()), (24, 24));
        let early = version(&content, &id(), 3).await.expect("read").expect("a version");
        assert_eq!(early.files.len(), 3, "earlier versions stay as they were");
    }

    #[tokio::test]
    async fn what_changes_nothing_makes_no_version() {
        let content = ContentStore::in_memory();
        let clock = Clock::starting_at(Timestamp(7));
        let removal = FileChange::Remove("a".to_owned());
        assert_eq!(change_files(&content, &id(), &removal, 9, &clock).await, Ok(None));
        assert_eq!((add(&content, "a").await, add(&content, "a").await, add(&content, "b").await), (1, 1, 2));
        let (latest, is_new) = change_files(&content, &id(), &removal, 9, &clock).await.expect("fine").expect("there");
        assert_eq!((latest.version, is_new, latest.files), (3, true, vec![file("b")]));
    }

    #[tokio::test]
    async fn the_first_index_of_a_version_stays() {
        let content = ContentStore::in_memory();
        let index = |version: u64, manifest: &str| CollectionIndex {
            schema_version: RECORD_VERSION,
            version,
            at: Timestamp(7),
            reading: String::new(),
            manifest: ContentRef::from_bytes(manifest.as_bytes()),
            documents: 1,
            unread: Vec::new(),
            keeps: Vec::new(),
        };
        let keep = async |index: &CollectionIndex| keep_index(&content, &id(), index).await.expect("kept");
        assert_eq!(keep(&index(2, "one")).await, index(2, "one"));
        assert_eq!(keep(&index(2, "other")).await, index(2, "one"));
        assert_eq!(keep(&index(11, "later")).await, index(11, "later"));
        let before = async |version| index_before(&content, &id(), version).await.expect("read").map(|one| one.version);
        assert_eq!(
            (before(2).await, before(3).await, before(11).await, before(12).await),
            (None, Some(2), Some(2), Some(11))
        );
        assert_eq!(index_of(&content, &id(), 3).await, Ok(None));
    }
}
