//! The cells by which a question chooses rows: "in the North", "in 2020".

use std::collections::BTreeSet;
use std::ops::Range;

use precis_language::words::lower_words;

use super::asked::{Asked, overlaps};
use super::grid::{Grid, is_year};
use super::sums::sums_up;

/// Most words of a cell that chooses rows.
const MOST_CELL_WORDS: usize = 8;

/// Cells that the question names: a column, and the words of its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) column: usize,
    pub(super) words: Vec<String>,
    pub(super) ranges: Vec<Range<usize>>,
}

/// The cells that the question names, in one column each; `None` if one could be of two columns, or a column has two of them.
pub(super) fn choices(asked: &Asked, grid: &Grid<'_>) -> Option<Vec<Choice>> {
    let mut found: Vec<Choice> = Vec::new();
    let mut seen: BTreeSet<(usize, &str)> = BTreeSet::new();
    for row in 0..grid.rows.len() {
        for column in grid.columns() {
            let cell = grid.cell(row, column);
            if cell.is_empty() || !seen.insert((column, cell)) || !may_choose(grid, row, column) {
                continue;
            }
            let words = cell_words(cell);
            if words.is_empty() || words.len() > MOST_CELL_WORDS {
                continue;
            }
            let ranges = asked.saying(&words);
            if !ranges.is_empty() && words.iter().all(|word| grid.names.contains(word)) {
                // What names the table may mean the whole of it.
                return None;
            }
            if !ranges.is_empty() {
                found.push(Choice { column, words, ranges });
            }
        }
    }
    let all: Vec<Range<usize>> = found.iter().flat_map(|choice| choice.ranges.clone()).collect();
    let is_inside = |range: &Range<usize>| {
        all.iter().any(|other| other.start <= range.start && range.end <= other.end && other != range)
    };
    found.retain(|choice| !choice.ranges.iter().all(is_inside));
    found.dedup_by(|a, b| a.column == b.column && a.words == b.words);
    let is_clear = |(at, choice): (usize, &Choice)| {
        found[at + 1..].iter().all(|other| {
            other.column != choice.column
                && !other.ranges.iter().any(|own| choice.ranges.iter().any(|r| overlaps(own, r)))
        })
    };
    found.iter().enumerate().all(is_clear).then_some(found)
}

/// Whether a cell may choose rows: words, or a year.
fn may_choose(grid: &Grid<'_>, row: usize, column: usize) -> bool {
    grid.numbers[row][column].is_none() || is_year(grid.cell(row, column))
}

/// The words of a cell, without what stands in parentheses at its end.
fn cell_words(cell: &str) -> Vec<String> {
    let bare = cell.split_once(['(', '[', '（']).map_or(cell, |(bare, _)| bare);
    lower_words(if bare.trim().is_empty() { cell } else { bare })
}

/// The rows that all `choices` choose; `None` if a cell is empty that would have to decide.
pub(super) fn chosen_rows(grid: &Grid<'_>, choices: &[Choice], label: Option<usize>) -> Option<Vec<usize>> {
    let is_named = |row: &usize, column: usize| !grid.cell(*row, column).is_empty() || sums_up(grid, *row, label);
    if choices.iter().any(|choice| !(0..grid.rows.len()).all(|row| is_named(&row, choice.column))) {
        return None;
    }
    // `Brem` does not choose between `Brem` and `Brem, Holm`: the question may mean both.
    let is_part = |row: usize, choice: &Choice| {
        let words = cell_words(grid.cell(row, choice.column));
        words != choice.words && words.windows(choice.words.len()).any(|part| part == choice.words)
    };
    if choices.iter().any(|choice| (0..grid.rows.len()).any(|row| is_part(row, choice))) {
        return None;
    }
    let is_chosen =
        |row: &usize| choices.iter().all(|choice| cell_words(grid.cell(*row, choice.column)) == choice.words);
    Some((0..grid.rows.len()).filter(is_chosen).collect())
}
