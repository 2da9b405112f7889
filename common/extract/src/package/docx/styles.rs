//! Paragraph styles: the kind of paragraph that a style stands for. Built-in styles have English names in documents of every language.

use std::collections::BTreeMap;

use precis_proto::BlockKind;

use super::super::super::runs::{Marks, Position};
use super::super::markup::{Markup, XmlElement, walk};

/// Most styles followed in a chain of base styles, because the chain may be circular.
const MAX_BASES: usize = 16;

/// The look of a paragraph, as given by its style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DocxLook {
    pub(super) kind: Option<BlockKind>,
    /// Level of a heading, from 1.
    pub(super) level: u8,
    /// Number of its list, and its depth in the list from 0.
    pub(super) list: Option<u32>,
    pub(super) depth: usize,
    /// The marks of its text.
    pub(super) marks: Marks,
}

/// The styles of a document by their ids.
#[derive(Debug, Default)]
pub(super) struct DocxStyles(BTreeMap<String, DocxStyle>);

#[derive(Debug, Default)]
struct DocxStyle {
    name: String,
    base: Option<String>,
    outline: Option<u8>,
    list: Option<u32>,
    depth: Option<usize>,
    is_hidden: Option<bool>,
    is_struck: Option<bool>,
    position: Option<Position>,
}

impl DocxStyles {
    /// Reads the styles in the part `styles.xml`.
    pub(super) fn read(part: &[u8]) -> Self {
        let (mut styles, mut open) = (BTreeMap::new(), None::<(String, DocxStyle)>);
        walk(part, |event| match event {
            Markup::Open(element) if element.name == "style" => {
                open = element.attribute("styleId").map(|id| (id, DocxStyle::default()));
            }
            Markup::Open(element) if matches!(element.name.as_str(), "vanish" | "strike" | "dstrike") => {
                let Some((_, style)) = &mut open else { return };
                let mark = if element.name == "vanish" { &mut style.is_hidden } else { &mut style.is_struck };
                *mark = Some(mark.unwrap_or(false) || is_on(&element));
            }
            Markup::Open(element) => {
                let (Some((_, style)), Some(value)) = (&mut open, element.attribute("val")) else { return };
                match element.name.as_str() {
                    "name" => style.name = value.to_lowercase(),
                    "basedOn" => style.base = Some(value),
                    "outlineLvl" => style.outline = value.parse().ok(),
                    "numId" => style.list = value.parse().ok(),
                    "ilvl" => style.depth = value.parse().ok(),
                    "vertAlign" => style.position = Some(position(&value)),
                    _ => {}
                }
            }
            Markup::Close(name) if name == "style" => styles.extend(open.take()),
            _ => {}
        });
        Self(styles)
    }

    /// The look that the style `id` gives to a paragraph; properties it does not set come from its base styles.
    pub(super) fn looks(&self, id: &str) -> DocxLook {
        let mut looks = DocxLook::default();
        let (mut depth, mut hidden, mut struck, mut placed, mut next) = (None, None, None, None, Some(id));
        for _ in 0..MAX_BASES {
            let Some(id) = next else { break };
            let Some(style) = self.0.get(id) else {
                // If the document does not define the style, its id is the name of a built-in one.
                looks.take_name(&style_name(id));
                break;
            };
            looks.take_name(&style.name);
            looks.take_outline(style.outline);
            looks.list = looks.list.or(style.list);
            depth = depth.or(style.depth);
            hidden = hidden.or(style.is_hidden);
            struck = struck.or(style.is_struck);
            placed = placed.or(style.position);
            next = style.base.as_deref();
        }
        looks.depth = depth.unwrap_or(0);
        looks.marks = Marks {
            position: placed.unwrap_or_default(),
            inner: Position::Baseline,
            is_struck: struck.unwrap_or(false),
            is_hidden: hidden.unwrap_or(false),
            is_note: false,
        };
        looks
    }
}

