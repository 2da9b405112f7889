//! Parses numbers of a sentence with what they count or measure.
//!
//! Conservative: an ambiguous number (a range, date, version, or number glued to letters) is not a quantity. `1.200`, which may mean 1200
//! or 1.2, keeps both readings.

use std::ops::Range;
use std::sync::LazyLock;

use crate::language::script::is_unspaced;
use crate::terms;
use crate::word_list::{WordList, words};

/// Value from which trailing zeros of a whole number may come from rounding.
const ROUND_FROM: f64 = 1_000.0;
/// Range of four-digit numbers that are taken for years if no unit follows.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;

/// Scale words, lower case, and their factors. Languages in which `billion` means a million millions spell it differently.
const SCALES: [(&[&str], f64); 4] = [
    (&["thousand", "thousands", "tausend", "tsd", "mille", "mil"], 1e3),
    (&["million", "millions", "millionen", "mio", "mn", "millón", "millones"], 1e6),
    (&["billion", "billions", "bn", "milliarde", "milliarden", "mrd", "milliard", "milliards"], 1e9),
    (&["trillion", "trillions", "billionen", "billones"], 1e12),
];
/// Units with several spellings; the first is the common name.
const UNITS: [&[&str]; 22] = [
    &["%", "percent", "prozent", "pourcent"],
    &["EUR", "€", "eur", "euro", "euros"],
    &["USD", "$", "usd", "dollar", "dollars"],
    &["GBP", "£", "gbp", "pounds"],
    &["JPY", "¥", "jpy", "yen", "円"],
    &["CHF", "chf", "franken", "francs"],
    &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    &["m", "metre", "metres", "meter", "meters", "mètres", "metros"],
    &["cm", "centimetres", "centimeters", "zentimeter"],
    &["mm", "millimetres", "millimeters", "millimeter"],
    &["kg", "kilogram", "kilograms", "kilogramm"],
    &["g", "gram", "grams", "gramm"],
    &["mg", "milligram", "milligrams", "milligramm"],
    &["t", "tonne", "tonnes", "tons", "tonnen"],
    &["l", "litre", "litres", "liter", "liters"],
    &["ml", "millilitres", "milliliters", "milliliter"],
    &["s", "second", "seconds", "sekunde", "sekunden", "secondes", "segundos"],
    &["min", "minute", "minutes", "minuten", "minutos"],
    &["h", "hour", "hours", "stunde", "stunden", "heures", "horas"],
    &["°C", "°c"],
    &["MW", "mw"],
    &["GB", "gb"],
];
/// Two words that are one unit, lower case.
const TWO_WORDS: [([&str; 2], &str); 3] = [(["per", "cent"], "%"), (["pour", "cent"], "%"), (["por", "ciento"], "%")];
/// Words between a scale and its unit.
static JOINING: WordList = LazyLock::new(|| words("of de d di"));

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
        self.unit == other.unit || (!is_listed(&self.unit) && terms::likeness(&self.unit, &other.unit) > 0.0)
    }
}

fn is_listed(unit: &str) -> bool {
    UNITS.iter().any(|names| names[0] == unit)
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
    let tokens = tokens(sentence);
    let mut found = SentenceNumbers::default();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        if !token.text.contains(char::is_numeric) {
            continue;
        }
        match quantity(sentence, &tokens, at - 1) {
            Some((quantity, past)) => {
                found.quantities.push(quantity);
                at = past;
            }
            None => found.others.push(token.text.to_lowercase()),
        }
    }
    found
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
    found.into_iter().flat_map(|range| glued_unit(text, range)).collect()
}

/// `300m` and `20°C` as number and unit.
fn glued_unit(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let run = &text[range.clone()];
    let digits = run.find(|c: char| c.is_alphabetic() || c == '°').unwrap_or(run.len());
    let (number, unit) = run.split_at(digits);
    let is_number = number.ends_with(|c: char| c.is_ascii_digit()) && number.starts_with(|c: char| c.is_ascii_digit());
    if is_number && unit_named(unit).is_some() {
        return vec![range.start..range.start + digits, range.start + digits..range.end];
    }
    vec![range]
}

