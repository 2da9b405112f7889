//! Lines of a page to blocks, as HTML: headings, paragraphs, lists, tables, typed lines.

use super::inline::{self, has_block_tag};
use super::lists::{self, OpenLists};
use super::pieces::Pieces;
use super::tables::{self, OpenTables, TableLine};

/// Deepest level of a heading.
const MAX_LEVEL: usize = 6;

/// The blocks of a text as HTML, with marks in place of pieces.
#[derive(Debug, Default)]
pub(super) struct BlockHtml {
    pub(super) html: String,
    /// Categories of the page.
    pub(super) categories: Vec<String>,
    /// Number of characters that no page shows.
    pub(super) hidden: u64,
}

/// The blocks of `text`, whose marks stand for `pieces`.
pub(super) fn html(text: &str, pieces: &Pieces) -> BlockHtml {
    let mut writer = BlockWriter {
        pieces,
        out: BlockHtml::default(),
        paragraph: Vec::new(),
        typed: Vec::new(),
        lists: OpenLists::default(),
        tables: OpenTables::default(),
    };
    text.lines().for_each(|line| writer.line(line));
    writer.end_block();
    writer.tables.end_all(&mut writer.out.html);
    BlockHtml { hidden: writer.tables.hidden, ..writer.out }
}

struct BlockWriter<'t> {
    pieces: &'t Pieces,
    out: BlockHtml,
    /// Lines of the open paragraph.
    paragraph: Vec<&'t str>,
    /// Lines that begin with a space, without it.
    typed: Vec<&'t str>,
    lists: OpenLists,
    tables: OpenTables,
}

impl<'t> BlockWriter<'t> {
    fn line(&mut self, line: &'t str) {
        if self.tables.is_open()
            && let Some(begun) = tables::of(line)
        {
            return self.table_line(&begun);
        }
        if let Some(attributes) = tables::beginning(line) {
            return self.table_line(&TableLine::Begin(attributes));
        }
        let text = line.trim_end();
        let is_indented = line.starts_with(' ');
        if text.is_empty() {
            match is_indented && !self.typed.is_empty() {
                true => self.typed.push(""),
                false => self.end_block(),
            }
        } else if let Some((level, title)) = heading(text) {
            self.end_block();
            self.out.html.push_str(&format!("<h{level}>"));
            self.inline(title);
            self.out.html.push_str(&format!("</h{level}>\n"));
        } else if let Some((marks, text)) = lists::item(text) {
            self.item(marks, text);
        } else if text.starts_with("----") {
            self.end_block();
            self.text(text.trim_start_matches('-'));
        } else if is_indented && !self.is_block(line) {
            if self.typed.is_empty() {
                self.end_block();
            }
            self.typed.push(&line[1..]);
        } else {
            self.text(text);
        }
    }

    fn is_block(&self, line: &str) -> bool {
        has_block_tag(line) || self.pieces.has_block(line)
    }

    /// Takes a line of a paragraph, or one with blocks of HTML in it.
    fn text(&mut self, text: &'t str) {
        if self.is_block(text) {
            self.end_block();
            self.inline(text);
            self.out.html.push('\n');
        } else if !text.trim().is_empty() {
            if self.paragraph.is_empty() {
                self.end_block();
            }
            self.paragraph.push(text);
        }
    }

    fn item(&mut self, marks: &str, text: &str) {
        self.end_text();
        self.lists.begin_item(marks, &mut self.out.html);
        let (term, meaning) = if marks.ends_with(';') { lists::term(text) } else { (text, None) };
        self.inline(term);
        if let Some(meaning) = meaning {
            self.lists.begin_meaning(&mut self.out.html);
            self.inline(meaning);
        }
    }

    fn table_line(&mut self, line: &TableLine<'t>) {
        self.end_block();
        let html = &mut self.out.html;
        match *line {
            TableLine::Begin(attributes) => self.tables.begin(attributes, html),
            TableLine::End(rest) => {
                self.tables.end(html);
                self.text(rest);
            }
            TableLine::Row(attributes) => self.tables.begin_row(attributes, html),
            TableLine::Caption(text) => {
                let text = self.tables.begin_caption(text, html);
                self.text(text);
            }
            TableLine::Cells(line, is_header) => {
                for cell in tables::cells(line, is_header) {
                    self.end_block();
                    let text = self.tables.begin_cell(cell, is_header, &mut self.out.html);
                    self.text(text);
                }
            }
        }
    }

    /// Writes markup of a block, and the captions of its pictures behind it.
    fn inline(&mut self, text: &str) {
        let found = inline::html(text);
        self.out.html.push_str(&found.html);
        self.out.categories.extend(found.categories);
        // A caption between cells would take the row apart.
        let (before, behind) = match self.tables.is_open() {
            true => ("<br>", ""),
            false => ("<figure><figcaption>", "</figcaption></figure>"),
        };
        for caption in found.captions {
            self.out.html.push_str(&format!("{before}{caption}{behind}"));
        }
    }

    /// Ends the paragraph or typed lines.
    fn end_text(&mut self) {
        let (paragraph, typed) = (std::mem::take(&mut self.paragraph), std::mem::take(&mut self.typed));
        for (element, lines) in [("p", paragraph), ("pre", typed)] {
            if !lines.is_empty() {
                self.out.html.push_str(&format!("<{element}>"));
                self.inline(&lines.join("\n"));
                self.out.html.push_str(&format!("</{element}>\n"));
            }
        }
    }

    fn end_block(&mut self) {
        self.end_text();
        self.lists.close_to(0, &mut self.out.html);
    }
}

/// The level and the text of the heading `line`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let before = line.len() - line.trim_start_matches('=').len();
    let behind = line.len() - line.trim_end_matches('=').len();
    let level = before.min(behind).min(MAX_LEVEL);
    let is_heading = level > 0 && before < line.len();
    is_heading.then(|| (level, line[level..line.len() - level].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_levels() {
        for (line, want) in [
            ("= a =", Some((1, "a"))),
            ("==a==", Some((2, "a"))),
            ("======= a =======", Some((6, "= a ="))),
            ("=== a ==", Some((2, "= a"))),
            ("= a", None),
            ("====", None),
            ("a = b", None),
        ] {
            assert_eq!(heading(line), want, "{line}");
        }
    }
}
