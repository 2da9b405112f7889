//! The numbers of list items as shown: digits, letters, Roman numerals and those of other scripts.

use super::numerals::{chinese, cjk_digits, digits, greek, japanese};

/// The style of the numbers of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum OrdinalStyle {
    #[default]
    Figures,
    /// `01`, `02`.
    PaddedFigures,
    SmallLetters,
    Letters,
    /// a to z, then aa, bb.
    SmallRepeatedLetters,
    RepeatedLetters,
    SmallRoman,
    Roman,
    /// `⑴`.
    Enclosed,
    SmallGreek,
    /// Digits of a script, which follow on this zero.
    DigitsFrom(char),
    /// `一〇五`.
    CjkDigits,
    /// `一百零五`.
    Chinese,
    /// `百五`.
    Japanese,
}

/// Largest number written in Roman numerals, as in HTML.
const MAX_ROMAN: i64 = 3_999;
/// Largest number written by repeating a letter: 30 times. Chosen; lists that long are rare, and the format has no limit.
const MAX_REPEATED: i64 = 780;
/// `⑴`, and how many follow it: Unicode has them up to 20.
const FIRST_ENCLOSED: u32 = 0x2474;
const MAX_ENCLOSED: u32 = 20;
const ROMAN: [(i64, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

/// `number` in `style`; in digits if the style cannot express it.
pub(super) fn format_ordinal(number: i64, style: OrdinalStyle) -> String {
    match style {
        OrdinalStyle::SmallLetters if number > 0 => letters(number),
        OrdinalStyle::Letters if number > 0 => letters(number).to_uppercase(),
        OrdinalStyle::SmallRepeatedLetters if (1..=MAX_REPEATED).contains(&number) => repeat_letter(number),
        OrdinalStyle::RepeatedLetters if (1..=MAX_REPEATED).contains(&number) => repeat_letter(number).to_uppercase(),
        OrdinalStyle::Enclosed => match u32::try_from(number) {
            Ok(number @ 1..=MAX_ENCLOSED) => {
                char::from_u32(FIRST_ENCLOSED + number - 1).map(String::from).unwrap_or_default()
            }
            _ => number.to_string(),
        },
        OrdinalStyle::SmallRoman if (1..=MAX_ROMAN).contains(&number) => roman(number),
        OrdinalStyle::Roman if (1..=MAX_ROMAN).contains(&number) => roman(number).to_uppercase(),
        OrdinalStyle::PaddedFigures if number >= 0 => format!("{number:02}"),
        OrdinalStyle::SmallGreek => greek(number).unwrap_or_else(|| number.to_string()),
        OrdinalStyle::DigitsFrom(zero) => digits(number, zero).unwrap_or_else(|| number.to_string()),
        OrdinalStyle::CjkDigits => cjk_digits(number).unwrap_or_else(|| number.to_string()),
        OrdinalStyle::Chinese => chinese(number).unwrap_or_else(|| number.to_string()),
        OrdinalStyle::Japanese => japanese(number).unwrap_or_else(|| number.to_string()),
        _ => number.to_string(),
    }
}

/// a to z, then aa, ab.
fn letters(mut number: i64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)));
        number /= 26;
    }
    letters.iter().rev().collect()
}

/// a to z, then aa, bb.
fn repeat_letter(number: i64) -> String {
    let letter = char::from(b'a' + u8::try_from((number - 1) % 26).unwrap_or(0));
    let times = usize::try_from((number - 1) / 26 + 1).unwrap_or(1);
    std::iter::repeat_n(letter, times).collect()
}

fn roman(mut number: i64) -> String {
    let mut out = String::new();
    for (value, sign) in ROMAN {
        while number >= value {
            out.push_str(sign);
            number -= value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_lists_show_them() {
        for (number, style, want) in [
            (12, OrdinalStyle::Figures, "12"),
            (-3, OrdinalStyle::Figures, "-3"),
            (9, OrdinalStyle::PaddedFigures, "09"),
            (10, OrdinalStyle::PaddedFigures, "10"),
            (1, OrdinalStyle::SmallLetters, "a"),
            (26, OrdinalStyle::Letters, "Z"),
            (27, OrdinalStyle::SmallLetters, "aa"),
            (702, OrdinalStyle::SmallLetters, "zz"),
            (0, OrdinalStyle::Letters, "0"),
            (1994, OrdinalStyle::Roman, "MCMXCIV"),
            (4, OrdinalStyle::SmallRoman, "iv"),
            (3, OrdinalStyle::SmallGreek, "γ"),
            (0, OrdinalStyle::SmallGreek, "0"),
            (12, OrdinalStyle::DigitsFrom('०'), "१२"),
            (12, OrdinalStyle::CjkDigits, "一二"),
            (12, OrdinalStyle::Chinese, "十二"),
            (10_000, OrdinalStyle::Japanese, "10000"),
            (MAX_ROMAN - 1, OrdinalStyle::SmallRoman, "mmmcmxcviii"),
            (MAX_ROMAN, OrdinalStyle::SmallRoman, "mmmcmxcix"),
            (MAX_ROMAN + 1, OrdinalStyle::SmallRoman, "4000"),
        ] {
            assert_eq!(format_ordinal(number, style), want, "{number}");
        }
    }

    #[test]
    fn letters_that_repeat_do_so_up_to_a_length() {
        for (number, style, want) in [
            (1, OrdinalStyle::RepeatedLetters, "A".to_owned()),
            (26, OrdinalStyle::SmallRepeatedLetters, "z".to_owned()),
            (27, OrdinalStyle::RepeatedLetters, "AA".to_owned()),
            (28, OrdinalStyle::RepeatedLetters, "BB".to_owned()),
            (53, OrdinalStyle::SmallRepeatedLetters, "aaa".to_owned()),
            (779, OrdinalStyle::SmallRepeatedLetters, "y".repeat(30)),
            (780, OrdinalStyle::SmallRepeatedLetters, "z".repeat(30)),
            (781, OrdinalStyle::SmallRepeatedLetters, "781".to_owned()),
            (0, OrdinalStyle::RepeatedLetters, "0".to_owned()),
            (1, OrdinalStyle::Enclosed, "⑴".to_owned()),
            (19, OrdinalStyle::Enclosed, "⒆".to_owned()),
            (20, OrdinalStyle::Enclosed, "⒇".to_owned()),
            (21, OrdinalStyle::Enclosed, "21".to_owned()),
            (0, OrdinalStyle::Enclosed, "0".to_owned()),
        ] {
            assert_eq!(format_ordinal(number, style), want, "{number}");
        }
    }
}
