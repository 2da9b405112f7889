//! Styles of OpenDocument: the kind of a style's paragraphs, whether they are hidden, and how its list items are numbered. Built-in styles
//! have English names in documents of every language.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::BlockKind;

use super::super::super::ordinal::{OrdinalStyle as Ordinal, format_ordinal};
use super::super::super::runs::{Marks, Position};
use super::super::markup::{Markup, XmlElement, walk};

/// Most styles followed in a chain of base styles, because the chain may be circular.
const MAX_BASES: usize = 16;
/// Most levels of a list with a style; the format has ten.
const MAX_LEVELS: usize = 10;

/// The look of a paragraph or run, as given by its style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct OdtLook {
    pub(super) kind: Option<BlockKind>,
    /// Level of a heading, from 1.
    pub(super) level: Option<u8>,
    /// The marks of its text.
    pub(in super::super) marks: Marks,
}

/// The styles of a document by their names.
#[derive(Debug, Default)]
pub(in super::super) struct OdtStyles {
    styles: BTreeMap<String, OdtStyle>,
    lists: BTreeMap<String, BTreeMap<usize, ListLevel>>,
    /// The numbering of headings, by level from 1.
    outline: BTreeMap<usize, ListLevel>,
    /// The styles of slides that are not shown.
    hidden_pages: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct OdtStyle {
    base: Option<String>,
    outline: Option<u8>,
    is_hidden: Option<bool>,
    is_struck: Option<bool>,
    position: Option<Position>,
}

/// The numbering of one level of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListLevel {
    pub(super) start: u32,
    /// `None` if the level has bullets.
    style: Option<Ordinal>,
    before: String,
    after: String,
    /// How many levels are shown, its own and those above it.
    shown: usize,
}

impl ListLevel {
    /// Whether its items have numbers.
    pub(super) fn is_numbered(&self) -> bool {
        self.style.is_some()
    }
}

/// What stands before an item: the numbers of the levels that the last of `levels` shows, each with its number; `None` if it has bullets.
pub(super) fn marker(levels: &[(Option<&ListLevel>, u32)]) -> Option<String> {
    let (own, _) = levels.last()?;
    let own = (*own)?;
    own.style?;
    let shown = levels.iter().skip(levels.len().saturating_sub(own.shown.max(1)));
    let numbers: Vec<String> =
        shown.filter_map(|(level, number)| Some(format_ordinal(i64::from(*number), (*level)?.style?))).collect();
    Some(format!("{}{}{}", own.before, numbers.join("."), own.after).trim().to_owned())
}

impl OdtStyles {
    /// Adds the styles in `part`; they replace styles of the same name from another part.
    pub(in super::super) fn read(&mut self, part: &[u8]) {
        let (mut style, mut list, mut in_outline) = (None::<(String, OdtStyle)>, None::<String>, false);
        walk(part, |event| match event {
            Markup::Open(element) => match element.name.as_str() {
                "style" => {
                    let outline = element.attribute("default-outline-level").and_then(|level| level.parse().ok());
                    let base = element.attribute("parent-style-name");
                    style =
                        element.attribute("name").map(|name| (name, OdtStyle { base, outline, ..OdtStyle::default() }));
                }
                "text-properties" => {
                    if let Some((_, style)) = &mut style {
                        style.take_text(&element);
                    }
                }
                "drawing-page-properties" if element.attribute("visibility").as_deref() == Some("hidden") => {
                    self.hidden_pages.extend(style.as_ref().map(|(name, _)| name.clone()));
                }
                "list-style" => list = element.attribute("name"),
                "list-level-style-number" | "list-level-style-bullet" => {
                    if let Some((list, (depth, level))) = list.as_ref().zip(level(&element)) {
                        self.lists.entry(list.clone()).or_default().insert(depth, level);
                    }
                }
                "outline-style" => in_outline = true,
                "outline-level-style" if in_outline => self.outline.extend(level(&element)),
                _ => {}
            },
            Markup::Close(name) if name == "outline-style" => in_outline = false,
            Markup::Close(name) if name == "style" => self.styles.extend(style.take()),
            Markup::Close(name) if name == "list-style" => list = None,
            _ => {}
        });
    }

    /// The look that the style `name` gives to a text; properties it does not set come from its base styles.
    pub(in super::super) fn looks(&self, name: &str) -> OdtLook {
        let (mut looks, mut next) = (OdtLook::default(), Some(name));
        let (mut hidden, mut struck, mut position) = (None, None, None);
        for _ in 0..MAX_BASES {
            let Some(name) = next.filter(|name| !name.is_empty()) else { break };
            looks.take_name(name);
            let Some(style) = self.styles.get(name) else { break };
            hidden = hidden.or(style.is_hidden);
            struck = struck.or(style.is_struck);
            position = position.or(style.position);
            if let (None, Some(level @ 1..)) = (looks.kind, style.outline) {
                (looks.kind, looks.level) = (Some(BlockKind::Heading), Some(level));
            }
            next = style.base.as_deref();
        }
        looks.marks = Marks {
            position: position.unwrap_or_default(),
            inner: Position::Baseline,
            is_struck: struck.unwrap_or(false),
            is_hidden: hidden.unwrap_or(false),
            is_note: false,
        };
        looks
    }

