//! Scores chunks for a question: BM25 over several fields, as in the evidence ranker, over all chunks of a corpus.
//!
//! Each field has its own score and weight. Statistics count only chunks that are not removed, so the same files give the same scores,
//! whatever was added and removed before. Function words, the first use of a term and literals are scored for the best chunks only.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use precis_distill::research::NamedThings;
use precis_distill::terms::{count_literal, for_each_word, is_term, literals, query_terms};
use tantivy::schema::Field;

use crate::CorpusError;
use crate::documents::Documents;
use crate::limits::MAX_QUERY_TERMS;
use crate::open::Corpus;
use crate::open_index::{Meetings, NOBODY, OpenIndex};

/// Saturation of repeated terms, and weight of the length of a chunk: lower than usual for whole documents, because chunks have similar
/// lengths. Compared with the usual 1.2 and 0.75: over 98 papers, the document with the answer is among the first five for 0.910
/// instead of 0.904 of 963 questions; over 736 proposals, both documents are for 0.66 instead of 0.58 of 87 questions; for paragraphs in
/// four languages nothing changes.
const K1: f64 = 0.9;
const B: f64 = 0.5;
/// Weights of the fields, as within one document; see `precis_distill::evidence`.
const FORMS_WEIGHT: f64 = 0.6;
const KIN_WEIGHT: f64 = 0.7;
const CHARACTERS_WEIGHT: f64 = 0.3;
const FUNCTION_WORDS_WEIGHT: f64 = 0.2;
const NAMES_WEIGHT: f64 = 0.3;
/// Twice the weight used within one document: here it also separates documents that introduce a term from those that only repeat it.
const FIRST_WEIGHT: f64 = 0.2;
const NEIGHBOUR_WEIGHT: f64 = 0.2;
/// Weight of a term in the title or file name of its document. The same as for headings; the test questions have documents without titles.
const TITLE_WEIGHT: f64 = 0.3;
/// Factor for the chunks of a document whose title begins with a name in the question, as in "What is PEP 8 about?": other documents
/// mention the name more often. Chosen, not measured.
const NAMED_TIMES: f64 = 3.0;
/// Fewest chunks that are scored in detail.
const CLOSER: usize = 400;
/// Most chunks whose text is read for literals.
const READ: usize = 100;
/// Scores are rounded to multiples of its inverse; equal ones are ordered by position.
const RESOLUTION: f64 = 1e9;

/// A chunk with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredChunk {
    pub(crate) chunk: u32,
    pub(crate) score: f64,
}

/// Returns the chunks of `documents` that match a term of `query` or something similar; best first, at most `limit`.
pub(crate) fn best(
    corpus: &Corpus,
    query: &str,
    documents: &Documents<'_>,
    limit: usize,
) -> Result<Vec<ScoredChunk>, CorpusError> {
    let index = &corpus.index;
    let asked = QueryWords::new(query);
    let is_wanted: Vec<bool> = corpus.documents.iter().map(|entry| documents.hold(&entry.path)).collect();
    let is_wanted = |chunk: u32| is_wanted.get(index.owners[chunk as usize] as usize) == Some(&true);
    let mut sums = ChunkScores::new(index);
    let firsts = sums.terms(&asked)?;
    sums.raise(&named(corpus, query));
    let mut found = sums.best(CLOSER.max(2 * limit), is_wanted);
    // Sorted before the detailed scores: literals are read in the best chunks only.
    sort(index, &mut found);
    closer(corpus, &asked, &firsts, &mut sums, &found)?;
    for scored in &mut found {
        scored.score = sums.with_neighbours(scored.chunk);
    }
    sort(index, &mut found);
    found.truncate(limit);
    Ok(found)
}

/// Returns the positions of the documents that `query` names.
fn named(corpus: &Corpus, query: &str) -> BTreeSet<u32> {
    let names = NamedThings::of_question(query);
    if names.is_empty() {
        return BTreeSet::new();
    }
    let keys = (0_u32..).zip(corpus.title_keys());
    keys.filter(|(_, key)| key.as_deref().is_some_and(|key| names.include(key))).map(|(at, _)| at).collect()
}

