//! Words that are written together with the word behind them, as the Arabic article is, alone or after "and", "in", "for", "as", "so".

use super::tag::Language::{self, Ar};

/// What may stand before a word without a space, longest first.
const ATTACHED: [(Language, &str); 1] = [(Ar, "وال بال فال كال ولل لل ال")];
/// Least letters of the word that is left.
const LEAST_LETTERS: usize = 3;

/// `word`, in lower case, without what is written together with it.
///
/// ```
/// use precis_language::attached::without_attached;
///
/// assert_eq!(without_attached("والجامعة"), without_attached("جامعة"));
/// assert_eq!(without_attached("house"), "house");
/// ```
pub fn without_attached(word: &str) -> &str {
    // Most words are in letters that no row is written with.
    if !word.starts_with(|c: char| ('\u{600}'..='\u{6ff}').contains(&c)) {
        return word;
    }
    let attached = ATTACHED.iter().flat_map(|(_, all)| all.split_whitespace());
    let rest = attached.filter_map(|attached| word.strip_prefix(attached));
    rest.into_iter().find(|rest| rest.chars().count() >= LEAST_LETTERS).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_taken_from_a_word_that_stays_one() {
        for (word, want) in [
            ("الجامعة", "جامعة"),
            ("والجامعة", "جامعة"),
            ("للجامعة", "جامعة"),
            ("بالبيت", "بيت"),
            ("الله", "الله"),
            ("بيت", "بيت"),
            ("al", "al"),
            ("", ""),
        ] {
            assert_eq!(without_attached(word), want, "{word}");
        }
    }
}
