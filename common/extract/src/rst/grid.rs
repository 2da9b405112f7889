//! Grid tables: cells framed by `+`, `-` and `|`, traced corner by corner as in docutils.

use std::collections::BTreeSet;

use super::table_row::{TableCell, TableRow, text_of};

/// Most steps per character of a table; then its corners are not traced further, because a drawing could take quadratic time.
const STEPS_PER_CHAR: usize = 24;

/// The frame of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    top: usize,
    left: usize,
    bottom: usize,
    right: usize,
}

/// The rows of the table drawn in `lines`; `None` if its frames are not closed.
pub(super) fn rows(lines: &[Vec<char>]) -> Option<Vec<TableRow>> {
    let width = lines.iter().map(Vec::len).max()?;
    let mut drawn: Vec<Vec<char>> = lines.to_vec();
    drawn.iter_mut().for_each(|line| line.resize(width, ' '));
    let is_head_end = |line: &Vec<char>| line.starts_with(&['+', '=']) && line.iter().all(|c| "+=".contains(*c));
    let head_end = drawn.iter().position(is_head_end);
    if let Some(head_end) = head_end {
        drawn[head_end].iter_mut().filter(|c| **c == '=').for_each(|c| *c = '-');
    }
    let steps = drawn.len().checked_mul(width)?.checked_mul(STEPS_PER_CHAR)?;
    let frames = Grid { drawn: &drawn, steps }.frames()?;
    let edges: BTreeSet<usize> = frames.iter().map(|frame| frame.left).collect();
    let lefts: Vec<usize> = edges.into_iter().collect();
    let mut rows: Vec<TableRow> = Vec::new();
    let mut top = None;
    for frame in frames {
        if top != Some(frame.top) {
            let is_header = head_end.is_some_and(|end| frame.top < end);
            rows.push(TableRow { is_header, columns: lefts.len(), cells: Vec::new() });
            top = Some(frame.top);
        }
        let column = lefts.partition_point(|left| *left < frame.left);
        let inside = drawn[frame.top + 1..frame.bottom].iter().map(|line| &line[frame.left + 1..frame.right]);
        rows.last_mut()?.cells.push(TableCell { column, source: text_of(inside) });
    }
    Some(rows)
}

struct Grid<'d> {
    drawn: &'d [Vec<char>],
    /// Steps left.
    steps: usize,
}

impl Grid<'_> {
    /// All frames, by row and column; `None` if they do not cover the whole table.
    fn frames(mut self) -> Option<Vec<Frame>> {
        let (bottom, right) = (self.drawn.len() - 1, self.drawn[0].len() - 1);
        let mut corners = BTreeSet::from([(0, 0)]);
        // For each column, the line up to which it is covered by frames.
        let mut done = vec![0; right];
        let mut frames = Vec::new();
        while let Some((top, left)) = corners.pop_first() {
            if top == bottom || left == right || top < done[left] {
                continue;
            }
            let Some(frame) = self.frame(top, left) else { continue };
            if done[frame.left..frame.right].iter().any(|line| *line != top) {
                return None;
            }
            done[frame.left..frame.right].fill(frame.bottom);
            corners.extend([(top, frame.right), (frame.bottom, left)]);
            frames.push(frame);
        }
        frames.sort_unstable();
        done.iter().all(|line| *line == bottom).then_some(frames)
    }

    fn is(&mut self, line: usize, column: usize, mark: char) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && self.drawn[line][column] == mark
    }

    /// The smallest frame with this upper left corner.
    fn frame(&mut self, top: usize, left: usize) -> Option<Frame> {
        for right in left + 1..self.drawn[top].len() {
            if self.is(top, right, '+') {
                if let Some(bottom) = self.bottom(top, left, right) {
                    return Some(Frame { top, left, bottom, right });
                }
            } else if !self.is(top, right, '-') {
                return None;
            }
        }
        None
    }

    fn bottom(&mut self, top: usize, left: usize, right: usize) -> Option<usize> {
        for bottom in top + 1..self.drawn.len() {
            if self.is(bottom, right, '+') {
                let is_closed = self.is(bottom, left, '+')
                    && (left + 1..right)
                        .rev()
                        .all(|column| self.is(bottom, column, '-') || self.is(bottom, column, '+'))
                    && (top + 1..bottom).rev().all(|line| self.is(line, left, '|') || self.is(line, left, '+'));
                if is_closed {
                    return Some(bottom);
                }
            } else if !self.is(bottom, right, '|') {
                return None;
            }
        }
        None
    }
}
