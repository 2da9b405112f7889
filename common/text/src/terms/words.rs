//! Splits a text into words, one after another. Most words are lower-case ASCII and are passed on as slices, without a copy.

use precis_language::script::{goes_by_pieces, is_in_word, is_mark};

use super::fold;

/// The one letter whose lower case depends on the surrounding words: whether it ends a word is decided across apostrophes.
const SIGMA: char = 'Σ';

/// Class of an ASCII character: not part of a word.
const OUTSIDE: u8 = 0;
const INSIDE: u8 = 1;
const CAPITAL: u8 = 2;

const ASCII: [u8; 128] = {
    let mut classes = [OUTSIDE; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_uppercase() {
            classes[at] = CAPITAL;
        } else if byte.is_ascii_alphanumeric() || byte == b'_' {
            classes[at] = INSIDE;
        }
        at += 1;
    }
    classes
};

/// How much work a run of word characters needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordClass {
    /// A word that needs no change.
    LowerAscii,
    /// An ASCII word with capitals.
    Ascii,
    /// Any other run.
    Other,
}

/// Calls `found` with every word of `text`, which must be in NFC, in order, including function words.
pub fn for_each_word(text: &str, mut found: impl FnMut(&str)) {
    for_each_written_word(text, |word, _| found(word));
}

/// The same; also tells whether the word is written in capitals throughout and has more than one character. In a text with a capital sigma
/// no word counts as such.
pub(super) fn for_each_written_word(text: &str, mut found: impl FnMut(&str, bool)) {
    if text.contains(SIGMA) {
        let mut folded = String::new();
        return for_each_run(&text.to_lowercase(), |run, _| {
            folded.clear();
            fold::push_run(&mut folded, run.chars());
            split_folded(&folded, &mut |word: &str| found(word, false));
        });
    }
    let mut lower = String::new();
    for_each_run(text, |run, kind| match kind {
        WordClass::LowerAscii if run.starts_with('_') => emit(run, false, &mut |word: &str| found(word, false)),
        WordClass::LowerAscii => found(run, false),
        WordClass::Ascii => {
            let is_capitals = run.len() > 1 && run.bytes().all(|byte| byte.is_ascii_uppercase());
            lower.clear();
            lower.push_str(run);
            lower.make_ascii_lowercase();
            emit(&lower, false, &mut |word: &str| found(word, is_capitals));
        }
        WordClass::Other => {
            let is_capitals = run.chars().nth(1).is_some() && run.chars().all(char::is_uppercase);
            lower.clear();
            fold::push_run(&mut lower, run.chars().flat_map(char::to_lowercase));
            split_folded(&lower, &mut |word: &str| found(word, is_capitals));
        }
    });
}

/// Whether `c` belongs to a word of an index, which may hold `_` as names of programs do.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || is_in_word(c)
}

/// Calls `found` with every maximal run of word characters.
fn for_each_run(text: &str, mut found: impl FnMut(&str, WordClass)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (start, mut seen, mut ascii) = (at, OUTSIDE, true);
        // Bytes of the character that ends the run; 0 at the end of the text.
        let mut gap = 0;
        while let Some(&byte) = bytes.get(at) {
            if let Some(&class) = ASCII.get(usize::from(byte)) {
                if class == OUTSIDE {
                    gap = 1;
                    break;
                }
                seen |= class;
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if !is_word(c) {
                gap = c.len_utf8();
                break;
            }
            ascii = false;
            at += c.len_utf8();
        }
        if at > start {
            let kind = match (ascii, seen & CAPITAL) {
                (false, _) => WordClass::Other,
                (true, OUTSIDE) => WordClass::LowerAscii,
                (true, _) => WordClass::Ascii,
            };
            found(&text[start..at], kind);
        }
        at += gap;
    }
}

/// Splits a folded run into its words.
fn split_folded(run: &str, found: &mut impl FnMut(&str)) {
    run.split(fold::APART).for_each(|part| split_run(part, found));
}

/// Splits a run of word characters where it enters or leaves text without spaces; marks stay with the character they follow.
fn split_run(run: &str, found: &mut impl FnMut(&str)) {
    let mut start = 0;
    let mut inside = None;
    for (at, c) in run.char_indices() {
        if is_mark(c) {
            continue;
        }
        let unspaced = goes_by_pieces(c);
        if inside.is_some_and(|was| was != unspaced) {
            emit(&run[start..at], !unspaced, found);
            start = at;
        }
        inside = Some(unspaced);
    }
    emit(&run[start..], inside == Some(true), found);
}

/// Passes on a word as it is, or text without spaces as bigrams. Runs without a letter or digit (`____`, a stray mark) are skipped.
fn emit(run: &str, unspaced: bool, found: &mut impl FnMut(&str)) {
    if !unspaced {
        if run.chars().any(|c| c != '_' && !is_mark(c)) {
            found(fold::without_article(run));
        }
        return;
    }
    let starts: Vec<usize> = run.char_indices().filter(|&(_, c)| !is_mark(c)).map(|(at, _)| at).collect();
    if starts.len() == 1 {
        return found(run);
    }
    for (k, &start) in starts[..starts.len() - 1].iter().enumerate() {
        found(&run[start..starts.get(k + 2).copied().unwrap_or(run.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::nfc;

    /// The rule by definition: the whole text in lower case, then its runs.
    fn by_definition(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for run in nfc(text).to_lowercase().split(|c| !is_word(c)) {
            let mut folded = String::new();
            fold::push_run(&mut folded, run.chars());
            split_folded(&folded, &mut |word: &str| out.push(word.to_owned()));
        }
        out
    }

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for_each_word(&nfc(text), |word| out.push(word.to_owned()));
        out
    }

    #[test]
    fn words_are_those_of_the_text_in_lower_case() {
        for text in [
            "",
            "  lower UPPER Mixed_1 ___ _a_ 7 ",
            "caf\u{e9} CAF\u{c9}, na\u{ef}ve\u{2019}s \u{201c}quoted\u{201d}",
            "\u{39f}\u{394}\u{39f}\u{3a3} \u{39f}\u{394}\u{39f}\u{3a3}'\u{391} \u{3a3}. A",
            "\u{130}stanbul I\u{307} \u{1e9e} \u{212a}elvin \u{24b6} \u{1c5}",
            "Windows\u{7248}2024\u{5e74}\u{30c7}\u{30fc}\u{30bf} a\u{301}B\u{301}",
            "\u{301}x \u{e0100} \u{1f600}smile\u{1f600}",
        ] {
            assert_eq!(words(text), by_definition(text), "{text:?}");
        }
    }

    #[test]
    fn every_character_gives_the_same_words_with_letters_and_alone() {
        for c in '\0'..=char::MAX {
            let text = format!("{c} a{c} {c}B a{c}b");
            assert_eq!(words(&text), by_definition(&text), "{c:?} {:x}", u32::from(c));
        }
    }
}
