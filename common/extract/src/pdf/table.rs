//! Tables: rows of cells. A cell may have several lines; which lines form one row is decided by vertical steps, empty cells and content.

use std::rc::Rc;

use super::gutter::column_of;
use super::line::Line;
use super::rows::{LineSegment, RuledRow, SegmentRow};

/// Largest step, in ems, between lines of one cell.
const CELL_LEADING_EM: f64 = 1.45;
/// Least ratio of the steps between rows to those between lines of a cell, if both occur.
const ROW_STEP: f64 = 1.2;
/// Figures that are years if nothing else is beside them.
const YEARS: std::ops::RangeInclusive<u32> = 1800..=2199;
/// Largest distance, in ems, of the baselines of one row.
const SAME_BASELINE_EM: f64 = 0.3;

/// The rows of a table, from the top.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PdfTable {
    pub(super) rows: Vec<TableRow>,
}

/// One row: the lines of each column's cell, possibly none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TableRow {
    pub(super) cells: Vec<Vec<Line>>,
    pub(super) is_header: bool,
}

/// A row under construction.
struct OpenTableRow {
    cells: Vec<Vec<Line>>,
    /// Baseline of its last line.
    v: f64,
    /// Number of columns with text in its first line.
    columns: usize,
}

/// Reads the rows of a table divided by the given gutters.
pub(super) fn read(rows: Vec<SegmentRow>, gutters: &[f64]) -> PdfTable {
    let within = steps_within(&rows);
    let mut open: Vec<OpenTableRow> = Vec::new();
    for row in rows {
        let v = row.first().map_or(0.0, |s| s.v);
        let cells = cells(row, gutters);
        match open.last_mut().filter(|last| last.takes(&cells, v, within)) {
            Some(last) => last.push(cells, v),
            None => {
                let columns = cells.iter().filter(|c| c.is_some()).count();
                open.push(OpenTableRow {
                    cells: cells.into_iter().map(|c| c.into_iter().collect()).collect(),
                    v,
                    columns,
                });
            }
        }
    }
    let mut rows: Vec<TableRow> = open.into_iter().map(OpenTableRow::close).collect();
    mark_header(&mut rows);
    PdfTable { rows }
}

/// Reads the rows of a table with lines. Rows without a line between them are one row of cells of several lines, unless figures show that
/// they are several.
pub(super) fn read_ruled(ruled: &[Rc<RuledRow>]) -> PdfTable {
    let head = ruled.iter().take_while(|row| row.is_head).count();
    let mut rows: Vec<TableRow> = Vec::new();
    for row in ruled {
        let cells: Vec<Vec<Line>> =
            row.cells.iter().map(|text| text.iter().cloned().filter_map(Line::from_row).collect()).collect();
        if is_stack(&cells) {
            rows.extend(read(baselines(&row.cells), &row.gutters).rows);
        } else {
            rows.push(TableRow { cells, is_header: row.is_head });
        }
    }
    if head == 0 || rows.iter().take(head).any(has_figure) {
        rows.iter_mut().for_each(|row| row.is_header = false);
        mark_header(&mut rows);
    }
    PdfTable { rows }
}

/// Whether the lines of cells are rows of their own: a column has several figures, each beside a line of the first column; or each column
/// has several lines, all beside those of the others and set apart as lines of one text are not.
fn is_stack(cells: &[Vec<Line>]) -> bool {
    let filled: Vec<&Vec<Line>> = cells.iter().filter(|lines| !lines.is_empty()).collect();
    let Some((names, others)) = filled.split_first().filter(|(names, others)| names.len() > 1 && !others.is_empty())
    else {
        return false;
    };
    let is_named = |line: &Line| names.iter().any(|name| (name.v - line.v).abs() <= SAME_BASELINE_EM * line.em);
    let are_figures =
        |lines: &&Vec<Line>| lines.len() > 1 && lines.iter().all(|line| is_figure(&line.text) && is_named(line));
    let is_beside = |lines: &&Vec<Line>| lines.len() == names.len() && lines.iter().all(is_named);
    let is_apart = names.windows(2).all(|pair| pair[1].v - pair[0].v > CELL_LEADING_EM * pair[1].em);
    others.iter().copied().any(|lines| are_figures(&lines))
        || (is_apart && others.iter().copied().all(|lines| is_beside(&lines)))
}

