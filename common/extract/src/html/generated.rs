//! Texts that a style sheet writes before and after the content of elements (`::before`, `::after`) and as the markers of items
//! (`::marker`): currencies, units, ticks, words, numbers. Only what says something is read; quotation marks, bullets, arrows and glyphs of
//! fonts of icons decorate. Works on text alone.

use std::rc::Rc;

use cssparser::{Delimiter, Parser};

use super::css_tokens::until;
use super::declarations::{Declared, claims, name_and_value};
use super::generated_content::{Content, content_of};
use super::selector::{Selector, selectors};

/// Most rules of that kind that are kept of a page; later ones are counted and ignored. Chosen: large sites have hundreds, of icons.
pub(super) const MAX_GENERATED: usize = 5_000;
/// The names of the places. Longer ones come first.
const PLACES: [(&str, GeneratedPlace); 5] = [
    ("::before", GeneratedPlace::Before),
    ("::after", GeneratedPlace::After),
    ("::marker", GeneratedPlace::Marker),
    (":before", GeneratedPlace::Before),
    (":after", GeneratedPlace::After),
];

/// Where a text stands that a style sheet writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeneratedPlace {
    /// Before the content of the element.
    Before,
    /// After it.
    After,
    /// In place of the bullet or number of an item.
    Marker,
}

/// Number of those places.
pub(super) const GENERATED_PLACES: usize = GeneratedPlace::Marker as usize + 1;

/// A rule about the text at such a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GeneratedRule {
    pub(super) selector: Selector,
    pub(super) place: GeneratedPlace,
    pub(super) is_important: bool,
    pub(super) content: Content,
    /// What else is declared of it: it may be hidden itself.
    pub(super) claims: Rc<[Declared]>,
}

/// The rules of that kind in the rule with the selectors `prelude` and the declarations `body`.
pub(super) fn rules(prelude: &str, body: &str) -> Vec<GeneratedRule> {
    if !prelude.contains(':') || !body.contains("content") {
        return Vec::new();
    }
    let Some((content, is_important)) = content(body) else { return Vec::new() };
    let claims: Rc<[Declared]> = claims(body).into();
    let mut found = Vec::new();
    let mut parser = Parser::new(prelude);
    while !parser.is_exhausted() {
        let part = until(&mut parser, Delimiter::Comma, |one| {
            let start = one.position();
            while one.next().is_ok() {}
            one.slice_from(start)
        });
        let Some((owner, place)) = part.and_then(owner) else { continue };
        let sure = selectors(&owner).into_iter().filter(|selector| selector.is_sure);
        found.extend(sure.map(|selector| GeneratedRule {
            selector,
            place,
            is_important,
            content: content.clone(),
            claims: Rc::clone(&claims),
        }));
    }
    found
}

/// The selector of the element whose text `selector` writes, and the place of the text.
fn owner(selector: &str) -> Option<(String, GeneratedPlace)> {
    let lower = selector.trim().to_ascii_lowercase();
    let (name, place) = PLACES.into_iter().find(|(name, _)| lower.ends_with(name))?;
    let owner = selector.trim();
    let owner = &owner[..owner.len() - name.len()];
    // Of any element, where none is named.
    let is_open = owner.is_empty() || owner.ends_with(|c: char| c.is_whitespace() || ">+~".contains(c));
    Some((if is_open { format!("{owner}*") } else { owner.to_owned() }, place))
}

/// What the last `content` of `body` declares, and whether it is important; `None` if there is no such declaration.
fn content(body: &str) -> Option<(Content, bool)> {
    let (mut found, mut is_icon) = (None, false);
    let mut parser = Parser::new(body);
    while !parser.is_exhausted() {
        let Some((name, value)) = until(&mut parser, Delimiter::Semicolon, name_and_value).flatten() else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content" => found = Some(content_of(value)),
            // Fonts of icons draw whole words as one picture.
            "font" | "font-family" => is_icon = true,
            _ => {}
        }
    }
    let (content, is_important) = found?;
    Some((if is_icon && !content.counts() { content.without_text() } else { content }, is_important))
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::page_text;

    fn read(css: &str, body: &str) -> String {
        let page = page_text(&format!("<style>{css}</style><body>{body}"), HtmlMode::Full);
        page.leaves.iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn text_generated_by_a_style_sheet_is_read() {
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
            "p::before{content:'No ' counter(n, mine)}",
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
}
