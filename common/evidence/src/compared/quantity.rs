//! Parses numbers of a sentence with what they count or measure.
//!
//! Conservative: an ambiguous number (a range, date, version, or number glued to letters) is not a quantity. `1.200`, which may mean 1200
//! or 1.2, keeps both readings.

use std::ops::Range;

use precis_language::amount::joins_unit;
use precis_language::calendar::is_month_name;
use precis_language::number_words::whole_numbers_in;
use precis_language::scale::{leading_scale, scale};
use precis_language::script::{goes_by_pieces, is_mark, is_unspaced};
use precis_language::unit::{currency, is_unit_name, leading_unit, unit as unit_of};
use precis_language::{FoundWord, Language, detect, is_function_word};
use precis_text::terms;

use crate::written_number::{WrittenNumber, readings};

/// Value from which trailing zeros of a whole number may come from rounding.
const ROUND_FROM: f64 = 1_000.0;
/// Range of four-digit numbers that are taken for years if no unit follows.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// A number and what it counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// Byte range of number and unit in the sentence.
    pub(super) range: Range<usize>,
    /// Its possible values: one, or two if its separator is ambiguous.
    pub(super) readings: Vec<f64>,
    /// Its precision: the smallest difference that it expresses.
    quantum: f64,
    /// The common name of its unit.
    pub(super) unit: String,
}

impl Quantity {
    /// Whether no readings of both agree, even after rounding to the coarser precision.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let least = self.quantum.max(other.quantum) / 2.0;
        let apart = |a: &f64| other.readings.iter().all(|b| (a - b).abs() > least * 1.000_001);
        self.readings.iter().all(apart)
    }

    /// Whether both count the same thing.
    pub(super) fn counts_like(&self, other: &Self) -> bool {
        self.unit == other.unit || (!is_unit_name(&self.unit) && terms::likeness(&self.unit, &other.unit) > 0.0)
    }
}

/// The numbers of a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SentenceNumbers {
    /// Numbers with a unit, in order.
    pub(super) quantities: Vec<Quantity>,
    /// All others, as written, in order: years, dates, versions, ranges.
    pub(super) others: Vec<String>,
}

/// A word of the sentence: letters and digits, with marks inside.
struct Token<'s> {
    range: Range<usize>,
    text: &'s str,
}

/// Parses the numbers of `sentence`.
pub(super) fn numbers(sentence: &str) -> SentenceNumbers {
    let language = detect(sentence).known;
    let spelled = whole_numbers_in(sentence, language);
    let tokens = apart(tokens(sentence), sentence, &spelled);
    let mut found = SentenceNumbers::default();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        let word = spelled.iter().find(|word| word.range == token.range);
        let has_digits = token.text.contains(char::is_numeric);
        let read = match word {
            Some(word) => Some((vec![f64::from(word.value)], 1.0)),
            None if has_digits => read(token.text),
            None => continue,
        };
        match read.and_then(|read| quantity(sentence, &tokens, at - 1, read, language)) {
            Some((quantity, past)) => {
                found.quantities.push(quantity);
                at = past;
            }
            None if has_digits => found.others.push(token.text.to_lowercase()),
            None => {}
        }
    }
    found
}

/// `tokens` with the number words in them as tokens of their own: `三` of `三人`.
fn apart<'s>(tokens: Vec<Token<'s>>, sentence: &'s str, spelled: &[FoundWord<u8>]) -> Vec<Token<'s>> {
    let cut = |token: Token<'s>| {
        let mut marks = vec![token.range.start, token.range.end];
        let inside = spelled.iter().flat_map(|word| [word.range.start, word.range.end]);
        marks.extend(inside.filter(|mark| token.range.contains(mark) && token.text.starts_with(is_unspaced)));
        marks.sort_unstable();
        marks.dedup();
        marks
            .windows(2)
            .map(|ends| Token { range: ends[0]..ends[1], text: &sentence[ends[0]..ends[1]] })
            .collect::<Vec<_>>()
    };
    tokens.into_iter().flat_map(cut).collect()
}

