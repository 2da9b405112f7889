//! Decodes the letters of Rich Text: bytes in the encoding of their font or document, and Unicode characters by number.

use std::collections::BTreeMap;

use encoding_rs::Encoding;

use super::super::symbols::SymbolFont;

/// Most fonts whose encoding is kept.
const MAX_FONTS: usize = 10_000;

/// The encodings, and the bytes not yet decoded.
#[derive(Debug, Default)]
pub(super) struct Letters {
    is_utf8: bool,
    code_page: Option<i32>,
    /// Code page by font, if the font has one.
    fonts: BTreeMap<i32, i32>,
    symbols: BTreeMap<i32, SymbolFont>,
    /// The font being defined, and its name so far.
    font: i32,
    name: String,
    bytes: Vec<u8>,
    /// The high surrogate of a character beyond 65,535, waiting for the low one.
    high: Option<u16>,
}

impl Letters {
    /// Creates a decoder; `is_utf8` tells whether the characters beyond ASCII are already Unicode.
    pub(super) fn new(is_utf8: bool) -> Self {
        Self { is_utf8, ..Self::default() }
    }

    pub(super) fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    pub(super) fn set_code_page(&mut self, code_page: i32) {
        self.code_page = Some(code_page);
    }

    pub(super) fn begin_font(&mut self, font: i32) {
        self.font = font;
        self.name.clear();
    }

    /// Takes a piece of the name of the font being defined.
    pub(super) fn name_font(&mut self, piece: &str) {
        self.name.push_str(piece);
        if let Some(font) = SymbolFont::from_name(&self.name)
            && self.symbols.len() < MAX_FONTS
        {
            self.symbols.insert(self.font, font);
        }
    }

    /// The symbol font with the number `font`; `None` if it is a font of letters.
    pub(super) fn symbol_font(&self, font: Option<i32>) -> Option<SymbolFont> {
        self.symbols.get(&font?).copied()
    }

    /// Sets the charset of the font being defined.
    pub(super) fn set_charset(&mut self, charset: i32) {
        if let Some(code_page) = code_page_of(charset)
            && self.fonts.len() < MAX_FONTS
        {
            self.fonts.insert(self.font, code_page);
        }
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Decodes the bytes collected so far in the encoding of `font`.
    pub(super) fn take(&mut self, font: Option<i32>) -> String {
        let bytes = std::mem::take(&mut self.bytes);
        if self.symbol_font(font).is_some() {
            return bytes.into_iter().map(char::from).collect();
        }
        let code_page = font.and_then(|font| self.fonts.get(&font).copied()).or(self.code_page).unwrap_or(1252);
        let (text, _) = encoding(code_page).decode_without_bom_handling(&bytes);
        text.into_owned()
    }

    /// Decodes a UTF-16 unit given as a signed number; surrogates are combined, so the first one gives an empty string.
    pub(super) fn unicode(&mut self, value: i32) -> String {
        let unit = value as u16;
        let high = self.high.take();
        if (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
            return String::new();
        }
        let units: Vec<u16> = high.into_iter().chain([unit]).collect();
        char::decode_utf16(units).filter_map(Result::ok).filter(|c| *c != '\0').collect()
    }
}

/// The code page of a Windows charset; `None` if the charset names none, or is a symbol charset.
fn code_page_of(charset: i32) -> Option<i32> {
    Some(match charset {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}

fn encoding(code_page: i32) -> &'static Encoding {
    match code_page {
        874 => encoding_rs::WINDOWS_874,
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        1250 => encoding_rs::WINDOWS_1250,
        1251 => encoding_rs::WINDOWS_1251,
        1253 => encoding_rs::WINDOWS_1253,
        1254 => encoding_rs::WINDOWS_1254,
        1255 => encoding_rs::WINDOWS_1255,
        1256 => encoding_rs::WINDOWS_1256,
        1257 => encoding_rs::WINDOWS_1257,
        1258 => encoding_rs::WINDOWS_1258,
        10_000 => encoding_rs::MACINTOSH,
        65_001 => encoding_rs::UTF_8,
        _ => encoding_rs::WINDOWS_1252,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_with_an_alphabet_are_kept_up_to_a_number() {
        for (font, want) in [(MAX_FONTS - 2, "Н"), (MAX_FONTS - 1, "Н"), (MAX_FONTS, "Í")] {
            let mut letters = Letters::new(true);
            for n in 0..=i32::try_from(font).expect("small") {
                letters.begin_font(n);
                letters.set_charset(204);
            }
            letters.push(0xcd);
            assert_eq!(letters.take(i32::try_from(font).ok()), want, "{font}");
        }
    }

    #[test]
    fn halves_of_a_character_are_put_together_and_lone_ones_left_out() {
        let mut letters = Letters::new(true);
        let all = [-10179, -8704, -10179, 65, -8704, 0];
        assert_eq!(all.map(|value| letters.unicode(value)).concat(), "😀A");
    }
}
