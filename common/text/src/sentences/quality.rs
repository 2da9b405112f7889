//! Rates how much a range looks like a whole sentence that can be shown to a reader on its own.
//!
//! Uses shape, punctuation and a few words, no language model and no grammar. Each fault multiplies the value, so that two faults are
//! worse than one. The weights were chosen by reading reports made from real documents, not fitted.

use precis_language::opener::{adds_to_earlier, continues, names_own_text, refers_back};
use precis_language::script::is_unspaced;

use super::{boilerplate, boundary, end_marks, marker, reference};

/// A stretch with fewer characters (Latin and the like) is a label, unless it has the shape of a sentence.
const SHORT_CHARS: usize = 25;
/// The same for fewer words.
const SHORT_WORDS: usize = 5;
/// A stretch of a script without spaces with fewer characters is a label.
const SHORT_UNSPACED_CHARS: usize = 12;
/// Even a whole sentence with fewer words says too little on its own ("Not so.").
const FEWEST_WORDS: usize = 3;
/// The same for characters of text without spaces.
const FEWEST_UNSPACED_CHARS: usize = 5;
/// Text with more characters is a table, a list, or too long to read.
const LONG_CHARS: usize = 450;
/// Text with more characters is hard to read.
const HEAVY_CHARS: usize = 320;

/// Rates how much `sentence` looks like a whole, self-contained sentence, from 0 (debris) to 1.
///
/// Markers of list items and clauses (`3.`, `(a)`) and reference marks are ignored. A whole short sentence is worth as much as a long one.
/// The value is lowered by: too few or too many characters, digits and symbols, single letters, dot leaders, menu and legal lines,
/// reference-list entries, capitals throughout, a missing end mark, a start in lower case or with a closing bracket, and slightly by a
/// start that refers to earlier text. Chosen, not measured.
#[must_use]
pub fn quality(sentence: &str) -> f64 {
    let sentence = without_markers(sentence);
    let shape = CharCounts::from_text(sentence);
    let is_brief = is_brief(sentence, &shape);
    let value = length(&shape, is_brief)
        * letters(sentence, &shape)
        * wording(sentence, &shape, is_brief)
        * edges(sentence)
        * boilerplate::share_left(sentence)
        * opener(sentence)
        * brackets(sentence);
    value.clamp(0.0, 1.0)
}

/// Whether `sentence` begins and ends like a sentence: it does not start in lower case or with a closing bracket, and has an end mark.
/// Its markers and reference marks are ignored.
#[must_use]
pub fn is_whole(sentence: &str) -> bool {
    let sentence = without_markers(sentence);
    starts_whole(sentence) && ends_whole(sentence) && !boilerplate::ends_in_label(sentence)
}

/// Whether `sentence` is an entry of a reference list.
#[must_use]
pub fn is_reference(sentence: &str) -> bool {
    boilerplate::is_reference(sentence.trim_start())
}

/// Whether `text` is a question: it ends with a question mark of its script, ignoring closing marks behind it.
#[must_use]
pub fn is_question(text: &str) -> bool {
    let core = core(text.trim_end());
    core.ends_with(['?', '？', '؟', '﹖', '⸮', '՞', '፧']) || boundary::is_greek_question(core)
}

/// `sentence` without its leading markers; unchanged if nothing else would be left.
fn without_markers(sentence: &str) -> &str {
    let rest = &sentence[marker::length(sentence)..];
    if rest.contains(char::is_alphabetic) { rest } else { sentence }
}

/// `sentence` without reference marks and closing marks at its end.
fn core(sentence: &str) -> &str {
    reference::without_marks(sentence).trim_end_matches(end_marks::is_closer)
}

/// Whether `sentence` is short but complete: it has a proper start, an end mark, enough words and, if its script has case, a lower-case
/// word that does not join titles, as a verb would be.
fn is_brief(sentence: &str, shape: &CharCounts) -> bool {
    let is_long_enough = if shape.is_unspaced {
        shape.letters >= FEWEST_UNSPACED_CHARS
    } else {
        sentence.split_whitespace().count() >= FEWEST_WORDS
    };
    is_long_enough
        && is_whole(sentence)
        && !boilerplate::is_bare_title(sentence)
        && !boilerplate::is_numbered_line(sentence)
}

