//! Scripts: which one a character belongs to, and whether it is written without spaces between words.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory as Category, Script as Property};

/// A script that decides how a text is split, or which language it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "a script is described by its name")]
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    Hangul,
    Han,
    /// Hiragana, Katakana, and their length and sound marks.
    Kana,
    Bopomofo,
    Thai,
    Lao,
    Khmer,
    Burmese,
    Other,
}

impl Script {
    const ALL: [Self; 15] = [
        // Of scripts with equally many letters the first counts.
        Self::Kana,
        Self::Latin,
        Self::Han,
        Self::Hangul,
        Self::Thai,
        Self::Devanagari,
        Self::Greek,
        Self::Hebrew,
        Self::Arabic,
        Self::Cyrillic,
        Self::Bopomofo,
        Self::Lao,
        Self::Khmer,
        Self::Burmese,
        Self::Other,
    ];

    /// The script of a character, by the Unicode property of that name.
    pub fn of(c: char) -> Self {
        if c.is_ascii() {
            return if c.is_ascii_alphabetic() { Self::Latin } else { Self::Other };
        }
        match CodePointMapData::<Property>::new().get(c) {
            Property::Latin => Self::Latin,
            Property::Greek => Self::Greek,
            Property::Cyrillic => Self::Cyrillic,
            Property::Hebrew => Self::Hebrew,
            Property::Arabic => Self::Arabic,
            Property::Devanagari => Self::Devanagari,
            Property::Hangul => Self::Hangul,
            Property::Han => Self::Han,
            Property::Hiragana | Property::Katakana => Self::Kana,
            Property::Bopomofo => Self::Bopomofo,
            Property::Thai => Self::Thai,
            Property::Lao => Self::Lao,
            Property::Khmer => Self::Khmer,
            Property::Myanmar => Self::Burmese,
            // Marks of kana that Unicode counts to no script of their own.
            _ if matches!(c, 'ー' | 'ｰ' | '\u{ff9e}' | '\u{ff9f}' | '〱'..='〵' | '〼') => Self::Kana,
            _ => Self::Other,
        }
    }

    /// The script of most letters of `text`; Japanese mixes kana with Han, so any kana outweigh Han. [`Script::Other`] without letters.
    pub fn of_most(text: &str) -> Self {
        let mut counts = [0_usize; Self::ALL.len()];
        for script in text.chars().filter(|c| c.is_alphabetic()).map(Self::of) {
            counts[script as usize] += 1;
        }
        let count = |script: Self| counts[script as usize];
        // Reversed, because `max_by_key` returns the last of equal ones.
        let most = Self::ALL.into_iter().rev().max_by_key(|script| count(*script)).filter(|script| count(*script) > 0);
        match most {
            Some(Self::Han) if count(Self::Kana) > 0 => Self::Kana,
            Some(script) => script,
            None => Self::Other,
        }
    }

    /// Whether it is written without spaces between words.
    fn is_unspaced(self) -> bool {
        match self {
            Self::Han | Self::Kana | Self::Bopomofo | Self::Thai | Self::Lao | Self::Khmer | Self::Burmese => true,
            Self::Latin | Self::Greek | Self::Cyrillic | Self::Hebrew | Self::Arabic => false,
            Self::Devanagari | Self::Hangul | Self::Other => false,
        }
    }
}

/// Whether `c` belongs to a script written without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
pub fn is_unspaced(c: char) -> bool {
    // The first such script, Thai, begins at U+0E00.
    c >= '\u{e00}' && Script::of(c).is_unspaced()
}

/// Whether `c`, a word character, belongs to text compared by pieces of words: scripts without spaces, and Hangul, which attaches particles
/// to its words.
pub fn goes_by_pieces(c: char) -> bool {
    c >= '\u{e00}' && matches!(Script::of(c), script if script.is_unspaced() || script == Script::Hangul)
}

/// Whether `c` is Han or kana, in which one character often is a word.
pub fn is_east_asian(c: char) -> bool {
    c >= '\u{2e80}' && matches!(Script::of(c), Script::Han | Script::Kana)
}

/// Whether `c` is a Greek letter.
pub fn is_greek(c: char) -> bool {
    c.is_alphabetic() && Script::of(c) == Script::Greek
}

/// Whether `c` is a Latin letter or sign.
pub fn is_latin(c: char) -> bool {
    Script::of(c) == Script::Latin
}

/// Whether `c` belongs to a word: a letter, a digit or other number, a mark, or an invisible character used in words.
pub fn is_in_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    if is_invisible(c) {
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
pub fn is_mark(c: char) -> bool {
    // No mark precedes U+0300, so most text ends here.
    c >= '\u{300}'
        && matches!(
            CodePointMapData::<Category>::new().get(c),
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
        )
}

/// Whether `c` occurs in words without being part of their spelling: soft hyphen, zero-width joiner and non-joiner.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_without_spaces_differs_from_those_with_spaces() {
        for (letters, unspaced, pieces) in [
            ("aßλжאكक", false, false),
            ("한ᄒ", false, true),
            ("漢𠀀かカーㄅ", true, true),
            ("ไทย", true, true),
            ("ລາວ", true, true),
            ("ខ្មែរ", true, true),
            ("မြန်မာ", true, true),
            ("1 .々", false, false),
        ] {
            for c in letters.chars().filter(|c| *c != '々') {
                assert_eq!((is_unspaced(c), goes_by_pieces(c)), (unspaced, pieces), "{c}");
            }
        }
    }

    #[test]
    fn the_script_of_a_text_is_that_of_most_letters() {
        for (text, script) in [
            ("", Script::Other),
            ("12 %", Script::Other),
            ("Das Haus", Script::Latin),
            ("Το σπίτι", Script::Greek),
            ("Домик HTTP", Script::Cyrillic),
            ("世界遺産は", Script::Kana),
            ("中国的首都", Script::Han),
            ("서울 A", Script::Hangul),
            ("ខ្មែរ", Script::Khmer),
        ] {
            assert_eq!(Script::of_most(text), script, "{text}");
        }
    }
}
