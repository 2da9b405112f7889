//! The normal form of a run of text: NFC, white space collapsed to single spaces, trimmed.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Whether `c` is white space: Unicode `White_Space` and the four separators U+001C to U+001F.
///
/// The same set as Python's `str.isspace`, so that an offset can be checked by a reader who strips with Python.
#[must_use]
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Returns `text` in NFC with each run of white space replaced by one space, trimmed. Idempotent.
///
/// NFC is applied first because it maps some spaces to others (U+2000 to U+2002). Collapsing afterwards cannot break NFC, because white
/// space never composes with the next character.
#[must_use]
pub fn normalize(text: &str) -> String {
    collapse(&nfc(text))
}

/// Replaces each run of white space by one space and trims. Stretches without changes are copied in one piece.
fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let mut at = 0;
    while let Some(start) = next_space(text, at) {
        if start > 0 && is_single(&text.as_bytes()[start..]) {
            at = start + 1;
            continue;
        }
        let run: usize = text[start..].chars().take_while(|&c| is_space(c)).map(char::len_utf8).sum();
        at = start + run;
        out.push_str(&text[kept..start]);
        if start > 0 && at < text.len() {
            out.push(' ');
        }
        kept = at;
    }
    out.push_str(&text[kept..]);
    out
}

/// Whether `rest` begins with a space followed by a byte that certainly begins no white space.
fn is_single(rest: &[u8]) -> bool {
    matches!(rest, [b' ', next, ..] if !MAY_BE_SPACE[usize::from(*next)])
}

/// Byte position of the first white space at or after `from`.
fn next_space(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.as_bytes()[at..].iter().position(|&byte| MAY_BE_SPACE[usize::from(byte)])?;
        if text.as_bytes()[at] == b' ' {
            return Some(at);
        }
        let c = text[at..].chars().next()?;
        if is_space(c) {
            return Some(at);
        }
        at += c.len_utf8();
    }
}

/// Bytes that may begin white space in UTF-8: ASCII, and the first bytes of U+0085, U+00A0, U+1680, U+2000 to U+205F and U+3000.
const MAY_BE_SPACE: [bool; 256] = {
    let mut may = [false; 256];
    let first = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0xc2, 0xe1, 0xe2, 0xe3];
    let mut k = 0;
    while k < first.len() {
        may[first[k]] = true;
        k += 1;
    }
    may
};

/// `text` in NFC; borrowed if it already is.
pub fn nfc(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_what_python_takes_for_it() {
        let ours: Vec<u32> = ('\0'..=char::MAX).filter(|&c| is_space(c)).map(u32::from).collect();
        let python =
            [0x09..=0x0d, 0x1c..=0x20, 0x85..=0x85, 0xa0..=0xa0, 0x1680..=0x1680, 0x2000..=0x200a, 0x2028..=0x2029]
                .into_iter()
                .chain([0x202f..=0x202f, 0x205f..=0x205f, 0x3000..=0x3000])
                .flatten()
                .collect::<Vec<u32>>();
        assert_eq!(ours, python);
        for c in '\0'..=char::MAX {
            let found = next_space(&format!("x{c}x"), 0);
            assert_eq!(found, is_space(c).then_some(1), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn runs_collapse_ends_are_trimmed_and_letters_compose() {
        let table = [
            ("", ""),
            (" \u{85}\u{3000}\t", ""),
            ("  a \r\n\u{a0} b\u{1f}c ", "a b c"),
            ("e\u{301}te\u{301}", "été"),
            ("a\u{2000}\u{301}b", "a \u{301}b"),
            ("a < b && c", "a < b && c"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("zero\u{200b}width stays", "zero\u{200b}width stays"),
        ];
        for (raw, want) in table {
            assert_eq!(normalize(raw), want, "{raw:?}");
            assert_eq!(normalize(want), want, "{want:?}");
        }
    }
}
