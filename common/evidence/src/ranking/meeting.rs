//! How the words of a text meet those of a question: as the same word, a form, a similar word (kin), or by the same characters.

use precis_language::inflection::may_be_forms;
use precis_text::nfc;
use precis_text::terms::{are_parts, for_each_word, likeness, stem};

use super::index::Index;

/// Least letters of a word that can have kin: shorter words look alike by chance.
const KIN_LETTERS: usize = 4;
/// Least similarity of two kin by their runs of three letters: `chemist` and `chemistry`, `Schiffe` and `Schifffahrt`.
pub(super) const KIN_SHARE: f64 = 0.5;
/// Bits of the hash that excludes most words before their runs are compared.
const RUN_BITS: u32 = 12;

/// For each word of the text, the question's words it meets, and how well (above 0, at most 1).
pub(super) type WordMeetings = Vec<Vec<(usize, f64)>>;

/// Equal words only.
pub(super) fn whole(index: &Index, asked: &[String]) -> WordMeetings {
    let mut meetings = vec![Vec::new(); index.words().count()];
    for (place, term) in asked.iter().enumerate() {
        if let Some(word) = index.find(term) {
            meetings[word].push((place, 1.0));
        }
    }
    meetings
}

/// Equal words, other forms of them, and parts of one compound.
pub(super) fn forms(index: &Index, asked: &[String]) -> WordMeetings {
    let stems = stems(asked);
    let of = |word: &str| {
        let own = stem(word);
        let met = stems.iter().enumerate().filter(|(_, (term, root))| is_form(term, root, word, own));
        met.map(|(place, _)| (place, 1.0)).collect()
    };
    index.words().map(of).collect()
}

fn stems(asked: &[String]) -> Vec<(&str, &str)> {
    asked.iter().map(|term| (term.as_str(), stem(term))).collect()
}

pub(super) fn is_form(term: &str, root: &str, word: &str, own: &str) -> bool {
    // Most words do not begin as a form could.
    (may_be_forms(term, word) && likeness(term, word) > 0.0) || are_parts(root, own)
}

/// For each of `asked`, whether it occurs in `names`: as it is, in another form or as a part of a compound.
pub(super) fn words_named(names: &[&str], asked: &[String]) -> Vec<bool> {
    let mut held = vec![false; asked.len()];
    let stems = stems(asked);
    for name in names {
        for_each_word(name, |word| {
            let own = stem(word);
            let pairs = held.iter_mut().zip(&stems);
            pairs.for_each(|(held, (term, root))| *held = *held || is_form(term, root, word, own));
        });
    }
    held
}

/// Equal words, and words that share many of their runs of three letters: derivations and compounds not covered by endings.
pub(super) fn kin(index: &Index, asked: &[String]) -> WordMeetings {
    let grams: Vec<Vec<[char; 3]>> = asked.iter().map(|term| grams(term)).collect();
    // Most words share no run with any term; a bit table excludes them without comparing runs.
    let mut likely = [false; 1 << RUN_BITS];
    grams.iter().flatten().for_each(|run| likely[bits(*run)] = true);
    let of = |word: &str| {
        let is_likely = runs(word).any(|run| likely[bits(run)]);
        let own = if is_likely { self::grams(word) } else { Vec::new() };
        let share = |term: &str, theirs: &[[char; 3]]| if term == word { 1.0 } else { dice(&own, theirs) };
        let met = asked.iter().zip(&grams).map(|(term, theirs)| share(term, theirs)).enumerate();
        met.filter(|(_, share)| *share >= KIN_SHARE).collect()
    };
    index.words().map(of).collect()
}

/// The runs of three letters of `word`, with a mark at its start; ascending and distinct. Empty for a short word, and for a number: 2019 is
/// no kin of 2018.
pub(super) fn grams(word: &str) -> Vec<[char; 3]> {
    if word.chars().count() < KIN_LETTERS || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Vec::new();
    }
    let mut grams: Vec<[char; 3]> = runs(word).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

