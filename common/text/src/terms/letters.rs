//! How alike two words are by their letters, three by three: for languages whose words change at both ends or are put together from
//! others, and for words of one family (`sign`, `signature`).
//!
//! A sign that two texts may speak of the same thing, and no more: likeness by letters never decides alone that a text holds a word.

use super::dotted::is_number;
use super::is_piece;

/// Least likeness that tells anything; below it, words share letters by chance. Chosen, not measured.
const LEAST: f64 = 0.35;
/// Likeness of a word and a longer one that it is part of.
const WITHIN: f64 = 0.8;
/// Least letters of such a word, and of the longer one.
const WITHIN_LETTERS: [usize; 2] = [4, 5];

/// A word by its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letters {
    word: String,
    count: usize,
    /// Each three letters in a row, with a mark for either end; each once.
    triples: Vec<[char; 3]>,
}

impl Letters {
    /// The letters of `word`, a term.
    #[must_use]
    pub fn new(word: &str) -> Self {
        let marked: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
        let mut triples: Vec<[char; 3]> = marked.windows(3).map(|three| [three[0], three[1], three[2]]).collect();
        triples.sort_unstable();
        triples.dedup();
        Self { word: word.to_owned(), count: marked.len() - 2, triples }
    }

    /// How alike two words are: 1 for the same word, [`WITHIN`] for one within the other, otherwise the share of threes that both have
    /// (Dice's coefficient); 0 below [`LEAST`], and for different numbers and pieces of text without spaces.
    ///
    /// ```
    /// use precis_text::terms::Letters;
    ///
    /// let alike = |a: &str, b: &str| Letters::new(a).likeness(&Letters::new(b));
    /// assert_eq!(alike("anteil", "geschäftsanteile"), 0.8);
    /// assert!(alike("decide", "decision") > 0.3 && alike("harbour", "insurance") == 0.0);
    /// assert_eq!(alike("2019", "2018"), 0.0);
    /// ```
    #[must_use]
    pub fn likeness(&self, other: &Self) -> f64 {
        self.likeness_as_part(other).max(other.likeness_as_part(self))
    }

    /// The same, except that only this word within the other one counts as such, not the other within this: whoever asks for a share is
    /// answered by what is said of a company share, and whoever asks for overtime not by a time.
    #[must_use]
    pub fn likeness_as_part(&self, other: &Self) -> f64 {
        if self.word == other.word {
            return 1.0;
        }
        if [self, other].iter().any(|own| is_number(&own.word) || is_piece(&own.word)) {
            return 0.0;
        }
        let is_within =
            self.count >= WITHIN_LETTERS[0] && other.count >= WITHIN_LETTERS[1] && other.word.contains(&self.word);
        let shared = self.triples.iter().filter(|three| other.triples.binary_search(three).is_ok()).count();
        let all = (self.triples.len() + other.triples.len()).max(1);
        let alike = (2 * shared) as f64 / all as f64;
        let alike = if is_within { alike.max(WITHIN) } else { alike };
        if alike >= LEAST { alike } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_are_alike_and_strangers_and_numbers_are_not() {
        for (a, b, least, most) in [
            ("reset", "reset", 1.0, 1.0),
            ("decide", "decision", 0.35, 0.6),
            ("جامعة", "الجامعة", 0.8, 0.8),
            ("unterschreiben", "unterschrift", 0.5, 0.8),
            ("tax", "taxi", 0.35, 0.7),
            ("house", "mouse", 0.35, 0.7),
            ("bridge", "salary", 0.0, 0.0),
            ("1940", "1941", 0.0, 0.0),
            ("合同", "合约", 0.0, 0.0),
            ("", "", 1.0, 1.0),
        ] {
            let (a, b) = (Letters::new(a), Letters::new(b));
            let alike = a.likeness(&b);
            assert!((least..=most).contains(&alike) && alike == b.likeness(&a), "{a:?} {b:?} {alike}");
        }
    }

    #[test]
    fn a_word_is_matched_within_longer_ones_not_the_reverse() {
        let [time, overtime] = ["time", "overtime"].map(Letters::new);
        assert_eq!(time.likeness_as_part(&overtime), WITHIN);
        assert!(overtime.likeness_as_part(&time) < WITHIN);
    }
}
