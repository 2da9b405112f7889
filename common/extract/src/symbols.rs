//! Symbol fonts: their characters by number as Unicode. Documents name the font and a number, often in the private use area.
//!
//! The table of Symbol is Adobe's (`symbol.txt` of the mappings that Unicode hosts); that of Wingdings has its check marks, boxes, arrows,
//! bullets, numbers and hands. A symbol that is in neither is a character that was left out.

use symbol::SYMBOL;
use wingdings::WINGDINGS;

mod symbol;
mod wingdings;

/// A font whose letters are symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolFont {
    Symbol,
    Wingdings,
}

/// First and last character of the private use area where symbol fonts have their 256 characters.
const PRIVATE: std::ops::RangeInclusive<u32> = 0xf000..=0xf0ff;

impl SymbolFont {
    /// The symbol font called `name`; `None` if it is a font of letters.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name.trim().trim_end_matches(';').to_lowercase().as_str() {
            "symbol" | "symbol mt" | "standard symbols l" | "standard symbols ps" => Some(Self::Symbol),
            "wingdings" => Some(Self::Wingdings),
            _ => None,
        }
    }

    /// The character number `code` of the font, in the private use area or not.
    pub(super) fn symbol(self, code: u32) -> Option<char> {
        let code = u8::try_from(if PRIVATE.contains(&code) { code - 0xf000 } else { code }).ok()?;
        if code == b' ' {
            return Some(' ');
        }
        let table = match self {
            Self::Symbol => SYMBOL,
            Self::Wingdings => WINGDINGS,
        };
        table
            .iter()
            .find_map(|(first, symbols)| symbols.chars().nth(usize::from(code.checked_sub(*first)?)))
            .filter(|symbol| *symbol != '\0')
    }

    /// `text`, set in the font, as Unicode; a character without a known symbol stays as it is.
    pub(super) fn text(self, text: &str) -> String {
        text.chars().map(|c| self.symbol(u32::from(c)).unwrap_or(c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_recognized_by_font_and_number() {
        for (font, code, want) in [
            ("Symbol", 0xf061, Some('α')),
            ("Symbol", 0xf0b1, Some('±')),
            ("Symbol", 0xb1, Some('±')),
            ("Symbol", 0xf0b7, Some('•')),
            ("symbol;", 0xa3, Some('≤')),
            ("Symbol", 0xce, Some('∈')),
            ("Symbol", 0xd2, Some('®')),
            ("Symbol", 0xfe, Some('⎭')),
            ("Symbol", 0x20, Some(' ')),
            ("Wingdings", 0xf0fc, Some('✓')),
            ("Wingdings", 0xf0fb, Some('✗')),
            ("Wingdings", 0xf0fe, Some('☑')),
            ("Wingdings", 0xf06f, Some('□')),
            ("Wingdings", 0xf0a7, Some('▪')),
            ("Wingdings", 0xf0e0, Some('→')),
            ("Wingdings", 0xf0d8, Some('➢')),
            ("Wingdings", 0x4a, Some('☺')),
            ("Symbol", 0x1f, None),
            ("Symbol", 0x3b1, None),
        ] {
            let found = SymbolFont::from_name(font).and_then(|font| font.symbol(code));
            assert_eq!(found, want, "{font} {code:x}");
        }
        assert_eq!(SymbolFont::from_name("Arial"), None);
        assert_eq!(SymbolFont::Symbol.text("abc \u{f0b1}"), "αβχ ±");
    }
}