struct CharCounts {
    chars: usize,
    letters: usize,
    digits: usize,
    spaces: usize,
    is_unspaced: bool,
}

impl CharCounts {
    fn from_text(text: &str) -> Self {
        let mut shape = Self { chars: 0, letters: 0, digits: 0, spaces: 0, is_unspaced: false };
        let mut unspaced = 0;
        for c in text.chars() {
            shape.chars += 1;
            shape.letters += usize::from(c.is_alphabetic());
            shape.digits += usize::from(c.is_numeric());
            shape.spaces += usize::from(c.is_whitespace());
            unspaced += usize::from(is_unspaced(c));
        }
        shape.is_unspaced = unspaced * 3 > shape.letters;
        shape
    }
}

fn length(shape: &CharCounts, is_brief: bool) -> f64 {
    let (short, brief) = if shape.is_unspaced {
        (SHORT_UNSPACED_CHARS, 2 * SHORT_UNSPACED_CHARS)
    } else {
        (SHORT_CHARS, 2 * SHORT_CHARS)
    };
    match shape.chars {
        n if n > LONG_CHARS => 0.2,
        n if n > HEAVY_CHARS => 0.85,
        _ if is_brief => 1.0,
        n if n < short => 0.15,
        n if n < brief - short / 3 => 0.6,
        n if n < brief => 0.8,
        _ => 1.0,
    }
}

fn letters(sentence: &str, shape: &CharCounts) -> f64 {
    let solid = (shape.chars - shape.spaces).max(1) as f64;
    let letters = shape.letters as f64 / solid;
    let digits = shape.digits as f64 / solid;
    let mut value = 1.0;
    if letters < 0.6 {
        value *= 0.2;
    } else if letters < 0.75 {
        value *= 0.6;
    }
    if digits > 0.2 {
        value *= 0.4;
    }
    let upper = sentence.chars().filter(|c| c.is_uppercase()).count();
    let lower = sentence.chars().filter(|c| c.is_lowercase()).count();
    if upper > lower {
        value *= 0.3;
    }
    value
}

fn wording(sentence: &str, shape: &CharCounts, is_brief: bool) -> f64 {
    if shape.is_unspaced {
        return 1.0;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    if words.len() < SHORT_WORDS && !is_brief {
        return 0.3;
    }
    let share = |count: usize| count as f64 / words.len() as f64;
    let is_letter = |c: &char| !matches!(c, '.' | ',' | ';' | ':' | '(' | ')');
    let is_single = |w: &&&str| !w.starts_with(|c: char| c.is_numeric()) && w.chars().filter(is_letter).count() <= 1;
    let symbols = words.iter().filter(|w| !w.chars().any(char::is_alphanumeric)).count();
    let titles = words.iter().filter(|w| w.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric())).count();
    let small = words.iter().any(|w| w.chars().count() <= 4 && w.chars().all(char::is_lowercase));
    let cased = sentence.chars().any(char::is_lowercase);
    let mut value = 1.0;
    if share(words.iter().filter(is_single).count()) > 0.25 {
        value *= 0.3;
    }
    let numbers = words.iter().filter(|w| w.len() >= 4 && w.bytes().all(|b| b.is_ascii_digit())).count();
    if share(symbols) > 0.12 || numbers >= 3 {
        value *= 0.4;
    }
    if share(titles) > 0.7 && words.len() > 5 && cased {
        value *= 0.4;
    }
    if cased && !small && words.len() > 8 {
        value *= 0.5;
    }
    if share(words.iter().filter(|w| is_garbage(w)).count()) > 0.12 {
        value *= 0.4;
    }
    value * repetition(&words)
}

/// Whether a word of at least five characters has no vowel (Latin letters) or alternates between letters and digits.
fn is_garbage(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.chars().count() < 5 || bare.contains("://") {
        return false;
    }
    let is_latin = bare.chars().all(|c| c.is_ascii_alphanumeric());
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    let voiceless = !bare.chars().any(|c| "aeiouyAEIOUY".contains(c)) && !bare.chars().all(char::is_uppercase);
    let turns = bare.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    is_latin && ((digits == 0 && voiceless) || (letters > 0 && turns >= 2))
}

