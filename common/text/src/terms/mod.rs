//! Terms: the words by which a query and a text are compared.
//!
//! A word is a maximal run of letters, digits, marks and `_`, in Unicode lower case of NFC, folded to one spelling (`fold`). A run of
//! Han, kana, Hangul, Bopomofo, Thai, Lao, Khmer or Burmese gives its bigrams instead, because such text does not separate words, or
//! attaches particles to them; a single such character is a word. Only whole terms are compared. Numbers joined by points are one term
//! (`1.40.0`), besides those of three or more digits, such as the year of a date. Parts of a question written with symbols (`C++`,
//! `--max-procs`, `3.11`) are literals, kept besides its terms, see [`literals`].

mod dotted;
mod fold;
mod forms;
mod letters;
mod literal;
mod words;

pub use forms::{are_parts, is_part, likeness, stem};
pub use letters::Letters;
pub use literal::{count_literal, literals};
pub use words::for_each_word;

use precis_language::index_words::is_index_function_word;
use precis_language::script::{goes_by_pieces, is_latin, is_mark};

use crate::text::nfc;
use words::{for_each_written_word, is_word};

/// Most letters of a name in capitals that may be read as a function word.
const LONGEST_ACRONYM: usize = 5;
/// Digits of a number that tells something on its own where it is joined to others by points.
const TELLING_DIGITS: usize = 3;

/// The terms of `text` in order, with repeats; function words and single Latin letters are left out.
///
/// A function word in capitals is kept as a name (`WHO`), unless a word beside it shows that all of the line is in capitals.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let text = nfc(text);
    let mut out = Vec::new();
    // It waits for the word behind it.
    let mut name: Option<String> = None;
    let mut is_loud = false;
    let mut take = |word: &str, in_capitals: bool| {
        let is_term = is_term(word);
        let was_loud =
            std::mem::replace(&mut is_loud, in_capitals && (!is_term || word.chars().nth(LONGEST_ACRONYM).is_some()));
        out.extend(name.take().filter(|_| !is_loud));
        if is_term {
            out.push(word.to_owned());
        } else if in_capitals && !was_loud {
            name = Some(word.to_owned());
        }
    };
    let mut behind = 0;
    for number in dotted::ranges(&text) {
        for_each_written_word(&text[behind..number.start], &mut take);
        for_each_term_of_number(&text[number.clone()], |word| take(word, false));
        behind = number.end;
    }
    for_each_written_word(&text[behind..], &mut take);
    out.extend(name.filter(|_| text.contains(char::is_lowercase)));
    out
}

/// Distinct terms of `query` in order of first appearance.
///
/// Like [`terms`], except that a word in capitals is kept even if its lower case is a function word, unless the whole query is in
/// capitals: `WHO` and `ALS` are names.
#[must_use]
pub fn query_terms(query: &str) -> Vec<String> {
    // In a query typed in capitals, capitals do not mark a name.
    let shouted = !query.chars().any(char::is_lowercase);
    let query = nfc(query);
    let mut out = DistinctTerms::default();
    let mut behind = 0;
    for number in dotted::ranges(&query) {
        out.take_runs(&query[behind..number.start], shouted);
        for_each_term_of_number(&query[number.clone()], |word| out.take(word));
        behind = number.end;
    }
    out.take_runs(&query[behind..], shouted);
    out.0
}

/// The same, with each number of those joined by points as a word of its own. The overlap score of the digest format counts these.
#[must_use]
pub fn query_words(query: &str) -> Vec<String> {
    let shouted = !query.chars().any(char::is_lowercase);
    let mut out = DistinctTerms::default();
    out.take_runs(&nfc(query), shouted);
    out.0
}

/// Terms in order of first appearance.
#[derive(Default)]
struct DistinctTerms(Vec<String>);

impl DistinctTerms {
    /// Takes the terms of `text`, and its words in capitals unless it is `shouted`.
    fn take_runs(&mut self, text: &str, shouted: bool) {
        for run in text.split(|c| !is_word(c)) {
            let acronym = !shouted && run.chars().count() > 1 && run.chars().all(char::is_uppercase);
            for_each_word(run, |word| {
                if acronym || is_term(word) {
                    self.take(word);
                }
            });
        }
    }

    fn take(&mut self, word: &str) {
        if !self.0.iter().any(|held| held == word) {
            self.0.push(word.to_owned());
        }
    }
}

/// Calls `found` with each number of `text` that is joined from several by points, as a whole.
pub fn for_each_dotted_number(text: &str, mut found: impl FnMut(&str)) {
    dotted::ranges(text).for_each(|range| found(&text[range]));
}

