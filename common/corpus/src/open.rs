//! A published state, opened once for many searches.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use foldhash::{HashMap as FastMap, HashMapExt};
use precis_distill::evidence::Vocabulary;
use precis_distill::text::CanonicalText;
use precis_proto::source::ContentRef;
use serde::Serialize;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, ReloadPolicy, Searcher, SegmentReader, TERMINATED, Term};

use crate::limits::TEXTS_BYTES;
use crate::schema::{self, Fields};
use crate::scores::Meetings;
use crate::table::{FileRow, Outcome, ReadFile, Table};
use crate::texts::Texts;
use crate::update::open_published;
use crate::{CorpusError, Place};

/// What tantivy writes last when it publishes.
const META: &str = "meta.json";
/// How often opening is tried while another process publishes.
const TRIES: usize = 3;
/// Owner of a chunk that was removed.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A corpus that can be searched, by many threads at once. It shows the state that was published when it was opened.
#[derive(Debug)]
pub struct Corpus {
    texts: Texts,
    table: Table,
    bytes: u64,
    published: Option<SystemTime>,
    pub(crate) index: OpenIndex,
    /// Documents in the order of their first paths; chunks name them by place.
    pub(crate) documents: Vec<Entry>,
    at_hand: Mutex<AtHand>,
}

/// A document as searches need it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) read: ReadFile,
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
struct AtHand {
    texts: HashMap<u32, Arc<CanonicalText>>,
    bytes: usize,
}

/// The segments as one row of chunks.
#[derive(Debug)]
pub(crate) struct OpenIndex {
    pub(crate) fields: Fields,
    pub(crate) segments: Vec<Segment>,
    pub(crate) vocabulary: Vocabulary,
    /// For each chunk its document, or [`NOBODY`].
    pub(crate) owners: Vec<u32>,
    /// For each chunk its terms, repeats counted.
    pub(crate) lengths: Vec<u32>,
    /// For each document, its first chunk.
    pub(crate) firsts: Vec<u32>,
    /// Chunks that are not removed.
    pub(crate) chunks: usize,
    /// Mean of their lengths, at least 1.
    pub(crate) mean: f64,
    pub(crate) meetings: Mutex<FastMap<String, Arc<Meetings>>>,
    _searcher: Searcher,
}

