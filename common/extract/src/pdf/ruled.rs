//! Tables with lines: puts words into the cells of the page's grids. A merged cell belongs to every row and column that it covers.

use std::rc::Rc;

use super::bands::banded_tables;
use super::grid::{Grid, GridCell, grids};
use super::rows::{LineSegment, RuledRow, SegmentRow, row_text, rows};
use super::rulings::Rulings;
use super::words::LineWord;

/// Most lines of a cell: a box around more is a column of text.
const MAX_CELL_LINES: usize = 30;
/// Least share of cells with text: the lines of charts and of paper to write on enclose little.
const FILLED: f64 = 0.4;
/// Largest share of places that are part of no rectangular cell: the lines of drawings enclose shapes of any kind.
const IRREGULAR: f64 = 0.2;
/// Part of a word, in ems, that may reach over the edge of its cell: beside it, and above or below it.
const OVERHANG_EM: [f64; 2] = [0.5, 0.15];
/// One word in so many may reach further.
const OVERHANGING: usize = 10;
/// Height of a word's middle and of its small letters above the baseline, in ems.
const MIDDLE_EM: f64 = 0.25;
const LETTER_EM: f64 = 0.5;
/// Longest text of a merged cell that each of its rows and columns carries, in characters: a longer one is no label, and stands once.
const LABEL_CHARS: usize = 80;
/// Largest distance of baselines, in ems, of a row of a table and of text beside the table that are one row of the page.
const BASELINE_EM: f64 = 0.3;
/// Most rows of a header.
const MAX_HEAD: usize = 4;

/// Takes the words in tables out of `words`; returns the rows of the tables, one segment each.
pub(super) fn take(words: &mut Vec<LineWord>, rulings: &Rulings) -> Vec<LineSegment> {
    let mut out = Vec::new();
    let mut tables = 0;
    for grid in grids(rulings) {
        out.extend(take_table(words, &grid, &mut tables));
    }
    // What is left of the words stands in no cells with lines around them.
    for grid in banded_tables(rulings, words) {
        out.extend(take_table(words, &grid, &mut tables));
    }
    out
}

/// Takes the words in a grid, if they are those of a table.
fn take_table(words: &mut Vec<LineWord>, grid: &Grid, tables: &mut usize) -> Vec<LineSegment> {
    let mut cells: Vec<Vec<LineWord>> = vec![Vec::new(); grid.cells.len()];
    let (mut rest, mut inside, mut overhanging) = (Vec::with_capacity(words.len()), 0, 0);
    for word in words.iter() {
        match cell_of(grid, word) {
            Some(cell) => {
                inside += 1;
                overhanging += usize::from(overhangs(grid, cell, word));
                cells[cell].push(word.clone());
            }
            None => rest.push(word.clone()),
        }
    }
    let cells: Vec<Vec<SegmentRow>> = cells.into_iter().map(rows).collect();
    if overhanging * OVERHANGING > inside || !is_table(grid, &cells) {
        return Vec::new();
    }
    *words = rest;
    *tables += 1;
    table_rows(*tables, grid, &cells)
}

/// Adds the rows of tables to the rows of a page, which are sorted by `v`.
pub(super) fn insert(page: &mut Vec<SegmentRow>, tables: Vec<LineSegment>) {
    for segment in tables {
        let at = page.partition_point(|row| row.first().is_some_and(|s| s.v < segment.v));
        let is_near = |k: &usize| {
            page.get(*k)
                .and_then(|row| row.first())
                .is_some_and(|s| (s.v - segment.v).abs() <= BASELINE_EM * segment.em)
        };
        match [Some(at), at.checked_sub(1)].into_iter().flatten().find(is_near) {
            Some(k) => {
                page[k].push(segment);
                page[k].sort_by(|a, b| a.u0.total_cmp(&b.u0));
            }
            None => page.insert(at, vec![segment]),
        }
    }
}

fn cell_of(grid: &Grid, word: &LineWord) -> Option<usize> {
    grid.cell_at((word.u0 + word.u1) / 2.0, word.v - MIDDLE_EM * word.em)
}

