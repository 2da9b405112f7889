//! Guesses the meaning of character codes that the file does not define, and decides whether the guesses read like text. Also cleans single
//! characters (white space, ligatures, controls). Does not deal with positions.

use icu_normalizer::ComposingNormalizerBorrowed;
use precis_text::{is_selector, shows_nothing};

use super::glyph::Glyph;

/// Letters that make up most of a text in a Latin alphabet.
const FREQUENT: &str = "etaoinsrhldu";
/// Share of frequent letters below which guesses are rejected as noise. Chosen, not measured.
const FREQUENT_SHARE: f64 = 0.55;
/// Share of vowels among the letters of real text. Shifted alphabets, the usual noise, have few. Chosen, not measured.
const VOWEL_SHARE: std::ops::RangeInclusive<f64> = 0.25..=0.6;
/// First character after the Latin letters; a handful of guesses in other scripts proves nothing.
const LATIN_END: char = '\u{250}';
/// Number of guesses below which letter frequencies are not used.
const FEW: usize = 12;

/// The characters of a glyph, cleaned for text: white space as `' '`, ligatures and other presentation forms decomposed (NFKC), soft
/// hyphens as hyphens because they are printed; controls, tags, zero-width marks and replacement characters removed. `None` if nothing is
/// left.
pub(super) fn readable(text: impl Iterator<Item = char>) -> Option<Vec<char>> {
    let mut out = Vec::new();
    for c in text {
        match c {
            c if c.is_whitespace() => out.push(' '),
            '\u{ad}' | '\u{2010}' | '\u{2011}' => out.push('-'),
            '\u{f0b7}' => out.push('•'),
            '\u{200c}' | '\u{200d}' | '\u{fffd}' | '\u{fffe}' | '\u{ffff}' => {}
            c if is_selector(c) && out.last().is_none_or(|&before| before == ' ' || is_selector(before)) => {}
            c if shows_nothing(c) => {}
            c if c.is_control() => {}
            c if is_presentation_form(c) => {
                out.extend(ComposingNormalizerBorrowed::new_nfkc().normalize(&c.to_string()).chars())
            }
            c => out.push(c),
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Whether [`readable`] certainly leaves `c` unchanged; a fast test.
pub(super) fn is_plain(c: char) -> bool {
    matches!(c, '!'..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{131}' | '\u{134}'..='\u{24f}' | '\u{4e00}'..='\u{9fff}')
}

fn is_presentation_form(c: char) -> bool {
    matches!(c, '\u{fb00}'..='\u{fdff}' | '\u{fe30}'..='\u{fefc}' | '\u{132}' | '\u{133}')
}

/// The character that a code stands for if it is Unicode, as in fonts with a plain encoding or a declared identity map.
pub(super) fn guess(code: u32) -> Option<char> {
    let c = char::from_u32(code)?;
    match c {
        ' '..='~' | '\u{a1}'..='\u{ff}' => Some(c),
        // Alphabetic ranges. Beyond them, a code is more likely an index than a character.
        '\u{100}'..='\u{52f}' if c.is_alphabetic() => Some(c),
        _ => None,
    }
}

/// Drops the guessed characters unless they read like text. Returns the number dropped.
pub(super) fn drop_implausible(glyphs: &mut Vec<Glyph>) -> usize {
    let guesses: Vec<char> = glyphs.iter().filter(|g| g.guessed).map(|g| g.ch).collect();
    if guesses.is_empty() || reads_like_text(&guesses) {
        return 0;
    }
    glyphs.retain(|g| !g.guessed);
    guesses.len()
}

fn reads_like_text(chars: &[char]) -> bool {
    let count = |what: &dyn Fn(char) -> bool| chars.iter().filter(|c| what(**c)).count() as f64;
    let all = chars.len() as f64;
    let plain = count(&|c| c.is_alphanumeric() || " .,;:-()/%$".contains(c));
    if chars.len() < FEW {
        return plain == all && chars.iter().all(|c| *c < LATIN_END);
    }
    // Accented letters are not counted: which of them are frequent depends on the language.
    let letters = count(&|c| c.is_ascii_alphabetic()).max(1.0);
    let frequent = count(&|c| FREQUENT.contains(c.to_ascii_lowercase()));
    let vowels = count(&|c| "aeiouy".contains(c.to_ascii_lowercase()));
    let is_prose = frequent >= FREQUENT_SHARE * letters && VOWEL_SHARE.contains(&(vowels / letters));
    let is_numbers = count(&|c| c.is_ascii_digit()) >= 0.5 * all;
    plain >= 0.8 * all && (is_prose || is_numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(s: &str) -> String {
        readable(s.chars()).unwrap_or_default().into_iter().collect()
    }

    #[test]
    fn a_glyph_is_cleaned_for_text() {
        let table = [
            ("ﬁ", "fi"),
            ("ﬄ", "ffl"),
            ("\u{a0}", " "),
            ("\u{ad}", "-"),
            ("\u{200b}", ""),
            ("\u{3}", ""),
            ("x²", "x²"),
            ("ﺍ", "ا"),
            ("\u{f0b7}", "•"),
            ("a\u{2066}b\u{2069}\u{2061}\u{2064}\u{61c}", "ab"),
            ("\u{e0041}x\u{e007f}\u{e0001}", "x"),
            ("葛\u{e0100}\u{e0101}", "葛\u{e0100}"),
            ("\u{fe0f}", ""),
        ];
        for (given, want) in table {
            assert_eq!(clean(given), want, "{given:?}");
        }
    }

    #[test]
    fn a_plain_character_is_readable_as_it_is() {
        for c in ('\0'..=char::MAX).filter(|&c| is_plain(c)) {
            assert_eq!(readable([c].into_iter()), Some(vec![c]), "{c:?}");
        }
    }

    #[test]
    fn guesses_are_kept_only_when_they_read_like_text() {
        let table = [
            ("This is an ordinary sentence of a report.", true),
            ("1,234.50 2,345.60 99.90", true),
            ("Total", true),
            ("7KLV LV DQ RUGLQDU\\ VHQWHQFH RI D UHSRUW", false),
            ("!\"#$%&'()*+!\"#$%", false),
            ("\"#", false),
        ];
        for (text, want) in table {
            assert_eq!(reads_like_text(&text.chars().collect::<Vec<_>>()), want, "{text}");
        }
    }
}
