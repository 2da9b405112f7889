//! From the files of a folder to a new published state.
//!
//! The caller walks the folder and says of each file what it is: as before ([`Update::keep`]), read or failed. Nothing of it is seen by
//! a search before [`Update::publish`], and what is not said of a file removes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use precis_distill::chunk::{chunks, snippet};
use precis_distill::evidence::contexts;
use precis_distill::terms::{for_each_word, is_term};
use precis_distill::text::CanonicalText;
use precis_proto::CharRange;
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

/// Share of removed chunks from which a segment is written anew.
const REMOVED_SHARE: f32 = 0.3;
/// Tables of files begin so; the published one is named by the commit.
const TABLE: &str = "files-";

/// A run over a folder that has the right to write. Dropped without [`Update::publish`], it leaves what was published before.
#[derive(Debug)]
pub struct Update {
    place: IndexPlace,
    texts: TextStore,
    /// What is published; none where it is made anew.
    published: Option<PublishedIndex>,
    /// Why all is made anew, where it is and there was something.
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

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateSummary {
    /// Files of the folder.
    pub files: usize,
    /// Files that cannot be read.
    pub failed: usize,
    /// Files with the bytes of another.
    pub duplicates: usize,
    /// Documents that are searched.
    pub documents: usize,
    /// Documents that were put into the index by this run.
    pub added: usize,
    /// Documents that were taken out of it.
    pub removed: usize,
    /// Whether anything was published: nothing is where nothing changed.
    pub is_changed: bool,
}

impl Update {
    /// Takes the right to write. `extraction` names everything that may change the text of the same bytes; where it is another than
    /// last time, every file counts as changed.
    ///
    /// # Errors
    /// [`CorpusError::Busy`], and what the disk says.
    pub fn begin(place: &IndexPlace, extraction: &str) -> Result<Self, CorpusError> {
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

    /// Why the index is made anew; none where it is not, or where there was none.
    #[must_use]
    pub fn rebuilt(&self) -> Option<&str> {
        self.rebuilt.as_deref()
    }

    /// Whether the file needs no look: it is as it was when it was read. Then it is taken over.
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

    /// Whether the bytes with this hash were read before, under whatever name with the same `ending`. Then the file is taken up
    /// without being extracted.
    ///
    /// # Errors
    /// [`CorpusError::TooMuch`] beyond [`MAX_FILES`].
    pub fn reuse(&mut self, stamp: &FileStamp, sha256: &str, ending: &str) -> Result<bool, CorpusError> {
        let name = TextStore::name(sha256, ending, &self.extraction);
        // A text that cannot be read is none.
        let Ok(found) = self.texts.get(&name) else { return Ok(false) };
        self.take(stamp, sha256, name, &found)?;
        Ok(true)
    }

    /// Takes up a file that was extracted; its text is kept at once, so that a run that is killed does not do this again.
    ///
    /// # Errors
    /// What the disk says; [`CorpusError::TooMuch`] beyond [`MAX_FILES`].
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
            chunks: 0,
        };
        self.insert(stamp, Some(sha256), FileOutcome::Read(read))
    }

    /// Lists a file that cannot be read. `is_final` says that it stays so until the file changes.
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

    /// Publishes what was said: all of it, or, where this process ends before, nothing.
    ///
    /// # Errors
    /// What the disk says.
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
            let batch = batch(&fields, document, &format!("{} {}", read.title, file_name(&path)), &text);
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
        // A name that no table had: what a search reads meanwhile is the one that its commit names.
        let name = (0_u64..).map(|n| format!("{TABLE}{n}")).find(|name| !dir.join(name).exists()).unwrap_or_default();
        table.write(&dir.join(&name))?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&name);
        commit.commit()?;
        writer.wait_merging_threads()?;
        opened.current.publish(self.place.dir())?;
        self.clean(&opened.current.index, &name, &table, &old);
        Ok(summary)
    }

    /// Removes what neither this nor the state before it needs: a search that is under way may still read the latter's texts.
    fn clean(&self, index: &str, table: &str, new: &FileTable, old: &FileTable) {
        // What stays behind costs room and nothing else.
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

/// A writer of one thread that merges segments by their size, and those of which much was removed.
fn writer(index: &Index) -> Result<IndexWriter, CorpusError> {
    let writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let mut merging = LogMergePolicy::default();
    merging.set_del_docs_ratio_before_merge(REMOVED_SHARE);
    writer.set_merge_policy(Box::new(merging));
    Ok(writer)
}

/// Opens what is published at `place`, with the directory of the index, and proves that it is what was written: checksums of the segments, and the table.
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
        if !table_name.starts_with(TABLE) || table_name.contains('/') {
            return Err(CorpusError::unusable("it is damaged"));
        }
        let table = FileTable::read(&dir.join(&table_name))?;
        Ok(Self { current, index, table })
    }
}

/// An index to write to.
struct UnpublishedIndex {
    current: CurrentIndex,
    index: Index,
}

impl UnpublishedIndex {
    /// A new index beside whatever is there.
    fn make(place: &IndexPlace) -> Result<Self, CorpusError> {
        let dirs = (1_u64..).map(|n| format!("index-{n}"));
        let name = dirs.map(|name| (place.dir().join(&name), name)).find(|(dir, _)| !dir.exists());
        let (dir, name): (PathBuf, String) = name.ok_or_else(|| CorpusError::unusable("no name is left"))?;
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

/// Gives every row that was read the number of its document: that of the published one where bytes, title and first file name are the
/// same. Returns the new ones with their first path, and the next free number.
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
            Some((document, first, same)) if file_name(first) == file_name(path) && same.title == read.title => {
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
    let documents = documents(rows).len();
    UpdateSummary {
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

/// What a reader calls the document: its own title, else the name of its file.
fn title_of(found: &ExtractedText, path: &str) -> String {
    let own = found.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    own.unwrap_or_else(|| file_name(path)).to_owned()
}

/// The chunks of a document, to stand one behind the other.
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
