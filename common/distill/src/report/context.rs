//! The text around a quote, for a reader who wants to see what it was taken from.

use std::collections::BTreeMap;

use precis_proto::Locator;
use precis_proto::response::Citation;

use crate::locate::place;

/// About how many characters stand on each side of a quote; chosen, not measured.
pub const CONTEXT_CHARS: usize = 240;

/// A quote within its surroundings. The three join to one piece of the canonical text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuoteContext {
    /// At most [`CONTEXT_CHARS`] characters before it, starting with a whole word where words are short enough to tell.
    pub before: String,
    /// Exactly the characters the locator names.
    pub quote: String,
    /// At most [`CONTEXT_CHARS`] characters after it, ending likewise.
    pub after: String,
    /// Whether text stands before `before`.
    pub starts_inside: bool,
    /// Whether text stands after `after`.
    pub ends_inside: bool,
}

/// The context of what `locator` names in `text`; `None` where it names nothing. It never leaves the page.
#[must_use]
pub fn context(text: &str, locator: &Locator) -> Option<QuoteContext> {
    let place = place(text, locator)?;
    let (ahead, behind) = (&text[place.page.start..place.quote.start], &text[place.quote.end..place.page.end]);
    let (before, after) = (tail(ahead), head(behind));
    Some(QuoteContext {
        before: before.to_owned(),
        quote: text[place.quote.clone()].to_owned(),
        after: after.to_owned(),
        starts_inside: before.len() < ahead.len(),
        ends_inside: after.len() < behind.len(),
    })
}

/// The contexts of `citations` by number. `text_of` gives a canonical text by the 64 digits of its hash; a citation without
/// its text has no context.
#[must_use]
pub fn contexts<'t>(citations: &[Citation], text_of: &dyn Fn(&str) -> Option<&'t str>) -> BTreeMap<u32, QuoteContext> {
    let of = |c: &Citation| context(text_of(crate::verify::hex_of(&c.source_text_hash))?, &c.locator);
    citations.iter().filter_map(|c| Some((c.n, of(c)?))).collect()
}

/// The last characters of `text`, from the start of a word on where one starts in their first half.
fn tail(text: &str) -> &str {
    let Some((cut, _)) = text.char_indices().rev().nth(CONTEXT_CHARS - 1).filter(|(at, _)| *at > 0) else {
        return text;
    };
    if text[..cut].ends_with(char::is_whitespace) {
        return &text[cut..];
    }
    match text[cut..].find(char::is_whitespace) {
        Some(space) if space <= (text.len() - cut) / 2 => text[cut + space..].trim_start(),
        _ => &text[cut..],
    }
}

/// The first characters of `text`, up to the end of a word where one ends in their second half.
fn head(text: &str) -> &str {
    let Some((cut, next)) = text.char_indices().nth(CONTEXT_CHARS) else { return text };
    if next.is_whitespace() {
        return &text[..cut];
    }
    match text[..cut].rfind(char::is_whitespace) {
        Some(space) if space >= cut / 2 => text[..space].trim_end(),
        _ => &text[..cut],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, locator: &str) -> QuoteContext {
        context(text, &locator.parse().expect("a locator")).expect("stands in the text")
    }

    #[test]
    fn a_context_is_one_piece_of_the_text_and_starts_and_ends_with_whole_words() {
        let text = format!("{}the quote {}", "alpha ".repeat(100), "omega ".repeat(100));
        let context = around(&text, "char:600-609");
        assert_eq!(context.quote, "the quote");
        assert!(text.contains(&format!("{}{}{}", context.before, context.quote, context.after)));
        assert!(context.before.starts_with("alpha ") && context.after.ends_with(" omega"), "{context:?}");
        assert!(context.starts_inside && context.ends_inside);
        for side in [&context.before, &context.after] {
            assert!((CONTEXT_CHARS - 6..=CONTEXT_CHARS).contains(&side.chars().count()), "{side}");
        }
    }

    #[test]
    fn a_lone_space_does_not_cost_the_context() {
        let text = format!("{} quote {}", "語".repeat(1_000), "語".repeat(1_000));
        let context = around(&text, "char:1001-1006");
        assert_eq!(context.before.chars().count(), CONTEXT_CHARS);
        assert_eq!(context.after.chars().count(), CONTEXT_CHARS);
    }

    #[test]
    fn text_without_spaces_is_cut_between_characters() {
        let text = "語".repeat(1_000);
        let context = around(&text, "char:500-510");
        assert_eq!(context.before, "語".repeat(CONTEXT_CHARS));
        assert_eq!(context.after, "語".repeat(CONTEXT_CHARS));
    }

    #[test]
    fn a_context_stays_on_its_page() {
        let text = "one\n\n---PAGE 2---\n\nbefore quote after\n\n---PAGE 3---\n\nthree";
        let context = around(text, "page:2:char:7-12");
        assert_eq!((context.before.as_str(), context.after.as_str()), ("before ", " after"));
        assert!(!context.starts_inside && !context.ends_inside);
        assert_eq!(super::context(text, &"page:2:char:7-90".parse().expect("a locator")), None);
    }

    #[test]
    fn the_last_character_of_a_context_may_be_the_last_of_the_text() {
        for (len, inside) in [(CONTEXT_CHARS - 1, false), (CONTEXT_CHARS, false), (CONTEXT_CHARS + 1, true)] {
            let text = format!("q{}", "a".repeat(len));
            assert_eq!(around(&text, "char:0-1").ends_inside, inside, "{len}");
            let text = format!("{}q", "a".repeat(len));
            assert_eq!(around(&text, &format!("char:{len}-{}", len + 1)).starts_inside, inside, "{len}");
        }
    }
}