impl DocxLook {
    fn take_name(&mut self, name: &str) {
        if self.kind.is_some() {
            return;
        }
        let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
        (self.kind, self.level) = match (name, level) {
            (_, Some(level)) => (Some(BlockKind::Heading), u8::clamp(level, 1, 9)),
            ("title", _) => (Some(BlockKind::Heading), 1),
            ("subtitle", _) => (Some(BlockKind::Heading), 2),
            ("caption", _) => (Some(BlockKind::Caption), 0),
            ("quote" | "intense quote" | "block text", _) => (Some(BlockKind::Quotation), 0),
            ("bibliography", _) => (Some(BlockKind::Reference), 0),
            ("footnote text" | "endnote text", _) => (Some(BlockKind::Footnote), 0),
            ("html preformatted" | "macro" | "source code", _) => (Some(BlockKind::Code), 0),
            ("header" | "footer", _) => (Some(BlockKind::Furniture), 0),
            (name, _) if name.starts_with("toc ") => (Some(BlockKind::Furniture), 0),
            _ => (None, 0),
        };
    }

    /// Takes the outline level of a paragraph, from 0; 9 is running text.
    pub(super) fn take_outline(&mut self, outline: Option<u8>) {
        if let (None, Some(level @ 0..=8)) = (self.kind, outline) {
            (self.kind, self.level) = (Some(BlockKind::Heading), level + 1);
        }
    }
}

/// Takes a property of a run that is a mark; returns whether it is one.
pub(super) fn take_mark(marks: &mut Marks, property: &XmlElement<'_>) -> bool {
    match property.name.as_str() {
        "vanish" | "webHidden" => marks.is_hidden = is_on(property),
        "strike" | "dstrike" => marks.is_struck = is_on(property),
        "vertAlign" => marks.position = position(&property.attribute("val").unwrap_or_default()),
        _ => return false,
    }
    true
}

/// Whether a property that is set by being there is set.
fn is_on(property: &XmlElement<'_>) -> bool {
    !matches!(property.attribute("val").as_deref(), Some("0" | "false" | "off"))
}

fn position(value: &str) -> Position {
    match value {
        "superscript" => Position::Raised,
        "subscript" => Position::Lowered,
        _ => Position::Baseline,
    }
}

/// Converts an id to the style name: `Heading1` to `heading 1`.
fn style_name(id: &str) -> String {
    let words = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &id[words.len()..];
    format!("{} {number}", words.to_lowercase()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_says_what_its_bases_say_unless_it_says_otherwise() {
        let styles = DocxStyles::read(
            b"<w:styles><w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>\
              <w:style w:styleId='Mine'><w:name w:val='My Style'/><w:basedOn w:val='berschrift2'/></w:style>\
              <w:style w:styleId='Out'><w:name w:val='Chapter'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr></w:style>\
              <w:style w:styleId='LB'><w:name w:val='List Bullet 2'/><w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='7'/></w:numPr></w:pPr></w:style>\
              <w:style w:styleId='A'><w:basedOn w:val='B'/></w:style><w:style w:styleId='B'><w:basedOn w:val='A'/></w:style></w:styles>",
        );
        let heading = |level| DocxLook { kind: Some(BlockKind::Heading), level, ..DocxLook::default() };
        for (id, want) in [
            ("berschrift2", heading(2)),
            ("Mine", heading(2)),
            ("Out", heading(1)),
            ("Heading3", heading(3)),
            ("LB", DocxLook { list: Some(7), depth: 1, ..DocxLook::default() }),
            ("Caption", DocxLook { kind: Some(BlockKind::Caption), ..DocxLook::default() }),
            ("A", DocxLook::default()),
            ("Normal", DocxLook::default()),
        ] {
            assert_eq!(styles.looks(id), want, "{id}");
        }
    }

    #[test]
    fn a_chain_of_styles_is_followed_to_a_length() {
        for (length, is_heading) in [(MAX_BASES - 1, true), (MAX_BASES, true), (MAX_BASES + 1, false)] {
            let style = |n: usize| format!("<style styleId='s{n}'><name val='x'/><basedOn val='s{}'/></style>", n + 1);
            let chain: String = (1..length).map(style).collect();
            let last = format!("<style styleId='s{length}'><name val='heading 1'/></style>");
            let styles = DocxStyles::read(format!("<styles>{chain}{last}</styles>").as_bytes());
            assert_eq!(styles.looks("s1").kind.is_some(), is_heading, "{length}");
        }
    }
}
