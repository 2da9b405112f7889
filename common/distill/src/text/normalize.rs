//! Normal form of a run of text: NFC, white space collapsed to single spaces, trimmed.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Whether `c` is white space: Unicode `White_Space` and the four separators U+001C to U+001F.
///
/// The same set as Python's `str.isspace`, so that an offset can be checked by a reader who strips with Python.
#[must_use]
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `text` in NFC, each run of white space one space, none at the ends. Normalising twice changes nothing.
///
/// NFC comes first because it maps some spaces to others (U+2000 to U+2002). Collapsing after it cannot break NFC: white
/// space never composes with what follows.
#[must_use]
pub fn normalize(text: &str) -> String {
    let composed = nfc(text);
    let mut out = String::with_capacity(composed.len());
    for word in composed.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// `text` in NFC; borrowed where it already is.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
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
