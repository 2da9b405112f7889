//! The number in a cell: sign, money, digits, scale, unit, and nothing else.

use precis_language::Language;
use precis_language::amount::joins_unit;
use precis_language::scale::scale;
use precis_language::unit::{currency, unit};
use precis_proto::computed::NotComputed;

use super::decimal::Decimal;
use crate::written_number::{WrittenNumber, readings};

/// Least numbers that only groups of three explain, beside at least one below a thousand without a mark, by which a column shows that its
/// mark stands between groups. Chosen, not measured.
const GROUPED: usize = 3;

/// What a cell says, with the readings of its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellNumber {
    is_negative: bool,
    readings: Vec<WrittenNumber>,
    exponent: u32,
    /// The common name of its unit, or the word behind it; empty if there is none.
    pub(super) unit: String,
}

/// The number of `cell`; `None` if it has none, or anything besides.
pub(super) fn number(cell: &str, language: Option<Language>) -> Option<CellNumber> {
    let cell = cell.trim();
    let is_digit = |c: char| c.is_ascii_digit();
    let (from, to) = (cell.find(is_digit)?, cell.rfind(is_digit)? + 1);
    let (is_negative, before) = sign_and_money(cell[..from].trim())?;
    // In running text `12 000` may be two numbers; alone in a cell it is one.
    let digits = cell[from..to].replace(' ', "\u{202f}");
    let readings = Some(readings(&digits)).filter(|readings| !readings.is_empty())?;
    let (exponent, behind) = behind(cell[to..].trim(), language)?;
    let unit = match (before, behind) {
        (Some(money), None) => money.to_owned(),
        (None, behind) => behind.unwrap_or_default(),
        (Some(money), Some(behind)) if money == behind => behind,
        (Some(_), Some(_)) => return None,
    };
    Some(CellNumber { is_negative, readings, exponent, unit })
}

/// The sign and the money that `text` is.
fn sign_and_money(text: &str) -> Option<(bool, Option<&'static str>)> {
    let is_minus = |c: char| matches!(c, '-' | '−' | '–');
    let bare = text.trim_start_matches(is_minus);
    let bare = bare.trim_end_matches(is_minus).trim_start_matches('+').trim();
    let is_negative = text.chars().filter(|c| is_minus(*c)).count() == 1;
    let is_signed_once = text.chars().filter(|c| is_minus(*c) || *c == '+').count() <= 1;
    if !is_signed_once {
        return None;
    }
    if bare.is_empty() { Some((is_negative, None)) } else { Some((is_negative, Some(currency(bare)?))) }
}

/// The scale and the unit that `text` is.
fn behind(text: &str, language: Option<Language>) -> Option<(u32, Option<String>)> {
    let mut words = text.split_whitespace().map(|word| word.trim_end_matches('.')).peekable();
    let mut exponent = 0;
    while let Some(scale) = words.peek().and_then(|word| scale(&word.to_lowercase(), language)) {
        exponent += u32::from(scale.exponent());
        words.next();
    }
    words.next_if(|word| exponent > 0 && joins_unit(&word.to_lowercase()));
    let rest: Vec<&str> = words.collect();
    match rest[..] {
        [] => Some((exponent, None)),
        [word] => {
            let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
            let name = unit(word, language).map(str::to_owned).or_else(|| is_word.then(|| word.to_lowercase()))?;
            Some((exponent, Some(name)))
        }
        _ => unit(&rest.join(" "), language).map(|name| (exponent, Some(name.to_owned()))),
    }
}

impl CellNumber {
    /// The number with the given mark before decimals; `None` if that does not decide.
    pub(super) fn value(&self, mark: Option<char>) -> Option<Decimal> {
        let is_so = |reading: &&WrittenNumber| match mark {
            Some(mark) => reading.decimal.is_none_or(|own| own == mark) && reading.group != Some(mark),
            None => self.readings.len() == 1,
        };
        let reading = self.readings.iter().find(is_so)?;
        let sign = if self.is_negative { "-" } else { "" };
        Decimal::parse(&format!("{sign}{}", reading.plain()))?.shift(self.exponent)
    }

    /// The mark before decimals that this number shows, if it has one reading with a mark.
    fn shows(&self) -> Option<char> {
        let [reading] = &self.readings[..] else { return None };
        reading.decimal.or(reading.group.map(|group| if group == '.' { ',' } else { '.' }))
    }
}

