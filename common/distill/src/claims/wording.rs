//! Splits a text into comparable words: folded, and classified for claim checks as number, name, negation, date, unit or content word.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lexicon::{hedges, is_calendar, is_universal, negates, unit};
use crate::language::script::{is_mark, is_unspaced};
use crate::prose::figures::{digit, joins, readings, spelled_word};
use crate::terms::{is_term, likeness};

/// Least leading letters that two forms of a name share, and most letters that either may have beyond them.
const NAME_LETTERS: usize = 4;
const NAME_ENDING: usize = 2;
/// Least letters of a last word for it to count as truncated.
const LEAST_CUT: usize = 2;
/// Range of four-digit numbers that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// Words before which a negation adds instead of denying: `not only`.
const ONLY: [&str; 9] = ["only", "just", "merely", "nur", "bloß", "seulement", "solo", "sólo", "solamente"];

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Bytes in the text.
    pub(super) range: Range<usize>,
    /// Lower case, folded.
    pub(super) key: String,
    /// Its readings as a number; empty if it is not a number.
    pub(super) figures: BTreeSet<String>,
    /// Whether it is a negation.
    pub(super) negates: bool,
    /// Whether it is a universal word such as "all" or "only".
    pub(super) universal: bool,
    /// Whether it limits the statement, as "some" or "may" do.
    pub(super) hedges: bool,
    /// Whether it is a month, a day of the week or a year.
    pub(super) is_date: bool,
    /// The common name if it is a unit or scale.
    pub(super) unit: Option<&'static str>,
    /// Whether it is written like a name: a capital inside a sentence, all capitals, or letters with digits.
    pub(super) is_name: bool,
    /// Whether it is a content word, not a function word.
    pub(super) is_content: bool,
}

impl Word {
    /// Whether a negation before it adds instead of denying: `not only`.
    pub(super) fn turns_negation(&self) -> bool {
        ONLY.contains(&self.key.as_str())
    }

    pub(super) fn is_number(&self) -> bool {
        !self.figures.is_empty()
    }

    /// Whether both count as the same word.
    pub(super) fn equals(&self, other: &Self) -> bool {
        if self.negates || other.negates {
            return self.negates && other.negates;
        }
        if self.is_number() || other.is_number() {
            return !self.figures.is_disjoint(&other.figures);
        }
        if self.unit.is_some() || other.unit.is_some() {
            return self.unit == other.unit || self.key == other.key;
        }
        self.key == other.key
    }

    /// Whether both are forms of one word.
    pub(super) fn resembles(&self, other: &Self) -> bool {
        if self.equals(other) {
            return true;
        }
        if self.is_number() || other.is_number() || self.negates || other.negates {
            return false;
        }
        if self.is_name || other.is_name {
            return are_forms_of_a_name(&self.key, &other.key);
        }
        self.is_content && other.is_content && likeness(&self.key, &other.key) > 0.0
    }

    /// Whether this, as the last word of a text, may be a truncated `whole`.
    pub(super) fn is_cut_of(&self, whole: &Self) -> bool {
        !self.is_number()
            && !self.negates
            && !whole.negates
            && self.key.chars().count() >= LEAST_CUT
            && whole.key.len() > self.key.len()
            && whole.key.starts_with(&self.key)
    }
}

fn are_forms_of_a_name(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let rest = |text: &str| text.chars().count() - shared;
    shared >= NAME_LETTERS && rest(a) <= NAME_ENDING && rest(b) <= NAME_ENDING && (rest(a) == 0 || rest(b) == 0)
}

