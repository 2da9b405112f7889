//! Interprets what gutters divide: columns (read one after the other), a table (read row by row), or markers and their items.

use super::super::marker::marker;
use super::gutter::{GutterEvidence, column_of};
use super::rows::{LineSegment, SegmentRow};

/// Length up to which cells on common baselines form a table.
const CELL_CHARS: usize = 20;
/// Least width, in characters, of prose columns whose lines fill them.
const NARROW_CHARS: usize = 12;
/// Part of the column's width that a line must reach to fill it.
const FILLED: f64 = 0.7;
/// Least lines of a narrow column.
const NARROW_LINES: usize = 6;
/// Largest distance of the baselines of cells in one row, in ems.
const BASELINE_EM: f64 = 0.25;
/// Least number of short cells that can be labels of longer ones.
const LABELS: usize = 3;
/// Most characters of a marker.
const MARKER_CHARS: usize = 8;
/// Least count of ascending numbers that are line numbers.
const COUNTED_LINES: usize = 10;

/// What gutters divide.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Columns, given by the middles of the gutters between them.
    Columns(Vec<f64>),
    Table,
    /// List markers and their items.
    List,
    /// Line numbers and their lines.
    Numbered,
}

/// The shape of the rows divided by gutters, which are given by their middles.
pub(super) fn shape(rows: &[SegmentRow], gutters: &[f64], evidence: GutterEvidence) -> Shape {
    let columns: Vec<ColumnShape> = (0..=gutters.len()).map(|c| ColumnShape::from_rows(rows, gutters, c)).collect();
    if gutters.len() == 1 && columns[0].is_markers {
        return Shape::List;
    }
    if gutters.len() == 1 && columns[0].is_count {
        return Shape::Numbered;
    }
    if evidence != GutterEvidence::Rows || columns.iter().all(ColumnShape::is_prose) {
        return Shape::Columns(gutters.to_vec());
    }
    let (first, last) = columns.iter().fold((0, rows.len()), |(a, b), c| (a.max(c.first), b.min(c.last + 1)));
    let Some(beside) = rows.get(first..last).filter(|rows| !rows.is_empty()) else {
        return Shape::Table;
    };
    if is_labelled(&columns, beside, gutters) {
        return Shape::Table;
    }
    if beside.iter().filter(|row| is_shared(row, gutters)).count() * 2 <= beside.len() {
        return Shape::Columns(gutters.to_vec());
    }
    // A gutter whose two sides have separate baselines divides columns, even if one of them is a table.
    let own: Vec<f64> = gutters.iter().copied().filter(|gutter| has_own_lines(beside, *gutter)).collect();
    if own.is_empty() { Shape::Table } else { Shape::Columns(own) }
}

/// Whether short cells are next to the first lines of longer ones: names and their descriptions.
fn is_labelled(columns: &[ColumnShape], rows: &[SegmentRow], gutters: &[f64]) -> bool {
    let is_anchored = |c: usize| {
        let with: Vec<&SegmentRow> = rows.iter().filter(|row| row.iter().any(|s| column_of(s, gutters) == c)).collect();
        let anchored = with.iter().filter(|row| is_shared(row, gutters)).count();
        with.len() >= LABELS && anchored * 10 >= with.len() * 8
    };
    columns.first().is_some_and(|first| !first.is_prose())
        && columns.iter().any(ColumnShape::is_prose)
        && columns.iter().enumerate().all(|(c, column)| column.is_prose() || is_anchored(c))
}

/// Whether almost no row has text on one baseline on both sides of the gutter.
fn has_own_lines(rows: &[SegmentRow], gutter: f64) -> bool {
    let (mut both, mut shared) = (0, 0);
    for row in rows {
        let sides =
            row.iter().rfind(|s| column_of(s, &[gutter]) == 0).zip(row.iter().find(|s| column_of(s, &[gutter]) == 1));
        if sides.is_some() {
            both += 1;
            shared += usize::from(is_shared(row, &[gutter]));
        }
    }
    both >= NARROW_LINES && shared * 3 <= both
}

/// Whether several columns have text on one baseline of the row.
fn is_shared(row: &SegmentRow, gutters: &[f64]) -> bool {
    let on_one_line = |a: &LineSegment, b: &LineSegment| (a.v - b.v).abs() < BASELINE_EM * a.em.min(b.em);
    row.windows(2).any(|p| column_of(&p[0], gutters) != column_of(&p[1], gutters) && on_one_line(&p[0], &p[1]))
}

/// Whether the lines of all columns are as long as those of running text.
pub(super) fn has_long_lines(rows: &[SegmentRow], gutters: &[f64]) -> bool {
    (0..=gutters.len()).all(|c| ColumnShape::from_rows(rows, gutters, c).chars >= CELL_CHARS)
}

/// Whether a segment consists of a list marker only.
pub(super) fn is_marker(segment: &LineSegment) -> bool {
    segment.len <= MARKER_CHARS && marker(&format!("{} x", segment.text)).is_some_and(|mark| mark.text == segment.text)
}

/// Measures of a column.
struct ColumnShape {
    /// Characters of the median line.
    chars: usize,
    lines: usize,
    filled: usize,
    words: bool,
    is_markers: bool,
    /// Whether it consists of line numbers.
    is_count: bool,
    first: usize,
    last: usize,
}

impl ColumnShape {
    fn from_rows(rows: &[SegmentRow], gutters: &[f64], column: usize) -> Self {
        let inside = |s: &&LineSegment| column_of(s, gutters) == column;
        let (mut lens, mut widths, mut letters, mut markers) = (Vec::new(), Vec::new(), 0, 0);
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut first, mut last) = (rows.len(), 0);
        let mut numbers: Vec<Option<u32>> = Vec::new();
        for (n, row) in rows.iter().enumerate() {
            let parts: Vec<&LineSegment> = row.iter().filter(inside).collect();
            let (Some(a), Some(b)) = (parts.first(), parts.last()) else {
                continue;
            };
            (first, last) = (first.min(n), n);
            (left, right) = (left.min(a.u0), right.max(b.u1));
            lens.push(parts.iter().map(|s| s.len + 1).sum::<usize>());
            widths.push(b.u1 - a.u0);
            numbers.push(a.text.parse().ok().filter(|_| parts.len() == 1));
            markers += usize::from(parts.len() == 1 && is_marker(a));
            letters +=
                parts.iter().map(|s| s.text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count()).sum::<usize>();
        }
        let total: usize = lens.iter().sum();
        let (lines, filled) = (lens.len(), widths.iter().filter(|w| **w >= FILLED * (right - left)).count());
        lens.sort_unstable();
        let chars = lens.get(lines / 2).copied().unwrap_or(0);
        let is_markers = lines > 0 && markers == lines;
        let is_count =
            lines >= COUNTED_LINES && numbers.windows(2).all(|p| p[0].is_some() && p[1] == p[0].map(|n| n + 1));
        Self { chars, lines, filled, words: letters * 10 >= total * 7, is_markers, is_count, first, last }
    }

    /// Whether it has long lines, or narrow ones that fill the column like running text.
    fn is_prose(&self) -> bool {
        let narrow = self.chars >= NARROW_CHARS && self.lines >= NARROW_LINES && self.filled * 10 >= self.lines * 6;
        self.chars >= CELL_CHARS || (narrow && self.words)
    }
}
