//! Builds and publishes a new state from the files of a folder.
//!
//! The caller walks the folder and reports each file as unchanged ([`Update::keep`]), read or failed. Searches see nothing of it before
//! [`Update::publish`]; files that were not reported are removed from the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use precis_evidence::ranking::contexts;
use precis_proto::CharRange;
use precis_text::CanonicalText;
use precis_text::chunk::{chunks, snippet};
use precis_text::terms::{for_each_word, is_term};
use tantivy::indexer::UserOperation;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

use crate::directory::PrivateDirectory;
use crate::index_place::{PART, WriteLock, private_dir};
use crate::limits::{CHUNK_CHARS, MAX_FILES, WRITER_BYTES};
use crate::schema::{Fields, words};
use crate::table::{FileOutcome, FileRow, FileStamp, FileTable, IndexedFile, TableHeader};
use crate::texts::{ExtractedText, TextStore};
use crate::version::CurrentIndex;
use crate::{CorpusError, IndexPlace};

/// Share of removed chunks at which a segment is rewritten.
const REMOVED_SHARE: f32 = 0.3;
/// Prefix of the names of file tables; the commit names the published one.
const TABLE: &str = "files-";

/// An update of an index, holding its write lock. If it is dropped without [`Update::publish`], the published state stays unchanged.
#[derive(Debug)]
pub struct Update {
    place: IndexPlace,
    texts: TextStore,
    /// The published state; `None` if the index is built from scratch.
    published: Option<PublishedIndex>,
    /// Why an existing index is rebuilt from scratch, if it is.
    rebuilt: Option<String>,
    extraction: String,
    rows: BTreeMap<String, FileRow>,
    _lock: WriteLock,
}

/// The published state, checked.
#[derive(Debug)]
struct PublishedIndex {
    current: CurrentIndex,
    index: Index,
    table: FileTable,
}

/// The counts of an update.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateSummary {
    /// Number of files in the folder.
    pub files: usize,
    /// Number of files that cannot be read.
    pub failed: usize,
    /// Number of files of which the limits of reading left something out.
    pub read_in_part: usize,
    /// Number of files with the same bytes as another one.
    pub duplicates: usize,
    /// Number of documents in the index.
    pub documents: usize,
    /// Number of documents added by this update.
    pub added: usize,
    /// Number of documents removed by this update.
    pub removed: usize,
    /// Whether a new state was published; without changes none is.
    pub is_changed: bool,
}

impl Update {
    /// Starts an update and takes the write lock. `extraction` identifies all settings that may change the text of the same bytes; if it
    /// differs from the last update, every file counts as changed.
    ///
    /// # Errors
    /// [`CorpusError::Busy`], or [`CorpusError::Io`].
    pub fn begin(place: &IndexPlace, extraction: &str) -> Result<Self, CorpusError> {
        // Before the state is read: another process could publish between reading and replacing it.
        let lock = place.lock()?;
        let (published, rebuilt) = match PublishedIndex::open(place) {
            Ok(published) => (Some(published), None),
            Err(CorpusError::Missing) => (None, None),
            Err(CorpusError::Unusable(reason)) => (None, Some(reason)),
            Err(error) => return Err(error),
        };
        Ok(Self {
            place: place.clone(),
            texts: TextStore::new(place.dir()),
            published,
            rebuilt,
            extraction: extraction.to_owned(),
            rows: BTreeMap::new(),
            _lock: lock,
        })
    }

    /// Returns why an existing index is rebuilt from scratch; `None` if it is not, or if there was no index.
    #[must_use]
    pub fn rebuilt(&self) -> Option<&str> {
        self.rebuilt.as_deref()
    }

    /// Keeps the file from the published state if it is unchanged; returns whether it was kept.
    pub fn keep(&mut self, stamp: &FileStamp) -> bool {
        let Some(row) = self.old_row(&stamp.path).filter(|row| row.still_holds(stamp)) else { return false };
        let is_there = match &row.outcome {
            FileOutcome::Read(read) => self.texts.holds(&read.text),
            FileOutcome::Failed { .. } => true,
        };
        if is_there {
            let row = row.clone();
            self.rows.insert(stamp.path.clone(), row);
        }
        is_there
    }

