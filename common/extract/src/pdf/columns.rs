//! Reading order: divides a stack of rows along its gutters, recursively, into pieces whose lines follow each other.

use super::gutter::{Gutter, column_of};
use super::gutters::{Band, GutterSearch, best_band};
use super::line::Line;
use super::rows::{LineSegment, SegmentRow};
use super::shape::{Shape, has_long_lines, is_marker, shape};
use super::stripes::gaps;
use super::table::{self, PdfTable};

/// Deepest nesting of columns.
const MAX_DEPTH: usize = 6;
/// Least rows of columns whose gutter is looked for on the other pages of the document.
const KNOWN_ROWS: usize = 15;
/// Most steps of the search for gutters on one page: many times what the densest pages tested need. Chosen, not measured.
const FUEL: usize = 1_000_000;
/// Width of a gap, in ems, that makes a single row a row of cells.
const CELL_GAP_EM: f64 = 3.0;

/// Consecutive lines, a table, or line numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ColumnPiece {
    Lines(Vec<Line>),
    Table(PdfTable),
    Numbers(Line),
}

/// The pieces of a page, and its gutters and gaps.
#[derive(Debug)]
pub(super) struct PagePieces {
    pub(super) pieces: Vec<ColumnPiece>,
    /// Gutters of columns with many rows.
    pub(super) gutters: Vec<Gutter>,
    /// Gaps not taken as gutters, with their type size.
    pub(super) gaps: Vec<((f64, f64), f64)>,
}

/// The pieces of the rows, in reading order. `known` are gutters of other pages, which then need less evidence.
pub(super) fn reading_order(rows: Vec<SegmentRow>, known: &[Gutter]) -> PagePieces {
    let mut search = GutterSearch { fuel: FUEL, known: known.to_vec(), ..GutterSearch::default() };
    let mut pieces = Vec::new();
    arrange(rows, 0, &mut search, &mut pieces);
    PagePieces { pieces, gutters: search.found, gaps: search.gaps }
}

fn arrange(mut rows: Vec<SegmentRow>, depth: usize, search: &mut GutterSearch, out: &mut Vec<ColumnPiece>) {
    rows.retain(|row| !row.is_empty());
    let band = if depth < MAX_DEPTH { best_band(&rows, search) } else { None };
    let Some(band) = band else {
        return stack(rows, search, out);
    };
    let below = rows.split_off(band.to);
    let inside = rows.split_off(band.from);
    if !rows.is_empty() {
        arrange(rows, depth, search, out);
    }
    divide(inside, &band, depth, search, out);
    if !below.is_empty() {
        arrange(below, depth, search, out);
    }
}

fn divide(rows: Vec<SegmentRow>, band: &Band, depth: usize, search: &mut GutterSearch, out: &mut Vec<ColumnPiece>) {
    let middles: Vec<f64> = band.gutters.iter().map(Gutter::middle).collect();
    match shape(&rows, &middles, band.evidence) {
        Shape::Columns(gutters) => {
            if band.side_by_side >= KNOWN_ROWS && has_long_lines(&rows, &gutters) {
                search.found.extend(band.gutters.iter().filter(|g| gutters.contains(&g.middle())));
            }
            for column in split(rows, &gutters) {
                arrange(column, depth + 1, search, out);
            }
        }
        Shape::Table => out.push(ColumnPiece::Table(table::read(rows, &middles))),
        Shape::List => stack(rows, search, out),
        Shape::Numbered => {
            let mut columns = split(rows, &middles).into_iter();
            let numbers = columns.next().and_then(|rows| Line::from_row(rows.into_iter().flatten().collect()));
            out.extend(numbers.map(ColumnPiece::Numbers));
            columns.for_each(|column| arrange(column, depth + 1, search, out));
        }
    }
}

/// Adds rows that no gutter divides. A row with a wide gap becomes a row of cells, the others lines.
fn stack(rows: Vec<SegmentRow>, search: &mut GutterSearch, out: &mut Vec<ColumnPiece>) {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows.into_iter().flat_map(beside_tables) {
        let em = row.iter().map(|s| s.em).fold(f64::INFINITY, f64::min);
        search.gaps.extend(gaps(&row).into_iter().filter(|g| g.0.is_finite() && g.1.is_finite()).map(|gap| (gap, em)));
        let cuts = wide_gaps(&row);
        if cuts.is_empty() {
            lines.extend(Line::from_row(row));
            continue;
        }
        if !lines.is_empty() {
            out.push(ColumnPiece::Lines(std::mem::take(&mut lines)));
        }
        out.push(ColumnPiece::Table(table::read(vec![row], &cuts)));
    }
    if !lines.is_empty() {
        out.push(ColumnPiece::Lines(lines));
    }
}

/// The rows of tables with lines apart from the text beside them.
fn beside_tables(row: SegmentRow) -> Vec<SegmentRow> {
    let (ruled, mut text): (SegmentRow, SegmentRow) = row.into_iter().partition(|s| s.ruled.is_some());
    let tables = ruled.into_iter().map(|segment| vec![segment]);
    std::iter::once(std::mem::take(&mut text)).filter(|row| !row.is_empty()).chain(tables).collect()
}