fn overhangs(grid: &Grid, cell: usize, word: &LineWord) -> bool {
    let GridCell { columns, rows } = &grid.cells[cell];
    let [beside, above] = OVERHANG_EM.map(|ems| ems * word.em);
    word.u0 < grid.xs[columns.start] - beside
        || word.u1 > grid.xs[columns.end] + beside
        || word.v - LETTER_EM * word.em < grid.ys[rows.start] - above
        || word.v > grid.ys[rows.end] + above
}

/// Whether the texts are those of a table: in several rows and columns, none as long as a column of text.
fn is_table(grid: &Grid, cells: &[Vec<SegmentRow>]) -> bool {
    let filled: Vec<&GridCell> =
        grid.cells.iter().zip(cells).filter(|(_, text)| !text.is_empty()).map(|(cell, _)| cell).collect();
    let differ = |edge: fn(&GridCell) -> usize| filled.windows(2).any(|pair| edge(pair[0]) != edge(pair[1]));
    differ(|cell| cell.rows.start)
        && differ(|cell| cell.columns.start)
        && filled.len() as f64 >= FILLED * grid.cells.len() as f64
        && grid.irregular as f64 <= IRREGULAR * (grid.columns() * grid.rows()) as f64
        && cells.iter().all(|text| text.len() <= MAX_CELL_LINES)
}

fn table_rows(table: usize, grid: &Grid, cells: &[Vec<SegmentRow>]) -> Vec<LineSegment> {
    let head = head(grid);
    let gutters: Rc<[f64]> = grid.xs[1..grid.columns()].into();
    let mut out = Vec::new();
    for row in 0..grid.rows() {
        let texts: Vec<Vec<SegmentRow>> = (0..grid.columns()).map(|column| text(grid, cells, column, row)).collect();
        let begins = |at: usize| grid.cells[grid.cell(at, row)].rows.start == row;
        let own: Vec<&SegmentRow> = (0..grid.columns()).filter(|at| begins(*at)).flat_map(|at| &texts[at]).collect();
        let Some(first) = own.iter().filter_map(|row| row.first()).min_by(|a, b| a.v.total_cmp(&b.v)) else {
            continue;
        };
        let (v, em) = (first.v, first.em);
        let whole = texts.iter().flatten().map(row_text).collect::<Vec<_>>().join(" ");
        let ruled = RuledRow { table, is_head: row < head, cells: texts, gutters: Rc::clone(&gutters) };
        out.push(LineSegment {
            len: whole.chars().count(),
            text: whole,
            u0: grid.xs[0],
            u1: grid.xs[grid.columns()],
            v,
            em,
            ends: [em; 2],
            ruled: Some(Rc::new(ruled)),
            ..LineSegment::default()
        });
    }
    out
}

/// The text of a column in a row. Only the first place of a merged cell has a long text, or one over the whole width, which names no column.
fn text(grid: &Grid, cells: &[Vec<SegmentRow>], column: usize, row: usize) -> Vec<SegmentRow> {
    let at = grid.cell(column, row);
    let GridCell { columns, rows } = &grid.cells[at];
    let is_first = column == columns.start && row == rows.start;
    let is_label = || cells[at].iter().flatten().map(|s| s.len).sum::<usize>() <= LABEL_CHARS;
    let repeats = columns.len() < grid.columns() && is_label();
    if is_first || repeats { cells[at].clone() } else { Vec::new() }
}

/// Number of rows at the top that name the columns because a cell shows it: one that is several rows high, or names several columns, which
/// the next row then names. 0 if none does.
fn head(grid: &Grid) -> usize {
    let cells = |row: usize| (0..grid.columns()).map(move |column| &grid.cells[grid.cell(column, row)]);
    let is_title = |row: usize| cells(row).all(|cell| cell.columns.len() == grid.columns());
    let titles = (0..grid.rows()).take_while(|row| is_title(*row)).count();
    let mut head = titles;
    for row in titles..grid.rows().min(titles + MAX_HEAD) {
        if row > head {
            break;
        }
        let high = cells(row).map(|cell| cell.rows.end).max().unwrap_or(row);
        let names_several = cells(row).any(|cell| cell.columns.len() > 1 && cell.rows.end <= high);
        match (high - row, names_several) {
            (1, false) => break,
            (1, true) => head = row + 1,
            _ => head = high - 1,
        }
        if !names_several {
            break;
        }
    }
    match head {
        head if head == titles || head + 1 >= grid.rows() => 0,
        head => head + 1,
    }
}