    fn old_row(&self, path: &str) -> Option<&FileRow> {
        let table = &self.published.as_ref()?.table;
        table.rows.get(path).filter(|_| table.header.extraction == self.extraction)
    }

    /// Adds the file without extracting it if bytes with this hash were extracted before, from any file with the same `ending`; returns
    /// whether it was added.
    ///
    /// # Errors
    /// [`CorpusError::TooMuch`] beyond [`MAX_FILES`].
    pub fn reuse(&mut self, stamp: &FileStamp, sha256: &str, ending: &str) -> Result<bool, CorpusError> {
        let name = TextStore::name(sha256, ending, &self.extraction);
        // An unreadable text counts as missing: the file is extracted again.
        let Ok(found) = self.texts.get(&name) else { return Ok(false) };
        self.take(stamp, sha256, name, &found)?;
        Ok(true)
    }

    /// Adds an extracted file. Its text is stored at once, so that it is not extracted again even if this run is killed.
    ///
    /// # Errors
    /// [`CorpusError::Io`], or [`CorpusError::TooMuch`] beyond [`MAX_FILES`].
    pub fn read(
        &mut self,
        stamp: &FileStamp,
        sha256: &str,
        ending: &str,
        found: &ExtractedText,
    ) -> Result<(), CorpusError> {
        let name = TextStore::name(sha256, ending, &self.extraction);
        self.texts.put(&name, found)?;
        self.take(stamp, sha256, name, found)
    }

    fn take(
        &mut self,
        stamp: &FileStamp,
        sha256: &str,
        name: String,
        found: &ExtractedText,
    ) -> Result<(), CorpusError> {
        let text = CanonicalText::parse_archived(&found.text, found.pages).map_err(CorpusError::unusable)?;
        let read = IndexedFile {
            document: u32::MAX,
            text: name,
            source_text_hash: text.hash(),
            title: title_of(found, &stamp.path),
            pages: found.pages,
            chars: text.chars() as u64,
            chars_cut: found.chars_cut,
            chunks: 0,
        };
        self.insert(stamp, Some(sha256), FileOutcome::Read(read))
    }

    /// Records a file that cannot be read. With `is_final` it is not tried again until it changes.
    ///
    /// # Errors
    /// [`CorpusError::TooMuch`] beyond [`MAX_FILES`].
    pub fn failed(
        &mut self,
        stamp: &FileStamp,
        sha256: Option<&str>,
        code: &str,
        message: &str,
        is_final: bool,
    ) -> Result<(), CorpusError> {
        let outcome = FileOutcome::Failed { code: code.to_owned(), message: message.to_owned(), is_final };
        self.insert(stamp, sha256, outcome)
    }

    fn insert(&mut self, stamp: &FileStamp, sha256: Option<&str>, outcome: FileOutcome) -> Result<(), CorpusError> {
        let row = FileRow { stamp: stamp.clone(), sha256: sha256.map(str::to_owned), outcome };
        self.rows.insert(stamp.path.clone(), row);
        check_files(self.rows.len())
    }

