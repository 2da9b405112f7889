//! The kinds of numbers that style sheets and lists name (CSS Counter Styles 3). Kinds that are not here are not known, and nothing is
//! numbered by them.

use super::super::ordinal::OrdinalStyle;

const STYLES: [(&str, OrdinalStyle); 24] = [
    ("decimal", OrdinalStyle::Figures),
    ("decimal-leading-zero", OrdinalStyle::PaddedFigures),
    ("lower-alpha", OrdinalStyle::SmallLetters),
    ("lower-latin", OrdinalStyle::SmallLetters),
    ("upper-alpha", OrdinalStyle::Letters),
    ("upper-latin", OrdinalStyle::Letters),
    ("lower-roman", OrdinalStyle::SmallRoman),
    ("upper-roman", OrdinalStyle::Roman),
    ("lower-greek", OrdinalStyle::SmallGreek),
    ("cjk-decimal", OrdinalStyle::CjkDigits),
    ("cjk-ideographic", OrdinalStyle::Chinese),
    ("simp-chinese-informal", OrdinalStyle::Chinese),
    ("trad-chinese-informal", OrdinalStyle::Chinese),
    ("japanese-informal", OrdinalStyle::Japanese),
    ("arabic-indic", OrdinalStyle::DigitsFrom('٠')),
    ("persian", OrdinalStyle::DigitsFrom('۰')),
    ("urdu", OrdinalStyle::DigitsFrom('۰')),
    ("devanagari", OrdinalStyle::DigitsFrom('०')),
    ("bengali", OrdinalStyle::DigitsFrom('০')),
    ("gurmukhi", OrdinalStyle::DigitsFrom('੦')),
    ("gujarati", OrdinalStyle::DigitsFrom('૦')),
    ("tamil", OrdinalStyle::DigitsFrom('௦')),
    ("telugu", OrdinalStyle::DigitsFrom('౦')),
    ("thai", OrdinalStyle::DigitsFrom('๐')),
];

/// The kind of numbers that a style sheet calls `name`, with that name in lower case.
pub(super) fn of_style(name: &str) -> Option<(&'static str, OrdinalStyle)> {
    STYLES.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// The kind of numbers that the attribute `type` of a list or an item names.
pub(super) fn of_attribute(kind: &str) -> Option<OrdinalStyle> {
    Some(match kind {
        "1" => OrdinalStyle::Figures,
        "a" => OrdinalStyle::SmallLetters,
        "A" => OrdinalStyle::Letters,
        "i" => OrdinalStyle::SmallRoman,
        "I" => OrdinalStyle::Roman,
        // As a style sheet's word is noted on a list.
        _ => of_style(kind)?.1,
    })
}
