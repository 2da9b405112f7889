//! Character classes that make up terms.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory as Category, Script};

use super::fold;

/// Whether `c` belongs to a word: a letter, a digit or other number, a mark, `_`, or an invisible character used in words.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    if fold::is_invisible(c) {
        return true;
    }
    matches!(
        CodePointMapData::<Category>::new().get(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
            | Category::NonspacingMark
            | Category::SpacingMark
            | Category::EnclosingMark
    )
}

/// Whether `c` is a combining mark.
pub(super) fn is_mark(c: char) -> bool {
    // No mark precedes U+0300, so most text ends here.
    c >= '\u{300}'
        && matches!(
            CodePointMapData::<Category>::new().get(c),
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
        )
}

/// Whether `c` is a Latin letter.
pub(super) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && CodePointMapData::<Script>::new().get(c) == Script::Latin)
}

/// Whether `c`, a word character, belongs to text compared by bigrams: Han, kana, Hangul, Bopomofo, the length and sound marks without a
/// script of their own, and Thai, Lao, Khmer and Burmese, which do not separate words either.
pub(super) fn is_unspaced(c: char) -> bool {
    // The first such script, Thai, begins at U+0E00.
    if c < '\u{e00}' {
        return false;
    }
    let script = CodePointMapData::<Script>::new().get(c);
    [Script::Han, Script::Hiragana, Script::Katakana, Script::Hangul, Script::Bopomofo].contains(&script)
        || [Script::Thai, Script::Lao, Script::Khmer, Script::Myanmar].contains(&script)
        || matches!(c, 'ー' | 'ｰ' | '\u{ff9e}' | '\u{ff9f}' | '〱'..='〵' | '〼')
}
