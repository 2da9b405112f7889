//! Numbers of headings and list items. A word processing document does not contain them; they are computed when it is shown.

use std::collections::BTreeMap;

use super::super::super::ordinal::{OrdinalStyle, format_ordinal};
use super::super::markup::{Markup, XmlElement, walk};

/// Deepest level of a list (ECMA-376 has nine).
const MAX_LEVELS: usize = 9;
/// Most lists that refer to the list of a style, one after the other.
const MAX_LINKS: usize = 4;

/// The lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub(super) struct DocxNumbering {
    /// The levels of each abstract list.
    levels: BTreeMap<u32, BTreeMap<usize, NumberingLevel>>,
    /// The style whose list an abstract list is.
    links: BTreeMap<u32, String>,
    lists: BTreeMap<u32, NumberedList>,
    /// The numbers of the last item, by level.
    counted: BTreeMap<CountKey, [Option<i64>; MAX_LEVELS]>,
}

/// Whose numbers are counted: those of a list that starts anew, or of all lists of an abstract one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CountKey {
    Own(u32),
    Shared(u32),
}

#[derive(Debug, Clone, Default)]
struct NumberedList {
    /// Its abstract list.
    of: u32,
    /// Numbers at which levels start anew.
    starts: BTreeMap<usize, i64>,
    /// Levels that replace those of the abstract list.
    levels: BTreeMap<usize, NumberingLevel>,
}

/// What stands for the number of a level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LevelSign {
    Number(OrdinalStyle),
    Bullet,
    /// Only the text of the level.
    #[default]
    Nothing,
}

#[derive(Debug, Clone, Default)]
struct NumberingLevel {
    start: i64,
    sign: LevelSign,
    /// `%1.%2)`: a percent sign and a digit stand for the number at that level.
    text: String,
    /// Whether all numbers are shown in figures, as in laws.
    is_legal: bool,
    /// The level after which it restarts, from 1; 0 if it never does.
    restarts_after: Option<usize>,
    /// The style whose paragraphs have this level.
    style: Option<String>,
}

/// What is open while the part is read.
#[derive(Debug, Default)]
struct Open {
    abstract_list: Option<u32>,
    list: Option<u32>,
    level: usize,
}

impl DocxNumbering {
    /// Reads the lists in the part `numbering.xml`.
    pub(super) fn read(part: &[u8]) -> Self {
        let (mut read, mut open) = (Self::default(), Open::default());
        walk(part, |event| match event {
            Markup::Open(element) => read.take(&element, &mut open),
            Markup::Close(name) if name == "abstractNum" => open.abstract_list = None,
            Markup::Close(name) if name == "num" => open.list = None,
            _ => {}
        });
        read
    }

    fn take(&mut self, element: &XmlElement<'_>, open: &mut Open) {
        let number = |name: &str| element.attribute(name).and_then(|value| value.parse::<u32>().ok());
        match element.name.as_str() {
            "abstractNum" => open.abstract_list = number("abstractNumId"),
            "num" => open.list = number("numId"),
            "abstractNumId" => {
                if let (Some(list), Some(of)) = (open.list, number("val")) {
                    self.lists.insert(list, NumberedList { of, ..NumberedList::default() });
                }
            }
            "numStyleLink" => {
                self.links.extend(open.abstract_list.zip(element.attribute("val")));
            }
            "lvlOverride" => open.level = number("ilvl").unwrap_or(0) as usize,
            "startOverride" => {
                let start = element.attribute("val").and_then(|value| value.parse::<i32>().ok()).map_or(1, i64::from);
                if let Some(list) = open.list.and_then(|list| self.lists.get_mut(&list)) {
                    list.starts.insert(open.level, start);
                }
            }
            "lvl" => {
                let next = self.open_levels(open).map_or(0, |levels| levels.len());
                open.level = number("ilvl").map_or(next, |level| level as usize);
                let level = open.level;
                if let Some(levels) = self.open_levels(open).filter(|_| level < MAX_LEVELS) {
                    levels.insert(level, NumberingLevel { start: 1, ..NumberingLevel::default() });
                }
            }
            _ => {
                let level = open.level;
                if let Some(level) = self.open_levels(open).and_then(|levels| levels.get_mut(&level)) {
                    level.take(element);
                }
            }
        }
    }

    fn open_levels(&mut self, open: &Open) -> Option<&mut BTreeMap<usize, NumberingLevel>> {
        match (open.abstract_list, open.list) {
            (Some(list), _) => Some(self.levels.entry(list).or_default()),
            (None, Some(list)) => self.lists.get_mut(&list).map(|list| &mut list.levels),
            (None, None) => None,
        }
    }

    /// Lets abstract lists that are those of a style have its levels; `list_of` gives the list of a style.
    pub(super) fn link(&mut self, list_of: impl Fn(&str) -> Option<u32>) {
        for _ in 0..MAX_LINKS {
            for (list, style) in &self.links {
                let target = list_of(style).and_then(|list| self.lists.get(&list)).map(|list| list.of);
                let levels = target.filter(|target| target != list).and_then(|target| self.levels.get(&target));
                if let Some(levels) = levels.filter(|levels| !levels.is_empty()).cloned() {
                    self.levels.insert(*list, levels);
                }
            }
        }
    }

