//! Grids: the cells that level and upright lines enclose. Uses lines only; `ruled` puts the words in.

use std::ops::Range;

use super::rulings::{Rule, Rulings};

/// Distance, in points, up to which lines are one edge of cells: double lines are closer, and no line of text is as low.
const SAME_EDGE: f64 = 4.0;
/// Largest deviation, in points, of the parts of one line, and largest gap between them.
const SAME_LINE: f64 = 1.0;
const LINE_GAP: f64 = 3.0;
/// Shortest line, in points, that can be the edge of a cell.
const MIN_LENGTH: f64 = 5.0;
/// Largest distance, in points, of lines that meet.
const MEETING: f64 = 2.5;
/// Share of a cell's side that a line must cover to be its edge.
const COVERED: f64 = 0.6;
/// Most lines of a page in each direction that are looked through, and most cells of a grid: maps and charts have more. Chosen, not measured.
const MAX_LINES: usize = 2_000;
const MAX_CELLS: usize = 20_000;

/// Cells in rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// The edges of columns and rows, ascending.
    pub(super) xs: Vec<f64>,
    pub(super) ys: Vec<f64>,
    pub(super) cells: Vec<GridCell>,
    /// The index of the cell at each place, row by row.
    places: Vec<usize>,
    /// Number of places that no line divides from others, but which form no rectangle with them.
    pub(super) irregular: usize,
}

/// The columns and rows that a cell covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridCell {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Grid {
    pub(super) fn columns(&self) -> usize {
        self.xs.len() - 1
    }

    pub(super) fn rows(&self) -> usize {
        self.ys.len() - 1
    }

    /// The index of the cell in a column and row.
    pub(super) fn cell(&self, column: usize, row: usize) -> usize {
        self.places[row * self.columns() + column]
    }

    /// The index of the cell at a point of the page.
    pub(super) fn cell_at(&self, x: f64, y: f64) -> Option<usize> {
        let place = |edges: &[f64], at: f64| {
            edges.partition_point(|edge| *edge <= at).checked_sub(1).filter(|k| k + 1 < edges.len())
        };
        Some(self.cell(place(&self.xs, x)?, place(&self.ys, y)?))
    }

    /// A grid without merged cells.
    pub(super) fn regular(xs: Vec<f64>, ys: Vec<f64>) -> Self {
        let mut apart = DisjointSets::new((xs.len() - 1) * (ys.len() - 1));
        Self::from_sets(xs, ys, &mut apart)
    }

    fn area(&self) -> f64 {
        let side = |edges: &[f64]| edges.last().unwrap_or(&0.0) - edges.first().unwrap_or(&0.0);
        side(&self.xs) * side(&self.ys)
    }

    /// The cells between the lines, joined where no line divides them.
    fn from_lines(level: &[Rule], upright: &[Rule]) -> Option<Self> {
        let xs = edges(upright, level);
        let ys = edges(level, upright);
        if xs.len() < 3 || ys.len() < 3 || (xs.len() - 1) * (ys.len() - 1) > MAX_CELLS {
            return None;
        }
        let columns = xs.len() - 1;
        let mut joined = DisjointSets::new(columns * (ys.len() - 1));
        for (row, y) in ys.windows(2).enumerate() {
            for (column, x) in xs.windows(2).enumerate() {
                let at = row * columns + column;
                if column + 1 < columns && !is_edge(upright, x[1], y) {
                    joined.join(at, at + 1);
                }
                if row + 2 < ys.len() && !is_edge(level, y[1], x) {
                    joined.join(at, at + columns);
                }
            }
        }
        Some(Self::from_sets(xs, ys, &mut joined))
    }

    /// Sets of places that form a rectangle are cells; the places of other sets are cells of their own.
    fn from_sets(xs: Vec<f64>, ys: Vec<f64>, joined: &mut DisjointSets) -> Self {
        let columns = xs.len() - 1;
        let count = columns * (ys.len() - 1);
        let mut extents: Vec<Option<(GridCell, usize)>> = vec![None; count];
        for place in 0..count {
            let (column, row) = (place % columns, place / columns);
            let (cell, size) =
                extents[joined.root(place)].get_or_insert((GridCell { columns: column..column, rows: row..row }, 0));
            cell.columns = cell.columns.start.min(column)..cell.columns.end.max(column + 1);
            cell.rows = cell.rows.start..row + 1;
            *size += 1;
        }
        let mut grid = Self { xs, ys, cells: Vec::new(), places: vec![usize::MAX; count], irregular: 0 };
        for place in 0..count {
            if grid.places[place] != usize::MAX {
                continue;
            }
            let (column, row) = (place % columns, place / columns);
            let set = extents[joined.root(place)].clone();
            let cell = match set.filter(|(cell, size)| cell.columns.len() * cell.rows.len() == *size) {
                Some((cell, _)) => cell,
                None => {
                    grid.irregular += 1;
                    GridCell { columns: column..column + 1, rows: row..row + 1 }
                }
            };
            for row in cell.rows.clone() {
                grid.places[row * columns + cell.columns.start..][..cell.columns.len()].fill(grid.cells.len());
            }
            grid.cells.push(cell);
        }
        grid
    }
}