/// Calls `found` with a dotted number, then with those of its numbers that tell something on their own.
fn for_each_term_of_number(number: &str, mut found: impl FnMut(&str)) {
    found(number);
    number.split('.').filter(|part| part.len() >= TELLING_DIGITS).for_each(found);
}

/// Whether a word is a term: not a function word and not a single Latin letter.
#[must_use]
pub fn is_term(word: &str) -> bool {
    !is_lone_letter(word) && !is_index_function_word(word)
}

/// Whether `term` is several numbers joined by points, such as a version or a date.
#[must_use]
pub fn is_dotted_number(term: &str) -> bool {
    dotted::is_number(term) && term.contains('.')
}

/// Whether `term` is a bigram of text without spaces between words, rather than a word.
#[must_use]
pub fn is_piece(term: &str) -> bool {
    term.chars().next().is_some_and(goes_by_pieces)
}

/// Whether `word` is a single Latin letter with its marks.
fn is_lone_letter(word: &str) -> bool {
    if word.as_bytes().get(1).is_some_and(u8::is_ascii) {
        return false;
    }
    let mut chars = word.chars();
    chars.next().is_some_and(is_latin) && chars.all(is_mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_runs_in_lower_case() {
        let table: [(&str, &[&str]); 13] = [
            ("", &[]),
            ("Method-based METHODS, method_2!", &["method", "based", "methods", "method_2"]),
            ("e\u{301}tude É", &["étude"]),
            ("Straße ΟΔΟΣ", &["straße", "οδος"]),
            ("İstanbul", &["istanbul"]),
            ("हिन्दी भाषा", &["हिन्दी", "भाषा"]),
            ("don't l'homme", &["don", "homme"]),
            ("x + y = 7, ____ β", &["7", "β"]),
            ("between should", &["between", "should"]),
            ("\u{301} \u{fe0f}", &[]),
            ("①² 10⁵", &["①2", "10", "5"]),
            ("v1.40.0 of 12.03.2020.", &["1.40.0", "12.03.2020", "2020"]),
            ("the of und les para che het", &[]),
        ];
        for (text, want) in table {
            assert_eq!(terms(text), want, "{text:?}");
        }
    }

    #[test]
    fn cjk_runs_give_bigrams_and_single_characters_stay() {
        let table: [(&str, &[&str]); 9] = [
            ("糖尿病", &["糖尿", "尿病"]),
            ("水", &["水"]),
            ("水。火", &["水", "火"]),
            ("データの分析", &["デー", "ータ", "タの", "の分", "分析"]),
            ("Windows版", &["windows", "版"]),
            ("2024年", &["2024", "年"]),
            ("연구는", &["연구", "구는"]),
            ("か\u{3099}x", &["が"]),
            ("น้ำใจ x2", &["น้ำ", "ำใ", "ใจ", "x2"]),
        ];
        for (text, want) in table {
            assert_eq!(terms(text), want, "{text:?}");
        }
    }

    #[test]
    fn marks_stay_with_the_cjk_character_they_follow() {
        assert_eq!(terms("葛\u{e0100}城市"), ["葛\u{e0100}城", "城市"]);
    }

    #[test]
    fn query_terms_are_distinct_and_in_order() {
        assert_eq!(query_terms("How do methods and Methods of methods differ?"), ["methods", "differ"]);
        assert_eq!(query_terms("how are they"), Vec::<String>::new());
        let versions = "Did the WHO use tokio 0.7.5, 0.7.5 or 1.2.185?";
        assert_eq!(query_terms(versions), ["who", "use", "tokio", "0.7.5", "1.2.185", "185"]);
        assert_eq!(query_words(versions), ["who", "use", "tokio", "0", "7", "5", "1", "2", "185"]);
    }

    #[test]
    fn a_capitalized_name_is_kept_unless_the_line_is_in_capitals() {
        let table: [(&str, &[&str]); 8] = [
            ("The WHO said so.", &["who", "said"]),
            ("Who is in the WHO, CDC and IT?", &["who", "cdc", "it"]),
            ("seen by WHO", &["seen", "who"]),
            ("REPORT OF THE DAM\nThe dam holds.", &["report", "dam", "dam", "holds"]),
            ("A HISTORY OF DAMS and more", &["history", "dams"]),
            ("WHO", &[]),
            ("WHO IS THE AUTHOR", &["author"]),
            ("I say A", &["say"]),
        ];
        for (text, want) in table {
            assert_eq!(terms(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_capitalized_name_is_no_function_word_in_mixed_case() {
        assert_eq!(query_terms("Did the WHO fund ALS studies?"), ["who", "fund", "als", "studies"]);
        assert_eq!(query_terms("WHO IS THE AUTHOR"), ["author"]);
    }
}
