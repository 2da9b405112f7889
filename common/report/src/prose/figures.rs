//! The numbers of a text, in any of the usual notations.
//!
//! `1,234` may be a thousand or a little more than one: if a notation has two readings, both count, and two figures are equal if they
//! share a reading. Raised digits behind a number are a power (`10⁶`), cents (`$11⁹⁹`) or the mark of a note. Number words are known up to
//! twelve.

use std::collections::BTreeSet;

use precis_language::Language;
use precis_language::number_words::number;

/// Whether the separator at `at` continues the number: it precedes a digit, or, if it is a space, a group of exactly three digits.
pub(crate) fn joins(chars: &[char], at: usize) -> bool {
    let digits = |from: usize| chars[from.min(chars.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
    match chars[at] {
        '.' | ',' | '٫' | '٬' => digits(at + 1) > 0,
        '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => {
            let before = chars[..at].iter().rev().take_while(|c| c.is_ascii_digit()).count();
            digits(at + 1) == 3 && before <= 3
        }
        _ => false,
    }
}

/// Converts a digit of another script to ASCII.
pub(crate) fn digit(c: char) -> Option<char> {
    const ZEROS: [char; 5] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];
    let value = ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|n| *n < 10))?;
    char::from_digit(value, 10)
}

/// The digit that `c` is when it is raised.
fn superscript_digit(c: char) -> Option<u32> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|raised| raised == c).and_then(|value| u32::try_from(value).ok())
}

/// The values a figure may have, each in one canonical notation.
pub(crate) fn readings(figure: &str) -> BTreeSet<String> {
    let base = figure.trim_end_matches(|c| superscript_digit(c).is_some());
    let mut values = plain_readings(base);
    let digits: Vec<u32> = figure[base.len()..].chars().filter_map(superscript_digit).collect();
    if digits.is_empty() {
        return values;
    }
    let exponent = digits.iter().try_fold(0_u32, |value, digit| value.checked_mul(10)?.checked_add(*digit));
    let power = base.parse::<u128>().ok().zip(exponent).and_then(|(base, exponent)| base.checked_pow(exponent));
    values.extend(power.map(|power| power.to_string()));
    if let ([tens, ones], Ok(whole)) = (digits.as_slice(), base.parse::<u128>()) {
        values.insert(plain(&whole.to_string(), &format!("{tens}{ones}")));
    }
    values
}

fn plain_readings(figure: &str) -> BTreeSet<String> {
    let separators: Vec<char> = figure.chars().filter(|c| !c.is_ascii_digit()).collect();
    let joined: String = figure.chars().filter(char::is_ascii_digit).collect();
    let decimal = |at: usize| {
        let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
        plain(&digits(&figure[..at]), &digits(&figure[at..]))
    };
    let Some(last) = separators.last() else { return BTreeSet::from([plain(&joined, "")]) };
    let at = figure.rfind(*last).unwrap_or(0);
    let behind = figure.len() - at - last.len_utf8();
    let is_point = matches!(last, '.' | ',' | '٫');
    let kinds: BTreeSet<&char> = separators.iter().collect();
    match (kinds.len(), separators.len()) {
        (1, 1) if is_point && behind == 3 && *last != '٫' && !figure.starts_with('0') => {
            BTreeSet::from([plain(&joined, ""), decimal(at)])
        }
        (1, 1) if is_point => BTreeSet::from([decimal(at)]),
        (1, _) if figure.split(*last).skip(1).all(|group| group.len() == 3) => BTreeSet::from([plain(&joined, "")]),
        // 1.2.3: a section number or a version.
        (1, _) => BTreeSet::from([figure.to_owned()]),
        _ => BTreeSet::from([decimal(at)]),
    }
}

/// The number without insignificant zeros.
fn plain(whole: &str, rest: &str) -> String {
    let (whole, rest) = (whole.trim_start_matches('0'), rest.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

/// The number that a single lower-case word spells in a text of `language`; empty for articles that may also mean one.
pub(crate) fn spelled_word(word: &str, language: Option<Language>) -> BTreeSet<String> {
    number(word, language).map(|n| n.to_string()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_the_same_however_it_is_grouped() {
        let alike = |a: &str, b: &str| !readings(a).is_disjoint(&readings(b));
        for (a, b, same) in [
            ("12,500", "12.500", true),
            ("12,500", "12500", true),
            ("12,500", "12.5", true),
            ("12.50", "12,5", true),
            ("1,234.50", "1.234,5", true),
            ("1 234,5", "1234.5", true),
            ("05", "5", true),
            ("0.125", "125", false),
            ("1.5", "15", false),
            ("1.5", "1.25", false),
            ("1,234,567", "1234567", true),
            ("1.2.3", "123", false),
            ("1.2.3", "1.2.3", true),
            ("100", "10", false),
            ("10⁶", "1,000,000", true),
            ("10⁶", "106", false),
            ("11⁹⁹", "11.99", true),
            ("40¹", "40", true),
            ("40¹", "401", false),
        ] {
            assert_eq!(alike(a, b), same, "{a} {b}");
        }
    }
}
