//! Tables: drawn as a grid or between borders, and those typed as lists or values.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::BlockKind;

use super::blocks::{BlockReader, Scope};
use super::directives::Directive;
use super::lines::{bullet, item};
use crate::columns::{Cell, Columns};

/// Follows a wide character, which takes two columns.
const WIDE_FILLER: char = '\0';

/// A row of a table: its cells with their lines.
#[derive(Debug, Default)]
struct TableRow {
    is_header: bool,
    cells: Vec<(Cell, Vec<String>)>,
}

/// Reads the rows of a table drawn in lines of one character per screen column; `None` if its frames or columns are broken.
type TableDrawing = fn(&[Vec<char>]) -> Option<Vec<TableRow>>;

impl BlockReader {
    pub(super) fn grid_table(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let top = lines[at];
        let is_top = top.starts_with("+-") && top.ends_with("-+") && is_drawn_of(top, "+-");
        let end = at + lines[at..].iter().take_while(|line| line.starts_with(['+', '|'])).count();
        is_top.then(|| self.read_drawn(&lines[at..end], grid, scope)).map(|()| end)
    }

    /// A simple table ends at its second border below the first, or at one before a blank line.
    pub(super) fn simple_table(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let is_border = |line: &&str| line.starts_with('=') && line.contains(' ') && is_drawn_of(line, "= ");
        lines.get(at).filter(|line| is_border(line))?;
        let borders = (at + 1..lines.len()).filter(|at| is_border(&lines[*at])).take(2);
        let is_end = |(n, end): &(usize, usize)| *n == 1 || lines.get(end + 1).is_none_or(|line| line.is_empty());
        let even = borders.enumerate().take_while(|(_, end)| lines[*end].len() == lines[at].len());
        // Without a closing border it is not a table, and the border alone carries no meaning.
        let Some((_, end)) = even.into_iter().find(is_end) else { return Some(at + 1) };
        self.read_drawn(&lines[at..=end], simple, scope);
        Some(end + 1)
    }

    /// Adds the rows of a drawn table; if they cannot be read, its lines stay as typed, without the border lines.
    fn read_drawn(&mut self, lines: &[&str], read: TableDrawing, scope: Scope) {
        let columns = |line: &&str| line.chars().flat_map(|c| [c, WIDE_FILLER].into_iter().take(width(c))).collect();
        match read(&lines.iter().map(columns).collect::<Vec<_>>()) {
            Some(rows) => self.table(rows, scope),
            None => {
                let kept: Vec<&str> = lines.iter().filter(|line| !is_drawn_of(line, "+-=| ")).copied().collect();
                self.code(&kept);
            }
        }
    }

    fn table(&mut self, rows: impl IntoIterator<Item = TableRow>, scope: Scope) {
        self.leaves.open_table();
        let mut columns = Columns::default();
        for row in rows {
            let cells: Vec<_> = row.cells.iter().map(|(cell, lines)| (*cell, self.words_of(lines, scope))).collect();
            let texts = columns.row(&cells, row.is_header, &mut self.merged).texts;
            self.leaves.push_row(row.is_header, &texts);
        }
        self.leaves.close_table();
    }

    /// The words of a cell, whose blocks become one text.
    fn words_of(&mut self, lines: &[String], scope: Scope) -> String {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let leaves = self.leaves_of(&lines, scope.inside(BlockKind::Paragraph));
        leaves.into_iter().map(|leaf| leaf.text).collect::<Vec<_>>().join(" ")
    }

    /// A table typed as a list of rows, each a list of cells. Content that is no list of lists is read as ordinary text.
    pub(super) fn list_table(&mut self, parts: &Directive<'_>, scope: Scope) {
        let rows = items(&parts.content).and_then(|rows| rows.iter().map(|row| items(row)).collect::<Option<Vec<_>>>());
        let Some(rows) = rows else { return self.blocks(&parts.content, scope) };
        let headers = parts.option("header-rows").parse().unwrap_or(0);
        let cells = |row: Vec<Vec<&str>>| row.into_iter().map(plain_cell).collect();
        let rows = rows.into_iter().enumerate();
        self.table(rows.map(|(n, row)| TableRow { is_header: n < headers, cells: cells(row) }), scope);
    }

    /// Values separated by commas, or as set by the options.
    pub(super) fn csv_table(&mut self, parts: &Directive<'_>, scope: Scope) {
        let (header, mark) = (parts.option("header"), parts.option("delim"));
        let delimiter =
            if mark == "tab" { b'\t' } else { mark.bytes().next().filter(|_| mark.len() == 1).unwrap_or(b',') };
        let source = format!("{header}\n{}", parts.content.join("\n")).replace(", \"", ",\"");
        let headers = parts.option("header-rows").parse().unwrap_or(0) + usize::from(!header.is_empty());
        let rows = crate::delimited::records(&source, delimiter).into_iter().enumerate();
        let cells = |record: Vec<String>| record.iter().map(|value| plain_cell(value.lines())).collect();
        self.table(rows.map(|(n, record)| TableRow { is_header: n < headers, cells: cells(record) }), scope);
    }
}

fn plain_cell<'a>(lines: impl IntoIterator<Item = &'a str>) -> (Cell, Vec<String>) {
    (Cell::PLAIN, lines.into_iter().map(str::to_owned).collect())
}

