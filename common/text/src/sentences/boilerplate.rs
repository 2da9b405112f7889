//! Signs of text that is not prose: menus, legal lines, reference lists, program text, run-together headings, lost formulas.
//!
//! Each is recognized by a word, a character or the first and last words, never by grammar.

use precis_language::abbreviation::goes_before_number;
use precis_language::heading::{has_navigation, has_signpost, joins_titles, opens_keywords, reference_signs};
use precis_language::words::{Unspaced, split, tokens};

use super::{lexicon, marker};

/// Characters that no prose uses: bullets of symbol fonts, bars between parts of a page, lost letters.
const ODD: &[char] = &['¢', '¤', '¦', '¨', '¬', '¯', '¸', '´', '`', '¶', '►', '◄', '▲', '▼', '▶', '◀', '|', '\u{fffd}'];

/// Signs of program text.
const CODE: &[&str] =
    &["{", "}", "();", "=>", "::", "</", "==", "│", "─", "SELECT ", ");", "=#", "||", "&&", "\\", "%>"];

/// The factor by which signs of boilerplate reduce a sentence's value: 1 if there are none.
pub(super) fn share_left(sentence: &str) -> f64 {
    let lower = sentence.to_lowercase();
    let mut value = 1.0;
    if lower.contains(". . .") || lower.contains(".....") || lower.contains("____") {
        value *= 0.05;
    }
    if has_navigation(&lower) {
        value *= 0.3;
    }
    if is_reference(sentence) {
        value *= 0.15;
    } else if reference_signs(&lower) == 1 {
        value *= 0.6;
    }
    if has_signpost(&lower) {
        value *= 0.7;
    }
    if CODE.iter().any(|mark| sentence.contains(mark)) {
        value *= 0.3;
    }
    if opens_keywords(&lower) || has_inner_end(sentence) {
        value *= 0.3;
    }
    if is_bare_title(sentence) {
        value *= 0.2;
    }
    if has_inner_heading(sentence) || is_numbered_line(sentence) {
        value *= 0.5;
    }
    if has_lost_formula(sentence) || ends_in_label(sentence) || sentence.contains(ODD) || starts_in_titles(sentence) {
        value *= 0.5;
    }
    if starts_in_capitals(sentence) || is_title_in_quotes(sentence) || has_enumeration(sentence) {
        value *= 0.5;
    }
    if has_address(&lower) {
        value *= 0.6;
    }
    value
}

/// Whether `sentence` is an entry of a reference list: it has identifiers, authors with their initials, or a number and an address.
pub(super) fn is_reference(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let (marks, authors) = (reference_signs(&lower), authors(sentence));
    let is_numbered = sentence.starts_with(|c: char| c.is_ascii_digit()) && marker::length(sentence) > 0;
    marks >= 2
        || authors >= 3
        || (has_year(sentence) && (marks >= 1 || authors >= 2 || (is_numbered && has_address(&lower))))
}

fn has_address(lower: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|mark| lower.contains(mark))
}

/// Number of names with initials: `Smith, J.`, `J. Smith`, `Smith DL,`.
fn authors(sentence: &str) -> usize {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let with_point = words.iter().filter(|word| is_initial(word)).count();
    let without = words.windows(2).filter(|two| is_name(two[0]) && is_initials(two[1])).count();
    with_point + without
}

/// `Smith`.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.ends_with(char::is_lowercase)
}

/// `DL,`: one to three capitals before a comma or a full stop that is not the end of an initial.
fn is_initials(word: &str) -> bool {
    let letters = word.strip_suffix([',', '.']).unwrap_or_default();
    (1..=3).contains(&letters.chars().count()) && letters.chars().all(char::is_uppercase) && !is_initial(word)
}

/// `denoted by , then`: a formula that was lost during extraction.
fn has_lost_formula(sentence: &str) -> bool {
    [" , ", " . ", "( )", "()", " ,\u{a0}"].iter().any(|gap| sentence.contains(gap)) || sentence.ends_with(" .")
}