/// The lines of all cells, by baseline.
fn baselines(cells: &[Vec<SegmentRow>]) -> Vec<SegmentRow> {
    let mut segments: Vec<LineSegment> = cells.iter().flatten().flatten().cloned().collect();
    segments.sort_by(|a, b| a.v.total_cmp(&b.v));
    let mut rows: Vec<SegmentRow> = Vec::new();
    for segment in segments {
        match rows.last_mut().filter(|row| segment.v - row[0].v <= SAME_BASELINE_EM * segment.em) {
            Some(row) => row.push(segment),
            None => rows.push(vec![segment]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|a, b| a.u0.total_cmp(&b.u0)));
    rows
}

impl OpenTableRow {
    /// Whether the cells continue those of the row.
    fn takes(&self, cells: &[Option<Line>], v: f64, within: Option<f64>) -> bool {
        let lines = cells.iter().flatten();
        let em = lines.clone().map(|l| l.em).fold(0.0, f64::max);
        let step = v - self.v;
        let fewer = lines.clone().count() < self.columns;
        if step > CELL_LEADING_EM * em || lines.clone().any(|line| is_figure(&line.text)) {
            return false;
        }
        let goes_on = cells.iter().zip(&self.cells).all(|(cell, above)| cell.is_none() || !above.is_empty());
        match within {
            Some(within) => step <= within && goes_on,
            None => fewer && goes_on && cells.first().is_some_and(Option::is_none),
        }
    }

    fn push(&mut self, cells: Vec<Option<Line>>, v: f64) {
        for (open, cell) in self.cells.iter_mut().zip(cells) {
            open.extend(cell);
        }
        self.v = v;
    }

    fn close(self) -> TableRow {
        TableRow { cells: self.cells, is_header: false }
    }
}

/// The largest step between lines of one row, if the steps of the table are of two kinds: small ones within rows and large ones between
/// them.
fn steps_within(rows: &[SegmentRow]) -> Option<f64> {
    let at = |row: &SegmentRow| row.first().map_or(0.0, |s| s.v);
    let mut steps: Vec<f64> = rows.windows(2).map(|p| at(&p[1]) - at(&p[0])).filter(|s| *s > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let (k, ratio) = steps.windows(2).map(|p| p[1] / p[0]).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let between = steps.len() - (k + 1);
    (ratio >= ROW_STEP && between >= 2).then(|| steps[k] * 1.01)
}

fn cells(row: SegmentRow, gutters: &[f64]) -> Vec<Option<Line>> {
    let mut parts: Vec<Vec<LineSegment>> = vec![Vec::new(); gutters.len() + 1];
    for segment in row {
        parts[column_of(&segment, gutters)].push(segment);
    }
    parts.into_iter().map(Line::from_row).collect()
}

/// Marks the first row as the header if it has only words and the rows below have figures, or if it alone is bold.
fn mark_header(rows: &mut [TableRow]) {
    let Some((first, rest)) = rows.split_first_mut().filter(|(_, rest)| !rest.is_empty()) else {
        return;
    };
    let is_bold = |row: &TableRow| row.cells.iter().flatten().all(|line| line.bold);
    let figures = rest.iter().filter(|row| has_figure(row)).count();
    let words_above_figures =
        (!has_figure(first) || names_years(first)) && first.cells.len() > 1 && figures * 2 > rest.len();
    let words_above_numbers = first.cells.len() > 1 && names_numbers(first, rest);
    first.is_header = words_above_figures || words_above_numbers || (is_bold(first) && !rest.iter().any(is_bold));
}

/// Whether all figures of a row are years, and there are several: they name columns.
fn names_years(row: &TableRow) -> bool {
    let is_year = |line: &Line| line.text.len() == 4 && line.text.parse().is_ok_and(|year: u32| YEARS.contains(&year));
    let figures: Vec<&Line> = row.cells.iter().flatten().filter(|line| is_figure(&line.text)).collect();
    figures.len() > 1 && figures.into_iter().all(is_year)
}

/// Whether a row without digits has a cell above a column whose cells all have some: prices, dates.
fn names_numbers(first: &TableRow, rest: &[TableRow]) -> bool {
    let has_digit = |cell: &Vec<Line>| cell.iter().any(|line| line.text.contains(char::is_numeric));
    let below =
        |column: usize| rest.iter().filter_map(move |row| row.cells.get(column)).filter(|cell| !cell.is_empty());
    let is_numbers = |column: usize| below(column).nth(1).is_some() && below(column).all(has_digit);
    !first.cells.iter().any(has_digit)
        && first.cells.iter().enumerate().any(|(column, cell)| !cell.is_empty() && is_numbers(column))
}

fn has_figure(row: &TableRow) -> bool {
    row.cells.iter().flatten().any(|line| is_figure(&line.text))
}

/// Whether most of the characters are digits.
fn is_figure(text: &str) -> bool {
    let (mut digits, mut letters) = (0, 0);
    for c in text.chars() {
        digits += usize::from(c.is_numeric());
        letters += usize::from(c.is_alphabetic());
    }
    digits > letters
}
