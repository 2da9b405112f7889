//! AsciiDoc (the language of Asciidoctor) to leaves: sections, lists, tables, blocks, notes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `lines` | what a line is |
//! | `attributes` | values of names |
//! | `head` | author, revision and attributes |
//! | `inline` | markup inside a block |
//! | `delimited` | blocks between two lines, tables among them |
//! | `table` | cells and rows |
//! | `cell_format` | what stands before the bar of a cell |
//!
//! Comments are left out and counted, and so are texts that the page includes from elsewhere: nothing is included.

mod attributes;
mod cell_format;
mod delimited;
mod head;
mod inline;
mod lines;
mod table;

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::page_text::PageText;
use super::runs::{LeftOut, RunText, Words, visible_chars};
use super::table::Leaves;
use attributes::Attributes;
use lines::AsciiDocLine;

/// Styles of paragraphs that stay as they were typed.
const CODE_STYLES: [&str; 4] = ["source", "listing", "literal", "stem"];

/// The text of `source`.
pub(super) fn read(source: &str) -> PageText {
    let mut reader = AsciiDocReader::default();
    let lines: Vec<&str> = source.trim_start_matches('\u{feff}').lines().collect();
    reader.lines(&lines);
    let left_out = reader.leaves.left_out();
    PageText { title: reader.title, leaves: reader.leaves.finish(), left_out, elsewhere: reader.elsewhere }
}

#[derive(Default)]
struct AsciiDocReader {
    leaves: Leaves,
    /// The block being read: its kind with level and marker, and its text.
    block: Option<Leaf>,
    /// Values of attributes by name.
    attributes: Attributes,
    /// Attributes of the next block.
    above: String,
    /// Delimiters of the open blocks, and whether each holds a quotation.
    open: Vec<(String, bool)>,
    /// Markers of the open list items, outermost first.
    markers: Vec<String>,
    /// Whether the next block belongs to the open item.
    is_continued: bool,
    /// Whether the next text says what a term means.
    is_defining: bool,
    title: Option<String>,
    is_in_head: bool,
    elsewhere: u64,
    /// Number of cells around what is read.
    depth: usize,
}