/// Runs without white space, outer punctuation removed; a currency or percent sign is a token of its own.
fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut push = |from: usize, to: usize| {
        let run = &sentence[from..to];
        let is_outer = |c: char| !c.is_alphanumeric() && !is_sign(c);
        let bare = run.trim_matches(is_outer);
        let from = from + (run.len() - run.trim_start_matches(is_outer).len());
        for range in parts(bare) {
            found.push(Token { text: &bare[range.clone()], range: from + range.start..from + range.end });
        }
    };
    for (at, c) in sentence.char_indices() {
        // A narrow or non-breaking space groups digits and does not separate tokens.
        let parts = c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}');
        match (parts, start) {
            (true, Some(from)) => {
                push(from, at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(from) = start {
        push(from, sentence.len());
    }
    found
}

fn is_sign(c: char) -> bool {
    matches!(c, '%' | '€' | '$' | '£' | '¥' | '°' | '<' | '>' | '≤' | '≥' | '~' | '≈' | '±' | '-' | '−')
}

/// `text` split where a number meets a sign, a unit glued to it, or a script without spaces.
fn parts(text: &str) -> Vec<Range<usize>> {
    let class = |c: char| match c {
        '%' | '€' | '$' | '£' | '¥' => 0,
        c if is_unspaced(c) => 1,
        '\u{a0}' | '\u{202f}' => 3,
        _ => 2,
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut last: Option<u8> = None;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (n, (at, c)) in chars.iter().enumerate() {
        let digit = |m: Option<usize>| m.and_then(|m| chars.get(m)).is_some_and(|(_, c)| c.is_ascii_digit());
        // A non-breaking space is part of a number only between digits.
        let class = match class(*c) {
            3 if digit(n.checked_sub(1)) && digit(Some(n + 1)) => 2,
            3 => {
                last = None;
                continue;
            }
            class => class,
        };
        match (last, found.last_mut()) {
            (Some(before), Some(open)) if before == class && class != 0 => open.end = at + c.len_utf8(),
            _ => found.push(*at..at + c.len_utf8()),
        }
        last = Some(class);
    }
    found.into_iter().flat_map(|range| glued_unit(text, range)).flat_map(|range| glued_scales(text, range)).collect()
}

/// `万人` and `만명` as scale and unit.
fn glued_scales(text: &str, mut range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    while text[range.clone()].starts_with(goes_by_pieces) {
        let Some((_, bytes)) = leading_scale(&text[range.clone()]) else { break };
        found.push(range.start..range.start + bytes);
        range.start += bytes;
    }
    if !range.is_empty() {
        found.push(range);
    }
    found
}

/// `300m` and `20°C` as number and unit; not the seconds in `1990s`.
fn glued_unit(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let run = &text[range.clone()];
    let digits = run.find(|c: char| c.is_alphabetic() || c == '°').unwrap_or(run.len());
    let (number, unit) = run.split_at(digits);
    let is_number = number.ends_with(|c: char| c.is_ascii_digit()) && number.starts_with(|c: char| c.is_ascii_digit());
    let is_decade = unit == "s" && is_year(number);
    if is_number
        && !is_decade
        && (unit_of(unit, None).is_some() || leading_scale(unit).is_some_and(|_| unit.starts_with(goes_by_pieces)))
    {
        return vec![range.start..range.start + digits, range.start + digits..range.end];
    }
    vec![range]
}

/// The quantity whose number is token `at`, with its readings and precision, and the index of the token after it.
fn quantity(
    sentence: &str,
    tokens: &[Token<'_>],
    at: usize,
    (mut readings, mut quantum): (Vec<f64>, f64),
    language: Option<Language>,
) -> Option<(Quantity, usize)> {
    let token = &tokens[at];
    // `12 000` with a plain space may be one number or two.
    let beside = |other: Option<&Token<'_>>| other.is_some_and(|t| t.text.starts_with(|c: char| c.is_ascii_digit()));
    if beside(tokens.get(at + 1)) || (at > 0 && beside(tokens.get(at - 1))) {
        return None;
    }
    let mut next = at + 1;
    // Several in a row multiply: `百万`, `mil millones`, `lakh crore`.
    while let Some(scale) = tokens.get(next).and_then(|token| scale(&token.text.to_lowercase(), language)) {
        readings.iter_mut().for_each(|value| *value *= scale.factor());
        quantum *= scale.factor();
        next += 1;
    }
    let is_scaled = next > at + 1;
    if is_scaled {
        next += usize::from(tokens.get(next).is_some_and(|t| joins_unit(&t.text.to_lowercase())));
    }
    let before = at.checked_sub(1).and_then(|before| currency(tokens[before].text));
    if let Some(unit) = before {
        let end = tokens[next - 1].range.end;
        let range = tokens[at - 1].range.start..end;
        return Some((Quantity { range, readings, quantum, unit: unit.to_owned() }, next));
    }
    let (unit, past) = unit(sentence, tokens, next, (!is_scaled).then_some(token.text), language)?;
    if !is_scaled && readings.len() == 1 && !is_unit_name(&unit.0) && is_version_of_name(sentence, tokens, at) {
        return None;
    }
    let range = token.range.start..tokens[past - 1].range.end;
    let range = range.start..unit.1.unwrap_or(range.end);
    Some((Quantity { range, readings, quantum, unit: unit.0 }, past))
}

/// Whether the number of token `at` may be a version of the name before it: `Python 1.6 Release Schedule` counts nothing.
fn is_version_of_name(sentence: &str, tokens: &[Token<'_>], at: usize) -> bool {
    let Some(name) = at.checked_sub(1).map(|before| &tokens[before]) else { return false };
    let is_beside = sentence[name.range.end..tokens[at].range.start].chars().all(char::is_whitespace);
    is_beside && tokens[at].text.contains('.') && name.text.starts_with(char::is_uppercase)
}

/// The unit that starts at token `at`; its end if that is inside the token; and the index of the token after it.
fn unit(
    sentence: &str,
    tokens: &[Token<'_>],
    at: usize,
    number: Option<&str>,
    language: Option<Language>,
) -> Option<((String, Option<usize>), usize)> {
    let token = tokens.get(at)?;
    // A unit directly follows its number; a comma or full stop between them excludes it, unless the stop belongs to a scale as in `Mio.`.
    let gap = &sentence[tokens[at - 1].range.end..token.range.start];
    let gap = if number.is_none() { gap.strip_prefix('.').unwrap_or(gap) } else { gap };
    if !gap.chars().all(char::is_whitespace) {
        return None;
    }
    let lower = token.text.to_lowercase();
    let pair = tokens.get(at + 1).map(|next| format!("{lower} {}", next.text.to_lowercase()));
    if let Some(unit) = pair.and_then(|pair| unit_of(&pair, language)) {
        return Some(((unit.to_owned(), None), at + 2));
    }
    if let Some(unit) = unit_of(token.text, language) {
        return Some(((unit.to_owned(), None), at + 1));
    }
    let first = token.text.chars().next()?;
    if is_unspaced(first) {
        if let Some((unit, bytes)) = leading_unit(token.text) {
            return Some(((unit.to_owned(), Some(token.range.start + bytes)), at + 1));
        }
        let end = token.range.start + first.len_utf8();
        let is_time = matches!(first, '年' | '月' | '日' | '時' | '时');
        return (!is_time).then(|| ((first.to_string(), Some(end)), at + 1));
    }
    let is_noun = token.text.chars().all(|c| c.is_alphabetic() || is_mark(c) || c == '-') && terms::is_term(&lower);
    let is_noun = is_noun && !is_function_word(&lower, language);
    (is_noun && !number.is_some_and(is_year) && !is_month_name(&lower)).then(|| ((lower, None), at + 1))
}

fn is_year(number: &str) -> bool {
    number.len() == 4 && number.parse().is_ok_and(|number| YEARS.contains(&number))
}

/// The readings of a number as written, and its precision; `None` if it is not a plain number.
fn read(text: &str) -> Option<(Vec<f64>, f64)> {
    let readings = readings(text);
    let values: Vec<f64> = readings.iter().filter_map(|reading| reading.plain().parse().ok()).collect();
    let quantum = readings.iter().map(quantum).fold(0.0, f64::max);
    (!values.is_empty() && values.len() == readings.len()).then_some((values, quantum))
}

/// The smallest difference that a number expresses; the zeros at the end of a large whole one may come from rounding.
fn quantum(reading: &WrittenNumber) -> f64 {
    if reading.places > 0 {
        return 10_f64.powi(-i32::try_from(reading.places).unwrap_or(i32::MAX));
    }
    let is_large = reading.digits.parse::<f64>().is_ok_and(|value| value >= ROUND_FROM);
    let zeros = reading.digits.len() - reading.digits.trim_end_matches('0').len();
    if is_large { 10_f64.powi(i32::try_from(zeros).unwrap_or(i32::MAX)) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sentence: &str) -> Vec<(&str, Vec<f64>, String)> {
        let found = numbers(sentence).quantities;
        found.into_iter().map(|q| (&sentence[q.range], q.readings, q.unit)).collect()
    }

    #[test]
    fn a_number_is_read_with_what_it_counts() {
        for (sentence, part, readings, unit) in [
            ("The cap is 5 % of the price.", "5 %", vec![5.0], "%"),
            ("The cap is 5% of the price.", "5%", vec![5.0], "%"),
            ("The cap is 12.5 percent.", "12.5 percent", vec![12.5], "%"),
            ("Die Strafe beträgt 12,5 Prozent.", "12,5 Prozent", vec![12.5], "%"),
            ("It lays off 120 people in Kiel.", "120 people", vec![120.0], "people"),
            ("It costs €1.2 million.", "€1.2 million", vec![1.2e6], "EUR"),
            ("It costs EUR 300.", "EUR 300", vec![300.0], "EUR"),
            ("Cuesta 2 millones de euros.", "2 millones de euros", vec![2e6], "EUR"),
            ("On average 2.5 children live there.", "2.5 children", vec![2.5], "children"),
            ("Berlin has Berlin 3.7 million inhabitants.", "3.7 million inhabitants", vec![3.7e6], "inhabitants"),
            ("It is Tower 1.5 km away.", "1.5 km", vec![1.5], "km"),
            ("It is 300m high.", "300m", vec![300.0], "m"),
            ("It has 1,234,567 inhabitants.", "1,234,567 inhabitants", vec![1_234_567.0], "inhabitants"),
            ("Es hat 1.234 Einwohner.", "1.234 Einwohner", vec![1.234, 1234.0], "einwohner"),
            ("Il y a 12\u{202f}000 habitants.", "12\u{202f}000 habitants", vec![12_000.0], "habitants"),
            ("従業員は120人です。", "120人", vec![120.0], "人"),
            ("Es kostet 5 Mio. Euro.", "5 Mio. Euro", vec![5e6], "EUR"),
            ("Vale 3 mil millones de euros.", "3 mil millones de euros", vec![3e9], "EUR"),
            ("人口は120万人です。", "120万人", vec![1.2e6], "人"),
            ("인구는 120만명이다.", "120만명이다", vec![1.2e6], "명이다"),
            ("It has 5 lakh acres.", "5 lakh acres", vec![5e5], "acre"),
            ("It is 12 miles away.", "12 miles", vec![12.0], "mile"),
            ("ราคา 20 บาท", "20 บาท", vec![20.0], "THB"),
            ("Three people were hurt.", "Three people", vec![3.0], "people"),
            ("Es gab drei Verletzte.", "drei Verletzte", vec![3.0], "verletzte"),
            ("Trois personnes sont mortes.", "Trois personnes", vec![3.0], "personnes"),
            ("有三人受伤。", "三人", vec![3.0], "人"),
            ("It has two million users.", "two million users", vec![2e6], "users"),
        ] {
            assert_eq!(found(sentence), [(part, readings, unit.to_owned())], "{sentence}");
        }
    }

    #[test]
    fn what_is_no_plain_number_with_a_unit_is_no_quantity() {
        for (sentence, others) in [
            ("It was founded in 2019 by his men.", vec!["2019"]),
            ("Between 5-10 people came.", vec!["5-10"]),
            ("On 2026-01-31 and at 10:30 it rained.", vec!["2026-01-31", "10:30"]),
            ("COVID-19 and B12 and v3 and the 3rd.", vec!["covid-19", "b12", "v3", "3rd"]),
            ("There are 12 000 people.", vec!["12", "000"]),
            ("It took place on 30 May.", vec!["30"]),
            ("Of them 12, people say, came.", vec!["12"]),
            ("In 2019 people left.", vec!["2019"]),
            ("In the 1990s people left.", vec!["1990s"]),
            ("The Python 1.6 Release Schedule is kept.", vec!["1.6"]),
        ] {
            let read = numbers(sentence);
            assert_eq!(
                (read.quantities.len(), read.others),
                (0, others.iter().map(|o| (*o).to_owned()).collect()),
                "{sentence}"
            );
        }
    }

    #[test]
    fn values_differ_only_beyond_what_rounding_explains() {
        let one = |text: &str| numbers(text).quantities.pop().expect("a quantity");
        for (a, b, differs) in [
            ("5 %", "10 %", true),
            ("5 %", "5.0 %", false),
            ("12 %", "12.3 %", false),
            ("12.4 %", "12.3 %", true),
            ("120 people", "340 people", true),
            ("1.2 million euros", "1,234,567 euros", false),
            ("1.2 million euros", "1.3 million euros", true),
            ("3200 people", "3234 people", false),
            ("3200 people", "3310 people", true),
            ("3.234 people", "3234 people", false),
        ] {
            assert_eq!(one(a).differs(&one(b)), differs, "{a} {b}");
            assert_eq!(one(b).differs(&one(a)), differs, "{b} {a}");
        }
    }
}
