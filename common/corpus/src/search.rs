//! From a question to passages.

use std::collections::BTreeSet;

use precis_distill::chunk::Chunk;
use precis_distill::evidence::contexts;
use precis_proto::source::ContentRef;
use precis_proto::{CharRange, Locator};

use crate::documents::Documents;
use crate::limits::{DEFAULT_HITS, MAX_HITS, MAX_QUERY_CHARS};
use crate::open::Corpus;
use crate::{CorpusError, scores};

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct CorpusQuery<'q> {
    /// Words, or a question.
    pub text: &'q str,
    /// Hits at most, up to [`MAX_HITS`].
    pub limit: usize,
    /// Where.
    pub documents: Documents<'q>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusHit {
    /// Of its document, relative to the folder.
    pub path: String,
    /// The document's own title, or the name of its file.
    pub title: String,
    /// Headings and columns it stands below, outermost first.
    pub headings: Vec<String>,
    /// Characters of the whole text.
    pub range: CharRange,
    /// The same place as a reader cites it.
    pub locator: Locator,
    /// Exactly those characters.
    pub text: String,
    /// Above 0; larger is better. Comparable within one search.
    pub score: f64,
    /// Of the canonical text of the document.
    pub source_text_hash: ContentRef,
}

impl<'q> CorpusQuery<'q> {
    /// A few hits from everywhere.
    #[must_use]
    pub fn new(text: &'q str) -> Self {
        Self { text, limit: DEFAULT_HITS, documents: Documents::All }
    }

    fn check(&self) -> Result<(), CorpusError> {
        let chars = self.text.chars().count();
        if self.text.trim().is_empty() {
            return Err(CorpusError::EmptyQuery);
        }
        for (what, given, limit) in
            [("characters in the query", chars, MAX_QUERY_CHARS), ("hits asked for", self.limit, MAX_HITS)]
        {
            if given > limit {
                return Err(CorpusError::TooMuch { what, given, limit });
            }
        }
        Ok(())
    }
}

impl Corpus {
    /// The passages that speak to a question, best first; ties go by path and place. Empty where no word of the question, nor anything
    /// like one, stands in the folder. Equal contents give equal hits.
    ///
    /// # Errors
    /// [`CorpusError::EmptyQuery`], [`CorpusError::TooMuch`], and [`CorpusError::Unusable`] where the index was damaged meanwhile.
    pub fn search(&self, query: &CorpusQuery<'_>) -> Result<Vec<CorpusHit>, CorpusError> {
        query.check()?;
        let found = scores::best(self, query.text, &query.documents, query.limit)?;
        found.into_iter().map(|scored| self.hit(scored.chunk, scored.score)).collect()
    }

    /// In how many passages a form of `term`, one of [`precis_distill::terms::terms`], stands, and how many passages there are.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] where the index was damaged meanwhile.
    pub fn frequency(&self, term: &str) -> Result<(usize, usize), CorpusError> {
        let met = self.index.meetings(term);
        let mut holding = BTreeSet::new();
        for word in met.whole.iter().chain(&met.forms) {
            let postings = self.index.postings(self.index.fields.words, self.index.vocabulary.word(*word))?;
            holding.extend(postings.into_iter().map(|(chunk, _)| chunk));
        }
        Ok((holding.len(), self.index.chunks))
    }

    fn hit(&self, chunk: u32, score: f64) -> Result<CorpusHit, CorpusError> {
        let place = self.index.owners[chunk as usize];
        let entry = &self.documents[place as usize];
        let text = self.text(place)?;
        let range = self.index.range(chunk)?;
        let above = contexts(&text, &[Chunk { range, page: None }]).pop().unwrap_or_default();
        Ok(CorpusHit {
            path: entry.path.clone(),
            title: entry.read.title.clone(),
            headings: above.into_iter().map(str::to_owned).collect(),
            locator: text.locator(range),
            text: text.slice(range).to_owned(),
            range,
            score,
            source_text_hash: entry.read.source_text_hash.clone(),
        })
    }
}