/// The mark before decimals in `column`, `all` being the numbers of its table. An error if some number of the column has two readings and
/// nothing decides.
///
/// That a mark stands before decimals shows only in the column itself: a table has columns of both kinds, and taking groups for decimals
/// is wrong by a thousand. That it stands between groups may show elsewhere in the table, in the language of the text, or in that of the
/// question, whose words are the heads.
pub(super) fn decimal_mark(
    all: &[CellNumber],
    column: &[CellNumber],
    (of_text, of_question): (Option<char>, Option<char>),
) -> Result<Option<char>, NotComputed> {
    let shown = |numbers: &[CellNumber], mark: char| numbers.iter().any(|number| number.shows() == Some(mark));
    match (shown(column, '.'), shown(column, ',')) {
        (true, true) => return Err(NotComputed::TwoReadings),
        (true, false) => return Ok(Some('.')),
        (false, true) => return Ok(Some(',')),
        (false, false) => {}
    }
    let unclear: Vec<&CellNumber> = column.iter().filter(|number| number.readings.len() > 1).collect();
    let Some(first) = unclear.first() else { return Ok(None) };
    let group = first.readings.iter().find_map(|reading| reading.group).ok_or(NotComputed::TwoReadings)?;
    let is_one_mark = unclear.iter().all(|number| number.readings.iter().any(|reading| reading.group == Some(group)));
    let other = if group == '.' { ',' } else { '.' };
    if !is_one_mark || shown(all, group) || of_text == Some(group) {
        return Err(NotComputed::TwoReadings);
    }
    let is_bare = |number: &CellNumber| number.readings.len() == 1 && number.readings[0].digits.len() <= 3;
    let is_mixed =
        column.iter().any(is_bare) && column.iter().all(|number| number.readings.len() > 1 || is_bare(number));
    let is_grouped = shown(all, other)
        || of_text == Some(other)
        || of_question == Some(other)
        || (unclear.len() >= GROUPED && is_mixed);
    if is_grouped { Ok(Some(other)) } else { Err(NotComputed::TwoReadings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(cells: &[&str]) -> Vec<CellNumber> {
        cells.iter().map(|cell| number(cell, None).expect(cell)).collect()
    }

    #[test]
    fn a_cell_is_a_number_with_sign_scale_and_unit() {
        for (cell, want) in [
            ("1,234.50", Some(("1234.50", ""))),
            ("−3", Some(("-3", ""))),
            ("€ 12", Some(("12", "EUR"))),
            ("-$12.5", Some(("-12.5", "USD"))),
            ("12 EUR", Some(("12", "EUR"))),
            ("3.5 %", Some(("3.5", "%"))),
            ("1.2 million", Some(("1200000", ""))),
            ("402 euros", Some(("402", "EUR"))),
            ("12 000", Some(("12000", ""))),
            ("12 00", None),
            ("12 goals", Some(("12", "goals"))),
            ("12 (2019)", None),
            ("12–15", None),
            ("(12)", None),
            ("about 12", None),
            ("12/15", None),
            ("2019-05-03", None),
            ("n/a", None),
            ("", None),
        ] {
            let found = number(cell, Some(Language::En));
            let found = found.and_then(|number| Some((number.value(None)?.to_string(), number.unit)));
            assert_eq!(found, want.map(|(value, unit)| (value.to_owned(), unit.to_owned())), "{cell}");
        }
    }

    #[test]
    fn ambiguous_readings_are_decided_by_table_or_language_without_guessing() {
        let column = numbers(&["1.200", "3.400"]);
        let none = (None, None);
        assert_eq!(decimal_mark(&column, &column, none), Err(NotComputed::TwoReadings));
        for (others, want) in [
            (&["2,5"][..], Ok(Some(','))),
            (&["2.500.000"], Ok(Some(','))),
            (&["2.5"], Err(NotComputed::TwoReadings)),
            (&["2.5", "2,5"], Err(NotComputed::TwoReadings)),
        ] {
            assert_eq!(decimal_mark(&numbers(others), &column, none), want, "{others:?}");
        }
        let decimals = numbers(&["1.200", "2.5"]);
        assert_eq!(decimal_mark(&decimals, &decimals, none), Ok(Some('.')));
        for (marks, want) in [
            ((Some(','), None), Ok(Some(','))),
            ((Some('.'), None), Err(NotComputed::TwoReadings)),
            ((None, Some(',')), Ok(Some(','))),
            ((None, Some('.')), Err(NotComputed::TwoReadings)),
            ((Some('.'), Some(',')), Err(NotComputed::TwoReadings)),
        ] {
            assert_eq!(decimal_mark(&column, &column, marks), want, "{marks:?}");
        }
        let grouped = numbers(&["950", "1,200", "3,400", "12,000"]);
        assert_eq!(decimal_mark(&grouped, &grouped, (None, None)), Ok(Some('.')));
        for few in
            [&["1,200", "3,400", "12,000"][..], &["950", "1,200", "3,400"], &["9500", "1,200", "3,400", "12,000"]]
        {
            let few = numbers(few);
            assert_eq!(decimal_mark(&few, &few, (None, None)), Err(NotComputed::TwoReadings), "{few:?}");
        }
        assert_eq!(column[0].value(Some(',')).map(|value| value.to_string()), Some("1200".to_owned()));
        assert_eq!(column[0].value(Some('.')).map(|value| value.to_string()), Some("1.200".to_owned()));
    }
}
