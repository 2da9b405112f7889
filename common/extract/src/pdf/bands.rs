//! Tables whose rows are divided by level lines only: the columns are found from the gaps that all rows share.

use super::grid::{Grid, joined_lines};
use super::rulings::{Rule, Rulings};
use super::words::LineWord;

/// Largest distance, in points, of the ends of the lines of one table.
const SAME_END: f64 = 3.0;
/// Least number of rows between the lines: fewer are the head, the body and the foot of a table.
const MIN_ROWS: usize = 3;
/// Most lines of a page that are looked through; limits the work. Chosen, not measured.
const MAX_LINES: usize = 500;
/// Least width of the gap between columns, in ems: wider than a space between words, and the lines of a text do not share those.
const GAP_EM: f64 = 0.36;
/// Height, in ems, of a row above the first line or below the last one: one line of text.
const OUTER_ROW_EM: f64 = 2.2;
/// Least distance of the baselines of two lines, in ems.
const LINE_EM: f64 = 0.5;

/// The tables divided by level lines that have some of the words between them.
pub(super) fn banded_tables(rulings: &Rulings, words: &[LineWord]) -> Vec<Grid> {
    if rulings.level.len() <= MIN_ROWS || words.is_empty() {
        return Vec::new();
    }
    let mut lines = joined_lines(&rulings.level);
    if lines.len() > MAX_LINES {
        return Vec::new();
    }
    lines.sort_by(|a, b| a.lo.total_cmp(&b.lo).then(a.hi.total_cmp(&b.hi)));
    let are_alike = |a: &Rule, b: &Rule| (a.lo - b.lo).abs() <= SAME_END && (a.hi - b.hi).abs() <= SAME_END;
    let mut out = Vec::new();
    for group in lines.chunk_by_mut(are_alike).filter(|group| group.len() > MIN_ROWS) {
        group.sort_by(|a, b| a.at.total_cmp(&b.at));
        let has_words = |a: &Rule, b: &Rule| words.iter().any(|word| is_between(word, a, b));
        out.extend(group.chunk_by(has_words).filter_map(|lines| table(lines, words)));
    }
    out
}

/// Whether a word stands between two level lines, one below the other.
fn is_between(word: &LineWord, above: &Rule, below: &Rule) -> bool {
    let (x, y) = ((word.u0 + word.u1) / 2.0, word.v - 0.25 * word.em);
    (above.lo..=above.hi).contains(&x) && (above.at..below.at).contains(&y)
}

fn between<'w>(words: &'w [LineWord], above: &Rule, below: &Rule) -> Vec<&'w LineWord> {
    words.iter().filter(|word| is_between(word, above, below)).collect()
}

/// The table between the lines; `None` if the words form no columns, or if it is unclear whether its lines are rows of their own.
fn table(lines: &[Rule], words: &[LineWord]) -> Option<Grid> {
    let rows: Vec<Vec<&LineWord>> = lines.windows(2).map(|pair| between(words, &pair[0], &pair[1])).collect();
    let gutters = shared_gaps(rows.iter().flatten().copied().collect());
    if rows.len() < MIN_ROWS || gutters.is_empty() || rows.iter().any(|row| is_unclear(row, &gutters)) {
        return None;
    }
    let is_filled =
        |column: usize| rows.iter().filter(|row| row.iter().any(|word| column_of(word, &gutters) == column)).count();
    if (0..=gutters.len()).any(|column| is_filled(column) * 2 < rows.len()) {
        return None;
    }
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    let em = rows.iter().flatten().map(|word| word.em).fold(0.0, f64::max);
    let mut ys: Vec<f64> = lines.iter().map(|line| line.at).collect();
    // The lines may stand below each row, or between the rows only.
    let above = Rule { at: first.at - OUTER_ROW_EM * em, ..*first };
    let below = Rule { at: last.at + OUTER_ROW_EM * em, ..*last };
    if is_row(&between(words, &above, first), &gutters) {
        ys.insert(0, above.at);
    }
    if is_row(&between(words, last, &below), &gutters) {
        ys.push(below.at);
    }
    let xs = std::iter::once(first.lo).chain(gutters).chain([last.hi]).collect();
    Some(Grid::regular(xs, ys))
}

/// Whether words beside the lines of a table are a row of it: in all columns but one, and across no gap.
fn is_row(words: &[&LineWord], gutters: &[f64]) -> bool {
    let is_across = |word: &&LineWord| gutters.iter().any(|gutter| (word.u0..word.u1).contains(gutter));
    let filled =
        (0..=gutters.len()).filter(|column| words.iter().any(|word| column_of(word, gutters) == *column)).count();
    filled > 1 && filled >= gutters.len() && !words.iter().any(is_across)
}

/// The middles of the gaps that no word crosses.
fn shared_gaps(mut words: Vec<&LineWord>) -> Vec<f64> {
    words.sort_by(|a, b| a.u0.total_cmp(&b.u0));
    let (mut gaps, mut end) = (Vec::new(), f64::INFINITY);
    for word in words {
        if word.u0 - end >= GAP_EM * word.em {
            gaps.push((word.u0 + end) / 2.0);
        }
        end = if end.is_finite() { end.max(word.u1) } else { word.u1 };
    }
    gaps
}

fn column_of(word: &LineWord, gutters: &[f64]) -> usize {
    gutters.partition_point(|gutter| *gutter < (word.u0 + word.u1) / 2.0)
}

/// Whether several cells of a row have several lines at the same heights, which may be rows without a line between them.
fn is_unclear(row: &[&LineWord], gutters: &[f64]) -> bool {
    let mut cells: Vec<Vec<f64>> = vec![Vec::new(); gutters.len() + 1];
    for word in row {
        let lines = &mut cells[column_of(word, gutters)];
        if lines.iter().all(|v| (v - word.v).abs() > LINE_EM * word.em) {
            lines.push(word.v);
        }
    }
    cells.iter_mut().for_each(|lines| lines.sort_by(f64::total_cmp));
    let are_beside =
        |a: &Vec<f64>, b: &Vec<f64>| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1.0);
    let several: Vec<&Vec<f64>> = cells.iter().filter(|lines| lines.len() > 1).collect();
    several.windows(2).any(|pair| are_beside(pair[0], pair[1]))
}
