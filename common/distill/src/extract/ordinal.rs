//! Numbers as lists show them: figures, letters and Roman numerals.

/// How the numbers of a list are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Style {
    #[default]
    Figures,
    SmallLetters,
    Letters,
    SmallRoman,
    Roman,
}

/// Largest number written in Roman numerals; HTML says the same.
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

/// `number` in `style`; in figures where the style has no word for it.
pub(super) fn written(number: i64, style: Style) -> String {
    match style {
        Style::SmallLetters if number > 0 => letters(number),
        Style::Letters if number > 0 => letters(number).to_uppercase(),
        Style::SmallRoman if (1..=MAX_ROMAN).contains(&number) => roman(number),
        Style::Roman if (1..=MAX_ROMAN).contains(&number) => roman(number).to_uppercase(),
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
            (12, Style::Figures, "12"),
            (-3, Style::Figures, "-3"),
            (1, Style::SmallLetters, "a"),
            (26, Style::Letters, "Z"),
            (27, Style::SmallLetters, "aa"),
            (702, Style::SmallLetters, "zz"),
            (0, Style::Letters, "0"),
            (1994, Style::Roman, "MCMXCIV"),
            (4, Style::SmallRoman, "iv"),
            (MAX_ROMAN - 1, Style::SmallRoman, "mmmcmxcviii"),
            (MAX_ROMAN, Style::SmallRoman, "mmmcmxcix"),
            (MAX_ROMAN + 1, Style::SmallRoman, "4000"),
        ] {
            assert_eq!(written(number, style), want, "{number}");
        }
    }
}
