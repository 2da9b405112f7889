//! Sums up the scores of chunks, one window of adjacent chunks after the other.
//!
//! A window is small enough for the processor's cache. Once there are enough good chunks, the postings of rare terms are read first; with
//! the most that the other terms can add, they show which chunks of the window can still become one of the best. Only those are summed
//! up, and if there are none, the postings of the other terms are skipped. Every sum is made in the order of the question, so that
//! skipping changes no score.
//!
//! This is MaxScore (Turtle and Flood, "Query Evaluation: Strategies and Optimizations", 1995), by windows instead of by documents. Its
//! invariant is that no score exceeds its bound; that skipping changes no result is the law in `tests/skipping`.

use std::ops::Range;

use crate::CorpusError;
use crate::bm25::{LengthNorms, saturation};
use crate::chunk_set::ChunkSet;
use crate::met_term::MetWord;
use crate::open_index::{NOBODY, OpenIndex, OpenSegment};
use crate::term_postings::TermPostings;
use crate::term_words::ScoredTerm;
use crate::top_chunks::{ScoredNear, TopChunks};
use crate::window_postings::Posting;

/// Chunks of a window: its scores, bounds and counts take 80 kB.
pub(crate) const WINDOW: u32 = 2048;
/// Chunks at each end of a window that are only neighbours: a chunk that may be good makes its neighbours candidates, whose scores
/// include those of their own neighbours.
const REACH: u32 = 2;
/// Share of the least score that the terms left for later may add. More leaves longer postings unread, but excludes fewer chunks.
const LATER_SHARE: f64 = 0.5;
/// Factor for the chunks of a document whose title begins with a name in the question, as in "What is PEP 8 about?": other documents
/// mention the name more often. Chosen, not measured.
const NAMED_TIMES: f64 = 3.0;

/// What is searched for.
pub(crate) struct Wanted<'q> {
    /// In the order of the question.
    pub(crate) terms: &'q [ScoredTerm],
    /// Positions of the documents that the question names, ascending.
    pub(crate) named: &'q [u32],
    /// Whether each document may be found.
    pub(crate) documents: &'q [bool],
}

/// The occurrences of a chunk's words that meet a term.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    whole: f64,
    kin: f64,
    forms: f64,
}

/// The scores of one window.
pub(crate) struct Windows<'q> {
    index: &'q OpenIndex,
    wanted: &'q Wanted<'q>,
    /// Chunks of a window.
    window: u32,
    norms: LengthNorms,
    /// Chunks of the documents that the question names.
    named: Vec<Range<u32>>,
    /// The terms, those with the smallest bound first, each with its bound.
    by_bound: Vec<(usize, f64)>,
    scores: Vec<f64>,
    bounds: Vec<f64>,
    /// Counts of the current term; all 0 between two terms.
    counts: Vec<Counts>,
    touched: ChunkSet,
}

impl<'q> Windows<'q> {
    /// Windows of `window` chunks, more than four.
    pub(crate) fn new(index: &'q OpenIndex, wanted: &'q Wanted<'q>, window: u32) -> Self {
        let mut by_bound: Vec<(usize, f64)> = wanted.terms.iter().map(ScoredTerm::bound).enumerate().collect();
        by_bound.sort_by(|a, b| a.1.total_cmp(&b.1));
        debug_assert!(window > 2 * REACH, "a window has chunks that are not at its ends");
        let chunks = window as usize;
        Self {
            index,
            wanted,
            window,
            norms: LengthNorms::new(index.mean),
            named: chunks_of(index, wanted.named),
            by_bound,
            scores: vec![0.0; chunks],
            bounds: vec![0.0; chunks],
            counts: vec![Counts::default(); chunks],
            touched: ChunkSet::new(window),
        }
    }

    /// Offers the chunks of a segment to `top`.
    pub(crate) fn scan(&mut self, segment: &OpenSegment, top: &mut TopChunks<'_>) -> Result<(), CorpusError> {
        let terms = self.wanted.terms.iter().map(|term| TermPostings::open(self.index, segment, term));
        let mut terms = terms.collect::<Result<Vec<_>, _>>()?;
        let chunks = segment.reader.max_doc();
        // Windows overlap by both their ends, so that every chunk is an inner one of exactly one window and is offered once.
        let mut start = 0;
        loop {
            let window = start..chunks.min(start + self.window);
            let from = if start == 0 { 0 } else { REACH };
            let to = window.len() as u32 - if window.end == chunks { 0 } else { REACH };
            self.window(segment.base, &window, from..to, &mut terms, top);
            if window.end == chunks {
                return Ok(());
            }
            start += self.window - 2 * REACH;
        }
    }

    /// Offers the chunks of a window, of which those in `inner` have all their neighbours in it.
    fn window(
        &mut self,
        base: u32,
        window: &Range<u32>,
        inner: Range<u32>,
        terms: &mut [TermPostings],
        top: &mut TopChunks<'_>,
    ) {
        let mut good = ChunkSet::new(self.window);
        match top.least() {
            Some(least) => self.possible(base, window, terms, least, &mut good),
            None => good.fill(window.len() as u32),
        }
        if good.is_empty() {
            return;
        }
        let (mut candidates, mut summed) = (ChunkSet::new(self.window), ChunkSet::new(self.window));
        candidates.widen(&good);
        summed.widen(&candidates);
        self.sum(base, window, &summed, terms);
        let owner = |at: u32| self.index.owners.get((base + window.start + at) as usize);
        for at in candidates.iter().filter(|at| inner.contains(at)) {
            let Some(document) = owner(at) else { continue };
            let own = self.scores[at as usize];
            if own > 0.0 && self.wanted.documents.get(*document as usize) == Some(&true) {
                let near = |at: Option<u32>| {
                    let at = at.filter(|at| *at < window.len() as u32 && owner(*at) == Some(document));
                    at.map_or(0.0, |at| self.scores[at as usize])
                };
                let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
                top.offer(ScoredNear { chunk: base + window.start + at, own, before, after });
            }
        }
    }

