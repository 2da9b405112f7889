//! Whether a text holds a figure that may answer a question for one: no date, no number of a clause, and of the measure asked for. The number
//! of things is no amount of time or money, unless days or euros are counted.

use precis_language::calendar::is_month_name;
use precis_language::heading::names_part;
use precis_language::measure::{is_measured, is_measuring_unit};
use precis_language::number_words::{has_unspaced_number, is_amount, means_one};
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_language::{Language, detect};
use precis_text::terms::likeness;

use crate::question::asked::Question;

/// Marks between the values of a row that is read as one text.
const BETWEEN_VALUES: [char; 5] = ['·', '|', ';', '\n', '；'];
/// Numbers of four digits that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;
/// Words between a number and its unit or the things that it counts: "10 business days".
const REACH: usize = 3;

/// Whether `text` holds such a figure, of a measure that it or what stands `above` it says; `None` if it has a bare number of a cell or field,
/// which may be of any measure. The caller knows that it has a number which is not in the question.
pub(super) fn is_held(question: &Question, text: &str, above: &[&str]) -> Option<bool> {
    if !question.asks_version() && !has_figure(text, question.counted_terms()) {
        return Some(false);
    }
    let texts = || std::iter::once(&text).chain(above);
    match question.measure() {
        Some(measure) if !texts().any(|text| is_measured(text, measure)) => (!has_bare_value(text)).then_some(false),
        Some(_) | None => Some(true),
    }
}

/// Whether a value of `text`, what stands between a colon and the next separator, is a number alone: `Child: 9 · Car: 60`.
fn has_bare_value(text: &str) -> bool {
    let is_bare = |value: &str| {
        let value = value.trim();
        value.starts_with(char::is_numeric)
            && value.chars().all(|c| c.is_numeric() || matches!(c, '.' | ',' | ' ' | '\''))
    };
    // "10:30" is a time.
    let is_label = |label: &str| !label.ends_with(char::is_numeric);
    let pairs = text.split(BETWEEN_VALUES).filter_map(|pair| pair.rsplit_once([':', '：']));
    pairs.into_iter().any(|(label, value)| is_label(label) && is_bare(value))
}

/// Whether a number of `text` is neither a year, a part of a date, nor the number of a clause; and, if things among the terms `counted` are
/// asked for, no measure of something else.
fn has_figure(text: &str, counted: Option<&[String]>) -> bool {
    let language = detect(text).known;
    let words = split(text, Unspaced::Joined, &['.', ',']);
    let words = Words { text, all: &words, language };
    let counts = |at: usize| counted.is_none_or(|counted| words.may_count(at, counted));
    has_unspaced_number(text) || (0..words.all.len()).any(|at| words.is_figure(at) && counts(at))
}

/// The words of a text in a language.
struct Words<'t> {
    text: &'t str,
    all: &'t [WrittenWord<'t>],
    language: Option<Language>,
}

