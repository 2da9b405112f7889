//! Joins an accent drawn as a separate character with the letter below it: `´` and `e` at one place become `é`.

use icu_normalizer::ComposingNormalizerBorrowed;

use super::glyph::PlacedGlyph;

/// Composes accents with the neighbour, in drawing order, that they overlap. An accent that overlaps no letter stays as it is.
pub(super) fn compose(glyphs: Vec<PlacedGlyph>) -> Vec<PlacedGlyph> {
    let mut out: Vec<PlacedGlyph> = Vec::with_capacity(glyphs.len());
    let mut coming = glyphs.into_iter().peekable();
    while let Some(glyph) = coming.next() {
        let Some(mark) = combining(glyph.ch) else {
            out.push(glyph);
            continue;
        };
        let carry = |letter: &mut PlacedGlyph| {
            let text = composed_char(letter.ch, mark).filter(|_| stands_over(&glyph, letter));
            letter.ch = text.unwrap_or(letter.ch);
            text.is_some()
        };
        if !out.last_mut().is_some_and(carry) && !coming.peek_mut().is_some_and(carry) {
            out.push(glyph);
        }
    }
    out
}

fn stands_over(accent: &PlacedGlyph, letter: &PlacedGlyph) -> bool {
    let overlap = accent.u1.min(letter.u1) - accent.u0.max(letter.u0);
    let narrower = (accent.u1 - accent.u0).min(letter.u1 - letter.u0);
    letter.ch.is_alphabetic()
        && narrower > 0.0
        && overlap > 0.5 * narrower
        && (accent.v - letter.v).abs() < 0.8 * letter.em
}

fn composed_char(letter: char, mark: char) -> Option<char> {
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        other => other,
    };
    let text = ComposingNormalizerBorrowed::new_nfc().normalize(&format!("{letter}{mark}")).into_owned();
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The combining mark that corresponds to a spacing accent.
fn combining(ch: char) -> Option<char> {
    Some(match ch {
        '`' => '\u{300}',
        '´' => '\u{301}',
        'ˆ' | '^' => '\u{302}',
        '˜' | '~' => '\u{303}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{328}' => ch,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters with their left and right edges; then the result.
    type AccentCase = (&'static [(char, f64, f64)], &'static str);

    fn line(glyphs: &[(char, f64, f64)]) -> String {
        let placed: Vec<PlacedGlyph> = glyphs
            .iter()
            .map(|(ch, u0, u1)| PlacedGlyph { ch: *ch, u0: *u0, u1: *u1, v: 0.0, em: 10.0, style: Default::default() })
            .collect();
        compose(placed).iter().map(|g| g.ch).collect()
    }

    #[test]
    fn an_accent_joins_the_letter_it_overlaps() {
        let table: [AccentCase; 5] = [
            (&[('´', 0.0, 3.0), ('e', 0.0, 5.0)], "é"),
            (&[('u', 0.0, 5.0), ('¨', 1.0, 4.0)], "ü"),
            (&[('`', 0.0, 3.0), ('ı', 0.5, 3.0)], "ì"),
            (&[('a', 0.0, 5.0), ('^', 5.0, 10.0), ('b', 10.0, 15.0)], "a^b"),
            (&[('´', 0.0, 3.0), ('x', 0.0, 5.0)], "´x"),
        ];
        for (given, want) in table {
            assert_eq!(line(given), want);
        }
    }
}
