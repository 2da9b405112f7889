//! A published state, opened once for many searches.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use precis_distill::text::CanonicalText;
use precis_proto::source::ContentRef;
use serde::Serialize;

use crate::limits::TEXTS_BYTES;
use crate::open_index::{DocumentEntry, OpenIndex};
use crate::table::{FileOutcome, FileRow, FileTable};
use crate::texts::TextStore;
use crate::update::open_published;
use crate::{CorpusError, IndexPlace};

/// What tantivy writes last when it publishes.
const META: &str = "meta.json";
/// How often opening is tried while another process publishes.
const TRIES: usize = 3;
/// A corpus that can be searched, by many threads at once. It shows the state that was published when it was opened.
#[derive(Debug)]
pub struct Corpus {
    texts: TextStore,
    table: FileTable,
    bytes: u64,
    published: Option<SystemTime>,
    pub(crate) index: OpenIndex,
    /// Documents in the order of their first paths; chunks name them by place.
    pub(crate) documents: Vec<DocumentEntry>,
    at_hand: Mutex<LoadedTexts>,
}

/// A whole document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Relative to the folder; of files with equal bytes the first.
    pub path: String,
    /// Its own title, or the name of its file.
    pub title: String,
    /// What its content is.
    pub content_type: String,
    /// Pages; 0 where it has none.
    pub pages: u32,
    /// What extraction left out or repaired, for readers.
    pub remarks: Vec<String>,
    /// Canonical text with pages and blocks.
    pub text: CanonicalText,
    /// Of that text.
    pub source_text_hash: ContentRef,
}

/// How large a corpus is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Documents that are searched.
    pub documents: usize,
    /// Passages that are searched.
    pub chunks: usize,
    /// Bytes of the index on the disk; the texts beside it not counted.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct LoadedTexts {
    texts: HashMap<u32, Arc<CanonicalText>>,
    bytes: usize,
}

impl Corpus {
    /// Opens what was published last. Reads every file of the index once, to prove it.
    ///
    /// # Errors
    /// [`CorpusError::Missing`], [`CorpusError::Unusable`].
    pub fn open(place: &IndexPlace) -> Result<Self, CorpusError> {
        let mut tried = Self::open_once(place);
        for _ in 1..TRIES {
            // Another process may have published between two of our reads, and removed what the first one named.
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
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let bytes = size_of(&dir);
        let published = std::fs::metadata(dir.join(META)).and_then(|file| file.modified()).ok();
        let index = OpenIndex::open(&index, &documents)?;
        let texts = TextStore::new(place.dir());
        Ok(Self { texts, table, bytes, published, index, documents, at_hand: Mutex::default() })
    }

    /// How large it is.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { documents: self.documents.len(), chunks: self.index.chunks, bytes: self.bytes }
    }

    /// Bytes of the texts on the disk.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        self.texts.size(&self.documents.iter().map(|entry| entry.read.text.as_str()).collect::<BTreeSet<_>>())
    }

    /// When it was published, as far as the disk knows.
    #[must_use]
    pub fn published(&self) -> Option<SystemTime> {
        self.published
    }

    /// Every file of the folder, by path.
    pub fn files(&self) -> impl Iterator<Item = &FileRow> {
        self.table.rows.values()
    }

    /// The file at `path`, as it is written in the index.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileRow> {
        self.table.rows.get(path)
    }

    /// Names the content: equal for equal documents under equal paths read by equal rules, so that equal searches give equal hits.
    #[must_use]
    pub fn manifest_hash(&self) -> ContentRef {
        let mut text = crate::version::reading();
        for entry in &self.documents {
            text.push_str(&format!("\n{} {}", entry.read.source_text_hash, entry.path));
        }
        ContentRef::from_bytes(text.as_bytes())
    }

    /// The document at `path`, relative to the folder; none where no file of that path is searched. A file with the bytes of another
    /// gives that one.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] where its text is missing or not the one that was indexed.
    pub fn document(&self, path: &str) -> Result<Option<Document>, CorpusError> {
        let Some(FileOutcome::Read(read)) = self.table.rows.get(path).map(|row| &row.outcome) else { return Ok(None) };
        let first = self.documents.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok();
        // A copy stands under the path of another file.
        let same = || self.documents.iter().position(|entry| entry.read.document == read.document);
        let Some(place) = first.or_else(same) else { return Ok(None) };
        let found = self.texts.get(&read.text)?;
        let text = found.canonical()?;
        if text.hash() != read.source_text_hash {
            return Err(CorpusError::unusable("a text of it is damaged"));
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

    /// The text of a document by its place, with its headings.
    pub(crate) fn text(&self, place: u32) -> Result<Arc<CanonicalText>, CorpusError> {
        if let Some(text) = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner).texts.get(&place) {
            return Ok(Arc::clone(text));
        }
        let read = &self.documents[place as usize].read;
        let text = Arc::new(self.texts.outlined(&read.text)?);
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        if at_hand.bytes > TEXTS_BYTES {
            *at_hand = LoadedTexts::default();
        }
        at_hand.bytes += text.as_str().len() + std::mem::size_of_val(text.blocks());
        at_hand.texts.insert(place, Arc::clone(&text));
        drop(at_hand);
        Ok(text)
    }
}

fn size_of(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}
