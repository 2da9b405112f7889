//! What retention keeps for collections, and what it removes of them: a collection stands until it is removed. An earlier version goes when
//! it was followed by a later one for as long as texts are kept, so that sessions that were accepted with it can end; a removed collection
//! goes as if a version had followed.

use precis_proto::source::ContentRef;
use precis_proto::{CollectionId, Timestamp};
use serde::Deserialize;

use super::catalogue::all_ids;
use super::record::{COLLECTIONS, CollectionVersion, REMOVED, indexes_kind, read, version_of, versions_kind};
use crate::content::{ContentError, ContentStore, KeptContents};

/// The part of an index that retention reads, in every version of its record.
#[derive(Deserialize)]
struct Keeping {
    #[serde(default)]
    keeps: Vec<ContentRef>,
}

/// Removes versions of collections that nobody needs any more; returns how many contents, and what the others are made of.
///
/// # Errors
/// [`ContentError::Unavailable`]; some may be removed by then.
pub async fn sweep_collections(content: &ContentStore, hours: u32) -> Result<(u64, KeptContents), ContentError> {
    let (mut removed, mut kept) = (0, KeptContents::default());
    let ids = all_ids(content).await?;
    if ids.is_empty() {
        return Ok((removed, kept));
    }
    let old = content.time().await?.plus_ms(-i64::from(hours) * 3_600_000);
    let removals = content.list_named(REMOVED).await?;
    for id in ids {
        let removal = removals.iter().find(|(removed, _)| removed == id.as_str()).map(|(_, at)| *at);
        removed += sweep(content, &id, removal, old, &mut kept).await?;
    }
    Ok((removed, kept))
}

/// Sweeps one collection: `removal` is when it was removed, and what was followed before `old` goes.
async fn sweep(
    content: &ContentStore,
    id: &CollectionId,
    removal: Option<Timestamp>,
    old: Timestamp,
    kept: &mut KeptContents,
) -> Result<u64, ContentError> {
    let (versions, indexes) = (versions_kind(id), indexes_kind(id));
    let mut names: Vec<(u64, String, Timestamp)> = content
        .list_named(&versions)
        .await?
        .into_iter()
        .filter_map(|(name, at)| Some((version_of(&name)?, name, at)))
        .collect();
    names.sort_by(|a, b| b.cmp(a));
    let (mut removed, mut left, mut followed) = (0, 0, removal);
    for (place, (_, name, at)) in names.into_iter().enumerate() {
        if followed.is_some_and(|followed| followed <= old) {
            // The index first: a version without one is at most indexed again.
            for kind in [&indexes, &versions] {
                removed += u64::from(content.remove_named(kind, &name).await?);
            }
            continue;
        }
        left += 1;
        if let Some(index) = content.get_named(&indexes, &name).await? {
            read::<Keeping>(&index)?.keeps.iter().for_each(|one| kept.keep(one));
        }
        // Of an earlier version, and of a removed collection, the index is enough.
        if place == 0
            && removal.is_none()
            && let Some(version) = content.get_named(&versions, &name).await?
        {
            read::<CollectionVersion>(&version)?.files.iter().for_each(|file| kept.keep(&file.content));
        }
        followed = Some(followed.map_or(at, |followed| followed.min(at)));
    }
    if left == 0 && removal.is_some_and(|at| at <= old) {
        // A removal that was cut off; then the mark, which says that there is nothing left.
        removed += u64::from(content.remove_named(COLLECTIONS, id.as_str()).await?);
        removed += u64::from(content.remove_named(REMOVED, id.as_str()).await?);
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::clock::Clock;
    use crate::collections::catalogue::tests::new_collection;
    use crate::collections::{
        Collection, CollectionFile, CollectionIndex, FileChange, change_files, create_collection, keep_index,
        remove_collection,
    };
    use crate::runner::retention::remove_old;

    /// Makes everything in `dir` older by `hours`.
    fn age(dir: &Path, hours: u64) {
        for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                age(&path, hours);
            } else {
                let file = std::fs::File::options().write(true).open(&path).expect("a file");
                let old = file.metadata().and_then(|file| file.modified()).expect("dated");
                file.set_modified(old - Duration::from_secs(hours * 3_600)).expect("aged");
            }
        }
    }

    struct World {
        dir: tempfile::TempDir,
        content: ContentStore,
        collection: Collection,
    }

    impl World {
        async fn new() -> Self {
            let dir = tempfile::tempdir().expect("a directory");
            let content = ContentStore::directory(dir.path()).expect("opens");
            let collection = new_collection("c", None, 7);
            create_collection(&content, &collection, 9).await.expect("made");
            Self { dir, content, collection }
        }

        /// Adds a file, and an index that has the file's text in its name.
        async fn grow(&self, name: &str) {
            let content = self.content.put(Bytes::from(format!("file {name}"))).await.expect("put");
            let change = FileChange::Add(vec![CollectionFile { name: "one".to_owned(), content, bytes: 1 }]);
            let clock = Clock::starting_at(Timestamp(7));
            let changed = change_files(&self.content, &self.collection.id, &change, 9, &clock).await.expect("changed");
            let manifest = self.content.put(Bytes::from(format!("index {name}"))).await.expect("put");
            let index = CollectionIndex {
                schema_version: 1,
                version: changed.expect("a version").0.version,
                at: Timestamp(8),
                reading: String::new(),
                manifest: manifest.clone(),
                documents: 1,
                unread: Vec::new(),
                keeps: vec![manifest],
            };
            keep_index(&self.content, &self.collection.id, &index).await.expect("kept");
        }

        async fn pass(&self, hours: u64) {
            age(&self.dir.path().join("named"), hours);
            age(&self.dir.path().join("blobs"), hours);
            remove_old(&self.content, 10, 10).await.expect("swept");
        }

        /// Which of the files and indexes are there.
        async fn left(&self) -> Vec<&'static str> {
            let mut left = Vec::new();
            for text in ["file a", "index a", "file b", "index b"] {
                let there = self.content.get(&ContentRef::from_bytes(text.as_bytes())).await.is_ok();
                left.extend(there.then_some(text));
            }
            left
        }
    }

    #[tokio::test]
    async fn a_collection_is_kept_at_any_age_and_old_versions_for_sessions() {
        let world = World::new().await;
        world.grow("a").await;
        world.pass(99).await;
        assert_eq!(world.left().await, ["file a", "index a"]);
        world.grow("b").await;
        world.pass(9).await;
        assert_eq!(
            world.left().await,
            ["index a", "file b", "index b"],
            "sessions may still search the version before"
        );
        world.pass(2).await;
        assert_eq!(world.left().await, ["file b", "index b"]);
        assert_eq!(world.content.list_named(&versions_kind(&world.collection.id)).await.expect("listed").len(), 1);
        assert_eq!(world.content.list_named(&indexes_kind(&world.collection.id)).await.expect("listed").len(), 1);
    }

    #[tokio::test]
    async fn a_removed_collection_is_gone_after_its_sessions_time() {
        let world = World::new().await;
        world.grow("a").await;
        world.pass(99).await;
        remove_collection(&world.content, &world.collection).await.expect("removed");
        world.pass(9).await;
        assert_eq!(world.left().await, ["index a"], "sessions may still search it");
        world.pass(2).await;
        assert_eq!(world.left().await, [""; 0]);
        for kind in world.content.kinds("collection").await.expect("listed") {
            assert_eq!(world.content.list_named(&kind).await.expect("listed"), [], "{kind}");
        }
    }
}
