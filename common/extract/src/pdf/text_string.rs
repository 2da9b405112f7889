//! Decodes PDF text strings (ISO 32000-2, 7.9.2.2): UTF-16 with a mark, UTF-8 with a mark, otherwise PDFDocEncoding. Also cleans titles.

/// Most characters kept of a title.
const MAX_TITLE_CHARS: usize = 500;
/// PDFDocEncoding 0x18..=0x1f (ISO 32000-2, annex D.3).
const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
/// PDFDocEncoding 0x80..=0xa0 (same source); 0x9f is not assigned.
const SPECIALS: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ',
    'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
];

/// Decodes a PDF text string. Never fails: bytes without a meaning become U+FFFD.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|b| doc_char(*b)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn doc_char(byte: u8) -> char {
    match byte {
        0x18..=0x1f => ACCENTS[usize::from(byte - 0x18)],
        0x80..=0xa0 => SPECIALS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// A title ready to show: white space collapsed, controls removed, cut at 500 characters; `None` if nothing is left.
pub(super) fn title(text: &str) -> Option<String> {
    let printable: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| *c != '\u{fffd}').collect();
    let joined = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = joined.chars().take(MAX_TITLE_CHARS).collect();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoding_is_decoded() {
        let table: [(&[u8], &str); 6] = [
            (b"plain", "plain"),
            (b"\xfe\xff\x00A\xd8\x3d\xde\x00", "A😀"),
            (b"\xff\xfeA\x00", "A"),
            (b"\xef\xbb\xbf\xc3\xa9", "é"),
            (b"\x80 \x93 \xe9", "• ﬁ é"),
            (b"\xfe\xff\xd8\x3d", "\u{fffd}"),
        ];
        for (bytes, want) in table {
            assert_eq!(text_string(bytes), want);
        }
    }
}
