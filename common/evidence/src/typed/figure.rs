//! Whether a text holds a figure that may answer a question for one: no date, no number of a clause, and of the measure asked for.

use precis_language::calendar::is_month_name;
use precis_language::measure::is_measured;
use precis_language::number_words::{has_unspaced_number, is_amount};
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_language::{Language, detect};

use crate::question::asked::Question;

/// Numbers of four digits that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// Whether `text` holds such a figure, of a measure that it or what stands `above` it says. The caller knows that it has a number which is not in the question.
pub(super) fn is_held(question: &Question, text: &str, above: &[&str]) -> bool {
    let texts = || std::iter::once(&text).chain(above);
    let is_of_measure = question.measure().is_none_or(|measure| texts().any(|text| is_measured(text, measure)));
    is_of_measure && (question.asks_version() || has_figure(text))
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
}
