//! Texts that a style sheet writes before and after the content of elements (`::before`, `::after`): currencies, units, ticks, words. Only
//! literal texts that say something are read; quotation marks, bullets, arrows and glyphs of fonts of icons decorate. Works on text alone.

use std::rc::Rc;

use cssparser::{Delimiter, Parser, Token};

use super::css_tokens::until;
use super::declarations::{Declared, claims, name_and_value};
use super::selector::{Selector, selectors};

/// Most rules of that kind that are kept of a page; later ones are counted and ignored. Chosen: large sites have hundreds, of icons.
pub(super) const MAX_GENERATED: usize = 5_000;
/// Longest text, in characters; a longer one is left out, because one rule may write it into every element of a page.
const MAX_TEXT_CHARS: usize = 80;
/// The names of the places, with what is before them. Longer ones come first.
const PLACES: [(&str, bool); 4] = [("::before", false), ("::after", true), (":before", false), (":after", true)];

/// A rule about the text before or after the content of elements.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GeneratedRule {
    pub(super) selector: Selector,
    pub(super) is_after: bool,
    pub(super) is_important: bool,
    /// `None` if the text says nothing, or is not known.
    pub(super) text: Option<String>,
    /// What else is declared of it: it may be hidden itself.
    pub(super) claims: Rc<[Declared]>,
}

/// The rules of that kind in the rule with the selectors `prelude` and the declarations `body`.
pub(super) fn rules(prelude: &str, body: &str) -> Vec<GeneratedRule> {
    if !prelude.contains(':') || !body.contains("content") {
        return Vec::new();
    }
    let Some((text, is_important)) = content(body) else { return Vec::new() };
    let claims: Rc<[Declared]> = claims(body).into();
    let mut found = Vec::new();
    let mut parser = Parser::new(prelude);
    while !parser.is_exhausted() {
        let part = until(&mut parser, Delimiter::Comma, |one| {
            let start = one.position();
            while one.next().is_ok() {}
            one.slice_from(start)
        });
        let Some((owner, is_after)) = part.and_then(owner) else { continue };
        let sure = selectors(&owner).into_iter().filter(|selector| selector.is_sure);
        found.extend(sure.map(|selector| GeneratedRule {
            selector,
            is_after,
            is_important,
            text: text.clone(),
            claims: Rc::clone(&claims),
        }));
    }
    found
}

/// The selector of the element whose text `selector` writes, and whether it is the text after it.
fn owner(selector: &str) -> Option<(String, bool)> {
    let lower = selector.trim().to_ascii_lowercase();
    let (place, is_after) = PLACES.into_iter().find(|(place, _)| lower.ends_with(place))?;
    let owner = selector.trim();
    let owner = &owner[..owner.len() - place.len()];
    // Of any element, where none is named.
    let is_open = owner.is_empty() || owner.ends_with(|c: char| c.is_whitespace() || ">+~".contains(c));
    Some((if is_open { format!("{owner}*") } else { owner.to_owned() }, is_after))
}

/// The text that the last `content` of `body` declares, and whether it is important; `None` if there is no such declaration.
fn content(body: &str) -> Option<(Option<String>, bool)> {
    let (mut found, mut is_icon) = (None, false);
    let mut parser = Parser::new(body);
    while !parser.is_exhausted() {
        let Some((name, value)) = until(&mut parser, Delimiter::Semicolon, name_and_value).flatten() else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content" => found = Some(literal(value)),
            // Fonts of icons draw whole words as one picture.
            "font" | "font-family" => is_icon = true,
            _ => {}
        }
    }
    let (text, is_important) = found?;
    let says = |text: &String| text.chars().any(says_something) && text.chars().count() <= MAX_TEXT_CHARS;
    Some((text.filter(says).filter(|_| !is_icon), is_important))
}

/// The strings of a value; `None` if there is anything else in it, whose text is not known here.
fn literal(value: &str) -> (Option<String>, bool) {
    let (mut text, mut is_known, mut is_important) = (String::new(), true, false);
    let mut parser = Parser::new(value);
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::QuotedString(part) => text.push_str(&part),
            // What follows is read out instead of the text.
            Token::Delim('/') => break,
            Token::Delim('!') => is_important = true,
            Token::Ident(name) if is_important && name.eq_ignore_ascii_case("important") => {}
            _ => is_known = false,
        }
    }
    (is_known.then_some(text), is_important)
}

/// Whether `c` says something beside a text: a letter, a digit, a currency, a percent sign, a tick or a cross.
fn says_something(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '%' | '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '☐'..='☒' | '✓'..='✘' | '✅' | '❌')
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::page_text;
    use super::*;

    fn read(css: &str, body: &str) -> String {
        let page = page_text(&format!("<style>{css}</style><body>{body}"), HtmlMode::Full);
        page.leaves.iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn what_a_sheet_writes_beside_a_text_is_read() {
        for (css, body, want) in [
            (".p::before{content:'€'}", "<p>Fee <b class=p>20</b></p>", "Fee €20"),
            (".p:after{content:\" per \" \"night\"}", "<p class=p>20 euros</p>", "20 euros per night"),
            ("td.y::BEFORE{content:'\\2713'}", "<table><tr><td>a<td class=y></table>", "a\n✓"),
            (".p::after{content:' not' / 'x'}", "<p class=p>It is</p>", "It is not"),
            (".p::after{content:'<i>&amp; 1'}", "<p class=p>a</p>", "a<i>&amp; 1"),
            (".a ::before{content:'No. '}", "<div class=a><p>1</p></div>", "No. 1"),
            ("p::after{content:' x'}.n::after{content:none}", "<p>a</p><p class=n>b</p>", "a x / b"),
            (".n::after{content:' y'!important}p#i::after{content:' x'}", "<p id=i class=n>b</p>", "b y"),
        ] {
            assert_eq!(read(css, body), want, "{css}");
        }
    }

    #[test]
    fn what_decorates_or_is_not_shown_is_not_read() {
        for css in [
            "p::before{content:'“'}",
            "p::before{content:'» '}",
            "p::before{content:'\\f101'}",
            "p::before{content:'menu';font-family:Icons}",
            "p::before{content:attr(title)}",
            "p::before{content:'No ' counter(n)}",
            "p::before{content:'gone';display:none}",
            "p::before{content:'gone';color:#fff}",
            "p::before{content:'gone';font-size:0}",
            "@media print{p::before{content:'gone'}}",
            "p:hover::before{content:'gone'}",
            "p{content:'gone'}",
            ".q::before{content:'gone'}",
            "p::first-line{content:'gone'}",
        ] {
            assert_eq!(read(css, "<p title=gone>kept</p>"), "kept", "{css}");
        }
    }

    #[test]
    fn a_text_has_a_greatest_length() {
        for (chars, is_read) in [(MAX_TEXT_CHARS - 1, true), (MAX_TEXT_CHARS, true), (MAX_TEXT_CHARS + 1, false)] {
            let css = format!("p::after{{content:'{}'}}", "x".repeat(chars));
            assert_eq!(read(&css, "<p>a</p>").len() > 1, is_read, "{chars}");
        }
    }
}
