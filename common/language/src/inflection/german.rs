//! The participle and the infinitive with `zu` of regular German verbs, which have their mark before or within the word: `gezahlt`,
//! `eingezahlt`, `einzuzahlen`. Dutch builds its participle alike.

use super::paradigms::GERMAN_PREFIXES;

/// What stands between a prefix and the stem, with the endings of such a form: of the participle, and of the infinitive. A participle in
/// `-en` is that of a strong verb, which is in the tables: `gehören` is no form of `hören`.
const MARKS: [(&str, &[&str]); 2] = [
    ("ge", &["t", "et", "d", "te", "ten", "ter", "tes", "tem", "ete", "eten"]),
    ("zu", &["en", "ende", "enden", "ender", "endes"]),
];
/// Endings of a form without one.
const PLAIN: [&str; 12] = ["", "e", "st", "est", "t", "et", "en", "te", "ten", "ete", "eten", "end"];
/// Letters of a stem: shorter ones are rests of words.
const STEM_LETTERS: usize = 3;

/// Whether one is a marked form of the other.
pub(super) fn are_forms(a: &str, b: &str) -> bool {
    is_marked_form(a, b) || is_marked_form(b, a)
}

fn is_marked_form(marked: &str, plain: &str) -> bool {
    // Few words have one of the marks.
    MARKS.iter().any(|(mark, _)| marked.contains(mark))
        && parts(marked).any(|(prefix, stem)| {
            let rest = plain.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(stem));
            rest.is_some_and(|ending| PLAIN.contains(&ending))
        })
}

/// The prefix and the stem of a form with a mark; several where the ending is not certain, none for another word.
fn parts(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let prefixes = std::iter::once("").chain(GERMAN_PREFIXES.split_whitespace());
    let with_mark = prefixes.flat_map(move |prefix| {
        let rest = word.strip_prefix(prefix);
        let marks = MARKS.iter().filter(move |(mark, _)| may_stand(mark, prefix));
        marks.filter_map(move |(mark, endings)| Some((prefix, rest?.strip_prefix(mark)?, endings)))
    });
    with_mark.flat_map(|(prefix, rest, endings)| {
        let stems = endings.iter().filter_map(move |ending| rest.strip_suffix(ending));
        stems.filter(|stem| stem.chars().count() >= STEM_LETTERS).map(move |stem| (prefix, stem))
    })
}

/// Whether `mark` is written together with a word of this prefix: `zu` only within one, as in `einzuzahlen`; `Zugang` is no form of `gehen`.
pub(super) fn may_stand(mark: &str, prefix: &str) -> bool {
    !prefix.is_empty() || mark == "ge"
}

/// The marked forms of a plain word and the plain forms of a marked one.
pub(super) fn forms(word: &str) -> Vec<String> {
    let mut all: Vec<String> =
        parts(word).flat_map(|(prefix, stem)| PLAIN.map(|ending| format!("{prefix}{stem}{ending}"))).collect();
    for prefix in std::iter::once("").chain(GERMAN_PREFIXES.split_whitespace()) {
        let Some(rest) = word.strip_prefix(prefix) else { continue };
        for stem in PLAIN.iter().filter_map(|ending| rest.strip_suffix(ending)) {
            if stem.chars().count() < STEM_LETTERS {
                continue;
            }
            for (mark, endings) in MARKS.iter().filter(|(mark, _)| may_stand(mark, prefix)) {
                all.extend(endings.iter().map(|ending| format!("{prefix}{mark}{stem}{ending}")));
            }
        }
    }
    all
}
