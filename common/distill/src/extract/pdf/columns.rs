//! Reading order: finds columns in a stack of rows and puts the rows' segments into the order they are read. Sees only boxes and lengths.

use std::collections::BTreeSet;

use super::rows::{Row, Segment};

/// A gutter narrower than this many ems is a space between words that happen to stand below each other.
const GUTTER_EM: f64 = 0.6;
/// A column has at least this many rows.
const COLUMN_ROWS: usize = 3;
/// Cells shorter than this many characters on common baselines are a table, which is read row by row.
const CELL_CHARS: usize = 20;
/// Rows of a band, at most: no page has more, and the search stays linear on one that does.
const MAX_BAND_ROWS: usize = 300;
/// Columns within columns, at most.
const MAX_DEPTH: usize = 6;

/// A line of the page's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) v: f64,
    pub(super) em: f64,
    /// Begins a column, or follows one: what stands before it is another block.
    pub(super) begins_block: bool,
}

/// The lines of the rows, in reading order.
pub(super) fn reading_order(rows: Vec<Row>) -> Vec<Line> {
    let mut out = Vec::new();
    arrange(rows, 0, &mut out);
    out
}

fn arrange(rows: Vec<Row>, depth: usize, out: &mut Vec<Line>) {
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    let mut begins_block = true;
    let mut i = 0;
    while i < rows.len() {
        let band = if depth < MAX_DEPTH { find_band(&rows[i..]) } else { None };
        let Some(band) = band else {
            if let Some(row) = rows[i].take() {
                out.extend(line(row, begins_block));
            }
            begins_block = false;
            i += 1;
            continue;
        };
        let taken: Vec<Row> = rows[i..i + band.rows].iter_mut().filter_map(Option::take).collect();
        for column in divide(taken, &band.gutters) {
            arrange(column, depth + 1, out);
        }
        begins_block = true;
        i += band.rows;
    }
}

fn line(row: Row, begins_block: bool) -> Option<Line> {
    let first = row.first()?;
    let (v, em) = (first.v, row.iter().map(|s| s.em).fold(0.0, f64::max));
    let rtl =
        row.iter().filter(|s| s.right_to_left).map(|s| s.len).sum::<usize>() * 2 > row.iter().map(|s| s.len).sum();
    let mut texts: Vec<String> = row.into_iter().map(|s| s.text).collect();
    if rtl {
        texts.reverse();
    }
    Some(Line { text: texts.join(" "), v, em, begins_block })
}

/// Rows from the first on that columns divide.
struct Band {
    rows: usize,
    /// The middle of each gutter, ascending.
    gutters: Vec<f64>,
}

/// An empty stripe common to all rows looked at so far, and how many of them have text on its sides.
#[derive(Clone, Copy)]
struct Stripe {
    lo: f64,
    hi: f64,
    left: usize,
    right: usize,
}

impl Stripe {
    fn is_gutter(&self) -> bool {
        self.left >= COLUMN_ROWS && self.right >= COLUMN_ROWS
    }
}

/// The longest band that begins with the first row, if there is one.
fn find_band(rows: &[Option<Row>]) -> Option<Band> {
    let mut stripes = vec![Stripe { lo: f64::NEG_INFINITY, hi: f64::INFINITY, left: 0, right: 0 }];
    let mut best: Option<Band> = None;
    for (n, row) in rows.iter().take(MAX_BAND_ROWS).enumerate() {
        let Some(row) = row.as_ref().filter(|row| !row.is_empty()) else {
            break;
        };
        stripes = narrow(&stripes, row);
        let gutters: Vec<f64> = stripes.iter().filter(|s| s.is_gutter()).map(|s| (s.lo + s.hi) / 2.0).collect();
        if gutters.is_empty() {
            if best.is_some() {
                break;
            }
            continue;
        }
        if best.as_ref().is_some_and(|b| b.gutters.len() > gutters.len()) {
            break;
        }
        best = Some(Band { rows: n + 1, gutters });
    }
    best.filter(|band| !is_table(&rows[..band.rows], &band.gutters))
}