impl Words<'_> {
    fn is_figure(&self, at: usize) -> bool {
        let own = self.all[at].text;
        if !is_written_in_digits(own) {
            return is_amount(&self.all[at].lower(), self.language);
        }
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|n| self.all.get(n));
        let is_date = beside.into_iter().any(|word| is_month_name(&word.lower())) || self.is_joined(at, '/');
        let is_year = own.len() == 4 && own.parse::<u32>().is_ok_and(|year| YEARS.contains(&year));
        // "1 Safety", "3.2 Scope": what opens a text counts its place, unless it is all that the text has to say.
        let is_mark = at == 0 && self.all.len() > 1 && self.all[1].text.starts_with(char::is_uppercase);
        !is_date && !is_year && !is_mark && !self.names_clause(at) && !self.is_of_identifier(at)
    }

    /// Whether `joint` stands right behind or before the number at `at`, between it and another one: `4/13/20`.
    fn is_joined(&self, at: usize, joint: char) -> bool {
        let range = &self.all[at].range;
        let (before, behind) = (&self.text[..range.start], &self.text[range.end..]);
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        is_digit(before.strip_suffix(joint).and_then(|rest| rest.chars().next_back()))
            || is_digit(behind.strip_prefix(joint).and_then(|rest| rest.chars().next()))
    }

    /// Whether the number at `at` is the end of an identifier: `SF-182`.
    fn is_of_identifier(&self, at: usize) -> bool {
        let before = self.text[..self.all[at].range.start].strip_suffix('-');
        before.is_some_and(|name| name.ends_with(char::is_alphabetic))
    }

    /// Whether the number at `at` names a part of a document: "§ 3", "Article 5", "(2) Whoever".
    fn names_clause(&self, at: usize) -> bool {
        let range = &self.all[at].range;
        let (before, behind) = (&self.text[..range.start], &self.text[range.end..]);
        let is_bracketed = before.ends_with('(') && behind.starts_with(')');
        let is_part = at.checked_sub(1).is_some_and(|n| {
            let word = &self.all[n];
            names_part(&word.lower())
                && self.text[word.range.end..range.start].trim_matches(['.', ' ', '\u{a0}']).is_empty()
        });
        is_bracketed || is_part || before.trim_end().ends_with('§')
    }

    /// Whether the figure at `at` may be a number of things among `counted`: not where a unit of measure follows that is not counted itself,
    /// nor for a word that is an article too, unless one of the things follows.
    fn may_count(&self, at: usize, counted: &[String]) -> bool {
        let behind = || self.all.iter().skip(at + 1).take(REACH);
        let is_asked = |word: &WrittenWord<'_>| counted.iter().any(|term| likeness(term, &word.lower()) > 0.0);
        if behind().any(is_asked) {
            return true;
        }
        let own = self.all[at].lower();
        let is_article = means_one(&own, self.language);
        let is_name = is_written_in_digits(&own) && own.contains(char::is_alphabetic);
        !is_article && !is_name && !behind().any(|word| is_measuring_unit(word.text, self.language))
    }
}

fn is_written_in_digits(word: &str) -> bool {
    word.starts_with(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_or_the_number_of_a_clause_is_no_figure() {
        for (text, want) in [
            ("There are 12 rooms.", true),
            ("There are twelve rooms.", true),
            ("Rooms: 340", true),
            ("12", true),
            ("Minutes of 12 May 2022", false),
            ("It began in 1998.", false),
            ("3 Safety of the rooms", false),
            ("Rooms", false),
            ("(2) Whoever builds, § 3 and Article 5 apply.", false),
            ("It was sent on 4/13/20.", false),
            ("An SF-182 is required.", false),
        ] {
            assert_eq!(has_figure(text, None), want, "{text}");
        }
    }

    #[test]
    fn a_measure_of_something_else_is_no_number_of_things() {
        let cards = ["cards".to_owned()];
        for (text, want) in [
            ("You get 500 cards.", true),
            ("You get twelve.", true),
            ("They arrive in 7-10 business days.", false),
            ("The 500 printed cards arrive in 10 days.", true),
            ("One of them is enough.", false),
            ("One card is enough.", true),
            ("They cost 30 euros.", false),
            ("They have the mark of 18F.", false),
        ] {
            assert_eq!(has_figure(text, Some(&cards)), want, "{text}");
        }
        assert!(has_figure("They arrive in 10 days.", Some(&["days".to_owned()])));
    }

    #[test]
    fn a_bare_number_of_a_cell_is_a_figure_of_any_measure() {
        for (text, want) in [
            ("Route: Norby – Eskil · Adult: 18 · Child: 9", true),
            ("Rooms: 1,340", true),
            ("车: 60", true),
            ("Ferries: 3 boats", false),
            ("There are 60 cars.", false),
            ("Opens: 10:30", false),
            ("Note: none", false),
            ("", false),
        ] {
            assert_eq!(has_bare_value(text), want, "{text}");
        }
    }
}
