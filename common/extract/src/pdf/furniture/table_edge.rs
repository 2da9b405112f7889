//! Whether a row at the end of a page belongs to a table. The rows of a table that runs over pages may recur, above all its header.

use super::super::rows::{LineSegment, SegmentRow};
use super::super::stripes::height;

/// Largest distance, in ems, of edges that count as aligned.
const ALIGNED_EM: f64 = 0.6;
/// Largest step to the next row, relative to the step behind that.
const STEP: f64 = 1.6;
/// Mean length, in characters, up to which the texts of a row are cells rather than lines of columns.
const CELL_CHARS: usize = 30;

/// Whether row `k` and the two rows further inside are rows of one table: several texts at the same edges, at even steps.
pub(super) fn is_table_row(rows: &[SegmentRow], k: usize, is_head: bool) -> bool {
    if rows[k].iter().any(|segment| segment.ruled.is_some()) {
        return true;
    }
    let inner = |n: usize| if is_head { rows.get(k + n) } else { k.checked_sub(n).map(|k| &rows[k]) };
    let (Some(row), Some(next), Some(third)) = (inner(0), inner(1), inner(2)) else {
        return false;
    };
    let step = |a: &SegmentRow, b: &SegmentRow| (height(a) - height(b)).abs();
    step(row, next) <= STEP * step(next, third) && are_aligned(row, next) && are_aligned(next, third)
}

/// Whether both rows have several short texts, at edges that all but one of those in the shorter row share.
fn are_aligned(a: &SegmentRow, b: &SegmentRow) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let chars: usize = many.iter().map(|s| s.len).sum();
    let shared = few.iter().filter(|s| many.iter().any(|other| share_edge(s, other))).count();
    few.len() >= 2 && chars <= CELL_CHARS * many.len() && shared >= 2.max(few.len() - 1)
}

fn share_edge(a: &LineSegment, b: &LineSegment) -> bool {
    let reach = ALIGNED_EM * a.em.max(b.em);
    let middle = |s: &LineSegment| (s.u0 + s.u1) / 2.0;
    (a.u0 - b.u0).abs() <= reach || (a.u1 - b.u1).abs() <= reach || (middle(a) - middle(b)).abs() <= reach
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(v: f64, texts: &[(&str, f64)]) -> SegmentRow {
        let segment = |(text, u0): &(&str, f64)| LineSegment {
            text: (*text).to_owned(),
            u0: *u0,
            u1: u0 + 5.0 * text.len() as f64,
            v,
            em: 10.0,
            len: text.len(),
            ..LineSegment::default()
        };
        texts.iter().map(segment).collect()
    }

    #[test]
    fn a_table_header_differs_from_a_running_head() {
        let body = |v: f64| row(v, &[("4", 60.0), ("Member 4", 120.0), ("40.00", 300.0)]);
        let header = row(100.0, &[("Nr", 60.0), ("Name", 120.0), ("Amount", 300.0)]);
        assert!(is_table_row(&[header.clone(), body(114.0), body(128.0)], 0, true));
        assert!(!is_table_row(&[header, body(140.0), body(154.0)], 0, true));
        let prose = |v: f64| row(v, &[(&"x".repeat(50), 60.0), (&"x".repeat(50), 320.0)]);
        let head = row(100.0, &[("Journal", 60.0), ("17", 560.0)]);
        assert!(!is_table_row(&[head, prose(114.0), prose(128.0)], 0, true));
    }
}
