//! Tables drawn with signs, in reStructuredText and Org: as a grid, or between borders.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::Cell;

/// Follows a wide character, which takes two columns.
const WIDE_FILLER: char = '\0';

/// A row of a table: its cells with their lines.
#[derive(Debug, Default)]
pub(super) struct DrawnRow {
    pub(super) is_header: bool,
    pub(super) cells: Vec<(Cell, Vec<String>)>,
}

/// A drawn table.
#[derive(Debug, Default)]
pub(super) struct DrawnTable<'l> {
    /// Empty if its frames or columns are broken.
    pub(super) rows: Vec<DrawnRow>,
    /// Its lines without the borders if it is broken.
    pub(super) typed: Vec<&'l str>,
    /// Index of the line behind it.
    pub(super) end: usize,
}

/// Reads the rows of a table drawn in lines of one character per screen column; `None` if its frames or columns are broken.
type TableDrawing = fn(&[Vec<char>]) -> Option<Vec<DrawnRow>>;

impl<'l> DrawnTable<'l> {
    /// The grid whose first line is `lines[at]`.
    pub(super) fn grid(lines: &[&'l str], at: usize) -> Option<Self> {
        let top = lines[at].trim_end();
        let is_top = top.starts_with("+-") && top.ends_with("-+") && is_drawn_of(top, "+-");
        let length = || lines[at..].iter().take_while(|line| line.starts_with(['+', '|'])).count();
        is_top.then(|| Self::of(lines, at..at + length(), grid_rows))
    }

    /// The table between borders of which the first is `lines[at]`. It ends at its second border below the first, or at one before a blank
    /// line.
    pub(super) fn simple(lines: &[&'l str], at: usize) -> Option<Self> {
        let is_border = |line: &&str| line.starts_with('=') && line.contains(' ') && is_drawn_of(line, "= ");
        lines.get(at).filter(|line| is_border(line))?;
        let borders = (at + 1..lines.len()).filter(|at| is_border(&lines[*at])).take(2);
        let is_end = |(n, end): &(usize, usize)| *n == 1 || lines.get(end + 1).is_none_or(|line| line.is_empty());
        let even = borders.enumerate().take_while(|(_, end)| lines[*end].len() == lines[at].len());
        // Without a closing border it is not a table, and the border alone carries no meaning.
        let border = Self { end: at + 1, ..Self::default() };
        let end = even.into_iter().find(is_end).map(|(_, end)| end + 1);
        Some(end.map_or(border, |end| Self::of(lines, at..end, simple_rows)))
    }

    fn of(lines: &[&'l str], range: std::ops::Range<usize>, read: TableDrawing) -> Self {
        let (end, lines) = (range.end, &lines[range]);
        let columns =
            |line: &&str| line.trim_end().chars().flat_map(|c| [c, WIDE_FILLER].into_iter().take(width(c))).collect();
        let rows = read(&lines.iter().map(columns).collect::<Vec<_>>());
        let is_broken = rows.is_none();
        let typed = lines.iter().filter(|line| is_broken && !is_drawn_of(line, "+-=| ")).copied().collect();
        Self { rows: rows.unwrap_or_default(), typed, end }
    }
}

/// The rows of a grid table, read line by line: a cell begins below a corner, and ends where a line is drawn below all of it.
fn grid_rows(lines: &[Vec<char>]) -> Option<Vec<DrawnRow>> {
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
    let mut rows: Vec<DrawnRow> = Vec::new();
    rows.resize_with(row, DrawnRow::default);
    for ((first, left), (right, behind, text)) in ended {
        let columns = lefts.range(left..right).count();
        rows[first].is_header = first < headers;
        rows[first].cells.push((Cell { columns, rows: behind - first, ..Cell::PLAIN }, text));
    }
    (open.is_empty() && row > 0).then_some(rows)
}

/// The rows of a simple table: one for each line with text in its first column; a line of `-` tells where the cells above it begin. `None`
/// if there is text between two columns.
fn simple_rows(lines: &[Vec<char>]) -> Option<Vec<DrawnRow>> {
    let columns = starts(&lines[0], '=');
    let (mut rows, mut open): (Vec<DrawnRow>, Vec<&[char]>) = (Vec::new(), Vec::new());
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
fn row(lines: &[&[char]], columns: &[usize], spans: &[usize]) -> Option<DrawnRow> {
    let mut row = DrawnRow::default();
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