/// The rows of a grid table, read line by line: a cell begins below a corner, and ends where a line is drawn below all of it.
fn grid(lines: &[Vec<char>]) -> Option<Vec<TableRow>> {
    let width = lines[0].len();
    let (mut row, mut headers) = (0, 0);
    // By left edge: the right edge, the row in which it began, and its lines; also of the cells that have ended, with the row behind them.
    let mut open: BTreeMap<usize, (usize, usize, Vec<String>)> = BTreeMap::new();
    let mut ended: BTreeMap<(usize, usize), (usize, usize, Vec<String>)> = BTreeMap::new();
    for pair in lines.windows(2) {
        let (above, line) = (&pair[0], &pair[1]);
        let at = |line: &Vec<char>, x: usize| line.get(x).copied().unwrap_or(' ');
        let (mut left, mut ends) = (0, false);
        while left + 1 < width {
            let corner = || (left + 1..width).find(|x| at(above, *x) == '+' && "|+".contains(at(line, *x)));
            let right = open.get(&left).map(|(right, ..)| *right).or_else(corner)?;
            let inside = line.get(left + 1..right)?;
            if line.len() > width || !"|+".contains(at(line, right)) {
                return None;
            }
            if !inside.iter().all(|c| "-=+".contains(*c)) {
                open.entry(left).or_insert((right, row, Vec::new())).2.push(text_of(inside));
            } else if let Some((right, first, text)) = open.remove(&left) {
                ended.insert((first, left), (right, row + 1, text));
                ends = true;
            }
            left = right;
        }
        row += usize::from(ends);
        headers = if is_drawn_of(&text_of(line), "+=") { row } else { headers };
    }
    let lefts: BTreeSet<usize> = ended.keys().map(|(_, left)| *left).collect();
    let mut rows: Vec<TableRow> = Vec::new();
    rows.resize_with(row, TableRow::default);
    for ((first, left), (right, behind, text)) in ended {
        let columns = lefts.range(left..right).count();
        rows[first].is_header = first < headers;
        rows[first].cells.push((Cell { columns, rows: behind - first, ..Cell::PLAIN }, text));
    }
    (open.is_empty() && row > 0).then_some(rows)
}

/// The rows of a simple table: one for each line with text in its first column; a line of `-` tells where the cells above it begin. `None`
/// if there is text between two columns.
fn simple(lines: &[Vec<char>]) -> Option<Vec<TableRow>> {
    let columns = starts(&lines[0], '=');
    let (mut rows, mut open): (Vec<TableRow>, Vec<&[char]>) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate().skip(1) {
        let is_border = line.first() == Some(&'=') && is_drawn_of(&text_of(line), "= ");
        let spans = starts(line, '-');
        let is_ruled =
            is_drawn_of(&text_of(line), "- ") && line.len() > 1 && spans.iter().all(|start| columns.contains(start));
        let is_ruled = is_ruled && spans.first() == Some(&0);
        let is_new = line.iter().take(*columns.get(1)?).any(|c| !c.is_whitespace());
        if (is_border || is_new) && !open.is_empty() {
            rows.push(row(&std::mem::take(&mut open), &columns, if is_ruled { &spans } else { &columns })?);
        }
        if is_border && at + 1 < lines.len() {
            rows.iter_mut().for_each(|row| row.is_header = true);
        } else if !is_border && !is_ruled && (!open.is_empty() || !line.is_empty()) {
            open.push(line);
        }
    }
    (!rows.is_empty()).then_some(rows)
}

/// The row drawn in `lines` with cells that begin at `spans`; `None` if there is no space before one of them.
fn row(lines: &[&[char]], columns: &[usize], spans: &[usize]) -> Option<TableRow> {
    let mut row = TableRow::default();
    for (nth, start) in spans.iter().enumerate() {
        let end = spans.get(nth + 1).copied().unwrap_or(usize::MAX);
        let is_apart = |line: &&[char]| *start == 0 || line.get(start - 1).is_none_or(|c| *c == ' ');
        let part = |line: &&[char]| text_of(&line[(*start).min(line.len())..end.min(line.len())]);
        let columns = columns.iter().filter(|column| (*start..end).contains(column)).count();
        row.cells.push((Cell { columns, ..Cell::PLAIN }, lines.iter().map(part).collect()));
        lines.iter().all(is_apart).then_some(())?;
    }
    Some(row)
}

/// Where the runs of `mark` in a line begin.
fn starts(line: &[char], mark: char) -> Vec<usize> {
    (0..line.len()).filter(|at| line[*at] == mark && (*at == 0 || line[at - 1] != mark)).collect()
}

/// The items of a list that has nothing between them.
fn items<'a>(lines: &[&'a str]) -> Option<Vec<Vec<&'a str>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        if line.is_empty() {
            at += 1;
        } else {
            let (body, end) = item(lines, at, bullet(line)?.len());
            found.push(body);
            at = end;
        }
    }
    Some(found)
}

/// Whether all characters of `line` are among `marks`.
fn is_drawn_of(line: &str, marks: &str) -> bool {
    line.chars().all(|c| marks.contains(c))
}

/// The text of some columns of a line.
fn text_of(columns: &[char]) -> String {
    columns.iter().filter(|c| **c != WIDE_FILLER).collect::<String>().trim_end().to_owned()
}

/// Number of columns that `c` takes: two if it is wide (Unicode Standard Annex 11).
fn width(c: char) -> usize {
    let is_wide = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff60}' | '\u{1f300}'..='\u{1f64f}' | '\u{20000}'..);
    1 + usize::from(is_wide)
}
