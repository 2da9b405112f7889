//! The published state of an index, and one that is written next to it.

use std::path::PathBuf;

use tantivy::merge_policy::LogMergePolicy;
use tantivy::{Index, IndexWriter};

use crate::directory::PrivateDirectory;
use crate::index_place::private_dir;
use crate::limits::WRITER_BYTES;
use crate::schema::Fields;
use crate::table::FileTable;
use crate::version::CurrentIndex;
use crate::{CorpusError, IndexPlace};

/// Share of removed chunks at which a segment is rewritten.
const REMOVED_SHARE: f32 = 0.3;
/// Prefix of the names of file tables; the commit names the published one.
pub(crate) const TABLE: &str = "files-";

/// The published state, checked.
#[derive(Debug)]
pub(crate) struct PublishedIndex {
    pub(crate) current: CurrentIndex,
    pub(crate) index: Index,
    pub(crate) table: FileTable,
}

/// Returns a single-threaded writer that merges segments by size, and segments with many removed documents.
pub(crate) fn writer(index: &Index) -> Result<IndexWriter, CorpusError> {
    let writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let mut merging = LogMergePolicy::default();
    merging.set_del_docs_ratio_before_merge(REMOVED_SHARE);
    writer.set_merge_policy(Box::new(merging));
    Ok(writer)
}

/// Opens the state published at `place` and returns it with the directory of the index, after verifying the checksums of the segments and
/// the table.
pub(crate) fn open_published(place: &IndexPlace) -> Result<(PathBuf, Index, FileTable), CorpusError> {
    let PublishedIndex { current, index, table } = PublishedIndex::open(place)?;
    Ok((place.dir().join(current.index), index, table))
}

impl PublishedIndex {
    /// Opens the state published at `place`, after verifying checksums.
    pub(crate) fn open(place: &IndexPlace) -> Result<Self, CorpusError> {
        let current = CurrentIndex::read(place.dir())?;
        let dir = place.dir().join(&current.index);
        let index = Index::open(PrivateDirectory::open(&dir)?)?;
        if !index.validate_checksum()?.is_empty() {
            return Err(CorpusError::unusable("it is damaged"));
        }
        let table_name = index.load_metas()?.payload.unwrap_or_default();
        // The name becomes part of a path, and a published index may come from another machine.
        if !table_name.starts_with(TABLE) || table_name.contains('/') {
            return Err(CorpusError::unusable("it is damaged"));
        }
        let table = FileTable::read(&dir.join(&table_name))?;
        Ok(Self { current, index, table })
    }
}

/// An index to write a new state to.
pub(crate) struct UnpublishedIndex {
    pub(crate) current: CurrentIndex,
    pub(crate) index: Index,
}

impl UnpublishedIndex {
    /// Creates a new index next to existing ones.
    pub(crate) fn make(place: &IndexPlace) -> Result<Self, CorpusError> {
        let dirs = (1_u64..).map(|n| format!("index-{n}"));
        let name = dirs.map(|name| (place.dir().join(&name), name)).find(|(dir, _)| !dir.exists());
        let (dir, name): (PathBuf, String) = name.ok_or_else(|| CorpusError::unusable("no directory name is left"))?;
        private_dir(&dir).map_err(CorpusError::io(&dir))?;
        let index = Index::builder().schema(Fields::new().schema).open_or_create(PrivateDirectory::open(&dir)?)?;
        Ok(Self { current: CurrentIndex::new(place.folder(), name), index })
    }
}