    /// Publishes the update completely, or, if this process ends before, not at all.
    ///
    /// # Errors
    /// [`CorpusError::Io`], or [`CorpusError::Unusable`] for an error of the index.
    pub fn publish(mut self) -> Result<UpdateSummary, CorpusError> {
        let old = self.published.as_ref().map(|published| published.table.clone()).unwrap_or_default();
        let (to_add, next_document) = number(&mut self.rows, &old);
        let kept: BTreeSet<u32> = documents(&self.rows);
        let to_remove: Vec<u32> = old.documents().into_keys().filter(|document| !kept.contains(document)).collect();
        let mut summary = UpdateSummary { added: to_add.len(), removed: to_remove.len(), ..count(&self.rows) };
        summary.is_changed =
            self.published.is_none() || self.rows != old.rows || old.header.extraction != self.extraction;
        if !summary.is_changed {
            return Ok(summary);
        }
        let opened = match self.published.take() {
            Some(PublishedIndex { current, index, .. }) => UnpublishedIndex { current, index },
            None => UnpublishedIndex::make(&self.place)?,
        };
        let fields = Fields::new();
        let mut writer = writer(&opened.index)?;
        for document in to_remove {
            writer.delete_term(Term::from_field_u64(fields.document, document.into()));
        }
        let mut sizes = BTreeMap::new();
        for (document, path) in to_add {
            let Some(FileOutcome::Read(read)) = self.rows.get(&path).map(|row| &row.outcome) else { continue };
            let text = self.texts.get(&read.text)?.canonical()?;
            let batch = batch(&fields, document, &format!("{} {path}", read.title), &text);
            sizes.insert(document, u32::try_from(batch.len()).unwrap_or(u32::MAX));
            writer.run(batch)?;
        }
        for row in self.rows.values_mut() {
            if let FileOutcome::Read(read) = &mut row.outcome
                && let Some(size) = sizes.get(&read.document)
            {
                read.chunks = *size;
            }
        }
        let header = TableHeader { extraction: self.extraction.clone(), next_document, files: 0 };
        let table = FileTable { header, rows: std::mem::take(&mut self.rows) };
        let dir = self.place.dir().join(&opened.current.index);
        // The table gets a new name: a search running meanwhile still reads the table that its own commit names.
        let name = (0_u64..).map(|n| format!("{TABLE}{n}")).find(|name| !dir.join(name).exists()).unwrap_or_default();
        // Written before the commit that names it: a crash in between leaves an unused file, never a commit without its table.
        table.write(&dir.join(&name))?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&name);
        commit.commit()?;
        writer.wait_merging_threads()?;
        // Last: only this file makes a newly built index visible to searches.
        opened.current.publish(self.place.dir())?;
        // Only after publishing: until then, searches still open what is removed here.
        self.clean(&opened.current.index, &name, &table, &old);
        Ok(summary)
    }

    /// Removes files that neither this state nor the previous one needs: a running search may still read texts of the previous one.
    fn clean(&self, index: &str, table: &str, new: &FileTable, old: &FileTable) {
        // A file that cannot be removed only costs space.
        for sibling in fs::read_dir(self.place.dir()).into_iter().flatten().flatten() {
            let name = sibling.file_name();
            if name.to_string_lossy().starts_with("index-") && name != index {
                let _ = fs::remove_dir_all(sibling.path());
            } else if name.to_string_lossy().ends_with(PART) {
                let _ = fs::remove_file(sibling.path());
            }
        }
        for file in fs::read_dir(self.place.dir().join(index)).into_iter().flatten().flatten() {
            if file.file_name().to_string_lossy().starts_with(TABLE) && file.file_name() != table {
                let _ = fs::remove_file(file.path());
            }
        }
        let tables = [new.documents(), old.documents()];
        self.texts.keep(&tables.iter().flatten().map(|(_, (_, read))| read.text.as_str()).collect());
    }
}

