//! Evidence is found as often as it was when it was measured, and BM25 finds no less than the libraries of others do.

use std::collections::BTreeSet;

use precis_evidence::ranking::Ranker;
use precis_tests::evidence::recall::{AT, Found, Method, measure};
use precis_tests::evidence::set::{Kind, Language, folder, read};

/// What `bm25s` 0.3.16 and `rank_bm25` 0.2.2 find (both the same), by language: two or more shared words, one, none.
/// Measured with `compare.py` beside the set.
const LIBRARIES: [(&str, [usize; 3]); 5] =
    [("de", [6, 4, 1]), ("en", [6, 6, 0]), ("es", [6, 6, 0]), ("fr", [5, 7, 1]), ("zh", [5, 6, 0])];

fn set() -> Vec<Language> {
    read(&folder()).expect("the set reads")
}

fn found(set: &[Language], ranker: Ranker, language: &str) -> [usize; 3] {
    let figures = measure(set, Method::Digest(ranker), AT);
    Kind::ALL.map(|kind| figures.get(&(language.to_owned(), kind)).copied().unwrap_or_default().found)
}

#[test]
fn the_set_holds_sixty_questions_in_five_languages_and_three_kinds() {
    let set = set();
    let languages: BTreeSet<&str> = set.iter().map(|language| language.language.as_str()).collect();
    assert_eq!(languages.len(), 5);
    let figures = measure(&set, Method::Digest(Ranker::Overlap), AT);
    for kind in Kind::ALL {
        let asked: Vec<usize> =
            languages.iter().map(|language| figures[&((*language).to_owned(), kind)].asked).collect();
        assert!(asked.iter().all(|&asked| asked >= 4), "{kind}: {asked:?}");
    }
    let all: Found = figures.iter().filter(|((name, _), _)| name != "all").fold(Found::default(), |sum, (_, found)| {
        Found { found: sum.found + found.found, asked: sum.asked + found.asked }
    });
    assert!(all.asked >= 60, "{}", all.asked);
}

#[test]
fn both_rankings_find_the_answers_they_were_measured_to_find() {
    let set = set();
    assert_eq!(found(&set, Ranker::Overlap, "all"), [28, 31, 1]);
    assert_eq!(found(&set, Ranker::Bm25, "all"), [28, 30, 9]);
}

#[test]
fn bm25_finds_at_least_what_the_libraries_find_in_each_language() {
    let set = set();
    for (language, theirs) in LIBRARIES {
        let ours = found(&set, Ranker::Bm25, language);
        assert!(ours.iter().zip(theirs).all(|(ours, theirs)| *ours >= theirs), "{language}: {ours:?} {theirs:?}");
    }
}
