//! What the numbers of a verdict weigh.
//!
//! Fitted on a third of 6,300 rows of public questions over documents of twenty kinds in twelve languages (`tests/bench/questions`), each
//! asked of its own document, of others, and of its own without the passages that answer. A row is answered if its report holds the answer:
//! a question whose answer the report misses is better refused. No number tells what kind of thing is asked: a fit with such numbers only
//! learns which kinds of a set have answers. docs/reading.md has the results on the documents that were kept back. The question sets have
//! no licence to ship them.

/// Weights of the numbers that `measures` returns: those of words, then the typed ones, then those of letters.
const WEIGHTS: [f64; 22] = [
    0.25, 0.03, 0.54, 0.93, 0.6, 1.46, 0.6, 0.41, 0.0, 0.12, 0.53, 0.88, 0.97, -1.53, 1.44, 3.89, -1.86, -0.82, -1.19,
    1.02, 0.2, -0.56,
];
const BIAS: f64 = -2.45;
/// Index of the number for a field that the document asked about does not have: a search need not bring all its fields.
const MISSING_FIELD_AT: usize = 16;
/// Least scores of an answered question: with findings of one document that was given, and of several. The first was chosen on documents
/// that the weights were not fitted on; the second keeps the distance it had.
const THRESHOLDS: [f64; 2] = [0.05, -0.5];
/// The same if documents were searched for: if a passage covers a part of the question, and if none does. Higher, since the best passages
/// of many documents contain words of any question. Chosen on 44 questions over five public repositories, of which 33 are judged right at
/// each value from -0.4 to 0.2; 29 were with weights fitted on questions about papers alone.
const SEARCHED_THRESHOLDS: [f64; 2] = [-0.4, 0.3];
/// Penalty for a word of the question that occurs nowhere in what was searched, and most such words that count.
const UNKNOWN_WORD: f64 = 1.5;
const MOST_UNKNOWN: usize = 2;

/// What a step in cosine similarity of the best finding weighs beside those numbers, the similarity that says nothing, and the most that
/// it may weigh. Fitted with e5-small on 402 rows of seven kinds of the questions above: of those kept back, with a fifth of the answerable
/// ones refused in both cases, 87 instead of 77 of 100 are refused that are asked of another document. The bound is for questions put to
/// many documents, where the nearest of all passages is nearer.
const SIMILARITY_WEIGHT: f64 = 77.0;
/// The similarity that says nothing of whether documents answer, also where another model compared than the one the weight was fitted with.
pub const NEUTRAL_SIMILARITY: f64 = 0.826;
/// See [`SIMILARITY_WEIGHT`].
const MOST_OF_SIMILARITY: f64 = 2.5;

/// Results of a search over many documents for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Searched {
    /// Whether some passage covers a part of it, fully or partly.
    pub is_covered: bool,
    /// Number of its words that occur in no document searched.
    pub unknown_words: usize,
}

impl Searched {
    pub(super) fn loss(self) -> f64 {
        UNKNOWN_WORD * self.unknown_words.min(MOST_UNKNOWN) as f64
    }
}

/// Whether the `numbers` on documents that were given, of one or several, and the `similarity` of the best finding say that they answer.
pub(super) fn says_given(numbers: &[f64], similarity: Option<f64>, is_one: bool) -> bool {
    score(numbers) + of_similarity(similarity) >= THRESHOLDS[usize::from(!is_one)]
}

fn of_similarity(similarity: Option<f64>) -> f64 {
    let weight = |cosine: f64| SIMILARITY_WEIGHT * (cosine - NEUTRAL_SIMILARITY);
    similarity.map_or(0.0, |cosine| weight(cosine).clamp(-MOST_OF_SIMILARITY, MOST_OF_SIMILARITY))
}

/// The same for documents that were searched for.
pub(super) fn says_found(numbers: &[f64], similarity: Option<f64>, searched: Searched) -> bool {
    let missing = numbers.get(MISSING_FIELD_AT).map_or(0.0, |number| number * WEIGHTS[MISSING_FIELD_AT]);
    score(numbers) + of_similarity(similarity) - missing - searched.loss()
        >= SEARCHED_THRESHOLDS[usize::from(!searched.is_covered)]
}

fn score(numbers: &[f64]) -> f64 {
    numbers.iter().zip(WEIGHTS).map(|(number, weight)| number * weight).sum::<f64>() + BIAS
}