/// The words of a question to search for.
struct QueryWords {
    terms: Vec<String>,
    /// The other words: they only decide between similar chunks.
    function_words: Vec<String>,
    literals: Vec<String>,
}

impl QueryWords {
    fn new(query: &str) -> Self {
        let mut terms = query_terms(query);
        let literals = literals(query);
        let mut function_words: Vec<String> = Vec::new();
        let normal = precis_distill::text::normalize(query);
        for_each_word(&normal, |word| {
            if !terms.iter().chain(&function_words).any(|held| held == word) {
                function_words.push(word.to_owned());
            }
        });
        // `C++` can only be found by its letter, which is too short to be a term otherwise.
        for literal in &literals {
            for_each_word(literal, |word| {
                if !is_term(word) && !terms.iter().any(|held| held == word) {
                    terms.push(word.to_owned());
                }
            });
        }
        function_words.retain(|word| !terms.contains(word));
        terms.truncate(MAX_QUERY_TERMS);
        function_words.truncate(MAX_QUERY_TERMS);
        Self { terms, function_words, literals }
    }
}

/// The postings of a term, from which its first chunk in a document is found, and its rarity.
struct FirstChunks {
    postings: Vec<(u32, u32)>,
    rarity: f64,
}

/// Reads the postings of the words that meet a term; most of them meet it in several ways and are read only once.
struct PostingsReader<'c> {
    index: &'c OpenIndex,
    known: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl<'c> PostingsReader<'c> {
    fn new(index: &'c OpenIndex) -> Self {
        Self { index, known: BTreeMap::new() }
    }

    fn postings(&mut self, word: Option<u32>) -> Result<&[(u32, u32)], CorpusError> {
        let Some(word) = word else { return Ok(&[]) };
        match self.known.entry(word) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                Ok(new.insert(self.index.postings(self.index.fields.words, self.index.vocabulary.word(word))?))
            }
        }
    }
}

/// The scores of all chunks while they are summed up.
struct ChunkScores<'c> {
    index: &'c OpenIndex,
    scores: Vec<f64>,
    /// Counts of the current field; all 0 between two fields.
    counts: Vec<f64>,
    touched: Vec<u32>,
}

impl<'c> ChunkScores<'c> {
    fn new(index: &'c OpenIndex) -> Self {
        let chunks = index.owners.len();
        Self { index, scores: vec![0.0; chunks], counts: vec![0.0; chunks], touched: Vec::new() }
    }

    /// Adds the scores of terms, kin, forms and characters, and of headings and titles.
    fn terms(&mut self, asked: &QueryWords) -> Result<Vec<FirstChunks>, CorpusError> {
        let index = self.index;
        let mut firsts = Vec::with_capacity(asked.terms.len());
        let mut lifts: Vec<(u32, f64)> = Vec::new();
        for term in &asked.terms {
            let met = index.meetings(term);
            let mut read = PostingsReader::new(index);
            let postings = read.postings(met.whole)?.to_vec();
            self.count(&postings, 1.0);
            let rarity = self.add(1.0);
            firsts.push(FirstChunks { postings, rarity });
            for (word, worth) in &met.kin {
                self.count(read.postings(Some(*word))?, *worth);
            }
            self.add(KIN_WEIGHT);
            for word in &met.forms {
                self.count(read.postings(Some(*word))?, 1.0);
            }
            self.above(&met, &mut lifts)?;
            self.add(FORMS_WEIGHT);
            self.title(&met, &mut lifts)?;
        }
        let mut han: BTreeSet<char> = asked.terms.iter().flat_map(|term| term.chars()).collect();
        han.retain(|c| index.vocabulary.holding(*c).next().is_some());
        for character in han {
            for word in index.vocabulary.holding(character) {
                self.count(&index.postings(index.fields.words, index.vocabulary.word(word))?, 0.5);
            }
            self.add(CHARACTERS_WEIGHT);
        }
        for (chunk, lift) in lifts {
            let score = &mut self.scores[chunk as usize];
            // A heading or title raises the score of a chunk that was found otherwise, but never finds one.
            if *score > 0.0 {
                *score += lift;
            }
        }
        Ok(firsts)
    }

