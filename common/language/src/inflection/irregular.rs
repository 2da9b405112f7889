//! Irregular words: a stem that changes, with the endings and prefixes of its language.
//!
//! The rows are in `paradigms`. A word is taken apart as prefix, mark (`ge`, `zu`), stem and ending; two words are forms of one if prefix
//! and row are the same.

use std::collections::HashMap;
use std::sync::LazyLock;

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
            for mark in std::iter::once(&"").chain(paradigm.marks) {
                let bare = stem.trim_end_matches(WHOLE);
                let endings = paradigm.endings.split_whitespace().filter(|_| bare == stem).chain([""]);
                all.extend(endings.map(|ending| format!("{prefix}{mark}{bare}{ending}")));
            }
        }
    }
    all
}

fn lexemes(word: &str) -> Vec<Lexeme<'_>> {
    let mut found = Vec::new();
    for paradigm in PARADIGMS {
        let prefixes = std::iter::once("").chain(paradigm.prefixes.split_whitespace());
        for prefix in prefixes.filter(|prefix| word.starts_with(prefix)) {
            for mark in std::iter::once(&"").chain(paradigm.marks) {
                let Some(rest) = word[prefix.len()..].strip_prefix(mark) else { continue };
                for row in rows_of(rest, paradigm) {
                    let lexeme = Lexeme { prefix: &word[..prefix.len()], rows: paradigm.rows, row };
                    if !found.contains(&lexeme) {
                        found.push(lexeme);
                    }
                }
            }
        }
    }
    found
}

/// The rows of `paradigm` with a stem that begins `rest` and leaves one of its endings.
fn rows_of(rest: &str, paradigm: &'static Paradigm) -> Vec<usize> {
    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= *LONGEST);
    let placed = ends.filter_map(|end| Some((&rest[end..], STEMS.get(&rest[..end])?)));
    let own = placed.flat_map(|(ending, places)| {
        let is_ending = ending.is_empty() || paradigm.endings.split_whitespace().any(|own| own == ending);
        let fits = move |place: &&Place| {
            std::ptr::eq(place.paradigm, paradigm) && is_ending && (ending.is_empty() || !place.is_whole)
        };
        places.iter().filter(fits).map(|place| place.row)
    });
    own.collect()
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
