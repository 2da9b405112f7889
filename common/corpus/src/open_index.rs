//! The segments of a published state as one row of chunks, with the document and length of each chunk, and the postings of words.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::{HashMap as FastMap, HashMapExt};
use precis_evidence::ranking::Vocabulary;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, ReloadPolicy, Searcher, SegmentReader, TERMINATED, Term};

use crate::CorpusError;
use crate::limits::MEETINGS;
use crate::met_term::MetTerm;
use crate::schema::{self, Fields};
use crate::table::IndexedFile;

/// Owner of a removed chunk.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A column of numbers, one for each chunk of a segment.
type Column = Arc<dyn tantivy::columnar::ColumnValues<u64>>;

/// A document as used by searches.
#[derive(Debug)]
pub(crate) struct DocumentEntry {
    pub(crate) path: String,
    pub(crate) read: IndexedFile,
}

/// The segments as one row of chunks.
#[derive(Debug)]
pub(crate) struct OpenIndex {
    pub(crate) fields: Fields,
    pub(crate) segments: Vec<OpenSegment>,
    pub(crate) vocabulary: Vocabulary,
    /// Document of each chunk, or [`NOBODY`].
    pub(crate) owners: Vec<u32>,
    /// Number of terms of each chunk, including repeats.
    pub(crate) lengths: Vec<u32>,
    /// First chunk of each document.
    pub(crate) firsts: Vec<u32>,
    /// Number of chunks that are not removed.
    pub(crate) chunks: usize,
    /// Mean length of these chunks, at least 1.
    pub(crate) mean: f64,
    pub(crate) meetings: Mutex<FastMap<String, Arc<MetTerm>>>,
    _searcher: Searcher,
}

pub(crate) struct OpenSegment {
    pub(crate) reader: SegmentReader,
    /// Number of its first chunk.
    pub(crate) base: u32,
    /// Whether none of its chunks is removed.
    pub(crate) is_whole: bool,
    /// Positions of the chunks in the text. Kept open, because opening a column reads the description of all its blocks.
    starts: Column,
    ends: Column,
}

impl std::fmt::Debug for OpenSegment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment").field("base", &self.base).finish_non_exhaustive()
    }
}

impl OpenIndex {
    pub(crate) fn open(index: &tantivy::Index, documents: &[DocumentEntry]) -> Result<Self, CorpusError> {
        let fields = Fields::new();
        if index.schema() != fields.schema {
            return Err(CorpusError::unusable("it was made by another version of precis"));
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
            let is_whole = opened.owners[base as usize..].iter().all(|owner| *owner != NOBODY);
            let (starts, ends) = (column(reader, schema::START)?, column(reader, schema::END)?);
            opened.segments.push(OpenSegment { reader: reader.clone(), base, is_whole, starts, ends });
        }
        opened.mean = (all_terms as f64 / opened.chunks.max(1) as f64).max(1.0);
        opened.vocabulary = opened.all_words()?;
        Ok(opened)
    }

    /// Collects the words of all segments and fields.
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

    /// Returns the position of a chunk in the text of its document.
    pub(crate) fn range(&self, chunk: u32) -> precis_proto::CharRange {
        // Cannot underflow: the first segment begins at chunk 0.
        let at = self.segments.partition_point(|segment| segment.base <= chunk) - 1;
        let OpenSegment { base, starts, ends, .. } = &self.segments[at];
        let value = |column: &Column| column.get_val(chunk - base) as usize;
        precis_proto::CharRange::new(value(starts), value(ends))
    }

