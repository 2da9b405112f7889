//! Numbers of list items. A word processing document does not contain them; they are computed when it is shown.

use std::collections::BTreeMap;

use super::super::super::ordinal::{OrdinalStyle, written};
use super::super::markup::{Markup, walk};

/// Deepest level of a list (ECMA-376 has nine).
const MAX_LEVELS: usize = 9;

/// The lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub(super) struct DocxNumbering {
    /// The levels of each abstract list.
    levels: BTreeMap<u32, Vec<NumberingLevel>>,
    /// The abstract list of each list, and whether its numbering restarts.
    lists: BTreeMap<u32, (u32, bool)>,
    /// The numbers of the last item, by level.
    counted: BTreeMap<(u32, bool), [Option<i64>; MAX_LEVELS]>,
}

#[derive(Debug, Clone, Default)]
struct NumberingLevel {
    start: i64,
    /// `None` if the level has bullets.
    style: Option<OrdinalStyle>,
    /// `%1.%2)`: a percent sign and a digit stand for the number at that level.
    text: String,
}

impl DocxNumbering {
    /// Reads the lists in the part `numbering.xml`.
    pub(super) fn read(part: &[u8]) -> Self {
        let mut read = Self::default();
        let (mut abstract_list, mut list) = (None::<u32>, None::<u32>);
        walk(part, |event| match event {
            Markup::Open(element) => {
                let number = |name: &str| element.attribute(name).and_then(|value| value.parse::<u32>().ok());
                match element.name.as_str() {
                    "abstractNum" => abstract_list = number("abstractNumId"),
                    "num" => list = number("numId"),
                    "abstractNumId" => {
                        if let (Some(list), Some(of)) = (list, number("val")) {
                            read.lists.insert(list, (of, false));
                        }
                    }
                    "startOverride" => {
                        if let Some(list) = list.and_then(|list| read.lists.get_mut(&list)) {
                            list.1 = true;
                        }
                    }
                    "lvl" => {
                        if let Some(levels) = abstract_list.map(|list| read.levels.entry(list).or_default())
                            && levels.len() < MAX_LEVELS
                        {
                            levels.push(NumberingLevel { start: 1, ..NumberingLevel::default() });
                        }
                    }
                    name => {
                        let level =
                            abstract_list.and_then(|list| read.levels.get_mut(&list)).and_then(|l| l.last_mut());
                        let (Some(level), Some(value)) = (level, element.attribute("val")) else { return };
                        match name {
                            "start" => level.start = value.parse::<i32>().map_or(1, i64::from),
                            "numFmt" => level.style = style(&value),
                            "lvlText" => level.text = value,
                            _ => {}
                        }
                    }
                }
            }
            Markup::Close(name) if name == "abstractNum" => abstract_list = None,
            Markup::Close(name) if name == "num" => list = None,
            _ => {}
        });
        read
    }

    /// The marker of the next item of `list` at `depth`, from 0; `None` if there is no such list.
    pub(super) fn marker(&mut self, list: u32, depth: usize) -> Option<String> {
        let (of, is_new) = *self.lists.get(&list)?;
        let levels = self.levels.get(&of)?;
        let level = levels.get(depth)?;
        let key = if is_new { (list, true) } else { (of, false) };
        let counted = self.counted.entry(key).or_default();
        let number = counted[depth].map_or(level.start, |last| last.saturating_add(1));
        counted[depth] = Some(number);
        counted[depth + 1..].fill(None);
        if level.style.is_none() {
            return Some("-".to_owned());
        }
        let mut marker = level.text.clone();
        for (at, level) in levels.iter().enumerate() {
            let number = counted[at].unwrap_or(level.start);
            marker = marker.replace(&format!("%{}", at + 1), &written(number, level.style.unwrap_or_default()));
        }
        Some(marker).filter(|marker| !marker.is_empty())
    }
}

fn style(format: &str) -> Option<OrdinalStyle> {
    match format {
        "bullet" | "none" => None,
        "lowerLetter" => Some(OrdinalStyle::SmallLetters),
        "upperLetter" => Some(OrdinalStyle::Letters),
        "lowerRoman" => Some(OrdinalStyle::SmallRoman),
        "upperRoman" => Some(OrdinalStyle::Roman),
        _ => Some(OrdinalStyle::Figures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &[u8] = b"<w:numbering>\
        <w:abstractNum w:abstractNumId='0'>\
        <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>\
        <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText w:val='\xef\x82\xb7'/></w:lvl></w:abstractNum>\
        <w:num w:numId='5'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='6'><w:abstractNumId w:val='1'/></w:num>\
        <w:num w:numId='7'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride></w:num>\
        </w:numbering>";

    #[test]
    fn items_are_counted_by_level() {
        let mut numbering = DocxNumbering::read(PART);
        for (list, depth, want) in [
            (5, 0, Some("1.")),
            (5, 1, Some("1.a)")),
            (5, 1, Some("1.b)")),
            (6, 0, Some("-")),
            (5, 0, Some("2.")),
            (5, 1, Some("2.a)")),
            (7, 0, Some("1.")),
            (5, 0, Some("3.")),
            (5, 8, None),
            (9, 0, None),
            (0, 0, None),
        ] {
            assert_eq!(numbering.marker(list, depth).as_deref(), want, "{list} {depth}");
        }
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
}