/// The parts of the stripes that the row leaves empty.
fn narrow(stripes: &[Stripe], row: &Row) -> Vec<Stripe> {
    let em = row.iter().map(|s| s.em).fold(f64::INFINITY, f64::min);
    let mut out = Vec::new();
    let mut lo = f64::NEG_INFINITY;
    for (k, hi) in row.iter().map(|s| s.u0).chain([f64::INFINITY]).enumerate() {
        for s in stripes {
            let (a, b) = (s.lo.max(lo), s.hi.min(hi));
            if b - a >= GUTTER_EM * em {
                out.push(Stripe {
                    lo: a,
                    hi: b,
                    left: s.left + usize::from(k > 0),
                    right: s.right + usize::from(k < row.len()),
                });
            }
        }
        lo = row.get(k).map_or(f64::INFINITY, |s| s.u1.max(lo));
    }
    out
}

/// Whether the band is a table: where all its columns run side by side, most rows have text in several of them, and the texts are short.
fn is_table(rows: &[Option<Row>], gutters: &[f64]) -> bool {
    let rows: Vec<&Row> = rows.iter().flatten().collect();
    let Some(rows) = side_by_side(&rows, gutters) else {
        return true;
    };
    let columns_of = |row: &Row| row.iter().map(|s| column_of(s, gutters)).collect::<BTreeSet<usize>>().len();
    let shared = rows.iter().filter(|row| columns_of(row) > 1).count();
    let shortest = (0..=gutters.len()).map(|c| median_len(rows, gutters, c)).min().unwrap_or(0);
    shared * 2 > rows.len() && shortest < CELL_CHARS
}

/// The rows from where the last column begins to where the first one ends; none where they do not meet.
fn side_by_side<'r, 'a>(rows: &'r [&'a Row], gutters: &[f64]) -> Option<&'r [&'a Row]> {
    let (mut first, mut last) = (0, rows.len());
    for column in 0..=gutters.len() {
        let has_text = |row: &&Row| row.iter().any(|s| column_of(s, gutters) == column);
        first = first.max(rows.iter().position(has_text)?);
        last = last.min(rows.iter().rposition(has_text)? + 1);
    }
    rows.get(first..last)
}

fn median_len(rows: &[&Row], gutters: &[f64], column: usize) -> usize {
    let cell = |row: &&Row| row.iter().filter(|s| column_of(s, gutters) == column).map(|s| s.len + 1).sum::<usize>();
    let mut lens: Vec<usize> = rows.iter().map(cell).filter(|len| *len > 0).collect();
    lens.sort_unstable();
    lens.get(lens.len() / 2).copied().unwrap_or(0)
}

fn column_of(segment: &Segment, gutters: &[f64]) -> usize {
    let middle = (segment.u0 + segment.u1) / 2.0;
    gutters.iter().filter(|g| **g < middle).count()
}

fn divide(rows: Vec<Row>, gutters: &[f64]) -> Vec<Vec<Row>> {
    let mut columns: Vec<Vec<Row>> = vec![Vec::new(); gutters.len() + 1];
    for row in rows {
        let mut parts: Vec<Row> = vec![Vec::new(); gutters.len() + 1];
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

    fn segment(text: &str, u0: f64, u1: f64, v: f64) -> Segment {
        Segment { text: text.into(), u0, u1, v, em: 10.0, len: text.chars().count(), right_to_left: false }
    }

    fn read(rows: Vec<Row>) -> Vec<String> {
        reading_order(rows).into_iter().map(|l| l.text).collect()
    }

    #[test]
    fn two_columns_are_read_one_after_the_other_below_a_title_across_both() {
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
        assert_eq!(read(rows)[..2], ["apples 0", "apples 1"]);
    }

    #[test]
    fn short_lines_below_a_table_do_not_make_columns_of_it() {
        let mut rows: Vec<Row> = (0..3)
            .map(|i| {
                vec![
                    segment("artery", 50.0, 90.0, 12.0 * f64::from(i)),
                    segment("22 - 26", 300.0, 340.0, 12.0 * f64::from(i)),
                ]
            })
            .collect();
        rows.extend((3..7).map(|i| vec![segment("a short line", 50.0, 110.0, 12.0 * f64::from(i))]));
        assert_eq!(read(rows)[..3], ["artery 22 - 26", "artery 22 - 26", "artery 22 - 26"]);
    }

    #[test]
    fn the_longer_of_two_columns_is_read_to_its_end_first() {
        let prose = |side: &str, i: i32| format!("{side} column with a line of prose, number {i}");
        let mut rows: Vec<Row> = (0..4)
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