    /// Collects the chunks whose score may be at least `least`.
    fn possible(
        &mut self,
        base: u32,
        window: &Range<u32>,
        terms: &mut [TermPostings],
        least: f64,
        good: &mut ChunkSet,
    ) {
        // The terms with the smallest bounds, as a rule the most frequent words with the longest postings, can be left for later: all of
        // them together lift no chunk by more than `rest`, so a chunk is found without them if the others bring it near enough.
        let (mut later, mut rest) = (0, 0.0);
        for (_, bound) in &self.by_bound {
            if rest + bound > LATER_SHARE * least {
                break;
            }
            rest += bound;
            later += 1;
        }
        self.bounds.fill(rest);
        let lengths = &self.index.lengths[base as usize..];
        for (at, _) in &self.by_bound[later..] {
            let norm = |chunk: u32| self.norms.norm(lengths[chunk as usize]);
            terms[*at].bound(&self.wanted.terms[*at], window, norm, &mut self.bounds);
        }
        times_named(&self.named, base + window.start, &mut self.bounds);
        for (bound, at) in self.bounds[..window.len()].iter().zip(0..) {
            if *bound >= least {
                good.insert(at);
            }
        }
    }

    /// Sums up the scores of the chunks in `summed`.
    fn sum(&mut self, base: u32, window: &Range<u32>, summed: &ChunkSet, terms: &mut [TermPostings]) {
        self.scores.fill(0.0);
        for (term, postings) in self.wanted.terms.iter().zip(&mut *terms) {
            for (met, postings) in &mut postings.words {
                self.count(met, postings.within(window), window.start, summed);
            }
            self.add(term, base + window.start);
        }
        // After the words of every term, because a heading or title lifts only a chunk that some word has found.
        for (term, postings) in self.wanted.terms.iter().zip(terms) {
            for (lift, postings) in [(term.heading, &mut postings.headings), (term.title, &mut postings.titles)] {
                for postings in postings {
                    self.touch(postings.within(window), window.start, summed);
                }
                self.lift(lift);
            }
        }
        times_named(&self.named, base + window.start, &mut self.scores);
    }

    fn count(&mut self, met: &MetWord, postings: &[Posting], start: u32, summed: &ChunkSet) {
        for posting in postings {
            let at = posting.chunk - start;
            if summed.holds(at) {
                let (times, counts) = (f64::from(posting.times), &mut self.counts[at as usize]);
                counts.whole += met.whole * times;
                counts.kin += met.kin * times;
                counts.forms += met.form * times;
                self.touched.insert(at);
            }
        }
    }

    fn touch(&mut self, postings: &[Posting], start: u32, summed: &ChunkSet) {
        for at in postings.iter().map(|posting| posting.chunk - start) {
            if summed.holds(at) {
                self.touched.insert(at);
            }
        }
    }

    /// Adds the score of the current term and resets its counts.
    fn add(&mut self, term: &ScoredTerm, start: u32) {
        for at in self.touched.iter() {
            let counts = std::mem::take(&mut self.counts[at as usize]);
            let norm = self.norms.norm(self.index.lengths[(start + at) as usize]);
            let score = &mut self.scores[at as usize];
            // Equal counts saturate alike: one division serves all of them.
            let once = saturation(counts.kin, norm);
            let other = |count: f64| if count == counts.kin { once } else { saturation(count, norm) };
            *score += term.whole * other(counts.whole);
            *score += term.kin * once;
            *score += term.forms * other(counts.forms);
        }
        self.touched.clear();
    }

    /// Raises the scores of the touched chunks by `lift`. It raises a chunk that was found otherwise, but never finds one.
    fn lift(&mut self, lift: f64) {
        for at in self.touched.iter() {
            let score = &mut self.scores[at as usize];
            if *score > 0.0 {
                *score += lift;
            }
        }
        self.touched.clear();
    }
}

/// Returns the chunks of the `named` documents.
fn chunks_of(index: &OpenIndex, named: &[u32]) -> Vec<Range<u32>> {
    let firsts = named.iter().map(|document| index.firsts[*document as usize]).filter(|first| *first != NOBODY);
    // The chunks of a document are adjacent.
    let end = |first: u32| {
        let owners = &index.owners[first as usize..];
        first + owners.iter().take_while(|owner| **owner == owners[0]).count() as u32
    };
    firsts.map(|first| first..end(first)).collect()
}

/// Raises the scores of the chunks of a window, which begins at `start`, that are among `named`.
fn times_named(named: &[Range<u32>], start: u32, scores: &mut [f64]) {
    let end = start + scores.len() as u32;
    for chunks in named.iter().filter(|chunks| chunks.start < end && start < chunks.end) {
        let (from, to) = (chunks.start.max(start) - start, chunks.end.min(end) - start);
        scores[from as usize..to as usize].iter_mut().for_each(|score| *score *= NAMED_TIMES);
    }
}
