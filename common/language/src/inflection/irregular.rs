//! Irregular words: a stem that changes, with the endings and prefixes of its language.
//!
//! The rows are in `paradigms`. A word is taken apart as prefix, mark (`ge`, `zu`), stem and ending; two words are forms of one if prefix
//! and row are the same.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::german::may_stand;
use super::paradigms::{PARADIGMS, Paradigm};

/// What ends a stem that takes no ending.
const WHOLE: char = '.';

/// Where a stem stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    paradigm: &'static Paradigm,
    row: usize,
    /// Whether it is a word that takes no ending.
    is_whole: bool,
}

/// The word that a form belongs to: its prefix and its row.
#[derive(Debug, PartialEq)]
struct Lexeme<'w> {
    prefix: &'w str,
    rows: &'static [&'static str],
    row: usize,
}

static STEMS: LazyLock<HashMap<&'static str, Vec<Place>>> = LazyLock::new(|| {
    let mut stems: HashMap<&'static str, Vec<Place>> = HashMap::new();
    for paradigm in PARADIGMS {
        for (row, own) in paradigm.rows.iter().enumerate() {
            for written in own.split_whitespace() {
                let stem = written.trim_end_matches(WHOLE);
                stems.entry(stem).or_default().push(Place { paradigm, row, is_whole: stem != written });
            }
        }
    }
    stems
});

/// Most bytes of a stem.
static LONGEST: LazyLock<usize> = LazyLock::new(|| STEMS.keys().map(|stem| stem.len()).max().unwrap_or_default());

/// The first two bytes of words whose forms begin with different letters.
static BEGINNINGS: LazyLock<Vec<[u8; 2]>> = LazyLock::new(|| {
    let rows = PARADIGMS.iter().flat_map(|paradigm| paradigm.rows);
    let differing = rows.filter(|row| {
        let mut firsts = row.split_whitespace().map(|stem| stem.as_bytes()[0]);
        let first = firsts.next();
        firsts.any(|other| Some(other) != first)
    });
    let marks = PARADIGMS.iter().flat_map(|paradigm| paradigm.marks.iter().copied());
    let mut all: Vec<[u8; 2]> = differing
        .flat_map(|row| row.split_whitespace())
        .chain(marks)
        .filter_map(|stem| stem.as_bytes().get(..2)?.try_into().ok())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
});

/// Whether forms of `word` may begin with another letter.
pub(super) fn may_begin_otherwise(word: &str) -> bool {
    word.as_bytes().first_chunk::<2>().is_some_and(|two| BEGINNINGS.binary_search(two).is_ok())
}

/// Whether both are forms of one irregular word.
pub(super) fn are_forms(a: &str, b: &str) -> bool {
    let of_a = lexemes(a);
    !of_a.is_empty() && lexemes(b).iter().any(|lexeme| of_a.contains(lexeme))
}

/// Every form of the irregular words that `word` may be a form of.
pub(super) fn forms(word: &str) -> Vec<String> {
    let mut all = Vec::new();
    for Lexeme { prefix, rows, row } in lexemes(word) {
        let own = PARADIGMS.iter().filter(|paradigm| std::ptr::eq(paradigm.rows, rows));
        for (paradigm, stem) in own.flat_map(|paradigm| rows[row].split_whitespace().map(move |stem| (paradigm, stem)))
        {
            for mark in marks(paradigm, prefix) {
                let bare = stem.trim_end_matches(WHOLE);
                let endings = paradigm.endings.split_whitespace().filter(|_| bare == stem).chain([""]);
                all.extend(endings.map(|ending| format!("{prefix}{mark}{bare}{ending}")));
            }
        }
    }
    all
}

/// What may stand between `prefix` and a stem, nothing among them.
fn marks<'p>(paradigm: &'p Paradigm, prefix: &'p str) -> impl Iterator<Item = &'p str> {
    let own = paradigm.marks.iter().copied().filter(move |mark| may_stand(mark, prefix));
    std::iter::once("").chain(own)
}

/// What stands before a stem, in one paradigm.
#[derive(Debug)]
struct Beginning {
    /// Prefix and mark.
    written: String,
    prefix: usize,
    paradigm: &'static Paradigm,
}

/// The beginnings that are not empty, by their first byte.
static BEFORE: LazyLock<HashMap<u8, Vec<Beginning>>> = LazyLock::new(|| {
    let mut all: HashMap<u8, Vec<Beginning>> = HashMap::new();
    for paradigm in PARADIGMS {
        for prefix in std::iter::once("").chain(paradigm.prefixes.split_whitespace()) {
            for mark in marks(paradigm, prefix) {
                let written = format!("{prefix}{mark}");
                if let Some(first) = written.bytes().next() {
                    let before = Beginning { written, prefix: prefix.len(), paradigm };
                    all.entry(first).or_default().push(before);
                }
            }
        }
    }
    all
});

fn lexemes(word: &str) -> Vec<Lexeme<'_>> {
    let Some(first) = word.bytes().next() else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |prefix: usize, place: &Place| {
        let lexeme = Lexeme { prefix: &word[..prefix], rows: place.paradigm.rows, row: place.row };
        if !found.contains(&lexeme) {
            found.push(lexeme);
        }
    };
    for_each_place(word, |place| add(0, place));
    for before in BEFORE.get(&first).into_iter().flatten() {
        if let Some(rest) = word.strip_prefix(before.written.as_str()) {
            let is_own = |place: &Place| std::ptr::eq(place.paradigm, before.paradigm);
            for_each_place(rest, |place| {
                if is_own(place) {
                    add(before.prefix, place)
                }
            });
        }
    }
    found
}

/// Calls `add` with the places of stems that begin `rest` and leave an ending of their paradigm.
fn for_each_place(rest: &str, mut add: impl FnMut(&Place)) {
    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= *LONGEST);
    for (ending, places) in ends.filter_map(|end| Some((&rest[end..], STEMS.get(&rest[..end])?))) {
        let is_ending = |place: &Place| place.paradigm.endings.split_whitespace().any(|own| own == ending);
        let fits = |place: &&Place| ending.is_empty() || (!place.is_whole && is_ending(place));
        places.iter().filter(fits).for_each(&mut add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_irregular_word_has_several_stems() {
        for paradigm in PARADIGMS {
            for row in paradigm.rows {
                assert!(row.split_whitespace().count() > 1, "{row}");
            }
        }
    }

    #[test]
    fn a_word_with_a_prefix_is_another_word() {
        assert!(are_forms("repaid", "repays") && !are_forms("repaid", "pays"));
        assert!(are_forms("abgenommen", "abnimmt") && !are_forms("abgenommen", "nimmt"));
        assert!(are_forms("lis", "lisent") && !are_forms("list", "lit"), "a whole word takes no ending");
    }

    #[test]
    fn few_words_have_forms_that_begin_otherwise() {
        assert!(may_begin_otherwise("went") && may_begin_otherwise("gezahlt"));
        assert!(!may_begin_otherwise("paid") && !may_begin_otherwise("x") && BEGINNINGS.len() < 40, "{BEGINNINGS:?}");
    }
}