fn repetition(words: &[&str]) -> f64 {
    let mut distinct: Vec<&str> = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if words.len() >= 10 && distinct.len() * 5 < words.len() * 2 { 0.3 } else { 1.0 }
}

fn edges(sentence: &str) -> f64 {
    let start = if starts_whole(sentence) { 1.0 } else { 0.3 };
    let end = if ends_whole(sentence) { 1.0 } else { 0.4 };
    let question = if is_question(sentence) { 0.6 } else { 1.0 };
    start * end * question
}

fn starts_whole(sentence: &str) -> bool {
    let opened =
        sentence.trim_start_matches(['"', '\'', '“', '‘', '„', '«', '(', '[', '「', '『', '（', '¿', '¡', '‚']);
    // "85, No. 152" and "3) and": the rest of something that began before.
    let is_rest = opened.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with([',', ')']);
    !is_rest && opened.chars().next().is_some_and(|c| c.is_alphanumeric() && !c.is_lowercase())
}

fn ends_whole(sentence: &str) -> bool {
    let core = core(sentence);
    let is_marked = core.chars().next_back().is_some_and(end_marks::is_end_mark) && !core.ends_with("..");
    is_marked || core.ends_with(['…', '།']) || boundary::is_greek_question(core)
}

/// Whether `sentence` begins with a word for something that the text before it names: `It`, `These`.
pub fn refers_to_earlier(sentence: &str) -> bool {
    let mut leading = sentence.split_whitespace().map(str::to_lowercase);
    let (first, second) = (leading.next().unwrap_or_default(), leading.next().unwrap_or_default());
    refers_back(bare(&first)) && !names_own_text(second.trim_end_matches(','))
}

/// Words of a sentence among which one such as `also` says that something was said before.
const EARLY_WORDS: usize = 6;

/// Whether `sentence` cannot be read without the one before it: it names something of it by a pronoun, or adds to it or opposes it.
pub fn leans_on_earlier(sentence: &str) -> bool {
    let early: Vec<String> = sentence.split_whitespace().take(EARLY_WORDS).map(str::to_lowercase).collect();
    refers_to_earlier(sentence)
        || early.first().is_some_and(|first| continues(bare(first)))
        || early.iter().any(|word| adds_to_earlier(bare(word)))
}

fn bare(word: &str) -> &str {
    word.trim_end_matches(|c: char| !c.is_alphabetic())
}

fn opener(sentence: &str) -> f64 {
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    if refers_to_earlier(sentence) {
        0.8
    } else if continues(bare(&first)) {
        0.85
    } else {
        1.0
    }
}