pub(crate) struct Segment {
    pub(crate) reader: SegmentReader,
    /// Number of its first chunk.
    pub(crate) base: u32,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Corpus {
    /// Opens what was published last. Reads every file of the index once, to prove it.
    ///
    /// # Errors
    /// [`CorpusError::Missing`], [`CorpusError::Unusable`].
    pub fn open(place: &Place) -> Result<Self, CorpusError> {
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

    fn open_once(place: &Place) -> Result<Self, CorpusError> {
        let (dir, index, table) = open_published(place)?;
        let mut documents: Vec<Entry> = table
            .documents()
            .into_values()
            .map(|(path, read)| Entry { path: path.to_owned(), read: read.clone() })
            .collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let bytes = size_of(&dir);
        let published = std::fs::metadata(dir.join(META)).and_then(|file| file.modified()).ok();
        let index = OpenIndex::open(&index, &documents)?;
        let texts = Texts::new(place.dir());
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

    /// Names the content: equal for equal documents under equal paths read by equal rules, so that equal searches give equal hits.
    #[must_use]
    pub fn manifest_hash(&self) -> ContentRef {
        let mut text = crate::version::reading();
        for entry in &self.documents {
            text.push_str(&format!("\n{} {}", entry.read.source_text_hash, entry.path));
        }
        ContentRef::of(text.as_bytes())
    }

    /// The document at `path`, relative to the folder; none where no file of that path is searched. A file with the bytes of another
    /// gives that one.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] where its text is missing or not the one that was indexed.
    pub fn document(&self, path: &str) -> Result<Option<Document>, CorpusError> {
        let Some(Outcome::Read(read)) = self.table.rows.get(path).map(|row| &row.outcome) else { return Ok(None) };
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
            *at_hand = AtHand::default();
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

impl OpenIndex {
    fn open(index: &tantivy::Index, documents: &[Entry]) -> Result<Self, CorpusError> {
        let fields = Fields::new();
        if index.schema() != fields.schema {
            return Err(CorpusError::unusable("another version of precis made it"));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let places: BTreeMap<u64, u32> =
            (0_u32..).zip(documents).map(|(place, entry)| (entry.read.document.into(), place)).collect();
        let mut opened = Self {
            vocabulary: Vocabulary::default(),
            segments: Vec::new(),
            owners: Vec::new(),
            lengths: Vec::new(),
            firsts: vec![NOBODY; documents.len()],
            chunks: 0,
            mean: 1.0,
            meetings: Mutex::new(FastMap::new()),
            fields,
            _searcher: searcher.clone(),
        };
        let mut all_terms = 0_u64;
        for reader in searcher.segment_readers() {
            let base = opened.owners.len() as u32;
            let (documents, lengths) = (column(reader, schema::DOCUMENT)?, column(reader, schema::LENGTH)?);
            for chunk in 0..reader.max_doc() {
                let owner = if reader.is_deleted(chunk) { None } else { places.get(&documents.get_val(chunk)) };
                let length = lengths.get_val(chunk);
                if let Some(owner) = owner {
                    opened.chunks += 1;
                    all_terms += length;
                    let first = &mut opened.firsts[*owner as usize];
                    *first = (*first).min(base + chunk);
                }
                opened.owners.push(owner.copied().unwrap_or(NOBODY));
                opened.lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
            }
            opened.segments.push(Segment { reader: reader.clone(), base });
        }
        opened.mean = (all_terms as f64 / opened.chunks.max(1) as f64).max(1.0);
        opened.vocabulary = opened.all_words()?;
        Ok(opened)
    }

    /// The words of all segments and fields.
    fn all_words(&self) -> Result<Vocabulary, CorpusError> {
        let mut words: Vec<Box<str>> = Vec::new();
        for segment in &self.segments {
            for field in [self.fields.words, self.fields.names, self.fields.title] {
                let inverted = segment.reader.inverted_index(field)?;
                let mut stream = inverted.terms().stream().map_err(CorpusError::unusable)?;
                while stream.advance() {
                    words.extend(std::str::from_utf8(stream.key()).ok().map(Box::from));
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        Ok(Vocabulary::new(words.iter().map(AsRef::as_ref)))
    }

    /// Where a chunk lies in its document's text.
    pub(crate) fn range(&self, chunk: u32) -> Result<precis_proto::CharRange, CorpusError> {
        let at = self.segments.partition_point(|segment| segment.base <= chunk) - 1;
        let Segment { reader, base } = &self.segments[at];
        let of = |name| column(reader, name).map(|column| column.get_val(chunk - base) as usize);
        Ok(precis_proto::CharRange::new(of(schema::START)?, of(schema::END)?))
    }

    /// The chunks with `word` in `field`, in order, with how often it stands there.
    pub(crate) fn postings(&self, field: Field, word: &str) -> Result<Vec<(u32, u32)>, CorpusError> {
        let term = Term::from_field_text(field, word);
        let mut found = Vec::new();
        for Segment { reader, base } in &self.segments {
            let inverted = reader.inverted_index(field)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut postings) = postings.map_err(CorpusError::unusable)? else { continue };
            let mut chunk = postings.doc();
            while chunk != TERMINATED {
                if self.owners[(base + chunk) as usize] != NOBODY {
                    found.push((base + chunk, postings.term_freq()));
                }
                chunk = postings.advance();
            }
        }
        Ok(found)
    }
}

fn column(reader: &SegmentReader, name: &str) -> Result<Arc<dyn tantivy::columnar::ColumnValues<u64>>, CorpusError> {
    let column = reader.fast_fields().u64(name)?;
    Ok(column.first_or_default_col(0))
}