    /// Raises the scores of the chunks of `documents`.
    fn raise(&mut self, documents: &BTreeSet<u32>) {
        for document in documents {
            // The chunks of a document are adjacent.
            let mut at = self.index.firsts[*document as usize] as usize;
            while self.index.owners.get(at) == Some(document) {
                self.scores[at] *= NAMED_TIMES;
                at += 1;
            }
        }
    }

    fn count(&mut self, postings: &[(u32, u32)], worth: f64) {
        for (chunk, times) in postings {
            let count = &mut self.counts[*chunk as usize];
            if *count == 0.0 {
                self.touched.push(*chunk);
            }
            *count += worth * f64::from(*times);
        }
    }

    /// Adds the score of the current field and resets its counts; returns its rarity.
    fn add(&mut self, weight: f64) -> f64 {
        let rarity = rarity(self.index.chunks, self.touched.len());
        for chunk in self.touched.drain(..) {
            let at = chunk as usize;
            let length = 1.0 - B + B * f64::from(self.index.lengths[at]) / self.index.mean;
            self.scores[at] += weight * rarity * saturated(self.counts[at], length);
            self.counts[at] = 0.0;
        }
        rarity
    }

    /// Collects how much a term in the headings above raises chunks. The forms of the term have to be counted already: its rarity depends
    /// on the chunks that contain it or are below such a heading.
    fn above(&mut self, met: &Meetings, lifts: &mut Vec<(u32, f64)>) -> Result<(), CorpusError> {
        let named = self.holding(self.index.fields.names, met)?;
        let only = named.iter().filter(|chunk| self.counts[**chunk as usize] == 0.0).count();
        let lift = NAMES_WEIGHT * rarity(self.index.chunks, self.touched.len() + only);
        lifts.extend(named.into_iter().map(|chunk| (chunk, lift)));
        Ok(())
    }

    /// Collects how much a term in the title raises chunks; its rarity depends on the number of such titles.
    fn title(&self, met: &Meetings, lifts: &mut Vec<(u32, f64)>) -> Result<(), CorpusError> {
        let titled = self.holding(self.index.fields.title, met)?;
        let owner = |chunk: u32| self.index.owners[chunk as usize];
        // The chunks of a document are adjacent.
        let documents = titled.chunk_by(|a, b| owner(*a) == owner(*b)).count();
        let lift = TITLE_WEIGHT * rarity(self.index.firsts.len(), documents);
        lifts.extend(titled.into_iter().map(|chunk| (chunk, lift)));
        Ok(())
    }

