//! A published state, opened once and searched many times.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use precis_evidence::question::entity::key;
use precis_evidence::question::own_identifier::named_outside;
use precis_proto::source::ContentRef;
use precis_text::CanonicalText;
use serde::Serialize;

use crate::limits::TEXTS_BYTES;
use crate::links::PagePaths;
use crate::open_index::{DocumentEntry, OpenIndex};
use crate::passages::passages;
use crate::states::open_published;
use crate::table::{FileOutcome, FileRow, FileTable};
use crate::texts::TextStore;
use crate::vector_table::VectorTable;
use crate::{CorpusError, IndexPlace};

/// The file that tantivy writes last when it publishes.
const META: &str = "meta.json";
/// Attempts to open a corpus while another process publishes.
const TRIES: usize = 3;
/// An opened corpus, searchable by many threads at once. It shows the state that was published when it was opened.
#[derive(Debug)]
pub struct Corpus {
    texts: TextStore,
    table: FileTable,
    bytes: u64,
    published: Option<SystemTime>,
    pub(crate) index: OpenIndex,
    /// Documents in the order of their first paths; chunks refer to them by position.
    pub(crate) documents: Vec<DocumentEntry>,
    loaded: Mutex<LoadedTexts>,
    /// Read by the first search by meaning.
    vectors: OnceLock<VectorTable>,
    dir: PathBuf,
    /// The identifier of each document, as a key, from its title or path; read by the first question that names one.
    document_keys: OnceLock<Vec<Option<String>>>,
    /// Filled by the first hit with a link.
    pub(crate) page_paths: OnceLock<PagePaths>,
}

/// A whole document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Path relative to the folder; of several files with equal bytes, the first path.
    pub path: String,
    /// Title found in the document, or the file name.
    pub title: String,
    /// MIME type.
    pub content_type: String,
    /// Number of pages; 0 if it has none.
    pub pages: u32,
    /// What extraction left out or repaired, for readers.
    pub remarks: Vec<String>,
    /// Canonical text with pages and blocks.
    pub text: CanonicalText,
    /// Hash of that text.
    pub source_text_hash: ContentRef,
}

/// Passages, each with its vector as bytes.
pub type PassageVectors = Vec<(String, Vec<u8>)>;

/// The size of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Number of documents.
    pub documents: usize,
    /// Number of passages.
    pub chunks: usize,
    /// Size of the index on disk in bytes, without the texts.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct LoadedTexts {
    texts: HashMap<u32, Arc<CanonicalText>>,
    bytes: usize,
}

impl Corpus {
    /// Opens the state published last. Reads every file of the index once, to verify its checksum.
    ///
    /// # Errors
    /// [`CorpusError::Missing`], [`CorpusError::Unusable`].
    pub fn open(place: &IndexPlace) -> Result<Self, CorpusError> {
        let mut tried = Self::open_once(place);
        for _ in 1..TRIES {
            // Another process may have published between two reads, and removed files that the first one referred to.
            if !matches!(tried, Err(CorpusError::Unusable(_))) {
                break;
            }
            tried = Self::open_once(place);
        }
        tried
    }

    fn open_once(place: &IndexPlace) -> Result<Self, CorpusError> {
        let (dir, index, table) = open_published(place)?;
        let mut documents: Vec<DocumentEntry> = table
            .documents()
            .into_values()
            .map(|(path, read)| DocumentEntry { path: path.to_owned(), read: read.clone() })
            .collect();
        // Sorted by path, because the position of a document decides between equal scores.
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let bytes = size_of(&dir);
        let published = std::fs::metadata(dir.join(META)).and_then(|file| file.modified()).ok();
        let index = OpenIndex::open(&index, &documents)?;
        let texts = TextStore::new(place.dir());
        Ok(Self {
            texts,
            table,
            bytes,
            published,
            index,
            documents,
            loaded: Mutex::default(),
            vectors: OnceLock::new(),
            dir,
            document_keys: OnceLock::new(),
            page_paths: OnceLock::new(),
        })
    }

    pub(crate) fn document_keys(&self) -> &[Option<String>] {
        self.document_keys.get_or_init(|| {
            self.documents
                .iter()
                .map(|entry| named_outside(&entry.read.title, &entry.path).map(|own| key(&own)))
                .collect()
        })
    }

    /// Returns the hash of the model that made vectors, and the number of documents that have some; `None` if none has.
    #[must_use]
    pub fn compared_by(&self) -> Option<(&str, usize)> {
        self.table.header.vectors.as_ref().map(|file| (file.model.as_str(), file.documents))
    }

