//! Questions for the amount of something, "What is the population of New Zealand?", and the sentences that state it.
//!
//! By surface form only: a word for a quantity in the question, and in the sentence the same word with a number behind it, as in
//! `population of 4.9 million` or `Die Höhe beträgt 324 m`. Such sentences get a bonus; nothing is excluded.

use precis_language::amount::{apposes, is_extent, is_joint, is_of, is_share, links, makes_class, makes_share};
use precis_language::words::{WrittenWord, tokens};
use precis_text::terms;

/// Most words between a quantity and its number, years not counted.
const REACH: usize = 5;
/// Most words from `of` to a quantity that is only mentioned: `the age of the young population`.
const MENTIONED: usize = 4;

/// A question for the amount of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedQuantity {
    /// The term of the quantity: `population`.
    term: String,
    /// Whether a percentage would be only a share of it.
    is_extent: bool,
}

/// A word of a sentence with the mark behind it.
struct Word<'t> {
    lower: String,
    written: &'t str,
}

impl AskedQuantity {
    /// The quantity that `query` asks for; `None` if it asks for something else.
    ///
    /// It is the word right before the first joint (`of`, `von`): "What is the size?" says too little, and "What is the effect of
    /// temperature on growth?" asks for an effect.
    pub(super) fn of_question(query: &str) -> Option<Self> {
        let asked: Vec<String> = words_of(query).into_iter().map(|word| word.lower).collect();
        let joint = asked.iter().position(|word| is_joint(word))?;
        let is_quantity = |word: &str| is_extent(word) || is_share(word);
        let head = asked[..joint].last().filter(|word| is_quantity(word))?;
        let term = terms::terms(head).into_iter().next()?;
        Some(Self { term, is_extent: is_extent(head) })
    }

    /// Whether `sentence` states the quantity of something.
    pub(super) fn is_stated_by(&self, sentence: &str) -> bool {
        let words = words_of(sentence);
        let is_own = |word: &Word<'_>| terms::terms(&word.lower).contains(&self.term);
        let places: Vec<usize> = (0..words.len()).filter(|at| is_own(&words[*at])).collect();
        places.into_iter().any(|at| self.is_followed(&words, at))
    }

    /// Whether a number of the right kind follows the word at `at`.
    fn is_followed(&self, words: &[Word<'_>], at: usize) -> bool {
        // "Most of a population of 4.9 million" states it; "the age of the population was 38" says something else.
        let before = &words[at.saturating_sub(MENTIONED)..at];
        let is_mentioned = before.iter().any(|word| is_of(&word.lower));
        let mut reach = REACH;
        let mut is_linked = ends_clause(words[at].written);
        for (n, word) in words.iter().enumerate().skip(at + 1) {
            let is_number = word.lower.starts_with(|c: char| c.is_numeric());
            if is_number && !is_year(&word.lower) {
                let between = &words[at + 1..n];
                let is_apposed = between.iter().all(|word| apposes(&word.lower));
                return (is_apposed || (is_linked && !is_mentioned)) && self.is_amount(words, n);
            }
            is_linked |= links(&word.lower) || ends_clause(word.written);
            if !is_number && reach == 0 {
                return false;
            }
            reach = reach.saturating_sub(usize::from(!is_number));
        }
        false
    }

    /// Whether the number at `at` is an amount: no share of an extent, and no bound of a class as in `30,000 or more`.
    fn is_amount(&self, words: &[Word<'_>], at: usize) -> bool {
        let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
        let is_share = words[at].written.contains('%') || makes_share(next);
        let is_class = makes_class(next);
        !(is_class || (self.is_extent && is_share))
    }
}

/// The words of `text`; a lone sign such as `%` is one.
fn words_of(text: &str) -> Vec<Word<'_>> {
    let with_marks = |end: usize| text[end..].find(char::is_whitespace).map_or(text.len(), |length| end + length);
    let word = |word: WrittenWord<'_>| (word.lower(), word.range.start..with_marks(word.range.end));
    tokens(text, &['%']).map(word).map(|(lower, range)| Word { lower, written: &text[range] }).collect()
}

/// Whether a value follows a word as in `Population: 4.9 million`.
fn ends_clause(written: &str) -> bool {
    written.ends_with([':', '\u{ff1a}', '='])
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()) && word.starts_with(['1', '2'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_an_amount_names_the_quantity_before_the_thing() {
        for (query, want) in [
            ("What is the population of New Zealand?", Some(("population", true))),
            ("Wie hoch ist die Einwohnerzahl von Kiel?", Some(("einwohnerzahl", true))),
            ("Quelle est la hauteur de la tour Eiffel ?", Some(("hauteur", true))),
            ("What is the maximum deadline for appeals?", Some(("deadline", false))),
            ("What is the effect of temperature on growth?", None),
            ("What is the size?", None),
            ("Who counts the population?", None),
            ("", None),
        ] {
            let found = AskedQuantity::of_question(query);
            assert_eq!(found.as_ref().map(|q| (q.term.as_str(), q.is_extent)), want, "{query}");
        }
    }

    #[test]
    fn a_sentence_states_an_amount_by_word_and_following_number() {
        for (query, sentence, want) in [
            ("What is the population of Oz?", "Today, most of Oz's population of 4.9 million is young.", true),
            ("What is the population of Oz?", "The population of Oz was estimated at 4.9 million.", true),
            ("What is the population of Oz?", "In 2018 the population is 4900000.", true),
            ("What is the population of Oz?", "Population (2018): 4.9 million", true),
            ("What is the population of Oz?", "The median age of the population was 38.1 years.", false),
            ("What is the population of Oz?", "This is 15% of the population of Oz.", false),
            ("What is the population of Oz?", "The population declined to around 40% of its level.", false),
            ("What is the population of Oz?", "The main towns (i.e. population 30,000 or greater) are rich.", false),
            ("What is the population of Oz?", "The population has grown since 1900.", false),
            ("What is the rate of growth?", "The rate was 4 % a year.", true),
            ("Wie ist die Höhe des Turms?", "Die Höhe beträgt 324 m.", true),
            ("Wie ist die Höhe des Turms?", "Die Höhe ist beachtlich.", false),
        ] {
            let asked = AskedQuantity::of_question(query).expect(query);
            assert_eq!(asked.is_stated_by(sentence), want, "{sentence}");
        }
    }
}
