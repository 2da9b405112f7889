//! Tables: drawn ones and those typed as lists or values.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::blocks::{BlockReader, Scope};
use super::directives::Directive;
use super::lines::{Lines, Region};
use super::lists::bullet_body;
use super::table_row::{TableCell, TableRow, columns_of};
use super::{grid, simple_table};

impl BlockReader<'_> {
    pub(super) fn grid_table(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let lines = self.lines;
        let top = lines.view(region, at);
        if !(top.starts_with("+-") && top.ends_with("-+") && top.bytes().all(|byte| byte == b'+' || byte == b'-')) {
            return None;
        }
        let is_row = |at: &usize| lines.text_at(region, *at).is_some_and(|line| line.starts_with(['+', '|']));
        let end = (at..).take_while(is_row).last().map_or(at + 1, |last| last + 1);
        self.rows(region, at..end, grid::rows, scope);
        Some(end)
    }

    pub(super) fn simple_table(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let lines = self.lines;
        let top = lines.view(region, at);
        if !simple_table::is_border(top) {
            return None;
        }
        let (mut borders, mut end) = (0, None);
        for at in at + 1..region.end {
            let view = lines.view(region, at);
            if !simple_table::is_border(view) {
                continue;
            }
            borders += 1;
            if view.len() != top.len() {
                break;
            }
            if borders == 2 || lines.text_at(region, at + 1).is_none() {
                end = Some(at + 1);
                break;
            }
        }
        // Without a closing border it is not a table, and the border alone carries no meaning.
        let Some(end) = end else {
            self.leaves.push(Leaf::new(BlockKind::Furniture, top));
            return Some(at + 1);
        };
        self.rows(region, at..end, simple_table::rows, scope);
        Some(end)
    }

    /// Adds the rows of a drawn table; if they cannot be read, its lines stay as typed, without the border lines.
    fn rows(
        &mut self,
        region: Region,
        range: std::ops::Range<usize>,
        read: fn(&[Vec<char>]) -> Option<Vec<TableRow>>,
        scope: Scope,
    ) {
        let views: Vec<&str> = range.map(|at| self.lines.view(region, at)).collect();
        let drawn: Vec<Vec<char>> = views.iter().map(|view| columns_of(view)).collect();
        match read(&drawn) {
            Some(rows) => self.table(rows, scope),
            None => {
                let is_ruling = |view: &&&str| view.chars().all(|c| "+-=| ".contains(c));
                let kept: Vec<&str> = views.iter().filter(|view| !is_ruling(view)).copied().collect();
                self.code_text(&kept.join("\n"), scope);
            }
        }
    }

    fn table(&mut self, rows: Vec<TableRow>, scope: Scope) {
        self.flush_prefix(scope);
        self.leaves.open_table();
        for row in rows {
            let mut cells = vec![String::new(); row.columns];
            for TableCell { column, source } in row.cells {
                let lines = Lines::new(&source);
                cells[column] = self.text_of(&lines, lines.region(), scope);
            }
            self.leaves.push_row(row.is_header, &cells);
        }
        self.leaves.close_table();
    }

    /// The visible text of `region`, as one text.
    fn text_of(&mut self, lines: &Lines<'_>, region: Region, scope: Scope) -> String {
        let mut inner = BlockReader::new(lines, self.definitions);
        inner.blocks(region, Scope { depth: scope.depth + 1, ..Scope::default() });
        inner.flush_prefix(Scope::default());
        self.left_out += inner.left_out;
        self.elsewhere += inner.elsewhere;
        let texts: Vec<String> = inner.leaves.finish().into_iter().map(|leaf| leaf.text).collect();
        texts.join(" ")
    }

    /// A table typed as a list of rows, each a list of cells.
    pub(super) fn list_table(&mut self, parts: &Directive, scope: Scope) {
        let (lines, content) = (self.lines, parts.content);
        let headers = number(parts, "header-rows");
        let mut rows: Vec<Vec<Region>> = Vec::new();
        let mut next = lines.text_from(content, content.start);
        while let Some(at) = next {
            // Content that is not a list of lists is read as ordinary text.
            let Some((_, row)) = bullet_body(lines, content, at) else { return self.blocks(content, scope) };
            let (mut cells, mut inner) = (Vec::new(), lines.text_from(row, row.start));
            while let Some(at) = inner {
                let Some((_, cell)) = bullet_body(lines, row, at) else { return self.blocks(content, scope) };
                cells.push(cell);
                inner = lines.text_from(row, cell.end);
            }
            rows.push(cells);
            next = lines.text_from(content, row.end);
        }
        self.flush_prefix(scope);
        self.leaves.open_table();
        for (n, row) in rows.into_iter().enumerate() {
            let cells: Vec<String> = row.into_iter().map(|cell| self.text_of(lines, cell, scope)).collect();
            self.leaves.push_row(n < headers, &cells);
        }
        self.leaves.close_table();
    }

    /// Values separated by commas, or as set by the options.
    pub(super) fn csv_table(&mut self, parts: &Directive, scope: Scope) {
        let delimiter = match parts.option("delim") {
            Some("tab") => b'\t',
            Some("space") => b' ',
            Some(mark) => mark.bytes().next().filter(|_| mark.len() == 1).unwrap_or(b','),
            None => b',',
        };
        let header = parts.option("header").unwrap_or_default();
        let headers = number(parts, "header-rows") + usize::from(!header.is_empty());
        let source: Vec<&str> = self.lines.views(parts.content).collect();
        let source = values_apart(&format!("{header}\n{}", source.join("\n")), char::from(delimiter));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(source.as_bytes());
        // The source is valid UTF-8 and rows may differ in length, so reading cannot fail otherwise.
        let cells = |record: &csv::StringRecord| {
            record.iter().enumerate().map(|(column, value)| TableCell { column, source: value.to_owned() }).collect()
        };
        let rows: Vec<TableRow> = reader
            .records()
            .flatten()
            .enumerate()
            .map(|(n, record)| TableRow { is_header: n < headers, columns: record.len(), cells: cells(&record) })
            .collect();
        self.table(rows, scope);
    }
}

/// The option called `name` as a number; 0 if it is missing.
fn number(parts: &Directive, name: &str) -> usize {
    parts.option(name).and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// `source` without the spaces behind its delimiters, so that a quote after a space begins a value too.
fn values_apart(source: &str, delimiter: char) -> String {
    let (mut out, mut is_quoted, mut is_start) = (String::with_capacity(source.len()), false, true);
    for c in source.chars() {
        if is_start && c == ' ' && delimiter != ' ' {
            continue;
        }
        is_quoted ^= c == '"';
        is_start = !is_quoted && (c == delimiter || c == '\n');
        out.push(c);
    }
    out
}
