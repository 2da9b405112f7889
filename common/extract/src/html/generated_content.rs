//! What `content` of a style sheet says: strings and numbers of counters (CSS Generated Content 3). Works on text alone.

use std::rc::Rc;

use cssparser::{Parser, Token};

use super::counters::Counters;
use super::css_tokens::in_block;
use super::number_styles;
use crate::ordinal::{OrdinalStyle, format_ordinal};

/// Longest text, in characters; a longer one is left out, because one rule may write it into every element of a page.
const MAX_TEXT_CHARS: usize = 80;

/// What stands at a place of generated text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// Nothing, not even an empty text.
    None,
    /// A text that says nothing that is known here.
    Unknown,
    Pieces(Rc<[Piece]>),
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Literal(String),
    /// The innermost counter of that name.
    Counter(String, OrdinalStyle),
    /// All counters of that name, with the text between them.
    Counters(String, String, OrdinalStyle),
}

impl Content {
    /// The same place with a text that says nothing.
    pub(super) fn without_text(self) -> Self {
        if self == Self::None { Self::None } else { Self::Unknown }
    }

    /// Whether it has numbers of counters.
    pub(super) fn counts(&self) -> bool {
        match self {
            Self::Pieces(pieces) => pieces.iter().any(|piece| !matches!(piece, Piece::Literal(_))),
            Self::None | Self::Unknown => false,
        }
    }

    /// Whether there is such a place at all.
    pub(super) fn is_made(&self) -> bool {
        *self != Self::None
    }

    /// The text with the numbers of `counters`; `None` if it says nothing, is too long or has a number that is not known.
    pub(super) fn text(&self, counters: &Counters) -> Option<String> {
        let Self::Pieces(pieces) = self else { return None };
        let mut text = String::new();
        for piece in pieces.iter() {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Counter(name, style) => text.push_str(&format_ordinal(counters.value(name)?, *style)),
                Piece::Counters(name, between, style) => {
                    let numbers = counters.values(name)?.into_iter().map(|value| format_ordinal(value, *style));
                    text.push_str(&numbers.collect::<Vec<_>>().join(between));
                }
            }
        }
        (text.chars().any(says_something) && text.chars().count() <= MAX_TEXT_CHARS).then_some(text)
    }
}

/// What the value of a `content` declaration says, and whether it is important.
pub(super) fn content_of(value: &str) -> (Content, bool) {
    let (mut pieces, mut is_known, mut is_important, mut is_none) = (Vec::new(), true, false, false);
    let mut parser = Parser::new(value);
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::QuotedString(part) => pieces.push(Piece::Literal(part.to_string())),
            Token::Function(name) => match in_block(&mut parser, |inside| counted(&name, inside)).flatten() {
                Some(piece) => pieces.push(piece),
                None => is_known = false,
            },
            // What follows is read out instead of the text.
            Token::Delim('/') => break,
            Token::Delim('!') => is_important = true,
            Token::Ident(name) if is_important && name.eq_ignore_ascii_case("important") => {}
            Token::Ident(name) if name.eq_ignore_ascii_case("none") || name.eq_ignore_ascii_case("normal") => {
                is_none = true
            }
            _ => is_known = false,
        }
    }
    let content = match (is_none, is_known) {
        (true, _) => Content::None,
        (false, true) => Content::Pieces(pieces.into()),
        (false, false) => Content::Unknown,
    };
    (content, is_important)
}

/// The piece that the function `name` writes, whose arguments are in `inside`; `None` if it is not understood.
fn counted(name: &str, inside: &mut Parser<'_>) -> Option<Piece> {
    let has_texts = match () {
        () if name.eq_ignore_ascii_case("counter") => false,
        () if name.eq_ignore_ascii_case("counters") => true,
        () => return None,
    };
    let counter = inside.expect_ident().ok()?.to_string();
    let mut between = None;
    if has_texts {
        inside.expect_comma().ok()?;
        between = Some(inside.expect_string().ok()?.to_string());
    }
    let style = match inside.is_exhausted() {
        true => OrdinalStyle::Figures,
        false => {
            inside.expect_comma().ok()?;
            number_styles::of_style(inside.expect_ident().ok()?)?.1
        }
    };
    inside.is_exhausted().then_some(match between {
        Some(between) => Piece::Counters(counter, between, style),
        None => Piece::Counter(counter, style),
    })
}

/// Whether `c` says something beside a text: a letter, a digit, a currency, a percent sign, a tick or a cross.
fn says_something(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '%' | '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '☐'..='☒' | '✓'..='✘' | '✅' | '❌')
}

#[cfg(test)]
mod tests {
    use super::super::counters::CounterChanges;
    use super::super::declarations::claims;
    use super::*;

    fn text(value: &str) -> Option<String> {
        let mut counters = Counters::default();
        for (depth, style) in ["counter-reset:a 2", "counter-reset:a 14"].into_iter().enumerate() {
            counters.apply(depth, &CounterChanges::among(&[(&claims(style), [0; 4], 0)]));
        }
        content_of(value).0.text(&counters)
    }

    #[test]
    fn strings_and_counters_are_one_text() {
        for (value, want) in [
            ("'No. ' counter(a) ': '", Some("No. 14: ")),
            ("counters(a,'.') ' '", Some("2.14 ")),
            ("counters(a, '-', upper-roman)", Some("II-XIV")),
            ("COUNTER( a , Lower-Alpha ) \")\"", Some("n)")),
            ("counter(a, decimal-leading-zero) / 'alt'", Some("14")),
            ("counter(a, mine)", None),
            ("counter(a, '.')", None),
            ("counters(a)", None),
            ("counter(a, decimal, decimal)", None),
            ("counter(a) attr(x)", None),
            ("counter(a) url(x)", None),
            ("none", None),
        ] {
            assert_eq!(text(value).as_deref(), want, "{value}");
        }
    }

    #[test]
    fn a_text_has_a_greatest_length() {
        for (chars, is_read) in [(MAX_TEXT_CHARS - 1, true), (MAX_TEXT_CHARS, true), (MAX_TEXT_CHARS + 1, false)] {
            assert_eq!(text(&format!("'{}' counter(a)", "x".repeat(chars - 2))).is_some(), is_read, "{chars}");
        }
    }

    #[test]
    fn a_place_without_text_is_told_from_an_empty_one() {
        for (value, want) in [
            ("none!important", (Content::None, true)),
            ("normal", (Content::None, false)),
            ("''", (Content::Pieces(Rc::from([Piece::Literal(String::new())])), false)),
            ("open-quote", (Content::Unknown, false)),
        ] {
            assert_eq!(content_of(value), want, "{value}");
        }
    }
}