pub(super) fn runs(word: &str) -> impl Iterator<Item = [char; 3]> {
    let mut letters = word.chars();
    let mut before = ['^', letters.next().unwrap_or('^')];
    letters.map(move |letter| {
        let run = [before[0], before[1], letter];
        before = [before[1], letter];
        run
    })
}

/// A hash of [`RUN_BITS`] bits, equal for equal runs.
fn bits(run: [char; 3]) -> usize {
    let mixed = run.iter().fold(0_u32, |mixed, letter| mixed.wrapping_mul(33) ^ u32::from(*letter));
    (mixed.wrapping_mul(0x9e37_79b1) >> (32 - RUN_BITS)) as usize
}

/// Dice coefficient: twice the number of shared elements, divided by the sum of both sizes.
pub(super) fn dice(a: &[[char; 3]], b: &[[char; 3]]) -> f64 {
    let shared = a.iter().filter(|gram| b.binary_search(gram).is_ok()).count();
    if shared == 0 { 0.0 } else { 2.0 * shared as f64 / (a.len() + b.len()) as f64 }
}

/// The words of `query` that are not terms, that is, its function words; distinct and in order.
pub(super) fn function_words(query: &str, asked: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for_each_word(&nfc(query), |word| {
        if !words.iter().chain(asked).any(|held| held == word) {
            words.push(word.to_owned());
        }
    });
    words
}

/// The distinct Han characters of `asked`, ascending.
pub(super) fn han(asked: &[String]) -> Vec<char> {
    let mut found: Vec<char> = asked.iter().flat_map(|term| term.chars()).filter(|c| is_han(*c)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

/// Matches single characters of `asked` (ascending) in the character pairs that Han text is split into, as for `虫害` and `害虫`. A
/// character inside a text occurs in two pairs, so each match counts half.
pub(super) fn characters(index: &Index, asked: &[char]) -> WordMeetings {
    let of = |word: &str| {
        let met = word.chars().take(2).filter_map(|c| asked.binary_search(&c).ok());
        met.map(|place| (place, 0.5)).collect()
    };
    index.words().map(of).collect()
}

#[cfg(test)]
mod tests {
    use precis_text::CanonicalText;
    use precis_text::chunk::chunks;

    use super::*;

    fn index(text: &str) -> Index {
        let text = CanonicalText::from_plain(text);
        Index::new(&text, &chunks(&text, 400))
    }

    fn met(text: &str, meet: impl Fn(&Index) -> WordMeetings) -> Vec<String> {
        let index = index(text);
        let meetings = meet(&index);
        index.words().zip(&meetings).filter(|(_, met)| !met.is_empty()).map(|(word, _)| word.to_owned()).collect()
    }

    #[test]
    fn words_meet_whole_then_in_forms_then_as_kin() {
        let text = "chemistry chemist chemists method whole chess";
        let asked = ["chemist".to_owned()];
        assert_eq!(met(text, |index| whole(index, &asked)), ["chemist"]);
        assert_eq!(met(text, |index| forms(index, &asked)), ["chemistry", "chemist", "chemists"]);
        for (asked, word, is_kin) in [
            ("vaccination", "vaccine", true),
            ("investigate", "investigators", true),
            ("gesundheit", "gesundheitlich", true),
            ("abhängig", "unabhängig", true),
            ("integration", "internet", false),
            ("state", "stone", false),
            ("art", "arts", false),
            ("art", "art", true),
            ("2019", "2018", false),
            ("2019", "2019", true),
        ] {
            let found = met(word, |index| kin(index, &[asked.to_owned()]));
            assert_eq!(!found.is_empty(), is_kin, "{asked} {word}");
        }
    }

    #[test]
    fn han_characters_meet_in_another_order_and_kana_do_not() {
        let asked = han(&["虫害".to_owned(), "です".to_owned()]);
        assert_eq!(met("防治害虫的です", |index| characters(index, &asked)), ["治害", "害虫", "虫的"]);
    }

    #[test]
    fn what_is_no_term_is_a_function_word() {
        assert_eq!(
            function_words("How do people die of it? How?", &["people".to_owned()]),
            ["how", "do", "die", "of", "it"]
        );
    }
}