/// The middles of the wide gaps of a row. Gaps beside a marker or a dot leader do not count.
fn wide_gaps(row: &SegmentRow) -> Vec<f64> {
    let wide = |pair: &[LineSegment]| {
        let em = pair[0].em.max(pair[1].em);
        let dots = |s: &LineSegment| s.text.chars().filter(|c| matches!(c, '.' | '…' | '_' | '·')).count() * 2 > s.len;
        pair[1].u0 - pair[0].u1 > CELL_GAP_EM * em && !dots(&pair[0]) && !dots(&pair[1]) && !is_marker(&pair[0])
    };
    row.windows(2).filter(|pair| wide(pair)).map(|pair| (pair[0].u1 + pair[1].u0) / 2.0).collect()
}

/// The rows of each column.
pub(super) fn split(rows: Vec<SegmentRow>, gutters: &[f64]) -> Vec<Vec<SegmentRow>> {
    let mut columns: Vec<Vec<SegmentRow>> = vec![Vec::new(); gutters.len() + 1];
    for row in rows {
        let mut parts: Vec<SegmentRow> = vec![Vec::new(); gutters.len() + 1];
        for segment in row {
            parts[column_of(&segment, gutters)].push(segment);
        }
        for (column, part) in columns.iter_mut().zip(parts) {
            if !part.is_empty() {
                column.push(part);
            }
        }
    }
    columns.retain(|c| !c.is_empty());
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, u0: f64, u1: f64, v: f64) -> LineSegment {
        let len = text.chars().count();
        LineSegment {
            text: text.into(),
            u0,
            u1,
            v,
            em: 10.0,
            len,
            bold: 0,
            field: 0,
            head: 20.0,
            ends: [10.0; 2],
            pitch: None,
            right_to_left: false,
            ruled: None,
        }
    }

    fn read(rows: Vec<SegmentRow>) -> Vec<String> {
        let texts = |piece: ColumnPiece| match piece {
            ColumnPiece::Lines(lines) => lines.into_iter().map(|l| l.text).collect::<Vec<_>>(),
            ColumnPiece::Table(table) => {
                let cell = |cell: &Vec<Line>| cell.iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join(" ");
                table.rows.iter().map(|row| row.cells.iter().map(cell).collect::<Vec<_>>().join(" | ")).collect()
            }
            ColumnPiece::Numbers(line) => vec![line.text],
        };
        reading_order(rows, &[]).pieces.into_iter().flat_map(texts).collect()
    }

    #[test]
    fn two_columns_are_read_in_turn_below_a_common_title() {
        let mut rows = vec![vec![segment("A title that runs over both of the columns", 50.0, 450.0, 20.0)]];
        for i in 0..4 {
            let v = 40.0 + 12.0 * f64::from(i);
            rows.push(vec![
                segment(&format!("left column, line number {i}"), 50.0, 240.0, v),
                segment(&format!("right column, line number {i}"), 260.0, 450.0, v),
            ]);
        }
        let got = read(rows);
        assert!(
            got[0].starts_with("A title")
                && got[4].starts_with("left column, line number 3")
                && got[5].starts_with("right column, line number 0"),
            "{got:?}"
        );
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        let rows = (0..5)
            .map(|i| {
                vec![
                    segment("apples", 50.0, 90.0, 12.0 * f64::from(i)),
                    segment(&i.to_string(), 300.0, 310.0, 12.0 * f64::from(i)),
                ]
            })
            .collect();
        assert_eq!(read(rows)[..2], ["apples | 0", "apples | 1"]);
    }

    #[test]
    fn short_lines_below_a_table_do_not_make_columns_of_it() {
        let mut rows: Vec<SegmentRow> = (0..3)
            .map(|i| {
                vec![
                    segment("artery", 50.0, 90.0, 12.0 * f64::from(i)),
                    segment("22 - 26", 300.0, 340.0, 12.0 * f64::from(i)),
                ]
            })
            .collect();
        rows.extend((3..7).map(|i| vec![segment("a short line", 50.0, 110.0, 12.0 * f64::from(i))]));
        assert_eq!(read(rows)[..3], ["artery | 22 - 26", "artery | 22 - 26", "artery | 22 - 26"]);
    }

    #[test]
    fn the_longer_of_two_columns_is_read_to_its_end_first() {
        let prose = |side: &str, i: i32| format!("{side} column with a line of prose, number {i}");
        let mut rows: Vec<SegmentRow> = (0..4)
            .map(|i| {
                vec![
                    segment(&prose("left", i), 50.0, 240.0, 12.0 * f64::from(i)),
                    segment(&prose("right", i), 260.0, 450.0, 12.0 * f64::from(i)),
                ]
            })
            .collect();
        rows.extend((4..8).map(|i| vec![segment(&prose("left", i), 50.0, 240.0, 12.0 * f64::from(i))]));
        let got = read(rows);
        assert!(got[7].starts_with("left") && got[8].starts_with("right"), "{got:?}");
    }

    #[test]
    fn columns_whose_baselines_differ_are_columns() {
        let mut rows = Vec::new();
        for i in 0..4 {
            rows.push(vec![segment("left", 50.0, 240.0, 12.0 * f64::from(i))]);
            rows.push(vec![segment("right", 260.0, 450.0, 12.0 * f64::from(i) + 6.0)]);
        }
        assert_eq!(read(rows), ["left", "left", "left", "left", "right", "right", "right", "right"]);
    }

    #[test]
    fn one_column_of_text_stays_in_order() {
        let rows = (0..6)
            .map(|i| vec![segment(&format!("line {i}"), 50.0, 300.0 + f64::from(i % 3) * 50.0, 12.0 * f64::from(i))])
            .collect();
        assert_eq!(read(rows), ["line 0", "line 1", "line 2", "line 3", "line 4", "line 5"]);
    }
}
