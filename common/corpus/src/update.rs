//! Builds and publishes a new state from the files of a folder.
//!
//! The caller walks the folder and reports each file as unchanged ([`Update::keep`]), read or failed. Searches see nothing of it before
//! [`Update::publish`]; files that were not reported are removed from the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;

use precis_evidence::meaning::Meaning;
use precis_text::CanonicalText;
use tantivy::{IndexWriter, Term};

use crate::chunk_rows::batch;
use crate::index_place::{PART, WriteLock};
use crate::limits::MAX_FILES;
use crate::made_vectors::MadeVectors;
use crate::numbering::{documents, number};
use crate::schema::Fields;
use crate::states::{PublishedIndex, TABLE, UnpublishedIndex, writer};
use crate::table::{FileOutcome, FileRow, FileStamp, FileTable, IndexedFile, TableHeader};
use crate::texts::{ExtractedText, TextStore};
use crate::update_vectors::{self, WantedVectors};
use crate::{CorpusError, IndexPlace};

/// An update of an index, holding its write lock. If it is dropped without [`Update::publish`], the published state stays unchanged.
#[derive(Debug)]
pub struct Update {
    place: IndexPlace,
    texts: TextStore,
    /// The published state; `None` if the index is built from scratch.
    published: Option<PublishedIndex>,
    /// The model whose vectors were made; `None` if those that are published are kept.
    model: Option<String>,
    /// Why an existing index is rebuilt from scratch, if it is.
    rebuilt: Option<String>,
    extraction: String,
    rows: BTreeMap<String, FileRow>,
    _lock: WriteLock,
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
    /// Number of documents that have vectors.
    pub compared: usize,
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
            model: None,
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
    pub fn record_failure(
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

    /// Makes a vector for every passage of the texts that have none of this model, on `threads` threads. `progress` is called with the
    /// numbers of texts done and to do, also while a long text takes its time, and may end the work; what was made by then is kept, and the
    /// next call goes on. Without this call an update keeps the vectors that are published and makes none.
    ///
    /// # Errors
    /// [`CorpusError::Io`], or [`CorpusError::Unusable`] if a text cannot be read.
    pub fn make_vectors(
        &mut self,
        meaning: &dyn Meaning,
        threads: usize,
        progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<(), CorpusError> {
        self.model = Some(meaning.key().to_owned());
        let made = MadeVectors::new(self.place.dir(), meaning.key());
        let published = self.published_vectors();
        let mut texts: Vec<&str> = self.readable().map(|read| read.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.retain(|text| !published.contains_key(*text) && !made.holds(text));
        update_vectors::make((&self.texts, &texts), (meaning, &made), threads, progress)
    }

    fn published_vectors(&self) -> BTreeMap<String, Vec<u8>> {
        let of = |published: &PublishedIndex| {
            let dir = self.place.dir().join(&published.current.index);
            update_vectors::published_rows(&dir, &published.table, self.model.as_deref())
        };
        self.published.as_ref().map_or_else(BTreeMap::new, of)
    }

    fn readable(&self) -> impl Iterator<Item = &IndexedFile> {
        self.rows.values().filter_map(|row| match &row.outcome {
            FileOutcome::Read(read) => Some(read),
            FileOutcome::Failed { .. } => None,
        })
    }

    /// Whether vectors were made that are not published.
    fn has_new_vectors(&self) -> bool {
        let Some(model) = &self.model else { return false };
        let made = MadeVectors::new(self.place.dir(), model);
        self.readable().any(|read| made.holds(&read.text))
    }

    /// The vectors that belong to what is published next; `None` if no model is known.
    fn wanted_vectors(&self) -> Option<WantedVectors> {
        let published = self.published.as_ref().and_then(|published| published.table.header.vectors.as_ref());
        let model = self.model.clone().or_else(|| published.map(|file| file.model.clone()))?;
        let made = MadeVectors::new(self.place.dir(), &model);
        Some(WantedVectors { model, made, known: self.published_vectors() })
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
        summary.is_changed = self.published.is_none()
            || self.rows != old.rows
            || old.header.extraction != self.extraction
            || self.has_new_vectors();
        if !summary.is_changed {
            summary.compared = old.header.vectors.map_or(0, |vectors| vectors.documents);
            return Ok(summary);
        }
        let wanted_vectors = self.wanted_vectors();
        let opened = match self.published.take() {
            Some(PublishedIndex { current, index, .. }) => UnpublishedIndex { current, index },
            None => UnpublishedIndex::make(&self.place)?,
        };
        let fields = Fields::new();
        let mut writer = writer(&opened.index)?;
        for document in to_remove {
            writer.delete_term(Term::from_field_u64(fields.document, document.into()));
        }
        self.index(to_add, &fields, &writer)?;
        let header = TableHeader { extraction: self.extraction.clone(), next_document, files: 0, vectors: None };
        let mut table = FileTable { header, rows: std::mem::take(&mut self.rows) };
        let dir = self.place.dir().join(&opened.current.index);
        if let Some(found) = wanted_vectors.and_then(|wanted| wanted.of(&table)) {
            table.header.vectors = Some(update_vectors::write(&dir, found)?);
        }
        summary.compared = table.header.vectors.as_ref().map_or(0, |vectors| vectors.documents);
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

    /// Adds the chunks of `documents` to the index, and their number to the rows of these documents.
    fn index(
        &mut self,
        documents: Vec<(u32, String)>,
        fields: &Fields,
        writer: &IndexWriter,
    ) -> Result<(), CorpusError> {
        let mut sizes = BTreeMap::new();
        for (document, path) in documents {
            let Some(FileOutcome::Read(read)) = self.rows.get(&path).map(|row| &row.outcome) else { continue };
            let text = self.texts.get(&read.text)?.canonical()?;
            let batch = batch(fields, document, &format!("{} {path}", read.title), &text);
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
        Ok(())
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
        let vectors = new.header.vectors.as_ref().map_or("", |vectors| vectors.file.as_str());
        for file in fs::read_dir(self.place.dir().join(index)).into_iter().flatten().flatten() {
            let name = file.file_name();
            let is_of = |prefix: &str| name.to_string_lossy().starts_with(prefix);
            if (is_of(TABLE) && name != table) || (is_of(update_vectors::VECTORS) && name != vectors) {
                let _ = fs::remove_file(file.path());
            }
        }
        if !vectors.is_empty() {
            MadeVectors::clear(self.place.dir());
        }
        let tables = [new.documents(), old.documents()];
        self.texts.keep(&tables.iter().flatten().map(|(_, (_, read))| read.text.as_str()).collect());
    }
}

fn check_files(files: usize) -> Result<(), CorpusError> {
    if files <= MAX_FILES {
        return Ok(());
    }
    Err(CorpusError::TooMuch { what: "files in the folder", given: files, limit: MAX_FILES })
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
