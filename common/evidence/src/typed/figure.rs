//! Whether a text holds a figure that may answer a question for one: no date, no number of a clause, and of the measure asked for.

use precis_language::calendar::is_month_name;
use precis_language::measure::is_measured;
use precis_language::number_words::{has_unspaced_number, is_amount};
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_language::{Language, detect};

use crate::question::asked::Question;

/// Marks between the values of a row that is read as one text.
const BETWEEN_VALUES: [char; 5] = ['·', '|', ';', '\n', '；'];
/// Numbers of four digits that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// Whether `text` holds such a figure, of a measure that it or what stands `above` it says; `None` if it has a bare number of a cell or field,
/// which may be of any measure. The caller knows that it has a number which is not in the question.
pub(super) fn is_held(question: &Question, text: &str, above: &[&str]) -> Option<bool> {
    if !question.asks_version() && !has_figure(text) {
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

/// Whether a number of `text` is neither a year, a part of a date, nor what opens it.
fn has_figure(text: &str) -> bool {
    let language = detect(text).known;
    let words: Vec<WrittenWord<'_>> = split(text, Unspaced::Joined, &['.', ',']);
    has_unspaced_number(text) || (0..words.len()).any(|at| is_figure(&words, at, language))
}

fn is_figure(words: &[WrittenWord<'_>], at: usize, language: Option<Language>) -> bool {
    let own = words[at].text;
    if !own.starts_with(|c: char| c.is_numeric()) {
        return is_amount(&words[at].lower(), language);
    }
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|n| words.get(n));
    let is_date = beside.into_iter().any(|word| is_month_name(&word.lower()));
    let is_year = own.len() == 4 && own.parse::<u32>().is_ok_and(|year| YEARS.contains(&year));
    // "1 Safety", "3.2 Scope": what opens a text counts its place, unless it is all that the text has to say.
    let is_mark = at == 0 && words.len() > 1 && words[1].text.starts_with(char::is_uppercase);
    !is_date && !is_year && !is_mark
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
        ] {
            assert_eq!(has_figure(text), want, "{text}");
        }
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