fn brackets(sentence: &str) -> f64 {
    let count = |set: &[char]| sentence.chars().filter(|c| set.contains(c)).count();
    let balanced = count(&['(', '（']) == count(&[')', '）'])
        && count(&['[']) == count(&[']'])
        && count(&['“', '„', '«', '「']).abs_diff(count(&['”', '»', '」'])) <= 1;
    if balanced { 1.0 } else { 0.6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_of_any_script_are_worth_more_than_half() {
        for text in [
            "The proposed method reduces the error by 12 percent on all five data sets.",
            "Die Ergebnisse zeigen, dass der Fehler um zwölf Prozent sinkt.",
            "L’acidose métabolique est définie par une baisse du pH sanguin.",
            "この方法は、すべてのデータで誤りを大きく減らすことが示されました。",
            "该方法在所有数据集上都显著降低了错误率。",
            "Новый метод заметно уменьшает ошибку на всех наборах данных.",
            "This shows that the committee was right to wait for the second report.",
        ] {
            assert!(quality(text) > 0.5, "{} {text}", quality(text));
        }
    }

    #[test]
    fn debris_is_worth_less_than_a_third() {
        for text in [
            "",
            "Results",
            "and therefore it is not known whether the method works.",
            "12.4 15.2 33.1 (0.4) 55 67 89 100.2 12 5.",
            "3.1 Overview . . . . . . . . . . . . . . . . . . 12",
            "[12] A. Smith, B. Jones, and C. Lee. A study of things. Journal, vol. 3, pp. 1-20, 2004.",
            "Sign in or click here to read more about our offers.",
            "85, No. 152/Thursday, August 6, 2020/Proposed Rules require operators to conduct a test.",
            "Keywords JavaScript, just-in-time compilation, trace trees.",
            "65 Additional child tax credit.",
            "Organisation for Economic Co-operation and Development.",
            "Health care takes 9.2% of the total.[253] v t e Largest areas Rank Name Region Pop.",
            "Copyright © 2020 Example Inc. All rights reserved.",
            "W I a q g W I a q g W I a q g.",
            "RANK NAME NATION POINTS TOTAL DEDUCTIONS BASE VALUE.",
            "xqzt brrk 4f5gh wrtzz and pqrstv hjklm is 7a8b9c.",
        ] {
            assert!(quality(text) < 0.34, "{} {text}", quality(text));
        }
    }

    #[test]
    fn entries_of_a_reference_list_are_known_by_authors_identifiers_and_addresses() {
        for text in [
            "[12] A. Smith, B. Jones, and C. Lee. A study of things. Journal, vol. 3, pp. 1-20, 2004.",
            "References 1. Swerdlow DL, Finelli L, Bridges CB. Investigations at the start of the pandemic.",
            "Park DE, Watson NL. Digital auscultation in children. 2018.",
            "33. Wikipedia. 2020 pandemic in Germany. https://example.org/wiki/2020_pandemic.",
            "A study of things. In Proceedings of the workshop, doi:10.1000/182.",
        ] {
            assert!(is_reference(text), "{text}");
        }
        for text in [
            "Smith et al. measured the dose in 2004.",
            "Vitamin D, vitamin K, and zinc were given in 2019.",
            "Since 2019 the rules are at https://example.org/rules.",
            "3. Install it from https://example.org/install.",
            "J. Smith founded the town in 1904.",
            "Hepatitis A, hepatitis B and hepatitis C are told apart since 1989.",
        ] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn a_short_whole_sentence_is_worth_as_much_as_a_long_one() {
        for text in [
            "The dose is four tablets.",
            "3. Never exceed the dose.",
            "(a) Nobody may vote twice.",
            "Members are elected yearly.[4]",
            "Die Dosis beträgt 4 g.",
            "Le juge est élu.",
            "不得超过剂量。",
            "Нельзя превышать дозу.",
        ] {
            assert_eq!(quality(text), 1.0, "{text}");
        }
        for text in ["Not so.", "Four Tablets.", "New York City.", "Dose of tablets", "是。"] {
            assert!(quality(text) < 0.5, "{} {text}", quality(text));
        }
    }

    #[test]
    fn a_question_is_recognized_by_the_mark_of_its_script() {
        for (text, asks) in [
            ("How many?", true),
            ("He asked: \"How many?\"", true),
            ("いくつですか？", true),
            ("كم عددها؟", true),
            ("Πόσα είναι;", true),
            ("How many?[12]", true),
            ("It is so;", false),
            ("It is so.", false),
            ("", false),
        ] {
            assert_eq!(is_question(text), asks, "{text}");
        }
    }

    #[test]
    fn a_marker_in_front_leaves_a_sentence_whole() {
        for text in
            ["3. Do Not Exceed the dose.", "- Never mix them.", "§ 4 Kein Kind zahlt.", "It ended.[12]", "“So it is.”"]
        {
            assert!(is_whole(text), "{text}");
        }
        for text in ["(a) and so on.", "3. Do Not", "85, No. 152.", ""] {
            assert!(!is_whole(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_that_points_backwards_is_worth_a_little_less() {
        let (own, pointing) = (
            "The new method reduces the number of errors by one half.",
            "It reduces the number of errors of the old method by one half.",
        );
        assert!(quality(pointing) < quality(own) && quality(pointing) > 0.5);
    }
}
