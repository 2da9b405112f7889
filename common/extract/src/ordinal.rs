//! The numbers of list items as shown: digits, letters and Roman numerals.

/// The style of the numbers of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum OrdinalStyle {
    #[default]
    Figures,
    /// `01`, `02`.
    PaddedFigures,
    SmallLetters,
    Letters,
    SmallRoman,
    Roman,
}

/// Largest number written in Roman numerals, as in HTML.
const MAX_ROMAN: i64 = 3_999;
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
pub(super) fn written(number: i64, style: OrdinalStyle) -> String {
    match style {
        OrdinalStyle::SmallLetters if number > 0 => letters(number),
        OrdinalStyle::Letters if number > 0 => letters(number).to_uppercase(),
        OrdinalStyle::SmallRoman if (1..=MAX_ROMAN).contains(&number) => roman(number),
        OrdinalStyle::Roman if (1..=MAX_ROMAN).contains(&number) => roman(number).to_uppercase(),
        OrdinalStyle::PaddedFigures if number >= 0 => format!("{number:02}"),
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
            (MAX_ROMAN - 1, OrdinalStyle::SmallRoman, "mmmcmxcviii"),
            (MAX_ROMAN, OrdinalStyle::SmallRoman, "mmmcmxcix"),
            (MAX_ROMAN + 1, OrdinalStyle::SmallRoman, "4000"),
        ] {
            assert_eq!(written(number, style), want, "{number}");
        }
    }
}