    /// Whether slides of the style `name` are not shown.
    pub(super) fn hides_page(&self, name: &str) -> bool {
        self.hidden_pages.contains(name)
    }

    /// The numbering of headings of `level`, from 1.
    pub(super) fn outline_level(&self, level: usize) -> Option<&ListLevel> {
        self.outline.get(&level)
    }

    /// The level `depth` (from 1) of the list style `name`.
    pub(super) fn list_level(&self, name: &str, depth: usize) -> Option<&ListLevel> {
        self.lists.get(name)?.get(&depth)
    }
}

impl OdtStyle {
    /// Takes the properties of its text.
    fn take_text(&mut self, properties: &XmlElement<'_>) {
        if let Some(display) = properties.attribute("display") {
            self.is_hidden = Some(display == "none");
        }
        // The first word is `super`, `sub` or by how much the text is raised, in percent of its size.
        if let Some(value) = properties.attribute("text-position") {
            let word = value.split_ascii_whitespace().next().unwrap_or_default();
            let by = word.strip_suffix('%').and_then(|by| by.parse::<f32>().ok()).unwrap_or(0.0);
            self.position = Some(match word {
                "super" => Position::Raised,
                "sub" => Position::Lowered,
                _ if by > 0.0 => Position::Raised,
                _ if by < 0.0 => Position::Lowered,
                _ => Position::Baseline,
            });
        }
        for name in ["text-line-through-style", "text-line-through-type"] {
            if let Some(value) = properties.attribute(name) {
                self.is_struck = Some(value != "none");
            }
        }
    }
}

impl OdtLook {
    fn take_name(&mut self, name: &str) {
        if self.kind.is_some() {
            return;
        }
        // Names encode a space by its character number.
        let name = name.replace("_20_", " ").to_lowercase();
        let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
        (self.kind, self.level) = match (name.as_str(), level) {
            (_, Some(level)) => (Some(BlockKind::Heading), Some(level)),
            ("title", _) => (Some(BlockKind::Heading), Some(1)),
            ("subtitle", _) => (Some(BlockKind::Heading), Some(2)),
            ("caption" | "illustration" | "table" | "drawing" | "figure", _) => (Some(BlockKind::Caption), None),
            ("quotations", _) => (Some(BlockKind::Quotation), None),
            ("preformatted text", _) => (Some(BlockKind::Code), None),
            ("footnote" | "endnote", _) => (Some(BlockKind::Footnote), None),
            ("header" | "footer", _) => (Some(BlockKind::Furniture), None),
            (name, _) if name.starts_with("contents ") => (Some(BlockKind::Furniture), None),
            _ => (None, None),
        };
    }
}

fn level(element: &XmlElement<'_>) -> Option<(usize, ListLevel)> {
    let depth = element.attribute("level")?.parse().ok().filter(|depth| (1..=MAX_LEVELS).contains(depth))?;
    let is_number = element.name != "list-level-style-bullet";
    let style = match element.attribute("num-format").as_deref() {
        _ if !is_number => None,
        Some("a") => Some(Ordinal::SmallLetters),
        Some("A") => Some(Ordinal::Letters),
        Some("i") => Some(Ordinal::SmallRoman),
        Some("I") => Some(Ordinal::Roman),
        Some("") | None => None,
        Some(_) => Some(Ordinal::Figures),
    };
    let part = |name: &str| element.attribute(name).unwrap_or_default();
    let start = element.attribute("start-value").and_then(|start| start.parse().ok()).unwrap_or(1);
    let shown = element.attribute("display-levels").and_then(|levels| levels.parse().ok()).unwrap_or(1);
    Some((depth, ListLevel { start, style, before: part("num-prefix"), after: part("num-suffix"), shown }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_styles_is_followed_to_a_length() {
        for (length, is_heading) in [(MAX_BASES - 1, true), (MAX_BASES, true), (MAX_BASES + 1, false)] {
            let style = |n: usize| format!("<style:style style:name='s{n}' style:parent-style-name='s{}'/>", n + 1);
            let chain: String = (1..length).map(style).collect();
            let mut styles = OdtStyles::default();
            styles.read(
                format!("<x>{chain}<style:style style:name='s{length}' style:default-outline-level='2'/></x>")
                    .as_bytes(),
            );
            let want = is_heading.then_some((BlockKind::Heading, 2));
            let looks = styles.looks("s1");
            assert_eq!(looks.kind.zip(looks.level), want, "{length}");
        }
    }

    #[test]
    fn levels_of_a_list_are_bounded() {
        for (depth, is_known) in [(MAX_LEVELS - 1, true), (MAX_LEVELS, true), (MAX_LEVELS + 1, false)] {
            let part = format!(
                "<text:list-style style:name='L'><text:list-level-style-number text:level='{depth}' style:num-format='i' style:num-suffix=')' text:start-value='3'/></text:list-style>"
            );
            let mut styles = OdtStyles::default();
            styles.read(part.as_bytes());
            let level = styles.list_level("L", depth);
            assert_eq!(
                level.and_then(|level| marker(&[(Some(level), level.start)])),
                is_known.then(|| "iii)".to_owned()),
                "{depth}"
            );
        }
    }
}