    /// Returns the chunks with `word` in `field`, in order, with its number of occurrences.
    pub(crate) fn postings(&self, field: Field, word: &str) -> Result<Vec<(u32, u32)>, CorpusError> {
        let term = Term::from_field_text(field, word);
        let mut found = Vec::new();
        for OpenSegment { reader, base, is_whole, .. } in &self.segments {
            let inverted = reader.inverted_index(field)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut postings) = postings.map_err(CorpusError::unusable)? else { continue };
            found.reserve(postings.doc_freq() as usize);
            let mut chunk = postings.doc();
            while chunk != TERMINATED {
                if *is_whole || self.owners[(base + chunk) as usize] != NOBODY {
                    found.push((base + chunk, postings.term_freq()));
                }
                chunk = postings.advance();
            }
        }
        Ok(found)
    }

    /// Returns the number of chunks with `word` in `field`, and those of `wanted`, in ascending order, that hold it, with its number of
    /// occurrences. Skips what lies between the wanted chunks: the postings of a function word are nearly as long as the corpus.
    pub(crate) fn postings_at(
        &self,
        field: Field,
        word: &str,
        wanted: &[u32],
    ) -> Result<(usize, Vec<(u32, u32)>), CorpusError> {
        let term = Term::from_field_text(field, word);
        let (mut count, mut found) = (0, Vec::new());
        for (at, OpenSegment { reader, base, is_whole, .. }) in self.segments.iter().enumerate() {
            let end = self.segments.get(at + 1).map_or(self.owners.len() as u32, |next| next.base);
            let owned = |chunk: u32| self.owners[(base + chunk) as usize] != NOBODY;
            let inverted = reader.inverted_index(field)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut postings) = postings.map_err(CorpusError::unusable)? else { continue };
            // The index counts removed chunks too.
            count += if *is_whole { postings.doc_freq() as usize } else { self.count_chunks(&term, reader, owned)? };
            let from = wanted.partition_point(|chunk| chunk < base);
            for chunk in wanted[from..].iter().take_while(|chunk| **chunk < end).map(|chunk| chunk - base) {
                // Postings may already be beyond the chunk, and cannot seek backwards.
                if postings.doc() < chunk {
                    postings.seek(chunk);
                }
                if postings.doc() == chunk && owned(chunk) {
                    found.push((base + chunk, postings.term_freq()));
                }
            }
        }
        Ok((count, found))
    }

    /// Returns those of `chunks`, in ascending order, that are the first of their document with `word`.
    pub(crate) fn first_uses(&self, word: &str, chunks: &[u32]) -> Result<Vec<u32>, CorpusError> {
        let term = Term::from_field_text(self.fields.words, word);
        let mut found = Vec::new();
        for (at, OpenSegment { reader, base, .. }) in self.segments.iter().enumerate() {
            let end = self.segments.get(at + 1).map_or(self.owners.len() as u32, |next| next.base);
            let inverted = reader.inverted_index(self.fields.words)?;
            let postings = inverted.read_postings(&term, IndexRecordOption::Basic).map_err(CorpusError::unusable)?;
            let Some(mut postings) = postings else { continue };
            let from = chunks.partition_point(|chunk| chunk < base);
            for chunk in chunks[from..].iter().take_while(|chunk| **chunk < end) {
                // All chunks of a document are adjacent, and either all or none of them are removed.
                let first = self.firsts[self.owners[*chunk as usize] as usize] - base;
                if postings.doc() < first {
                    postings.seek(first);
                }
                found.extend((postings.doc() == chunk - base).then_some(*chunk));
            }
        }
        Ok(found)
    }

    /// Returns the number of chunks of a segment that hold `term` and are `owned`.
    fn count_chunks(
        &self,
        term: &Term,
        reader: &SegmentReader,
        owned: impl Fn(u32) -> bool,
    ) -> Result<usize, CorpusError> {
        let inverted = reader.inverted_index(term.field())?;
        let postings = inverted.read_postings(term, IndexRecordOption::Basic).map_err(CorpusError::unusable)?;
        let Some(mut postings) = postings else { return Ok(0) };
        let mut count = 0;
        while postings.doc() != TERMINATED {
            count += usize::from(owned(postings.doc()));
            postings.advance();
        }
        Ok(count)
    }

    pub(crate) fn term(&self, field: Field, word: u32) -> Term {
        Term::from_field_text(field, self.vocabulary.word(word))
    }

    /// Returns the words that meet `term`; cached, because related questions share terms.
    pub(crate) fn meetings(&self, term: &str) -> Arc<MetTerm> {
        let mut known = self.meetings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(met) = known.get(term) {
            return Arc::clone(met);
        }
        if known.len() >= MEETINGS {
            known.clear();
        }
        let met = Arc::new(MetTerm::new(self.vocabulary.meetings(term)));
        known.insert(term.to_owned(), Arc::clone(&met));
        met
    }
}

fn column(reader: &SegmentReader, name: &str) -> Result<Column, CorpusError> {
    let column = reader.fast_fields().u64(name)?;
    Ok(column.first_or_default_col(0))
}