    /// Returns the chunks with a form of a term in `field`, in order.
    fn holding(&self, field: Field, met: &Meetings) -> Result<Vec<u32>, CorpusError> {
        let mut found: Vec<u32> = Vec::new();
        for word in &met.forms {
            let postings = self.index.postings(field, self.index.vocabulary.word(*word))?;
            found.extend(postings.into_iter().map(|(chunk, _)| chunk));
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Returns the score of a chunk including its neighbours: next to a good match, a chunk is more likely to contain the answer.
    fn with_neighbours(&self, chunk: u32) -> f64 {
        let at = chunk as usize;
        let owner = self.index.owners[at];
        let score = |at: usize| if self.index.owners.get(at) == Some(&owner) { self.scores[at] } else { 0.0 };
        let neighbour = at.checked_sub(1).map_or(0.0, score).max(score(at + 1));
        self.scores[at] + NEIGHBOUR_WEIGHT * neighbour
    }

    /// Returns the best chunks so far, unsorted.
    fn best(&self, limit: usize, is_wanted: impl Fn(u32) -> bool) -> Vec<ScoredChunk> {
        let found =
            (0..self.scores.len() as u32).filter(|chunk| self.scores[*chunk as usize] > 0.0 && is_wanted(*chunk));
        let mut found: Vec<ScoredChunk> =
            found.map(|chunk| ScoredChunk { chunk, score: self.with_neighbours(chunk) }).collect();
        if found.len() > limit {
            found.select_nth_unstable_by(limit, |a, b| order(self.index, a, b));
            found.truncate(limit);
        }
        found
    }
}

/// Adds the detailed scores to `found`: function words, the first use of a term, literals.
fn closer(
    corpus: &Corpus,
    asked: &QueryWords,
    firsts: &[FirstChunks],
    sums: &mut ChunkScores<'_>,
    found: &[ScoredChunk],
) -> Result<(), CorpusError> {
    let index = &corpus.index;
    let mut chunks: Vec<u32> = found.iter().map(|scored| scored.chunk).collect();
    chunks.sort_unstable();
    for word in &asked.function_words {
        let (count, postings) = index.postings_at(index.fields.words, word, &chunks)?;
        let rarity = rarity(index.chunks, count);
        for (chunk, times) in postings {
            let at = chunk as usize;
            let length = 1.0 - B + B * f64::from(index.lengths[at]) / index.mean;
            sums.scores[at] += FUNCTION_WORDS_WEIGHT * rarity * saturated(f64::from(times), length);
        }
    }
    for FirstChunks { postings, rarity } in firsts {
        for scored in found {
            let first = index.firsts[index.owners[scored.chunk as usize] as usize];
            let at = postings.partition_point(|(chunk, _)| *chunk < first);
            if postings.get(at).is_some_and(|(chunk, _)| *chunk == scored.chunk) {
                sums.scores[scored.chunk as usize] += FIRST_WEIGHT * rarity;
            }
        }
    }
    written(corpus, &asked.literals, sums, &found[..found.len().min(READ)])
}

/// Adds the BM25 scores of literals, counted verbatim in the found chunks, all treated as of mean length.
fn written(
    corpus: &Corpus,
    literals: &[String],
    sums: &mut ChunkScores<'_>,
    found: &[ScoredChunk],
) -> Result<(), CorpusError> {
    let index = &corpus.index;
    if literals.is_empty() {
        return Ok(());
    }
    let mut counts = vec![Vec::with_capacity(found.len()); literals.len()];
    for scored in found {
        let text = corpus.text(index.owners[scored.chunk as usize])?;
        let slice = text.slice(index.range(scored.chunk));
        for (literal, counts) in literals.iter().zip(&mut counts) {
            counts.push(count_literal(slice, literal));
        }
    }
    for counts in counts {
        let rarity = rarity(index.chunks, counts.iter().filter(|count| **count > 0).count());
        for (scored, count) in found.iter().zip(counts) {
            sums.scores[scored.chunk as usize] += rarity * saturated(f64::from(count), 1.0);
        }
    }
    Ok(())
}

/// Returns the inverse document frequency, in the variant that is never negative.
fn rarity(all: usize, frequency: usize) -> f64 {
    let (all, frequency) = (all as f64, frequency as f64);
    ((all - frequency + 0.5) / (frequency + 0.5)).ln_1p()
}

fn saturated(count: f64, length: f64) -> f64 {
    count * (K1 + 1.0) / (count + K1 * length)
}

fn sort(index: &OpenIndex, found: &mut [ScoredChunk]) {
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

const _: () = assert!(NOBODY == u32::MAX, "no document has the number of nobody");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_terms_are_searched_as_the_limit_says() {
        for (given, taken) in [
            (MAX_QUERY_TERMS - 1, MAX_QUERY_TERMS - 1),
            (MAX_QUERY_TERMS, MAX_QUERY_TERMS),
            (MAX_QUERY_TERMS + 1, MAX_QUERY_TERMS),
        ] {
            let query: String = (0..given).map(|n| format!("word{n} ")).collect();
            assert_eq!(QueryWords::new(&query).terms.len(), taken);
        }
    }

    #[test]
    fn a_question_is_asked_by_its_terms_and_what_it_writes_with_symbols_by_its_letters() {
        let asked = QueryWords::new("What is C++ in the WHO?");
        assert_eq!((asked.terms, asked.literals), (vec!["who".to_owned(), "c".to_owned()], vec!["c++".to_owned()]));
        assert_eq!(asked.function_words, ["what", "is", "in", "the"]);
    }

    #[test]
    fn rarity_falls_with_frequency_and_never_below_zero() {
        let found: Vec<f64> = [0, 1, 10, 100].into_iter().map(|frequency| rarity(100, frequency)).collect();
        assert!(found.windows(2).all(|pair| pair[0] > pair[1]) && found[3] > 0.0, "{found:?}");
    }
}