    /// Returns the vectors made by the model with this hash; `None` if there are none.
    pub(crate) fn vectors_of(&self, model: &str) -> Result<Option<&VectorTable>, CorpusError> {
        let Some(file) = self.table.header.vectors.as_ref().filter(|file| file.model == model) else { return Ok(None) };
        if let Some(read) = self.vectors.get() {
            return Ok(Some(read));
        }
        let read = VectorTable::read(&self.dir.join(&file.file), &file.sha256)?;
        Ok(Some(self.vectors.get_or_init(|| read)))
    }

    /// Returns the size of the corpus.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { documents: self.documents.len(), chunks: self.index.chunks, bytes: self.bytes }
    }

    /// Returns the size of the texts on disk, in bytes.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        self.texts.size(&self.documents.iter().map(|entry| entry.read.text.as_str()).collect::<BTreeSet<_>>())
    }

    /// Returns when the state was published; `None` if the file system does not report it.
    #[must_use]
    pub fn publish_time(&self) -> Option<SystemTime> {
        self.published
    }

    /// Returns all files of the folder, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &FileRow> {
        self.table.rows.values()
    }

    /// Returns the file at `path`, written as in the index.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileRow> {
        self.table.rows.get(path)
    }

    /// Returns a hash of the content: equal for equal documents at equal paths read by equal rules, for which equal searches give equal
    /// hits.
    #[must_use]
    pub fn manifest_hash(&self) -> ContentRef {
        let mut text = crate::version::reading();
        for entry in &self.documents {
            text.push_str(&format!("\n{} {}", entry.read.source_text_hash, entry.path));
        }
        if let Some(vectors) = &self.table.header.vectors {
            // Where all documents have vectors, these follow from the model; else from the documents that have some.
            let which = if vectors.documents == self.documents.len() { "" } else { vectors.sha256.as_str() };
            text.push_str(&format!("\n{} {which}", vectors.model));
        }
        ContentRef::from_bytes(text.as_bytes())
    }

    /// Returns the document at `path`, relative to the folder; `None` if no readable file has that path. For a file with the same bytes
    /// as another one, it may be returned under the path of the other.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] if its text is missing, or not the one that was indexed.
    pub fn document(&self, path: &str) -> Result<Option<Document>, CorpusError> {
        let Some(FileOutcome::Read(read)) = self.table.rows.get(path).map(|row| &row.outcome) else { return Ok(None) };
        let first = self.documents.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok();
        // A copy is listed under the path of another file.
        let same = || self.documents.iter().position(|entry| entry.read.document == read.document);
        let Some(place) = first.or_else(same) else { return Ok(None) };
        let found = self.texts.get(&read.text)?;
        let text = found.canonical()?;
        if text.hash() != read.source_text_hash {
            return Err(CorpusError::unusable("one of its texts is damaged"));
        }
        Ok(Some(Document {
            path: self.documents[place].path.clone(),
            title: read.title.clone(),
            content_type: found.content_type,
            pages: read.pages,
            remarks: found.remarks,
            text,
            source_text_hash: read.source_text_hash.clone(),
        }))
    }

    /// Returns each passage of `document`, as [`Self::document`] gave it, with the vector that the model with this hash made of it, as
    /// [`precis_evidence::meaning::Vector::to_bytes`] writes it; `None` if there are none.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] if the vectors are damaged.
    pub fn vectors(&self, document: &Document, model: &str) -> Result<Option<PassageVectors>, CorpusError> {
        let Some(vectors) = self.vectors_of(model)? else { return Ok(None) };
        let Some(FileOutcome::Read(read)) = self.table.rows.get(&document.path).map(|row| &row.outcome) else {
            return Ok(None);
        };
        let (Some((rows, count)), ranges) = (vectors.rows(read.document), passages(&document.text)) else {
            return Ok(None);
        };
        let rows = rows.chunks_exact((rows.len() / count.max(1)).max(1)).map(<[u8]>::to_vec);
        let is_whole = count == ranges.len() && read.source_text_hash == document.source_text_hash;
        let texts = ranges.into_iter().map(|range| document.text.slice(range).to_owned());
        Ok(is_whole.then(|| texts.zip(rows).collect()))
    }

    /// Returns the text of the document at this position, with its headings.
    pub(crate) fn text(&self, place: u32) -> Result<Arc<CanonicalText>, CorpusError> {
        if let Some(text) = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).texts.get(&place) {
            return Ok(Arc::clone(text));
        }
        // Read without the lock: two searches may read the same text, but none waits for the disk access of another.
        let read = &self.documents[place as usize].read;
        let text = Arc::new(self.texts.read_outlined(&read.text)?);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.bytes > TEXTS_BYTES {
            *loaded = LoadedTexts::default();
        }
        loaded.bytes += text.as_str().len() + std::mem::size_of_val(text.blocks());
        loaded.texts.insert(place, Arc::clone(&text));
        drop(loaded);
        Ok(text)
    }
}

fn size_of(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}
