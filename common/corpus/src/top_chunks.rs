//! The best chunks of a search, and the least score that can still become one of them.

use crate::open_index::OpenIndex;

/// Scores are rounded to multiples of its inverse; equal ones are ordered by position.
const RESOLUTION: f64 = 1e9;
/// Difference of two scores beyond rounding, and beyond what another order of additions changes.
const MARGIN: f64 = 1e-6;
const NEIGHBOUR_WEIGHT: f64 = 0.2;

/// A chunk with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredChunk {
    pub(crate) chunk: u32,
    pub(crate) score: f64,
}

/// A chunk with its own score and those of its neighbours in the same document; 0 if there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredNear {
    pub(crate) chunk: u32,
    pub(crate) own: f64,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

impl ScoredNear {
    /// Returns the score including neighbours: next to a good match, a chunk is more likely to contain the answer.
    pub(crate) fn total(&self) -> f64 {
        self.own + NEIGHBOUR_WEIGHT * self.before.max(self.after)
    }

    fn scored_chunk(&self) -> ScoredChunk {
        ScoredChunk { chunk: self.chunk, score: self.total() }
    }
}

/// The best chunks so far.
pub(crate) struct TopChunks<'c> {
    index: &'c OpenIndex,
    limit: usize,
    /// The best ones and some that may be worse.
    found: Vec<ScoredNear>,
    /// The total of the worst of the best, once there are enough.
    floor: Option<f64>,
}

impl<'c> TopChunks<'c> {
    pub(crate) fn new(index: &'c OpenIndex, limit: usize) -> Self {
        Self { index, limit, found: Vec::new(), floor: None }
    }

    /// Returns the least own score of a chunk that makes itself or a neighbour one of the best; `None` if any score may. If a chunk and
    /// both neighbours are below it, the total of the chunk, at most 1.2 times the largest of the three, is too small.
    pub(crate) fn least(&self) -> Option<f64> {
        self.floor.map(|floor| (floor - MARGIN) / (1.0 + NEIGHBOUR_WEIGHT))
    }

    pub(crate) fn offer(&mut self, scored: ScoredNear) {
        if self.floor.is_some_and(|floor| scored.total() < floor - MARGIN) {
            return;
        }
        self.found.push(scored);
        // A selection takes linear time, so one for every `limit` chunks costs a constant time per chunk, without a heap.
        if self.found.len() >= 2 * self.limit {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        if self.found.len() > self.limit {
            let index = self.index;
            self.found.select_nth_unstable_by(self.limit, |a, b| order(index, &a.scored_chunk(), &b.scored_chunk()));
            self.found.truncate(self.limit);
        }
        // With fewer there is room for any chunk, whatever its score.
        if self.found.len() == self.limit {
            self.floor = self.found.iter().map(ScoredNear::total).min_by(f64::total_cmp);
        }
    }

    /// Returns the best chunks, unsorted.
    pub(crate) fn into_best(mut self) -> Vec<ScoredNear> {
        self.keep_best();
        self.found
    }
}

/// The own scores of the best chunks and their neighbours, to which detailed scores are added.
pub(crate) struct NearScores {
    /// Ascending chunks.
    scores: Vec<ScoredChunk>,
    /// Ascending chunks as well.
    best: Vec<ScoredNear>,
}

impl NearScores {
    pub(crate) fn new(mut best: Vec<ScoredNear>) -> Self {
        best.sort_unstable_by_key(|near| near.chunk);
        let scores = best.iter().map(|near| ScoredChunk { chunk: near.chunk, score: near.own }).collect();
        Self { scores, best }
    }

    /// Returns the best chunks with their totals.
    pub(crate) fn best(&self) -> Vec<ScoredChunk> {
        self.best.iter().map(ScoredNear::scored_chunk).collect()
    }

    /// Returns the best chunks, ascending.
    pub(crate) fn chunks(&self) -> Vec<u32> {
        self.best.iter().map(|near| near.chunk).collect()
    }

    /// Adds to the score of one of the best chunks.
    pub(crate) fn add(&mut self, chunk: u32, score: f64) {
        if let Ok(at) = self.scores.binary_search_by_key(&chunk, |scored| scored.chunk) {
            self.scores[at].score += score;
        }
    }

    /// Returns the best chunks with their totals, in which detailed scores of neighbours are included.
    pub(crate) fn totals(&self, index: &OpenIndex) -> Vec<ScoredChunk> {
        let near = self.best.iter().enumerate().map(|(at, near)| {
            let owner = index.owners[near.chunk as usize];
            // The neighbours may be among the best, where they are adjacent in the list too.
            let score = |at: Option<usize>, chunk: Option<u32>, otherwise: f64| {
                let found = at.and_then(|at| self.scores.get(at)).filter(|scored| Some(scored.chunk) == chunk);
                found.filter(|scored| index.owners[scored.chunk as usize] == owner).map_or(otherwise, |s| s.score)
            };
            let before = score(at.checked_sub(1), near.chunk.checked_sub(1), near.before);
            let after = score(Some(at + 1), near.chunk.checked_add(1), near.after);
            ScoredNear { own: self.scores[at].score, before, after, ..*near }.scored_chunk()
        });
        near.collect()
    }
}

pub(crate) fn sort(index: &OpenIndex, found: &mut [ScoredChunk]) {
    // An unstable sort gives one result: the order never treats two chunks as equal.
    found.sort_unstable_by(|a, b| order(index, a, b));
}

/// Orders chunks best first; ties by path, then by position in the document.
fn order(index: &OpenIndex, a: &ScoredChunk, b: &ScoredChunk) -> std::cmp::Ordering {
    let key = |scored: &ScoredChunk| {
        let rounded = (scored.score * RESOLUTION).round() as u64;
        (std::cmp::Reverse(rounded), index.owners[scored.chunk as usize], scored.chunk)
    };
    key(a).cmp(&key(b))
}