/// `the diagnosis D.`, `of acidosis 3.`, `proposals (RFP) No.`: ends with the number of the next heading, or is cut off.
pub(super) fn ends_in_label(sentence: &str) -> bool {
    let last = sentence.rsplit(char::is_whitespace).next().unwrap_or_default();
    let stem = last.trim_end_matches('.');
    let is_label = stem.chars().count() <= 2 && stem.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    last.len() < sentence.len() && last.ends_with('.') && (is_label || lexicon::is_open_abbreviation(last))
}

/// `Organisation for Economic Co-operation and Development.`: no lower-case word except those that join titles.
pub(super) fn is_bare_title(sentence: &str) -> bool {
    let is_title = |w: &str| !w.starts_with(char::is_lowercase) || joins_titles(w);
    let mut words = tokens(sentence, &[]);
    sentence.contains(char::is_lowercase) && sentence.contains(' ') && words.all(|word| is_title(word.text))
}

/// `… und Überlagerungen 3.1 Homotopie von Wegen …`: contains a heading with its number.
fn has_inner_heading(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    words.windows(3).any(|around| {
        let [before, number, behind] = around else { return false };
        let is_named = lexicon::is_label(before) || goes_before_number(&before.trim_end_matches('.').to_lowercase());
        let stands_free = !before.starts_with(char::is_lowercase) && !is_named;
        stands_free
            && is_section_number(number)
            && behind.starts_with(char::is_uppercase)
            && behind.chars().count() >= 3
    })
}

/// `2.1`, `3.1.4`.
fn is_section_number(word: &str) -> bool {
    let is_part = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    word.contains('.') && word.split('.').all(is_part)
}

/// `… of GDP.[253] v t e Largest areas …`: contains the end of another sentence with its reference mark.
fn has_inner_end(sentence: &str) -> bool {
    let is_mark = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains("] ");
    sentence.match_indices(".[").any(|(at, mark)| is_mark(&sentence[at + mark.len()..]))
}

/// `65 Additional child tax credit.`: a line of a form or a list, preceded by its number.
pub(super) fn is_numbered_line(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let is_number = |w: &str| (1..=3).contains(&w.len()) && w.bytes().all(|b| b.is_ascii_digit());
    words.next().is_some_and(is_number)
        && words.next().is_some_and(|w| w.starts_with(char::is_uppercase) || is_number(w))
}

/// Begins with five capitalized words: one or more headings before the sentence.
fn starts_in_titles(sentence: &str) -> bool {
    let titles =
        sentence.split_whitespace().take_while(|w| w.starts_with(char::is_uppercase) && !w.ends_with(',')).count();
    titles >= 5
}

/// `WEITERE EIGENSCHAFTEN EINER EBENE (a) Zwei …`: begins with three words in capitals, a running head.
fn starts_in_capitals(sentence: &str) -> bool {
    let is_capitals =
        |w: &str| w.chars().filter(|c| c.is_uppercase()).count() >= 2 && !w.chars().any(char::is_lowercase);
    sentence.split_whitespace().take(3).filter(|w| is_capitals(w)).count() == 3
}

/// `"Names of the islands formalised".`: a title in a reference list.
fn is_title_in_quotes(sentence: &str) -> bool {
    let inner = sentence.strip_prefix(['"', '“', '„']).and_then(|rest| rest.split_once(['"', '”']));
    inner.is_some_and(|(title, rest)| !title.ends_with(['.', '!', '?', ',']) && rest.chars().count() < 25)
}

/// `(a) … (b) …`, `(i) … (ii) …`, `1. … 2. …`: a run-together list.
fn has_enumeration(sentence: &str) -> bool {
    let has = |mark: &str| sentence.contains(mark);
    (has("(a) ") && has("(b) "))
        || (has("(i) ") && has("(ii) "))
        || (has("(1) ") && has("(2) "))
        || (has(" 1. ") && has(" 2. "))
}

fn is_initial(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next() == Some('.') && chars.next().is_none_or(|c| c == ',')
}

fn has_year(sentence: &str) -> bool {
    let words = split(sentence, Unspaced::Joined, &[]);
    let mut words = words.iter().map(|word| word.text);
    words.any(|w| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit()) && (w.starts_with("19") || w.starts_with("20")))
}