/// The words of `text`, in order. In scripts without spaces each character is a word.
pub(super) fn words(text: &str) -> Vec<Word> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let plain: Vec<char> = chars.iter().map(|(_, c)| digit(*c).unwrap_or(*c)).collect();
    let byte = |at: usize| chars.get(at).map_or(text.len(), |(byte, _)| *byte);
    let (mut found, mut at, mut opens) = (Vec::new(), 0, true);
    while at < plain.len() {
        let c = plain[at];
        let start = at;
        if c.is_ascii_digit() {
            while at < plain.len() && (plain[at].is_ascii_digit() || joins(&plain, at)) {
                at += 1;
            }
            // Digits that begin a word are a number: `2nd`, `45-year`, `5G`. Letters before digits make a name instead.
            let number: String = plain[start..at].iter().collect();
            found.push(number_word(byte(start)..byte(at), &number));
        } else if c.is_alphabetic() && is_unspaced(c) {
            at += 1;
            found.push(character(byte(start)..byte(at), c));
        } else if c.is_alphanumeric() {
            while at < plain.len() && goes_on(&plain, at) {
                at += 1;
            }
            let raw: String = plain[start..at].iter().collect();
            push_words(&mut found, byte(start)..byte(at), &raw, opens);
        } else {
            if let Some(unit) = sign(c) {
                found.push(Word { unit: Some(unit), is_content: true, ..blank(byte(at)..byte(at + 1), unit) });
            }
            opens = match c {
                '.' | '!' | '?' | ':' | '。' | '！' | '？' | '•' | '|' | '…' => true,
                _ => opens && !c.is_alphanumeric(),
            };
            at += 1;
            continue;
        }
        opens = false;
    }
    found
}

/// Whether the character at `at` continues a word: a letter, digit, mark, or apostrophe before a letter.
fn goes_on(chars: &[char], at: usize) -> bool {
    let c = chars[at];
    let next_is_letter = chars.get(at + 1).is_some_and(|c| c.is_alphabetic());
    (c.is_alphanumeric() && !is_unspaced(c))
        || c == '_'
        || is_mark(c)
        || (matches!(c, '\'' | '’') && next_is_letter)
        || c == '\u{ad}'
}

fn sign(c: char) -> Option<&'static str> {
    match c {
        '%' | '％' => unit("%"),
        '€' => unit("€"),
        '$' => unit("$"),
        '£' => unit("£"),
        '¥' => unit("¥"),
        _ => None,
    }
}

fn blank(range: Range<usize>, key: &str) -> Word {
    Word {
        range,
        key: key.to_owned(),
        figures: BTreeSet::new(),
        negates: false,
        universal: false,
        hedges: false,
        is_date: false,
        unit: None,
        is_name: false,
        is_content: false,
    }
}

fn number_word(range: Range<usize>, number: &str) -> Word {
    let is_year = number.len() == 4 && number.parse().is_ok_and(|n: u32| YEARS.contains(&n));
    Word { figures: readings(number), is_date: is_year, is_content: true, ..blank(range, number) }
}

fn character(range: Range<usize>, c: char) -> Word {
    let key = c.to_string();
    let negates = matches!(c, '不' | '没' | '沒' | '未' | '无' | '無' | '非' | '勿' | '禁');
    Word { negates, is_content: !negates, figures: spelled_word(&key), ..blank(range, &key) }
}

