//! Searches passages for a question.

use std::collections::{BTreeSet, HashMap};

use precis_evidence::meaning::Meaning;
use precis_evidence::ranking::contexts;
use precis_proto::source::ContentRef;
use precis_proto::{Block, CharRange, Locator};
use precis_text::CanonicalText;
use precis_text::chunk::Chunk;
use precis_text::field_places::{UnseenPart, place_of_field};

use crate::documents::Documents;
use crate::limits::{DEFAULT_HITS, MAX_HIT_LINKS, MAX_HITS, MAX_QUERY_CHARS};
use crate::links::PagePaths;
use crate::open::Corpus;
use crate::top_chunks::ScoredChunk;
use crate::{CorpusError, scores};

/// A search query.
#[derive(Debug, Clone, Copy)]
pub struct CorpusQuery<'q> {
    /// A question, or words.
    pub text: &'q str,
    /// Maximum number of hits, up to [`MAX_HITS`].
    pub limit: usize,
    /// The documents to search.
    pub documents: Documents<'q>,
    /// Finds what is said in other words, where the corpus has vectors of its model; `None` for words alone.
    pub meaning: Option<&'q dyn Meaning>,
}

/// A hit: a passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusHit {
    /// Path of its document, relative to the folder.
    pub path: String,
    /// Title found in the document, or the file name.
    pub title: String,
    /// Headings and columns above the passage, outermost first.
    pub headings: Vec<String>,
    /// How much of it is of fields that readers of the document do not see.
    pub unseen: UnseenPart,
    /// Position in the whole text.
    pub range: CharRange,
    /// The same position as shown to readers.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
    /// Score above 0; larger is better. Comparable within one search only.
    pub score: f64,
    /// Hash of the canonical text of the document.
    pub source_text_hash: ContentRef,
    /// Its links to other documents of the folder, in order.
    pub links: Vec<LinkedDocument>,
}

/// A document that a passage links to.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedDocument {
    /// Text of the link, as in the passage.
    pub text: String,
    /// Path of the document, relative to the folder.
    pub path: String,
    /// Score of its best passage for the same query, as a share of the best one of all, 0 to 1; 0 if it is not among the best.
    pub score: f64,
}

/// The score of the best passage of each document, as a share of the best one of all.
struct LinkedScores(HashMap<u32, f64>);

impl LinkedScores {
    /// Of chunks that are sorted, best first.
    fn new(corpus: &Corpus, found: &[ScoredChunk]) -> Self {
        let best = found.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
        let mut scores = HashMap::new();
        for scored in found {
            scores.entry(corpus.index.owners[scored.chunk as usize]).or_insert((scored.score / best).clamp(0.0, 1.0));
        }
        Self(scores)
    }

    fn of(&self, document: u32) -> f64 {
        self.0.get(&document).copied().unwrap_or_default()
    }
}

impl<'q> CorpusQuery<'q> {
    /// Creates a query for [`DEFAULT_HITS`] hits in all documents.
    #[must_use]
    pub fn new(text: &'q str) -> Self {
        Self { text, limit: DEFAULT_HITS, documents: Documents::All, meaning: None }
    }

    fn check(&self) -> Result<(), CorpusError> {
        let chars = self.text.chars().count();
        if self.text.trim().is_empty() {
            return Err(CorpusError::EmptyQuery);
        }
        for (what, given, limit) in
            [("characters in the query", chars, MAX_QUERY_CHARS), ("hits requested", self.limit, MAX_HITS)]
        {
            if given > limit {
                return Err(CorpusError::TooMuch { what, given, limit });
            }
        }
        Ok(())
    }
}

impl Corpus {
    /// Returns the passages that match a question, best first; ties are ordered by path and position. By words it is empty if the folder
    /// contains no word of the question, nor anything similar. Equal contents give equal hits.
    ///
    /// # Errors
    /// [`CorpusError::EmptyQuery`], [`CorpusError::TooMuch`], or [`CorpusError::Unusable`] if the index was damaged in the meantime.
    pub fn search(&self, query: &CorpusQuery<'_>) -> Result<Vec<CorpusHit>, CorpusError> {
        query.check()?;
        let found = scores::best(self, query.text, &query.documents, (query.limit, query.meaning))?;
        let linked = LinkedScores::new(self, &found);
        found.iter().take(query.limit).map(|scored| self.hit(scored, &linked)).collect()
    }

    /// Returns the number of passages with a form of `term`, one of [`precis_text::terms::terms`], and the number of all passages.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] if the index was damaged in the meantime.
    pub fn frequency(&self, term: &str) -> Result<(usize, usize), CorpusError> {
        let met = self.index.meetings(term);
        let met = &met.met;
        let mut holding = BTreeSet::new();
        for word in met.whole.iter().chain(&met.forms) {
            let postings = self.index.postings(self.index.fields.words, self.index.vocabulary.word(*word))?;
            holding.extend(postings.into_iter().map(|(chunk, _)| chunk));
        }
        Ok((holding.len(), self.index.chunks))
    }

    fn hit(&self, scored: &ScoredChunk, linked: &LinkedScores) -> Result<CorpusHit, CorpusError> {
        let ScoredChunk { chunk, score, .. } = *scored;
        let place = self.index.owners[chunk as usize];
        let entry = &self.documents[place as usize];
        let text = self.text(place)?;
        let range = self.index.range(chunk);
        let above = contexts(&text, &[Chunk { range, page: None }]).pop().unwrap_or_default();
        Ok(CorpusHit {
            path: entry.path.clone(),
            title: entry.read.title.clone(),
            headings: above.into_iter().map(str::to_owned).collect(),
            unseen: UnseenPart::between(place_of_field(&text, range.start), place_of_field(&text, range.end - 1)),
            locator: text.locator(range),
            links: self.links(place, &text, range, linked),
            text: text.slice(range).to_owned(),
            range,
            score,
            source_text_hash: entry.read.source_text_hash.clone(),
        })
    }

    /// The documents that the links in `range` of the text of the document at `place` lead to.
    fn links(&self, place: u32, text: &CanonicalText, range: CharRange, linked: &LinkedScores) -> Vec<LinkedDocument> {
        let is_in = |block: &&Block| block.start < range.end && range.start < block.end;
        let mut found: Vec<LinkedDocument> = Vec::new();
        for link in text.blocks().iter().filter(is_in).flat_map(|block| &block.links) {
            let pages = self.page_paths.get_or_init(|| PagePaths::new(self.documents.iter().map(|entry| &*entry.path)));
            let target = pages.resolve(place, &self.documents[place as usize].path, &link.target);
            let link = target.map(|target| LinkedDocument {
                text: link.text.clone(),
                path: self.documents[target as usize].path.clone(),
                score: linked.of(target),
            });
            // A long block may be in several passages.
            found.extend(link.filter(|link| text.slice(range).contains(&link.text) && !found.contains(link)));
            if found.len() == MAX_HIT_LINKS {
                break;
            }
        }
        found
    }
}
