//! Tables between `{|` and `|}`.

use super::attributes::rewrite;
use crate::runs::visible_chars;

/// Most tables inside each other; deeper ones are read as text of the cell. Chosen.
pub(super) const MAX_DEPTH: usize = 16;

/// What a line in a table begins with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TableLine<'l> {
    /// A table inside, with its attributes.
    Begin(&'l str),
    /// The end, and the text behind it.
    End(&'l str),
    /// A row with its attributes.
    Row(&'l str),
    /// The caption.
    Caption(&'l str),
    /// Cells, which name their columns or rows if so.
    Cells(&'l str, bool),
}

/// What `line` of a table begins with; `None` if it goes on with a cell.
pub(super) fn of(line: &str) -> Option<TableLine<'_>> {
    let text = line.trim();
    if let Some(attributes) = beginning(text) {
        return Some(TableLine::Begin(attributes));
    }
    let rest = text.strip_prefix('|');
    match rest.map(|rest| (rest, rest.chars().next())) {
        Some((rest, Some('}'))) => Some(TableLine::End(&rest[1..])),
        Some((rest, Some('-'))) => Some(TableLine::Row(rest.trim_start_matches('-'))),
        Some((rest, Some('+'))) => Some(TableLine::Caption(&rest[1..])),
        Some((rest, _)) => Some(TableLine::Cells(rest, false)),
        None => text.strip_prefix('!').map(|rest| TableLine::Cells(rest, true)),
    }
}

/// The attributes of the table that `line` begins; it may be indented by colons.
pub(super) fn beginning(line: &str) -> Option<&str> {
    line.trim_start_matches([':', ' ', '\t']).strip_prefix("{|")
}

/// The tables that are open.
#[derive(Debug, Default)]
pub(super) struct OpenTables {
    open: Vec<OpenTable>,
    /// Number of tables that are open beyond the depth.
    deeper: usize,
    /// Number of characters before the bars of cells that are no attributes; no page shows them.
    pub(super) hidden: u64,
}

#[derive(Debug, Default)]
struct OpenTable {
    has_row: bool,
    /// The element of the open cell or caption.
    cell: Option<&'static str>,
}

impl OpenTables {
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn begin(&mut self, attributes: &str, out: &mut String) {
        if self.open.len() == MAX_DEPTH {
            self.deeper += 1;
            return;
        }
        out.push_str(&format!("<table{}>\n", rewrite(attributes)));
        self.open.push(OpenTable::default());
    }

    pub(super) fn end(&mut self, out: &mut String) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        self.end_row(out);
        if self.open.pop().is_some() {
            out.push_str("</table>\n");
        }
    }

    /// Ends all tables.
    pub(super) fn end_all(&mut self, out: &mut String) {
        self.deeper = 0;
        while self.is_open() {
            self.end(out);
        }
    }

    pub(super) fn begin_row(&mut self, attributes: &str, out: &mut String) {
        if self.deeper > 0 {
            return;
        }
        self.end_row(out);
        if let Some(table) = self.open.last_mut() {
            out.push_str(&format!("<tr{}>", rewrite(attributes)));
            table.has_row = true;
        }
    }

    /// Begins a caption; returns its text.
    pub(super) fn begin_caption<'l>(&mut self, text: &'l str, out: &mut String) -> &'l str {
        if self.deeper > 0 {
            return text;
        }
        self.end_row(out);
        let (_, text) = self.attributes_and_text(text);
        if let Some(table) = self.open.last_mut() {
            out.push_str("<caption>");
            table.cell = Some("caption");
        }
        text
    }

    /// Begins the cell `source`; returns its text.
    pub(super) fn begin_cell<'l>(&mut self, source: &'l str, is_header: bool, out: &mut String) -> &'l str {
        let (attributes, text) = self.attributes_and_text(source);
        if self.deeper > 0 {
            return text;
        }
        self.end_cell(out);
        let Some(table) = self.open.last_mut() else { return text };
        if !table.has_row {
            out.push_str("<tr>");
            table.has_row = true;
        }
        let element = if is_header { "th" } else { "td" };
        out.push_str(&format!("<{element}{}>", rewrite(attributes)));
        table.cell = Some(element);
        text
    }

    fn end_cell(&mut self, out: &mut String) {
        if let Some(element) = self.open.last_mut().and_then(|table| table.cell.take()) {
            out.push_str(&format!("</{element}>\n"));
        }
    }

    fn end_row(&mut self, out: &mut String) {
        self.end_cell(out);
        if let Some(table) = self.open.last_mut().filter(|table| table.has_row) {
            out.push_str("</tr>\n");
            table.has_row = false;
        }
    }

    /// What stands before the bar inside a cell, and its text. A bar inside a link is none.
    fn attributes_and_text<'l>(&mut self, source: &'l str) -> (&'l str, &'l str) {
        let Some((before, text)) = source.split_once('|').filter(|(before, _)| !before.contains("[[")) else {
            return ("", source.trim());
        };
        self.hidden += if before.contains('=') { 0 } else { visible_chars(before) };
        (before, text.trim())
    }
}

/// The cells of a line.
pub(super) fn cells(line: &str, is_header: bool) -> Vec<&str> {
    let (mut cells, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    // What is not closed on the line is no link.
    let last_close = line.rfind("]]").unwrap_or(0);
    let mut at = 0;
    while at + 1 < line.len() {
        match line.as_bytes().get(at..at + 2) {
            Some(b"[[") if at < last_close => (depth, at) = (depth + 1, at + 1),
            Some(b"]]") => (depth, at) = (depth.saturating_sub(1), at + 1),
            Some(pair) if depth == 0 && (pair == b"||" || (is_header && pair == b"!!")) => {
                cells.push(&line[start..at]);
                (start, at) = (at + 2, at + 1);
            }
            _ => {}
        }
        at += 1;
    }
    cells.push(&line[start..]);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_table_are_told_by_their_first_signs() {
        for (line, want) in [
            (" {| class=a", Some(TableLine::Begin(" class=a"))),
            ("|} x", Some(TableLine::End(" x"))),
            ("|--- style=a", Some(TableLine::Row(" style=a"))),
            ("|+ a", Some(TableLine::Caption(" a"))),
            ("| a", Some(TableLine::Cells(" a", false))),
            ("  ! a", Some(TableLine::Cells(" a", true))),
            ("a | b", None),
        ] {
            assert_eq!(of(line), want, "{line}");
        }
    }

    #[test]
    fn cells_are_parted_by_two_bars_outside_links() {
        assert_eq!(cells(" a || b||[[c||d]] !! e", false), [" a ", " b", "[[c||d]] !! e"]);
        assert_eq!(cells("a !! b || c", true), ["a ", " b ", " c"]);
        assert_eq!(cells("é||ü [[||a", false), ["é", "ü [[", "a"]);
    }

    #[test]
    fn tables_nest_to_a_depth() {
        for (depth, tables) in [(MAX_DEPTH - 1, MAX_DEPTH - 1), (MAX_DEPTH, MAX_DEPTH), (MAX_DEPTH + 1, MAX_DEPTH)] {
            let (mut open, mut out) = (OpenTables::default(), String::new());
            (0..depth).for_each(|_| open.begin("", &mut out));
            (0..depth).for_each(|_| open.end(&mut out));
            assert_eq!((out.matches("<table>").count(), out.matches("</table>").count()), (tables, tables), "{depth}");
            assert!(!open.is_open());
        }
    }
}
