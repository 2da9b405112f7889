//! Finds the characters named by a locator, using an archived text alone.
//!
//! An archived text is checked without any other record, so the pages are recovered from the separators written in it
//! (`\n\n---PAGE {n}---\n\n`, where `n` is the page that follows; page 1 starts the text). Offsets count Unicode scalar values. This
//! module never searches for a quote: a place is computed, or it does not exist.

use std::ops::Range;

use precis_proto::Locator;

const SEPARATOR_START: &str = "\n\n---PAGE ";
const SEPARATOR_END: &str = "---\n\n";

/// The place of a quote, as byte ranges of its page (the whole text if the locator names no page) and of the quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotePlace {
    /// The page, without its separators.
    pub page: Range<usize>,
    /// The quote, within the page.
    pub quote: Range<usize>,
}

/// Finds the place named by `locator` in `text`; `None` if the page does not exist or ends before the range does.
#[must_use]
pub fn place(text: &str, locator: &Locator) -> Option<QuotePlace> {
    let page = match locator.page {
        Some(number) => page(text, number)?,
        None => 0..text.len(),
    };
    let within = &text[page.clone()];
    let start = byte_of(within, locator.range.start)?;
    let end = start + byte_of(&within[start..], locator.range.len())?;
    let quote = page.start + start..page.start + end;
    Some(QuotePlace { page, quote })
}

/// The characters of `text` named by `locator`; `None` if they do not exist.
#[must_use]
pub fn slice<'a>(text: &'a str, locator: &Locator) -> Option<&'a str> {
    place(text, locator).map(|place| &text[place.quote])
}

/// Byte position of character `index`; also defined for the end of the text.
fn byte_of(text: &str, index: usize) -> Option<usize> {
    match text.char_indices().nth(index) {
        Some((at, _)) => Some(at),
        None => (text.chars().count() == index).then_some(text.len()),
    }
}

fn page(text: &str, wanted: u32) -> Option<Range<usize>> {
    let (mut number, mut start, mut from) = (Some(1), 0, 0);
    while let Some(found) = text[from..].find(SEPARATOR_START) {
        let separator = from + found;
        let digits = separator + SEPARATOR_START.len();
        let Some((next, end)) = separator_tail(&text[digits..]) else {
            from = digits;
            continue;
        };
        if number == Some(wanted) {
            return Some(start..separator);
        }
        (number, start) = (next, digits + end);
        from = start;
    }
    (number == Some(wanted)).then_some(start..text.len())
}

/// Page number and length of the rest of a separator behind `---PAGE `. A number too large for a page still makes a separator.
fn separator_tail(text: &str) -> Option<(Option<u32>, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let ends = digits > 0 && text[digits..].starts_with(SEPARATOR_END);
    ends.then(|| (text[..digits].parse().ok(), digits + SEPARATOR_END.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGED: &str = "eins\n\n---PAGE 2---\n\nzwei 二\n\n---PAGE 3---\n\n\n\n---PAGE 4---\n\nvier";

    #[test]
    fn a_locator_names_characters_of_its_page() {
        let cases = [
            ("char:0-4", Some("eins")),
            ("char:20-26", Some("zwei 二")),
            ("page:1:char:0-4", Some("eins")),
            ("page:1:char:1-5", None),
            ("page:2:char:5-6", Some("二")),
            ("page:2:char:0-7", None),
            ("page:3:char:0-1", None),
            ("page:4:char:3-4", Some("r")),
            ("page:5:char:0-1", None),
            ("char:0-9999", None),
        ];
        for (locator, want) in cases {
            let locator: Locator = locator.parse().expect("a locator");
            assert_eq!(slice(PAGED, &locator), want, "{locator}");
        }
    }

    #[test]
    fn characters_are_scalar_values_not_bytes() {
        let text = "a😀\u{301}é";
        for (locator, want) in [("char:1-2", "😀"), ("char:2-3", "\u{301}"), ("char:3-4", "é")] {
            assert_eq!(slice(text, &locator.parse().expect("a locator")), Some(want), "{locator}");
        }
    }

    #[test]
    fn what_only_looks_like_a_separator_is_text() {
        for text in ["a\n\n---PAGE x---\n\nb", "a\n---PAGE 2---\nb", "a\n\n---PAGE ---\n\nb", "a ---PAGE 2--- b"] {
            assert_eq!(slice(text, &"page:2:char:0-1".parse().expect("a locator")), None, "{text}");
            assert!(slice(text, &"page:1:char:2-3".parse().expect("a locator")).is_some(), "{text}");
        }
    }
}
