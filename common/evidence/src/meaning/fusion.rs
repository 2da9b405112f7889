//! Scores by words and scores by meaning, as one.
//!
//! `words / the most they could have been + ½ · where the cosine lies between the lowest and the highest`. The first part shrinks by
//! itself where few of the question's words were found, and then the vectors decide; where all were found they only order. Ranks are not
//! joined: the lists of words and of meaning are of different worth from question to question, and reciprocal ranks forget that.

/// Weight of meaning beside words. Chosen on sets of questions that are not in this repository; 1 finds a little more in short texts, and
/// less in those of more than sixty passages.
const MEANING_WEIGHT: f64 = 0.5;
/// How much of the most a score by words is seldom passes even where all words were found: a word that occurs once, in a passage of
/// mean length, has 1 / 2.2 of what a word can have.
const FULL_SHARE: f64 = 0.5;

/// Scores by words.
#[derive(Debug, Clone, PartialEq)]
pub struct WordScores {
    /// One a passage; 0 where no word was found.
    pub scores: Vec<f64>,
    /// The most that the question's words could have got: all of them found, without end.
    pub most: f64,
}

/// One score a passage, at least 0, the best one 1; all 0 if there is nothing to go by. `cosines` has one entry a passage, `None` for
/// those without a vector, which count as the furthest. Without any vector these are the scores by words divided by the best one.
#[must_use]
pub fn fuse(words: &WordScores, cosines: &[Option<f64>]) -> Vec<f64> {
    let known = || cosines.iter().copied().flatten();
    fused_within(words, cosines, (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max)))
}

/// As [`fuse`], for some of the passages that were compared: `low` and `high` are the lowest and the highest cosine of all of them.
#[must_use]
pub fn fused_within(words: &WordScores, cosines: &[Option<f64>], (low, high): (f64, f64)) -> Vec<f64> {
    let best = words.scores.iter().copied().fold(0.0, f64::max);
    let covered = if words.most > 0.0 { (best / (words.most * FULL_SHARE)).min(1.0) } else { 0.0 };
    let near = |cosine: Option<f64>| match cosine {
        Some(cosine) if high > low => (cosine - low) / (high - low),
        _ => 0.0,
    };
    let by_words = |score: f64| if best > 0.0 { covered * score / best } else { 0.0 };
    let of = |at: usize| by_words(words.scores[at]) + MEANING_WEIGHT * near(cosines.get(at).copied().flatten());
    let joined: Vec<f64> = (0..words.scores.len()).map(of).collect();
    let most = joined.iter().copied().fold(0.0, f64::max);
    joined.into_iter().map(|score| if most > 0.0 { score / most } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(scores: &[f64], most: f64, cosines: &[Option<f64>]) -> Vec<usize> {
        let joined = fuse(&WordScores { scores: scores.to_vec(), most }, cosines);
        let mut order: Vec<usize> = (0..joined.len()).collect();
        order.sort_by(|a, b| joined[*b].total_cmp(&joined[*a]));
        order
    }

    #[test]
    fn where_all_words_are_found_words_decide() {
        assert_eq!(order(&[8.0, 1.0, 0.0], 10.0, &[Some(0.80), Some(0.82), Some(0.9)]), [0, 2, 1]);
    }

    #[test]
    fn where_few_words_are_found_meaning_decides() {
        assert_eq!(order(&[0.5, 0.2, 0.0], 10.0, &[Some(0.80), Some(0.82), Some(0.9)]), [2, 1, 0]);
    }

    #[test]
    fn without_vectors_the_order_is_that_of_the_words() {
        let words = WordScores { scores: vec![1.0, 4.0, 2.0], most: 100.0 };
        assert_eq!(fuse(&words, &[None; 3]), [0.25, 1.0, 0.5]);
        assert_eq!(fuse(&words, &[Some(0.7), None, None]), [0.25, 1.0, 0.5], "one vector alone says nothing");
    }

    #[test]
    fn what_has_no_vector_counts_as_the_furthest_and_nothing_gives_nothing() {
        assert_eq!(order(&[0.0, 0.0, 0.0], 10.0, &[None, Some(0.8), Some(0.7)])[0], 1);
        assert_eq!(fuse(&WordScores { scores: vec![0.0; 2], most: 0.0 }, &[None; 2]), [0.0, 0.0]);
        assert_eq!(fuse(&WordScores { scores: Vec::new(), most: 0.0 }, &[]), Vec::<f64>::new());
    }
}
