//! Word forms: whether two terms are the same word with different endings.
//!
//! No language detection: two terms match if they share a beginning and differ by a short ending, or if the language room knows them as
//! forms of one word (`paid`, `pays`). For uses that need breadth, such as ranking widely; scores that are part of a contract compare
//! whole terms.

use precis_language::attached::without_attached;
use precis_language::calendar::is_short_for;
use precis_language::inflection::are_forms;

use super::dotted::{is_more_exact, is_number};

/// Likeness of two terms that share only their stem.
const STEM_WORTH: f64 = 0.8;
/// Letters that two terms must share from their start to have one stem.
const STEM_LETTERS: usize = 5;
/// Letters either term may have beyond the stem.
const STEM_ENDING: usize = 3;

/// Letters of a stem from which on two forms are recognized by their endings.
const FORM_LETTERS: usize = 4;

/// How well the word `b` of a text is the asked term `a`: 1 if they are equal, [`STEM_WORTH`] if they are or look like forms of one word,
/// one is short for the other, a month or day (`mon`, `monday`), or `b` is the more exact number (`1.40.0` for `1.40`), otherwise 0.
pub fn likeness(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (without_attached(a), without_attached(b));
    if a == b {
        return STEM_WORTH;
    }
    // Numbers have no forms: 2019 is not 2018. But whoever asks for 1.40 asks for 1.40.0 and 1.40.1 too.
    if is_number(a) || is_number(b) {
        return if is_more_exact(b, a) { STEM_WORTH } else { 0.0 };
    }
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (a.chars().count() - shared, b.chars().count() - shared);
    let is_stem = shared >= STEM_LETTERS && rest_a <= STEM_ENDING && rest_b <= STEM_ENDING;
    // "risk" and "risks", "cell" and "cells": too short for a stem, but one is the other plus an ending.
    let is_ending = shared >= 3 && (rest_a == 0 || rest_b == 0) && ends_in_form(a, b, shared);
    // "reads" and "reading": one stem with two different endings.
    let are_endings = shared >= FORM_LETTERS && is_form(rest(a, shared)) && is_form(rest(b, shared));
    let is_doubled = shared >= 3 && (rest_a == 0 || rest_b == 0) && doubles_last(a, b, shared);
    let looks_alike = is_stem || is_ending || are_endings || is_doubled;
    if looks_alike || is_short_for(a, b) || is_short_for(b, a) || are_forms(a, b) { STEM_WORTH } else { 0.0 }
}

/// `word` without its first `letters` letters.
fn rest(word: &str, letters: usize) -> &str {
    word.char_indices().nth(letters).map_or("", |(byte, _)| &word[byte..])
}

fn is_form(ending: &str) -> bool {
    matches!(ending, "s" | "es" | "d" | "ed" | "ing" | "er" | "ers")
}

/// Whether the longer word doubles the last letter of the shorter one before its ending: "reset", "resetting".
fn doubles_last(a: &str, b: &str, shared: usize) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let ending = short.chars().last().and_then(|last| rest(long, shared).strip_prefix(last));
    ending.is_some_and(|ending| matches!(ending, "ed" | "ing" | "er" | "ers"))
}

fn ends_in_form(a: &str, b: &str, shared: usize) -> bool {
    let longer = if a.len() > b.len() { a } else { b };
    let ending: String = longer.chars().skip(shared).collect();
    matches!(ending.as_str(), "s" | "es" | "n" | "en" | "e") || (shared >= 4 && matches!(ending.as_str(), "ed" | "ing"))
}

/// Least letters of the shorter word, without its ending, to count as a part of a compound.
const PART_LETTERS: usize = 5;

/// Whether one word is the beginning or the end of the other, ignoring endings: `Geräten` and `Elektrogeräte`.
pub fn is_part(a: &str, b: &str) -> bool {
    are_parts(stem(a), stem(b))
}

/// Whether one of two stems is the beginning or the end of the other.
pub fn are_parts(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= PART_LETTERS
        && !is_number(short)
        && (long.ends_with(short) || long.starts_with(short))
        && short.chars().count() >= PART_LETTERS
}

/// A longer word without the endings that German and related languages put on the parts of compounds.
pub fn stem(word: &str) -> &str {
    if word.len() <= 6 || word.chars().count() <= 6 {
        return word;
    }
    let word = word.trim_end_matches('s');
    let word = word.strip_suffix("en").unwrap_or(word);
    word.strip_suffix('e').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_meet_and_strangers_do_not() {
        for (a, b, meets) in [
            ("method", "methods", true),
            ("risk", "risks", true),
            ("heat", "heated", true),
            ("numb", "number", false),
            ("evaluate", "evaluated", true),
            ("topologie", "topologien", true),
            ("international", "internet", false),
            ("cat", "catalog", false),
            ("port", "porta", false),
            ("reads", "reading", true),
            ("uses", "used", true),
            ("using", "use", true),
            ("cities", "city", true),
            ("pays", "paid", true),
            ("gezahlt", "zahlen", true),
            ("paid", "said", false),
            ("lands", "landed", true),
            ("plans", "plants", false),
            ("plan", "planning", true),
            ("reset", "resetting", true),
            ("control", "controlled", true),
            ("be", "being", false),
            ("plant", "planting", true),
            ("rot", "rotten", false),
            ("جامعة", "الجامعة", true),
            ("mon", "monday", true),
            ("sept", "september", true),
            ("mo", "monday", false),
            ("mond", "mondays", false),
            ("201811", "201812", false),
            ("1.40.1", "1.40.0", false),
            ("1.2.51", "1.2.512", false),
        ] {
            assert_eq!(likeness(a, b) > 0.0, meets, "{a} {b}");
            assert_eq!(likeness(a, b), likeness(b, a), "{a} {b}");
        }
        assert_eq!((likeness("1.40", "1.40.0"), likeness("1.40.0", "1.40")), (STEM_WORTH, 0.0));
    }

    #[test]
    fn a_part_of_a_compound_is_known_and_short_likenesses_are_not() {
        for (a, b, part) in [
            ("elektrogeräte", "geräten", true),
            ("bäumefällungen", "fällung", true),
            ("waterworks", "water", true),
            ("category", "cat", false),
            ("restaurant", "rest", false),
            ("1.2.51", "1.2.512", false),
            ("brand", "strand", false),
        ] {
            assert_eq!((is_part(a, b), is_part(b, a)), (part, part), "{a} {b}");
        }
    }
}
