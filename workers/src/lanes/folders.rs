//! Searches over one or several corpora, each with its own index.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use precis_corpus::{Corpus, CorpusError, CorpusQuery, Document, Documents, LinkedDocument};
use precis_evidence::meaning::Meaning;
use precis_proto::research::HitLink;
use precis_research::{Frequency, Hit, TermFrequencies};
use precis_runtime::model::Failure;

use crate::meaning::{TextVectors, WorkingModel};

/// Constant of reciprocal rank fusion over several folders (Cormack et al. 2009).
const FUSION: f64 = 60.0;

/// A corpus with the name of its folder.
#[derive(Debug)]
pub struct Shelf {
    /// Name for readers; prefixes the paths of its documents if several folders are searched.
    pub name: String,
    /// The index.
    pub corpus: Corpus,
    /// The directory it was unpacked into, kept as long as it is open.
    pub(super) _unpacked: Option<tempfile::TempDir>,
}

impl Shelf {
    /// Names `corpus` after `folder`.
    #[must_use]
    pub fn new(folder: &Path, corpus: Corpus) -> Self {
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self { name, corpus, _unpacked: None }
    }
}

impl Shelf {
    /// Keeps the directory it was unpacked into as long as it is open.
    pub(super) fn keep(&mut self, unpacked: tempfile::TempDir) {
        self._unpacked = Some(unpacked);
    }
}

/// The corpora that one session searches.
#[derive(Debug, Default)]
pub struct Folders {
    folders: Vec<FolderShelf>,
    /// Of which model their vectors are wanted.
    vectors_of: Option<String>,
    meaning: Option<WorkingModel>,
}

#[derive(Debug)]
struct FolderShelf {
    /// Prefix of its documents' paths; empty if only one folder is searched.
    prefix: String,
    shelf: Arc<Shelf>,
}

impl Folders {
    /// Combines these corpora, in this order. With several, documents are prefixed with the folder's name.
    #[must_use]
    pub fn new(shelves: Vec<Arc<Shelf>>) -> Self {
        let is_one = shelves.len() == 1;
        let mut folders: Vec<FolderShelf> = Vec::new();
        for shelf in shelves {
            let taken = |prefix: &str| folders.iter().any(|folder| folder.prefix == prefix);
            let name = &shelf.name;
            let mut prefix = if is_one { String::new() } else { format!("{name}/") };
            let mut n = 2;
            while !is_one && taken(&prefix) {
                prefix = format!("{name}-{n}/");
                n += 1;
            }
            folders.push(FolderShelf { prefix, shelf });
        }
        Self { folders, vectors_of: None, meaning: None }
    }

    /// Lets a model of meaning find passages, where a corpus has vectors of it.
    #[must_use]
    pub fn comparing(self, meaning: Option<WorkingModel>) -> Self {
        Self { meaning, ..self }
    }

    /// Lets [`Self::vectors`] return those of the model with this key.
    #[must_use]
    pub fn with_vectors_of(self, vectors_of: Option<String>) -> Self {
        Self { vectors_of, ..self }
    }

    /// Why a server gave no vector for a question, with the key of its model, if it did not.
    #[must_use]
    pub fn failure(&self) -> Option<(&str, Failure)> {
        let meaning = self.meaning.as_ref()?;
        Some((meaning.key(), meaning.failure()?))
    }

    /// Whether there are no corpora.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Returns the document that searches call `name`, with the hash of its file; `None` if it is gone.
    ///
    /// # Errors
    /// [`CorpusError`] if its text cannot be read.
    pub fn document(&self, name: &str) -> Result<Option<(Document, Option<String>)>, CorpusError> {
        let Some(folder) = self.folders.iter().find(|folder| name.starts_with(&folder.prefix)) else { return Ok(None) };
        let path = &name[folder.prefix.len()..];
        let sha256 = folder.shelf.corpus.file(path).and_then(|row| row.sha256.clone());
        Ok(folder.shelf.corpus.document(path)?.map(|document| (document, sha256)))
    }

    /// Returns the vectors of a document that [`Self::document`] gave for `name`, with the hash of their model; `None` if there are none, or
    /// they cannot be read: without them passages are compared as those of other sources are.
    #[must_use]
    pub fn vectors(&self, name: &str, document: &Document) -> Option<(String, TextVectors)> {
        let folder = self.folders.iter().find(|folder| name.starts_with(&folder.prefix))?;
        let key = self.vectors_of.as_deref()?;
        let known = folder.shelf.corpus.vectors(document, key).ok()??;
        Some((key.to_owned(), TextVectors::of(&known)))
    }

    /// Returns the best `limit` passages for `query` over all corpora, best first.
    ///
    /// # Errors
    /// [`CorpusError`] if an index has been damaged.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, CorpusError> {
        if let [folder] = &self.folders[..] {
            return folder.search(query, limit, Documents::All, self.meaning.as_ref());
        }
        // Fuse by rank: scores of different indexes are not comparable, because each has its own term statistics.
        let mut fused: Vec<(f64, Hit)> = Vec::new();
        for folder in &self.folders {
            let hits = folder.search(query, limit, Documents::All, self.meaning.as_ref())?;
            fused.extend(hits.into_iter().zip(1..).map(|(hit, rank)| (1.0 / (FUSION + f64::from(rank)), hit)));
        }
        fused.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.document.cmp(&b.1.document)));
        Ok(fused.into_iter().take(limit).map(|(score, hit)| Hit { score, ..hit }).collect())
    }

    /// Returns the best `limit` passages for `query` in the document that searches call `name`, best first; none if it is gone.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn search_document(&self, name: &str, query: &str, limit: usize) -> Result<Vec<Hit>, CorpusError> {
        let Some(folder) = self.folders.iter().find(|folder| name.starts_with(&folder.prefix)) else {
            return Ok(Vec::new());
        };
        let only = BTreeSet::from([name[folder.prefix.len()..].to_owned()]);
        folder.search(query, limit, Documents::Only(&only), self.meaning.as_ref())
    }
}

impl FolderShelf {
    fn search(
        &self,
        query: &str,
        limit: usize,
        documents: Documents<'_>,
        meaning: Option<&WorkingModel>,
    ) -> Result<Vec<Hit>, CorpusError> {
        let meaning = meaning.map(|model| model as &dyn Meaning);
        let query = CorpusQuery { text: query, limit, documents, meaning };
        let found = self.shelf.corpus.search(&query)?;
        let linked = |link: LinkedDocument| HitLink {
            text: link.text,
            document: format!("{}{}", self.prefix, link.path),
            score: link.score,
        };
        let hit = |hit: precis_corpus::CorpusHit| Hit {
            document: format!("{}{}", self.prefix, hit.path),
            address: None,
            title: hit.title,
            published: None,
            headings: hit.headings,
            range: hit.range,
            text: hit.text,
            score: hit.score,
            source_text_hash: hit.source_text_hash.to_string(),
            links: hit.links.into_iter().map(linked).collect(),
        };
        Ok(found.into_iter().map(hit).collect())
    }
}

impl TermFrequencies for Folders {
    fn frequency(&self, term: &str) -> Option<Frequency> {
        let mut all = Frequency { holding: 0, of: 0 };
        for folder in &self.folders {
            let (holding, of) = folder.shelf.corpus.frequency(term).ok()?;
            all = Frequency { holding: all.holding + holding as u64, of: all.of + of as u64 };
        }
        Some(all)
    }
}
