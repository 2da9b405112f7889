//! Whether a text tells a time: a year, a date, an hour, "within 14 days".
//!
//! A number of one or two digits alone is none: it may count a clause, a page or anything else. It is one where the words beside it say so.

use precis_language::measure::{Measure, is_unit_of};
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_language::{Language, calendar, detect, number_words};

/// Words beside a number of few digits that may show it to be a time: "the 15th of each month", "on May 5".
const REACH: [usize; 2] = [2, 3];

/// Whether `text` tells a time by a word that `is_fresh`, in lower case.
pub(super) fn says_time(text: &str, is_fresh: impl Fn(&str) -> bool) -> bool {
    let language = detect(text).known;
    let words = split(text, Unspaced::Joined, &[]);
    (0..words.len()).any(|at| is_fresh(&words[at].lower()) && is_time(text, &words, at, language))
}

fn is_time(text: &str, words: &[WrittenWord<'_>], at: usize, language: Option<Language>) -> bool {
    let word = words[at].text;
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let begins_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    let is_year = (3..=4).contains(&digits) && begins_with_digit;
    let is_other = word.chars().any(|c| c.is_numeric() && !c.is_ascii());
    let is_short = (1..=2).contains(&digits) && begins_with_digit;
    let is_word = calendar::is_time(word, language) || word.contains('年') || word.contains('月');
    is_year
        || is_other
        || is_word
        || (is_short && is_shown(text, words, at, language))
        || is_amount_of_time(words, at, language)
}

/// Whether the word at `at` is a number in letters before a unit of time: "one month after the start", "sechs Wochen vor der Geburt".
fn is_amount_of_time(words: &[WrittenWord<'_>], at: usize, language: Option<Language>) -> bool {
    let own = words[at].lower();
    let is_unit = |word: &WrittenWord<'_>| is_unit_of(word.text, Measure::Duration, language);
    let is_number = || number_words::is_amount(&own, language) || number_words::means_one(&own, language);
    words[at + 1..].iter().take(REACH[0]).any(is_unit) && is_number()
}

/// Whether what is beside the number at `at` shows it to be a time: another number behind a colon, a stop or a slash, a mark of a half of the
/// day, the name of a day or month, a unit of time, or a letter of a script without spaces.
fn is_shown(text: &str, words: &[WrittenWord<'_>], at: usize, language: Option<Language>) -> bool {
    let WrittenWord { range, text: own } = &words[at];
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let joints = [':', '.', '/'];
    let is_joined = behind.strip_prefix(joints).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || before.strip_suffix(joints).is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    let is_half = calendar::leading_half_of_day(behind.trim_start()).is_some()
        || calendar::leading_half_of_day(own.trim_start_matches(|c: char| c.is_ascii_digit())).is_some();
    let near = words[at.saturating_sub(REACH[0])..(at + 1 + REACH[1]).min(words.len())].iter();
    let tells = |word: &WrittenWord<'_>| {
        calendar::is_time(word.text, language)
            || calendar::marks_hour(&word.lower())
            || is_unit_of(word.text, Measure::Duration, language)
    };
    is_joined || is_half || !own.is_ascii() || near.into_iter().any(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_number_is_a_time_where_its_neighbours_say_so() {
        for (text, want) in [
            ("It opens at 10:30.", true),
            ("It opens at 5 pm.", true),
            ("It opens at 5pm.", true),
            ("Pay within 14 days.", true),
            ("It is due on the 15th of each month.", true),
            ("Sie öffnet um 8 Uhr.", true),
            ("Der Stichtag ist der 3.4.", true),
            ("它在5月开放。", true),
            ("It was built in 1880.", true),
            ("It opens in May.", true),
            ("It is paid one month after the start of the contract.", true),
            ("It is paid two full weeks before.", true),
            ("Die Niederschrift ist spätestens einen Monat nach dem Beginn auszuhändigen.", true),
            ("Le loyer est payé trois jours après la signature.", true),
            ("El alquiler de la casa se paga siempre dos semanas antes de la fiesta del pueblo.", true),
            ("One of the two rooms is closed.", false),
            ("It has two doors and is open for months.", false),
            ("Months pass before two of them are read.", false),
            ("§ 2", false),
            ("3 Safety of the rooms", false),
            ("It has 12 rooms and a 3D plan.", false),
            ("", false),
        ] {
            assert_eq!(says_time(text, |_| true), want, "{text}");
        }
        assert!(!says_time("It opens in May.", |word| word != "may"), "what is in the question is no answer");
    }
}
