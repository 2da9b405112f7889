//! Empty stripes that run down a stack of rows, and the evidence that a stripe is a gutter.

use super::gutter::{ALIGNED_EM, Gutter, GutterEvidence};
use super::rows::{LineSegment, SegmentRow};

/// Most stripes tracked at a time; limits the work. The widest are kept.
const MAX_STRIPES: usize = 48;
/// Width in ems and number of rows with text on each side that prove a gutter: the narrower the stripe, the more rows it takes to exclude
/// aligned spaces of justified lines.
const EVIDENCE: [(f64, usize); 4] = [(2.0, COLUMN_ROWS), (1.2, 4), (GUTTER_EM, 6), (NARROW_GUTTER_EM, 8)];
pub(super) const COLUMN_ROWS: usize = 3;
/// A narrower gutter must have straight text edges on both sides.
const GUTTER_EM: f64 = 1.0;
/// Least width of a gutter.
const NARROW_GUTTER_EM: f64 = 0.6;
/// Least characters on each side of a gutter known from other pages, in one row.
const KNOWN_CHARS: usize = 12;
/// Width from which a gutter needs no aligned line starts.
const WIDE_GUTTER_EM: f64 = 2.5;
/// Most lines of a label, least lines of the text next to it, and their least distance in ems.
const LABEL_ROWS: usize = 2;
const LABELLED_ROWS: usize = 4;
const LABEL_GAP_EM: f64 = 1.5;

/// An empty stripe common to all rows examined so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stripe {
    pub(super) lo: f64,
    pub(super) hi: f64,
    left: Side,
    right: Side,
}

/// The rows with text on one side of a stripe.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    rows: usize,
    first: usize,
    last: usize,
}

impl Side {
    fn with(self, has_text: bool, row: usize) -> Self {
        match has_text {
            true => Self { rows: self.rows + 1, first: if self.rows == 0 { row } else { self.first }, last: row },
            false => self,
        }
    }
}

impl Stripe {
    /// The whole width of a page, before any row is examined.
    pub(super) fn whole() -> Self {
        Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY, left: Side::default(), right: Side::default() }
    }

    /// The first and the last row in which both sides have text; `None` if the sides do not overlap.
    pub(super) fn overlap(&self) -> Option<(usize, usize)> {
        let (from, to) = (self.left.first.max(self.right.first), self.left.last.min(self.right.last));
        (self.left.rows > 0 && self.right.rows > 0 && from <= to).then_some((from, to))
    }

    /// The evidence that the stripe is a gutter, if there is any.
    pub(super) fn evidence(
        &self,
        rows: &[SegmentRow],
        from: usize,
        em: f64,
        known: &[Gutter],
    ) -> Option<GutterEvidence> {
        let width = self.hi - self.lo;
        let (first, last) = self.overlap()?;
        let is_known = known.iter().any(|gutter| gutter.matches((self.lo, self.hi), em));
        if is_known && rows[first..=last].iter().any(|row| self.has_text_on_both_sides(row)) {
            return Some(GutterEvidence::Known);
        }
        let both = self.left.rows.min(self.right.rows).min(last + 1 - first);
        if EVIDENCE.iter().any(|(ems, rows)| width >= ems * em && both >= *rows) {
            return is_aligned(rows, self, em).then_some(GutterEvidence::Rows);
        }
        let beside = self.left.first == from && self.right.first == from && self.left.last < from + LABEL_ROWS;
        let hangs = beside && self.left.rows <= LABEL_ROWS && self.right.rows >= LABELLED_ROWS;
        (hangs && width >= LABEL_GAP_EM * em && is_aligned_at(rows, self, from, self.right.last, em))
            .then_some(GutterEvidence::Label)
    }

    fn has_text_on_both_sides(&self, row: &SegmentRow) -> bool {
        let left = row.iter().rev().find(|s| s.u1 <= self.lo + 1e-6);
        let right = row.iter().find(|s| s.u0 >= self.hi - 1e-6);
        left.zip(right).is_some_and(|(left, right)| left.len.min(right.len) >= KNOWN_CHARS)
    }

    /// Number of rows in which both sides have text.
    pub(super) fn side_by_side(&self) -> usize {
        self.overlap().map_or(0, |(a, b)| b + 1 - a)
    }
}

/// Whether the stripe looks like a gutter: it is wide, or the lines on its right are aligned.
fn is_aligned(rows: &[SegmentRow], stripe: &Stripe, em: f64) -> bool {
    let Some((from, to)) = stripe.overlap() else {
        return false;
    };
    stripe.hi - stripe.lo >= WIDE_GUTTER_EM * em || is_aligned_at(rows, stripe, from, to, em)
}

fn is_aligned_at(rows: &[SegmentRow], stripe: &Stripe, from: usize, to: usize, em: f64) -> bool {
    let (mut starts, mut ends, mut right, mut left) = (0, 0, 0, 0);
    for row in &rows[from..=to] {
        if let Some(next) = row.iter().find(|s| s.u0 >= stripe.hi - 1e-6) {
            right += 1;
            starts += usize::from(next.u0 - stripe.hi < ALIGNED_EM * em);
        }
        if let Some(last) = row.iter().rev().find(|s| s.u1 <= stripe.lo + 1e-6) {
            left += 1;
            ends += usize::from(stripe.lo - last.u1 < ALIGNED_EM * em);
        }
    }
    match stripe.hi - stripe.lo >= GUTTER_EM * em {
        true => starts * 2 >= right,
        // A river of white in justified text may be as narrow, but its edges are ragged.
        false => starts * 10 >= right * 7 && ends * 10 >= left * 4,
    }
}

/// The parts of the stripes that the row leaves empty.
pub(super) fn narrow(stripes: &[Stripe], row: &SegmentRow, n: usize, em: f64) -> Vec<Stripe> {
    let mut out = Vec::with_capacity(stripes.len() + row.len());
    let gaps = gaps(row);
    let mut k = 0;
    for stripe in stripes {
        // Both lists are ascending: gaps that end before this stripe cannot meet a later one.
        while k < gaps.len() && gaps[k].1 <= stripe.lo {
            k += 1;
        }
        for gap in gaps[k..].iter().take_while(|gap| gap.0 < stripe.hi) {
            let (lo, hi) = (stripe.lo.max(gap.0), stripe.hi.min(gap.1));
            if hi - lo >= NARROW_GUTTER_EM * em {
                let left = stripe.left.with(gap.0.is_finite(), n);
                let right = stripe.right.with(gap.1.is_finite(), n);
                out.push(Stripe { lo, hi, left, right });
            }
        }
    }
    if out.len() > MAX_STRIPES {
        let mut widths: Vec<f64> = out.iter().map(|s| s.hi - s.lo).collect();
        widths.sort_by(|a, b| b.total_cmp(a));
        let least = widths[MAX_STRIPES - 1];
        out.retain(|s| s.hi - s.lo >= least);
        // Several stripes may be as wide as the narrowest one kept.
        out.truncate(MAX_STRIPES);
    }
    out
}

/// The empty parts of a row, ascending, including both margins.
pub(super) fn gaps(row: &SegmentRow) -> Vec<(f64, f64)> {
    let mut out = Vec::with_capacity(row.len() + 1);
    let mut lo = f64::NEG_INFINITY;
    for LineSegment { u0, u1, .. } in row {
        if *u0 > lo {
            out.push((lo, *u0));
        }
        lo = lo.max(*u1);
    }
    out.push((lo, f64::INFINITY));
    out
}

pub(super) fn height(row: &SegmentRow) -> f64 {
    row.first().map_or(0.0, |s| s.v)
}