impl AsciiDocReader {
    fn lines(&mut self, lines: &[&str]) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += self.take(line, &lines[at..]);
        }
        self.end_block();
    }

    /// Takes the first of the lines that are left; returns how many belong to it.
    fn take(&mut self, line: &str, rest: &[&str]) -> usize {
        if let Some(level) =
            rest.get(1).and_then(|below| lines::underlined(line, below)).filter(|_| self.block.is_none())
        {
            self.heading(level, line.trim_end());
            return 2;
        }
        match lines::of(line) {
            AsciiDocLine::Blank => {
                self.end_block();
                self.is_in_head = false;
            }
            AsciiDocLine::Comment(text) => self.hide(text),
            AsciiDocLine::Attribute(name, value) => self.attribute(name, value),
            AsciiDocLine::Text(text) if self.is_in_head => self.head_line(text),
            AsciiDocLine::BlockAttributes(text) if !self.is_in_code() => {
                self.end_block();
                text.clone_into(&mut self.above);
            }
            AsciiDocLine::BlockTitle(text) if self.block.is_none() => self.alone(Leaf::new(BlockKind::Caption, text)),
            AsciiDocLine::Heading(level, text) if self.block.is_none() => self.heading(level, text),
            AsciiDocLine::Delimiter(kind, delimiter) => return self.delimited(kind, delimiter, rest),
            AsciiDocLine::Macro(name, attributes) => self.block_macro(name, attributes),
            AsciiDocLine::Item(marker, text) => self.item(marker, marker, text),
            AsciiDocLine::Term(marker, term, text) => self.item(marker, term, text),
            AsciiDocLine::Continuation => {
                self.end_block();
                self.is_continued = true;
            }
            AsciiDocLine::Rule => self.end_block(),
            AsciiDocLine::Literal(text) if self.block.is_none() && !self.is_defining => {
                self.begin(BlockKind::Code);
                self.add(text);
            }
            AsciiDocLine::Literal(_)
            | AsciiDocLine::BlockAttributes(_)
            | AsciiDocLine::BlockTitle(_)
            | AsciiDocLine::Heading(..)
            | AsciiDocLine::Text(_) => self.text(line.trim_end()),
        }
        1
    }

    fn text(&mut self, text: &str) {
        if self.block.is_none() {
            let style = self.above.split([',', '%', '.', '#']).next().unwrap_or_default();
            let is_quotation = style == "quote" || style == "verse" || self.open.iter().any(|(_, is_quote)| *is_quote);
            self.begin(match () {
                () if CODE_STYLES.contains(&style) => BlockKind::Code,
                () if is_quotation => BlockKind::Quotation,
                () => BlockKind::Paragraph,
            });
        }
        self.add(text);
    }

    /// Begins a block, which belongs to the open item if a plus sign stands before it.
    fn begin(&mut self, kind: BlockKind) {
        let is_continued =
            std::mem::take(&mut self.is_continued) || (!self.open.is_empty() && !self.markers.is_empty());
        self.above.clear();
        self.is_defining = false;
        if !is_continued {
            self.markers.clear();
        }
        let level = u8::try_from(self.markers.len()).unwrap_or(u8::MAX);
        self.block = Some(match kind {
            BlockKind::Paragraph if level > 0 => Leaf { level: Some(level), ..Leaf::new(BlockKind::ListItem, "") },
            _ => Leaf::new(kind, ""),
        });
    }

    fn is_in_code(&self) -> bool {
        self.block.as_ref().is_some_and(|block| block.kind == BlockKind::Code)
    }

    fn add(&mut self, line: &str) {
        if let Some(block) = &mut self.block {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }

    fn item(&mut self, marker: &str, shown: &str, text: &str) {
        self.end_block();
        self.above.clear();
        self.is_defining = false;
        let sign = marker.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        match self.markers.iter().position(|open| *open == sign) {
            Some(at) => self.markers.truncate(at + 1),
            None => self.markers.push(sign),
        }
        let level = u8::try_from(self.markers.len()).unwrap_or(u8::MAX);
        let boxed = ["[ ]", "[x]", "[*]"].into_iter().find(|mark| text.starts_with(mark));
        let text = boxed.map_or(text, |mark| text[mark.len()..].trim_start());
        let item = |marker: &str, text: &str| {
            let marker = (!marker.is_empty()).then(|| marker.to_owned());
            Leaf { level: Some(level), marker, ..Leaf::new(BlockKind::ListItem, format!("{text}\n")) }
        };
        if marker == shown {
            self.block = Some(item(boxed.unwrap_or(marker), text));
            return;
        }
        // A term is a block of its own, and what it means another.
        self.block = Some(item("", shown));
        self.end_block();
        if !text.is_empty() {
            self.block = Some(item("", text));
        }
        (self.is_continued, self.is_defining) = (text.is_empty(), text.is_empty());
    }

    fn heading(&mut self, level: usize, text: &str) {
        let level = u8::try_from(level).unwrap_or(u8::MAX);
        let is_title = level == 1 && self.leaves.len() == 0;
        let text = self.attributes.replace(text);
        self.alone(Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text.clone()) });
        let shown = || inline::shown(&text, &Attributes::default()).words.words().text;
        self.title = self.title.take().or_else(|| Some(shown()).filter(|title| !title.is_empty()));
        self.is_in_head = is_title;
        self.markers.clear();
    }

    fn block_macro(&mut self, name: &str, attributes: &str) {
        match name {
            "include" => self.elsewhere += 1,
            "image" => {
                let text = attributes.split(',').next().unwrap_or_default().trim_matches('"');
                self.alone(Leaf::new(BlockKind::Caption, text));
            }
            "ifdef" | "ifndef" if !attributes.is_empty() => self.text(attributes),
            // Conditions around lines, films, tables of contents.
            _ => {}
        }
    }

    fn hide(&mut self, text: &str) {
        self.leaves.count(LeftOut { hidden: visible_chars(text), ..LeftOut::default() });
    }

    /// Adds a block of a single line.
    fn alone(&mut self, leaf: Leaf) {
        self.end_block();
        self.block = Some(leaf);
        self.end_block();
    }

    fn shown(&mut self, text: &str) -> (Words, Vec<String>) {
        let shown = inline::shown(text, &self.attributes);
        (self.leaves.block_words(shown.words), shown.notes)
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        if block.kind == BlockKind::Code {
            let code = self.leaves.leaf(BlockKind::Code, RunText::of(&block.text));
            return code.into_iter().for_each(|code| self.leaves.push(code));
        }
        let (Words { text, notes, links, left_out, .. }, own_notes) = self.shown(&block.text);
        if !text.is_empty() {
            self.leaves.push(Leaf { text, notes, links, is_struck: left_out.struck > 0, ..block });
        }
        for note in own_notes {
            let text = self.shown(&note).0.text;
            self.leaves.push(Leaf::new(BlockKind::Footnote, text));
        }
    }
}

#[cfg(test)]
mod tests;