/// Adds the words of one run of letters: `isn't` and `cannot` are two, `l’homme` is two.
fn push_words(found: &mut Vec<Word>, range: Range<usize>, raw: &str, opens: bool) {
    let folded: String =
        crate::text::nfc(raw).chars().filter(|c| *c != '\u{ad}').map(|c| if c == '’' { '\'' } else { c }).collect();
    let lower = folded.to_lowercase();
    let parts: Vec<(&str, &str)> = if lower == "cannot" {
        vec![("can", "can"), ("not", "not")]
    } else if let Some(verb) = lower.strip_suffix("n't") {
        let verb = match verb {
            "ca" => "can",
            "wo" => "will",
            verb => verb,
        };
        vec![(verb, verb), ("not", "not")]
    } else {
        folded.split('\'').zip(lower.split('\'')).collect()
    };
    let has_digit = folded.chars().any(|c| c.is_ascii_digit());
    for (n, (written, key)) in parts.into_iter().enumerate() {
        // `Paris'` and `Paris's` are Paris.
        if key.is_empty() || (n > 0 && key == "s") {
            continue;
        }
        let capitals = written.chars().filter(|c| c.is_uppercase()).count();
        let letters = written.chars().count();
        let is_shouted = capitals > 1 && capitals == letters;
        let starts_so = written.chars().next().is_some_and(char::is_uppercase);
        let negates = negates(key);
        // `19th`, `1990s`: an ending of the number before it.
        let is_ending = letters <= 2
            && unit(key).is_none()
            && found.last().is_some_and(|last| last.is_number() && last.range.end == range.start);
        let is_content = !negates && !is_ending && is_term(key);
        let named = (starts_so && letters > 1 && !(opens && n == 0)) || is_shouted || has_digit || capitals > 1;
        let figures = spelled_word(key);
        found.push(Word {
            negates,
            universal: is_universal(key),
            hedges: hedges(key),
            is_date: is_calendar(key, starts_so),
            unit: unit(key),
            is_name: named && (is_content || is_shouted) && figures.is_empty() && !negates,
            is_content: is_content || (is_shouted && !is_ending),
            figures,
            ..blank(range.clone(), key)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.key).collect()
    }

    fn of(text: &str, holds: impl Fn(&Word) -> bool) -> Vec<String> {
        words(text).into_iter().filter(|word| holds(word)).map(|word| word.key).collect()
    }

    #[test]
    fn a_text_is_read_as_words_numbers_and_signs() {
        for (text, want) in [
            ("It isn't 1,200 m.", &["it", "is", "not", "1,200", "m"][..]),
            ("It cannot fall by 5%.", &["it", "can", "not", "fall", "by", "5", "%"]),
            ("Rome’s fall", &["rome", "fall"]),
            ("l’homme", &["l", "homme"]),
            ("COVID-19 and H1N1", &["covid", "19", "and", "h1n1"]),
            ("第3页不", &["第", "3", "页", "不"]),
            ("", &[]),
        ] {
            assert_eq!(keys(text), want, "{text}");
        }
    }

    #[test]
    fn names_dates_negations_and_numbers_are_told() {
        assert_eq!(
            of("The WHO met Dr Ada Lovelace. Then H1N1 came.", |w| w.is_name),
            ["who", "dr", "ada", "lovelace", "h1n1"]
        );
        assert_eq!(of("On Monday 3 May 2019 it may rain.", |w| w.is_date), ["monday", "may", "2019"]);
        assert_eq!(
            of("Nobody can't; it is never without no.", |w| w.negates),
            ["nobody", "not", "never", "without", "no"]
        );
        assert_eq!(of("two of 3 and twelve", |w| w.is_number()), ["two", "3", "twelve"]);
    }

    #[test]
    fn words_are_equal_however_they_are_written() {
        let one = |text: &str| words(text).remove(0);
        for (a, b, equal) in [
            ("12,500", "12500", true),
            ("two", "2", true),
            ("2", "3", false),
            ("%", "percent", true),
            ("million", "billion", false),
            ("no", "not", true),
            ("Café", "Cafe\u{301}", true),
            ("rain", "rains", false),
        ] {
            assert_eq!(one(a).equals(&one(b)), equal, "{a} {b}");
        }
        let named = |text: &str| words(&format!("x {text}")).remove(1);
        for (a, b, same) in
            [("Germany", "German", true), ("Johnson", "Johnston", false), ("Castro", "Castellan", false)]
        {
            assert_eq!(named(a).resembles(&named(b)), same, "{a} {b}");
        }
        assert!(one("rains").resembles(&one("rain")));
        assert!(one("propor").is_cut_of(&one("proportion")) && !one("1").is_cut_of(&one("12")));
    }
}
