//! Rows that sum up others.

use precis_language::aggregate::is_total;
use precis_language::words::lower_words;

use super::asked::is_form;
use super::grid::{Grid, head_words};

/// Most words of the name of a row that sums up others.
const MOST_TOTAL_WORDS: usize = 3;

/// Whether a row sums up others, by its name: `Total`, or `40 cities` below `City`.
pub(super) fn sums_up(grid: &Grid<'_>, row: usize, label: Option<usize>) -> bool {
    let is_total = |column: usize| {
        let words = lower_words(grid.cell(row, column));
        words.first().is_some_and(|word| is_total(word))
            || (words.len() <= MOST_TOTAL_WORDS && words.iter().any(|word| is_total(word)))
    };
    let is_counted = |column: usize| {
        let cell = grid.cell(row, column);
        let heads = head_words(&grid.head(column));
        cell.starts_with(|c: char| c.is_ascii_digit())
            && lower_words(cell).iter().skip(1).any(|word| heads.iter().any(|head| is_form(head, word)))
    };
    is_total(0) || label.is_some_and(|label| is_total(label) || is_counted(label))
}

/// Whether rows that sum up others are only the first or the last ones: behind one in the middle another kind of row begins.
pub(super) fn sums_stand_apart(grid: &Grid<'_>, label: Option<usize>) -> bool {
    let sums: Vec<bool> = (0..grid.rows.len()).map(|row| sums_up(grid, row, label)).collect();
    let above = sums.iter().take_while(|is_sum| **is_sum).count();
    let below = sums.iter().rev().take_while(|is_sum| **is_sum).count();
    sums.iter().filter(|is_sum| **is_sum).count() <= above + below
}