/// Returns a single-threaded writer that merges segments by size, and segments with many removed documents.
fn writer(index: &Index) -> Result<IndexWriter, CorpusError> {
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
    fn open(place: &IndexPlace) -> Result<Self, CorpusError> {
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
struct UnpublishedIndex {
    current: CurrentIndex,
    index: Index,
}

impl UnpublishedIndex {
    /// Creates a new index next to existing ones.
    fn make(place: &IndexPlace) -> Result<Self, CorpusError> {
        let dirs = (1_u64..).map(|n| format!("index-{n}"));
        let name = dirs.map(|name| (place.dir().join(&name), name)).find(|(dir, _)| !dir.exists());
        let (dir, name): (PathBuf, String) = name.ok_or_else(|| CorpusError::unusable("no directory name is left"))?;
        private_dir(&dir).map_err(CorpusError::io(&dir))?;
        let index = Index::builder().schema(Fields::new().schema).open_or_create(PrivateDirectory::open(&dir)?)?;
        Ok(Self { current: CurrentIndex::new(place.folder(), name), index })
    }
}

fn check_files(files: usize) -> Result<(), CorpusError> {
    if files <= MAX_FILES {
        return Ok(());
    }
    Err(CorpusError::TooMuch { what: "files in the folder", given: files, limit: MAX_FILES })
}

/// Sets the document number of every readable row: the published number if bytes, title and first path are unchanged, else a new
/// one. Returns the new documents with their first path, and the next free number.
fn number(rows: &mut BTreeMap<String, FileRow>, old: &FileTable) -> (Vec<(u32, String)>, u32) {
    let known: BTreeMap<&str, (u32, &str, &IndexedFile)> = old
        .documents()
        .into_iter()
        .map(|(document, (path, read))| (read.text.as_str(), (document, path, read)))
        .collect();
    let mut next = old.header.next_document;
    let mut numbers: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut new = Vec::new();
    for (path, row) in rows {
        let FileOutcome::Read(read) = &mut row.outcome else { continue };
        let given = numbers.entry(read.text.clone()).or_insert_with(|| match known.get(read.text.as_str()) {
            Some((document, first, same)) if *first == path.as_str() && same.title == read.title => {
                (*document, same.chunks)
            }
            _ => {
                new.push((next, path.clone()));
                next += 1;
                (next - 1, 0)
            }
        });
        (read.document, read.chunks) = *given;
    }
    (new, next)
}

fn documents(rows: &BTreeMap<String, FileRow>) -> BTreeSet<u32> {
    let read = rows.values().filter_map(|row| match &row.outcome {
        FileOutcome::Read(read) => Some(read.document),
        FileOutcome::Failed { .. } => None,
    });
    read.collect()
}

fn count(rows: &BTreeMap<String, FileRow>) -> UpdateSummary {
    let failed = rows.values().filter(|row| matches!(row.outcome, FileOutcome::Failed { .. })).count();
    let is_cut = |row: &&FileRow| matches!(&row.outcome, FileOutcome::Read(read) if read.chars_cut > 0);
    let documents = documents(rows).len();
    UpdateSummary {
        read_in_part: rows.values().filter(is_cut).count(),
        files: rows.len(),
        failed,
        documents,
        duplicates: rows.len() - failed - documents,
        ..UpdateSummary::default()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the title found in the document, else the file name.
fn title_of(found: &ExtractedText, path: &str) -> String {
    let title = found.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| file_name(path)).to_owned()
}

/// Returns the chunks of a document as one batch, so that they are adjacent in the index.
fn batch(fields: &Fields, document: u32, title: &str, text: &CanonicalText) -> Vec<UserOperation> {
    let chunks = chunks(text, CHUNK_CHARS);
    let title = words(title);
    let mut operations = Vec::with_capacity(chunks.len());
    for (chunk, names) in chunks.iter().zip(contexts(text, &chunks)) {
        let range: CharRange = snippet(text, chunk);
        if range.is_empty() {
            continue;
        }
        let slice = text.slice(range);
        let mut length = 0;
        for_each_word(slice, |word| length += u64::from(is_term(word)));
        let mut row = TantivyDocument::default();
        row.add_pre_tokenized_text(fields.words, words(slice));
        row.add_pre_tokenized_text(fields.names, words(&names.join(" ")));
        row.add_pre_tokenized_text(fields.title, title.clone());
        row.add_u64(fields.document, document.into());
        row.add_u64(fields.start, range.start as u64);
        row.add_u64(fields.end, range.end as u64);
        row.add_u64(fields.length, length);
        operations.push(UserOperation::Add(row));
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_takes_as_many_files_as_its_limit() {
        for (files, fine) in [(MAX_FILES - 1, true), (MAX_FILES, true), (MAX_FILES + 1, false)] {
            assert_eq!(check_files(files).is_ok(), fine, "{files}");
        }
    }
}