    /// The level, from 0, that `list` has for paragraphs of `style`.
    pub(super) fn level_of_style(&self, list: u32, style: &str) -> Option<usize> {
        let levels = self.levels.get(&self.lists.get(&list)?.of)?;
        levels.iter().find(|(_, level)| level.style.as_deref() == Some(style)).map(|(depth, _)| *depth)
    }

    /// The marker of the next item of `list` at `depth`, from 0; `None` if there is no such list.
    pub(super) fn marker(&mut self, list: u32, depth: usize) -> Option<ItemMarker> {
        let numbered = self.lists.get(&list)?;
        let shared = self.levels.get(&numbered.of)?;
        let level_at = |at: usize| numbered.levels.get(&at).or_else(|| shared.get(&at));
        let level = level_at(depth)?;
        let key = if numbered.starts.is_empty() { CountKey::Shared(numbered.of) } else { CountKey::Own(list) };
        let start = |at: usize| {
            numbered.starts.get(&at).copied().or_else(|| level_at(at).map(|level| level.start)).unwrap_or(1)
        };
        let counted = self.counted.entry(key).or_default();
        counted[depth] = Some(counted[depth].map_or(start(depth), |last| last.saturating_add(1)));
        for (deeper, count) in counted.iter_mut().enumerate().skip(depth + 1) {
            // By default after any level above it.
            let after = level_at(deeper).and_then(|level| level.restarts_after).unwrap_or(deeper);
            if depth < after {
                *count = None;
            }
        }
        if level.sign == LevelSign::Bullet {
            return Some(ItemMarker::Bullet);
        }
        let mut text = level.text.clone();
        for (at, count) in counted.iter().enumerate() {
            let number = count.unwrap_or_else(|| start(at));
            let sign = level_at(at).map(|level| level.sign).unwrap_or_default();
            let number = match sign {
                LevelSign::Number(style) => {
                    format_ordinal(number, if level.is_legal { OrdinalStyle::Figures } else { style })
                }
                LevelSign::Bullet | LevelSign::Nothing => String::new(),
            };
            text = text.replace(&format!("%{}", at + 1), &number);
        }
        let text = text.trim();
        (!text.is_empty()).then(|| ItemMarker::Number(text.to_owned()))
    }
}

/// What stands before an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemMarker {
    Bullet,
    Number(String),
}

impl ItemMarker {
    /// The marker of a list item.
    pub(super) fn marker_text(self) -> String {
        match self {
            Self::Bullet => "-".to_owned(),
            Self::Number(text) => text,
        }
    }
}

impl NumberingLevel {
    fn take(&mut self, element: &XmlElement<'_>) {
        let value = element.attribute("val");
        let is_on = !matches!(value.as_deref(), Some("0" | "false" | "off"));
        match (element.name.as_str(), value) {
            ("isLgl", _) => self.is_legal = is_on,
            ("start", Some(value)) => self.start = value.parse::<i32>().map_or(1, i64::from),
            ("numFmt", Some(value)) => self.sign = sign(&value),
            ("lvlText", Some(value)) => self.text = value,
            ("lvlRestart", Some(value)) => self.restarts_after = value.parse().ok(),
            ("pStyle", value @ Some(_)) => self.style = value,
            _ => {}
        }
    }
}

