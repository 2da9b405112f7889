//! A text ranked once for a query. The few best chunks and the many are taken from the same scores.

use std::collections::BTreeMap;
use std::sync::Arc;

use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, chunks};
use precis_text::terms::{literals, query_words};

use super::matches::{self, Meeting};
use super::order::sort;
use super::ranker::{RankedChunk, Ranker, ranked_chunk};
use super::sensed::rank_with_meaning;
use super::wide::{FORMS_SHARE, neighbours};
use super::{fields, positional, score};
use crate::meaning::Sense;

/// The chunks of one text with their scores for one query, by words and by meaning. It has no text of its own: every method takes the one
/// that was ranked.
///
/// ```
/// use precis_evidence::ranking::{Ranker, TextRanking, rank, rank_widely};
/// use precis_text::CanonicalText;
///
/// let text = CanonicalText::from_plain(&"Glaciers lost a tenth of their ice. Mules are fed by the town. ".repeat(20));
/// let ranking = TextRanking::new(&text, "glacier ice", (Ranker::Bm25, None), 100);
/// assert_eq!(ranking.best(&text, 3), rank(&text, "glacier ice", Ranker::Bm25, 100, 3));
/// assert_eq!(ranking.widely(&text, 99), rank_widely(&text, "glacier ice", Ranker::Bm25, 100, 99));
/// ```
#[derive(Debug, Clone)]
pub struct TextRanking {
    chunks: Arc<[Chunk]>,
    ranker: Ranker,
    terms: Vec<String>,
    /// Whether the query says enough to rank by relevance; otherwise the best chunks are those by position.
    is_telling: bool,
    /// Index and score of the chunks that words find, best first.
    by_words: Vec<(usize, f64)>,
    /// The same by words and meaning; `None` where words alone decide.
    joined: Option<Vec<(usize, f64)>>,
}

impl TextRanking {
    /// Ranks the chunks of about `evidence_max_chars` characters of `text` for `query`. A [`Sense`] counts for [`Ranker::Bm25`] only: the
    /// scores of [`Ranker::Overlap`] are compared between texts, so they stay those of words.
    #[must_use]
    pub fn new(text: &CanonicalText, query: &str, by: (Ranker, Option<Sense<'_>>), evidence_max_chars: usize) -> Self {
        Self::of_chunks(chunks(text, evidence_max_chars).into(), text, query, by)
    }

    /// The same chunks of `text` for another query.
    #[must_use]
    pub fn for_query(&self, text: &CanonicalText, query: &str, sense: Option<Sense<'_>>) -> Self {
        Self::of_chunks(Arc::clone(&self.chunks), text, query, (self.ranker, sense))
    }

    fn of_chunks(
        chunks: Arc<[Chunk]>,
        text: &CanonicalText,
        query: &str,
        (ranker, sense): (Ranker, Option<Sense<'_>>),
    ) -> Self {
        let terms = query_words(query);
        let signs = if ranker == Ranker::Bm25 { literals(query).len() } else { 0 };
        let mut ranking = Self {
            is_telling: terms.len() + signs >= ranker.min_query_terms(),
            chunks,
            ranker,
            terms,
            by_words: Vec::new(),
            joined: None,
        };
        let says_nothing = ranking.terms.is_empty() && signs == 0;
        match (ranker, sense) {
            (Ranker::Overlap, _) if says_nothing => {}
            (Ranker::Overlap, _) => ranking.by_words = ranking.overlap(text, Meeting::Whole),
            (Ranker::Bm25, None) if says_nothing => {}
            (Ranker::Bm25, sense) => {
                let words = fields::word_scores(text, &ranking.chunks, query);
                ranking.joined = sense.and_then(|sense| rank_with_meaning(text, &ranking.chunks, query, &words, sense));
                ranking.by_words = fields::best_first(&words);
            }
        }
        ranking
    }

    /// The best chunks, best first, at most `max`, as [`rank_sensed`](super::rank_sensed) gives them.
    #[must_use]
    pub fn best(&self, text: &CanonicalText, max: usize) -> Vec<RankedChunk> {
        match self.joined.as_ref().filter(|joined| !joined.is_empty()) {
            Some(joined) => self.top_chunks(text, joined, max),
            None => self.best_by_words(text, max),
        }
    }

    /// The best chunks by words alone, as [`rank`](super::rank()) gives them.
    #[must_use]
    pub fn best_by_words(&self, text: &CanonicalText, max: usize) -> Vec<RankedChunk> {
        match self.is_telling {
            true if !self.by_words.is_empty() => self.top_chunks(text, &self.by_words, max),
            // Nothing is found, so no chunk is more relevant than another.
            true => {
                let unmatched: Vec<(usize, f64)> =
                    positional::order(text, &self.chunks).into_iter().map(|(chunk, _)| (chunk, 0.0)).collect();
                self.top_chunks(text, &unmatched, max)
            }
            false => self.top_chunks(text, &positional::order(text, &self.chunks), max),
        }
    }

    /// The chunks that match and those around them, best first, at most `max`, as [`rank_widely_sensed`](super::rank_widely_sensed) gives
    /// them.
    #[must_use]
    pub fn widely(&self, text: &CanonicalText, max: usize) -> Vec<RankedChunk> {
        let mut scores: BTreeMap<usize, f64> = match &self.joined {
            Some(joined) => joined.iter().copied().collect(),
            None => self.by_words.iter().copied().collect(),
        };
        if self.ranker == Ranker::Overlap && !self.terms.is_empty() {
            for (chunk, score) in self.overlap(text, Meeting::Forms) {
                let held = scores.entry(chunk).or_default();
                *held = held.max(score * FORMS_SHARE);
            }
        }
        for (chunk, score) in neighbours(&scores, self.chunks.len()) {
            scores.entry(chunk).or_insert(score);
        }
        let mut order: Vec<(usize, f64)> = scores.into_iter().collect();
        sort(&mut order);
        self.top_chunks(text, &order, max)
    }

    /// Chunks with at least one term, scored by overlap, best first.
    fn overlap(&self, text: &CanonicalText, meeting: Meeting) -> Vec<(usize, f64)> {
        let all = matches::count(text, &self.chunks, &self.terms, meeting);
        let mut order: Vec<(usize, f64)> =
            all.chunks.iter().map(|found| (found.chunk, score::overlap(found, &all))).collect();
        sort(&mut order);
        order
    }

    fn top_chunks(&self, text: &CanonicalText, order: &[(usize, f64)], max: usize) -> Vec<RankedChunk> {
        order.iter().take(max).map(|(chunk, score)| ranked_chunk(text, &self.chunks[*chunk], *score)).collect()
    }
}