/// The quantity whose number is token `at`, and the index of the token after it.
fn quantity(sentence: &str, tokens: &[Token<'_>], at: usize) -> Option<(Quantity, usize)> {
    let token = &tokens[at];
    let (mut readings, mut quantum) = read(token.text)?;
    // `12 000` with a plain space may be one number or two.
    let beside = |other: Option<&Token<'_>>| other.is_some_and(|t| t.text.starts_with(|c: char| c.is_ascii_digit()));
    if beside(tokens.get(at + 1)) || (at > 0 && beside(tokens.get(at - 1))) {
        return None;
    }
    let mut next = at + 1;
    let scale = tokens.get(next).and_then(|token| scale(token.text));
    if let Some(scale) = scale {
        readings.iter_mut().for_each(|value| *value *= scale);
        quantum *= scale;
        next += 1;
        next += usize::from(tokens.get(next).is_some_and(|t| JOINING.contains(t.text.to_lowercase().as_str())));
    }
    let before = at.checked_sub(1).and_then(|before| currency(tokens[before].text));
    if let Some(unit) = before {
        let end = tokens[next - 1].range.end;
        let range = tokens[at - 1].range.start..end;
        return Some((Quantity { range, readings, quantum, unit: unit.to_owned() }, next));
    }
    let (unit, past) = unit(sentence, tokens, next, scale.is_none().then_some(token.text))?;
    if scale.is_none() && readings.len() == 1 && !is_listed(&unit.0) && is_version_of_name(sentence, tokens, at) {
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
) -> Option<((String, Option<usize>), usize)> {
    let token = tokens.get(at)?;
    // A unit directly follows its number; a comma or full stop between them excludes it.
    let gap = &sentence[tokens[at - 1].range.end..token.range.start];
    if !gap.chars().all(char::is_whitespace) {
        return None;
    }
    let lower = token.text.to_lowercase();
    if let Some(next) = tokens.get(at + 1) {
        let pair = [lower.as_str(), &next.text.to_lowercase()];
        if let Some((_, unit)) = TWO_WORDS.iter().find(|(words, _)| *words == pair) {
            return Some((((*unit).to_owned(), None), at + 2));
        }
    }
    if let Some(unit) = unit_named(token.text) {
        return Some(((unit.to_owned(), None), at + 1));
    }
    let first = token.text.chars().next()?;
    if is_unspaced(first) {
        let end = token.range.start + first.len_utf8();
        let is_time = matches!(first, '年' | '月' | '日' | '時' | '时');
        return (!is_time).then(|| ((first.to_string(), Some(end)), at + 1));
    }
    let is_year = number.is_some_and(|n| n.len() == 4 && n.parse().is_ok_and(|n| YEARS.contains(&n)));
    let is_noun = token.text.chars().all(|c| c.is_alphabetic() || c == '-') && terms::is_term(&lower);
    (is_noun && !is_year && !is_month(&lower)).then(|| ((lower, None), at + 1))
}

fn unit_named(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    // Symbols of one or two letters are case-sensitive.
    let is = |name: &&str| if name.chars().count() <= 2 { **name == *text } else { **name == lower };
    UNITS.iter().find(|names| names.iter().any(&is)).map(|names| names[0])
}

fn currency(text: &str) -> Option<&'static str> {
    let known = UNITS.iter().skip(1).take(5);
    known.clone().find(|names| names.iter().take(2).any(|name| *name == text)).map(|names| names[0])
}

fn scale(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    SCALES.iter().find(|(names, _)| names.contains(&lower.as_str())).map(|(_, scale)| *scale)
}

fn is_month(lower: &str) -> bool {
    static MONTHS: WordList = LazyLock::new(|| {
        words(
            "january february march april may june july august september october november december januar februar märz mai juni \
            juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero \
            marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        )
    });
    MONTHS.contains(lower)
}

/// The readings of a number as written, and its precision; `None` if it is not a plain number.
fn read(text: &str) -> Option<(Vec<f64>, f64)> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_group = |c: char| matches!(c, '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    if marks.iter().any(|c| !is_group(*c) && !matches!(c, '.' | ',')) {
        return None;
    }
    let pieces: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let grouped = |pieces: &[&str]| {
        (1..=3).contains(&pieces[0].len()) && !pieces[0].starts_with('0') && pieces[1..].iter().all(|p| p.len() == 3)
    };
    let last = marks.last().copied();
    let is_decimal = matches!(last, Some('.' | ',')) && marks.iter().filter(|c| Some(**c) == last).count() == 1;
    let (head, tail) = pieces.split_at(pieces.len() - 1);
    let mut readings = Vec::new();
    if marks.is_empty() {
        readings.push(whole(&pieces)?);
    } else {
        if is_decimal && (head.len() == 1 || grouped(head)) {
            let value = format!("{}.{}", head.concat(), tail[0]).parse().ok()?;
            readings.push((value, 10_f64.powi(-i32::try_from(tail[0].len()).ok()?)));
        }
        let same = marks.windows(2).all(|pair| pair[0] == pair[1]);
        if same && grouped(&pieces) {
            readings.push(whole(&pieces)?);
        }
    }
    let quantum = readings.iter().map(|(_, quantum)| *quantum).fold(0.0, f64::max);
    (!readings.is_empty()).then(|| (readings.into_iter().map(|(value, _)| value).collect(), quantum))
}

fn whole(pieces: &[&str]) -> Option<(f64, f64)> {
    let digits = pieces.concat();
    let value: f64 = digits.parse().ok()?;
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let quantum = if value >= ROUND_FROM { 10_f64.powi(i32::try_from(zeros).ok()?) } else { 1.0 };
    Some((value, quantum))
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
        ] {
            assert_eq!(found(sentence), [(part, readings, unit.to_owned())], "{sentence}");
        }
    }

    #[test]
    fn what_is_no_plain_number_with_a_unit_is_no_quantity() {
        for (sentence, others) in [
            ("It was founded in 2019 by two men.", vec!["2019"]),
            ("Between 5-10 people came.", vec!["5-10"]),
            ("On 2026-01-31 and at 10:30 it rained.", vec!["2026-01-31", "10:30"]),
            ("COVID-19 and B12 and v3 and the 3rd.", vec!["covid-19", "b12", "v3", "3rd"]),
            ("There are 12 000 people.", vec!["12", "000"]),
            ("It took place on 30 May.", vec!["30"]),
            ("Of them 12, people say, came.", vec!["12"]),
            ("In 2019 people left.", vec!["2019"]),
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