fn sign(format: &str) -> LevelSign {
    LevelSign::Number(match format {
        "bullet" => return LevelSign::Bullet,
        "none" => return LevelSign::Nothing,
        "lowerLetter" => OrdinalStyle::SmallRepeatedLetters,
        "upperLetter" => OrdinalStyle::RepeatedLetters,
        "lowerRoman" => OrdinalStyle::SmallRoman,
        "upperRoman" => OrdinalStyle::Roman,
        "decimalZero" => OrdinalStyle::PaddedFigures,
        "decimalEnclosedParen" => OrdinalStyle::Enclosed,
        "chineseCounting" | "chineseCountingThousand" | "taiwaneseCounting" | "taiwaneseCountingThousand" => {
            OrdinalStyle::Chinese
        }
        "japaneseCounting" => OrdinalStyle::Japanese,
        "ideographDigital" | "taiwaneseDigital" => OrdinalStyle::CjkDigits,
        "hindiNumbers" => OrdinalStyle::DigitsFrom('०'),
        "thaiNumbers" => OrdinalStyle::DigitsFrom('๐'),
        // Words and endings of ordinal numbers depend on a language that the list does not name.
        _ => OrdinalStyle::Figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &[u8] = b"<w:numbering>\
        <w:abstractNum w:abstractNumId='0'>\
        <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>\
        <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText w:val='\xef\x82\xb7'/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId='2'>\
        <w:lvl w:ilvl='0'><w:numFmt w:val='upperRoman'/><w:pStyle w:val='Clause'/><w:lvlText w:val='Article %1'/></w:lvl>\
        <w:lvl w:ilvl='1'><w:numFmt w:val='decimalZero'/><w:lvlRestart w:val='0'/><w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl>\
        <w:lvl w:ilvl='2'><w:numFmt w:val='none'/><w:lvlText w:val='Note'/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId='3'><w:numStyleLink w:val='Linked'/></w:abstractNum>\
        <w:num w:numId='5'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='6'><w:abstractNumId w:val='1'/></w:num>\
        <w:num w:numId='7'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='4'/></w:lvlOverride></w:num>\
        <w:num w:numId='8'><w:abstractNumId w:val='2'/></w:num><w:num w:numId='9'><w:abstractNumId w:val='3'/></w:num>\
        <w:num w:numId='10'><w:abstractNumId w:val='1'/><w:lvlOverride w:ilvl='0'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText w:val='(%1)'/></w:lvl></w:lvlOverride></w:num>\
        </w:numbering>";

    fn shown(marker: Option<ItemMarker>) -> String {
        marker.map(ItemMarker::marker_text).unwrap_or_default()
    }

    #[test]
    fn items_are_counted_by_level() {
        let mut numbering = DocxNumbering::read(PART);
        numbering.link(|style| (style == "Linked").then_some(5));
        for (list, depth, want) in [
            (5, 0, "1."),
            (5, 1, "1.a)"),
            (5, 1, "1.b)"),
            (6, 0, "-"),
            (5, 0, "2."),
            (5, 1, "2.a)"),
            (7, 0, "4."),
            (5, 0, "3."),
            (5, 8, ""),
            (99, 0, ""),
            (0, 0, ""),
            (8, 0, "Article I"),
            (8, 1, "1.1"),
            (8, 0, "Article II"),
            (8, 1, "2.2"),
            (8, 2, "Note"),
            (9, 0, "1."),
            (10, 0, "(2)"),
        ] {
            assert_eq!(shown(numbering.marker(list, depth)), want, "{list} {depth}");
        }
        assert_eq!(numbering.level_of_style(8, "Clause"), Some(0));
        assert_eq!(numbering.level_of_style(8, "Other"), None);
    }

    #[test]
    fn levels_of_a_list_are_bounded() {
        for (given, last) in [(MAX_LEVELS - 1, MAX_LEVELS - 1), (MAX_LEVELS, MAX_LEVELS), (MAX_LEVELS + 1, MAX_LEVELS)]
        {
            let level = "<lvl><numFmt val='decimal'/><lvlText val='x'/></lvl>".repeat(given);
            let part = format!(
                "<abstractNum abstractNumId='0'>{level}</abstractNum><num numId='1'><abstractNumId val='0'/></num>"
            );
            let mut numbering = DocxNumbering::read(part.as_bytes());
            assert!(numbering.marker(1, last - 1).is_some() && numbering.marker(1, last).is_none(), "{given}");
        }
    }

    #[test]
    fn lists_of_styles_are_followed_to_a_length() {
        for (length, is_found) in [(MAX_LINKS - 1, true), (MAX_LINKS, true), (MAX_LINKS + 1, false)] {
            // Each list is that of a style, whose list comes before it; they are resolved in the order of their numbers.
            let link = |n: usize| {
                format!(
                    "<abstractNum abstractNumId='{n}'><numStyleLink val='{}'/></abstractNum><num numId='{n}'><abstractNumId val='{n}'/></num>",
                    n + 1
                )
            };
            let links: String = (0..length).map(link).collect();
            let level = "<lvl><numFmt val='decimal'/><lvlText val='x'/></lvl>";
            let last = format!(
                "<abstractNum abstractNumId='{length}'>{level}</abstractNum><num numId='{length}'><abstractNumId val='{length}'/></num>"
            );
            let mut numbering = DocxNumbering::read(format!("<x>{links}{last}</x>").as_bytes());
            numbering.link(|style| style.parse().ok());
            assert_eq!(numbering.marker(0, 0).is_some(), is_found, "{length}");
        }
    }

    #[test]
    fn numbers_read_as_the_document_shows_them() {
        for (format, item, want) in [
            ("upperLetter", 28, "BB."),
            ("lowerLetter", 53, "aaa."),
            ("decimalEnclosedParen", 1, "⑴."),
            ("chineseCountingThousand", 21, "二十一."),
            ("japaneseCounting", 101, "百一."),
            ("ordinal", 2, "2."),
            ("cardinalText", 2, "2."),
        ] {
            let part = format!(
                "<x><abstractNum abstractNumId='0'><lvl><numFmt val='{format}'/><lvlText val='%1.'/></lvl></abstractNum><num numId='1'><abstractNumId val='0'/></num></x>"
            );
            let mut numbering = DocxNumbering::read(part.as_bytes());
            numbering.lists.entry(1).or_default().starts.insert(0, item);
            assert_eq!(shown(numbering.marker(1, 0)), want, "{format}");
        }
    }
}