/// The grids of a page, the smallest first: a table in a cell of another comes before that one.
pub(super) fn grids(rulings: &Rulings) -> Vec<Grid> {
    if rulings.level.len() < 2 || rulings.upright.is_empty() {
        return Vec::new();
    }
    let (level, upright) = (joined_lines(&rulings.level), joined_lines(&rulings.upright));
    if level.len() < 2 || upright.is_empty() || level.len().max(upright.len()) > MAX_LINES {
        return Vec::new();
    }
    let mut connected = DisjointSets::new(level.len() + upright.len());
    for (k, line) in level.iter().enumerate() {
        let meeting = upright.iter().enumerate().filter(|(_, other)| meet(line, other));
        meeting.for_each(|(n, _)| connected.join(k, level.len() + n));
    }
    let mut parts: std::collections::BTreeMap<usize, (Vec<Rule>, Vec<Rule>)> = Default::default();
    for (k, line) in level.iter().enumerate() {
        parts.entry(connected.root(k)).or_default().0.push(*line);
    }
    for (k, line) in upright.iter().enumerate() {
        parts.entry(connected.root(level.len() + k)).or_default().1.push(*line);
    }
    let mut grids: Vec<Grid> = parts.values().filter_map(|(level, upright)| Grid::from_lines(level, upright)).collect();
    grids.sort_by(|a, b| a.area().total_cmp(&b.area()));
    grids
}

fn meet(a: &Rule, b: &Rule) -> bool {
    let reaches = |a: &Rule, b: &Rule| (a.lo - MEETING..=a.hi + MEETING).contains(&b.at);
    reaches(a, b) && reaches(b, a)
}

/// Joins the parts of lines; drops lines that are too short.
pub(super) fn joined_lines(lines: &[Rule]) -> Vec<Rule> {
    let mut lines = lines.to_vec();
    lines.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut out: Vec<Rule> = Vec::new();
    for group in lines.chunk_by_mut(|a, b| b.at - a.at <= SAME_LINE) {
        group.sort_by(|a, b| a.lo.total_cmp(&b.lo));
        let mut open: Option<Rule> = None;
        for line in group.iter() {
            match &mut open {
                Some(open) if line.lo <= open.hi + LINE_GAP => open.hi = open.hi.max(line.hi),
                _ => out.extend(open.replace(*line)),
            }
        }
        out.extend(open);
    }
    out.retain(|line| line.hi - line.lo >= MIN_LENGTH);
    out
}

/// The places of the lines and of the ends of the lines across them, ascending: a table may lack its outer lines.
fn edges(along: &[Rule], across: &[Rule]) -> Vec<f64> {
    let mut edges: Vec<f64> = along.iter().map(|line| line.at).collect();
    edges.extend(across.iter().map(|line| line.lo).reduce(f64::min));
    edges.extend(across.iter().map(|line| line.hi).reduce(f64::max));
    edges.sort_by(f64::total_cmp);
    edges.dedup_by(|next, last| *next - *last <= SAME_EDGE);
    edges
}

/// Whether a line at `at` covers the side of a cell.
fn is_edge(lines: &[Rule], at: f64, side: &[f64]) -> bool {
    let near = lines.iter().filter(|line| (line.at - at).abs() <= SAME_EDGE);
    let covered: f64 = near.map(|line| (line.hi.min(side[1]) - line.lo.max(side[0])).max(0.0)).fold(0.0, f64::max);
    covered >= COVERED * (side[1] - side[0])
}

/// Sets of numbers that are joined two by two.
struct DisjointSets {
    above: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self { above: (0..count).collect() }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.above[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(at: f64, lo: f64, hi: f64) -> Rule {
        Rule { at, lo, hi, thickness: 0.5 }
    }

    /// A grid of three columns and three rows, each 50 by 20 points, without the lines that `is_open` names.
    fn grid(is_open: impl Fn(bool, f64, f64) -> bool) -> Grid {
        let mut rulings = Rulings::default();
        for k in 0..4 {
            for n in 0..3 {
                let (k, n) = (f64::from(k), f64::from(n));
                if !is_open(true, k * 20.0, n * 50.0) {
                    rulings.level.push(rule(k * 20.0, n * 50.0, n * 50.0 + 50.0));
                }
                if !is_open(false, k * 50.0, n * 20.0) {
                    rulings.upright.push(rule(k * 50.0, n * 20.0, n * 20.0 + 20.0));
                }
            }
        }
        grids(&rulings).remove(0)
    }

    #[test]
    fn cells_without_a_line_between_them_are_one() {
        let whole = grid(|_, _, _| false);
        assert_eq!((whole.columns(), whole.rows(), whole.cells.len()), (3, 3, 9));
        let merged = grid(|is_level, at, lo| lo == 0.0 && at == if is_level { 20.0 } else { 100.0 });
        assert_eq!(merged.cells.len(), 7);
        assert_eq!(merged.cells[merged.cell(0, 1)], GridCell { columns: 0..1, rows: 0..2 });
        assert_eq!(merged.cells[merged.cell(2, 0)], GridCell { columns: 1..3, rows: 0..1 });
        assert_eq!(merged.cell_at(120.0, 10.0), Some(merged.cell(1, 0)));
        assert_eq!(merged.cell_at(151.0, 10.0), None);
    }

    #[test]
    fn outer_lines_may_lack() {
        let open = grid(|is_level, at, _| !is_level && (at == 0.0 || at == 150.0));
        assert_eq!((open.columns(), open.rows(), open.cells.len()), (3, 3, 9));
    }

    #[test]
    fn places_that_form_no_rectangle_stay_apart() {
        let corner = grid(|is_level, at, lo| lo == 0.0 && at == if is_level { 20.0 } else { 50.0 });
        assert_eq!((corner.cells.len(), corner.irregular), (9, 3));
    }

    #[test]
    fn a_frame_is_no_grid() {
        let frame = Rulings {
            level: vec![rule(0.0, 0.0, 100.0), rule(50.0, 0.0, 100.0)],
            upright: vec![rule(0.0, 0.0, 50.0), rule(100.0, 0.0, 50.0)],
        };
        assert!(grids(&frame).is_empty());
    }
}
