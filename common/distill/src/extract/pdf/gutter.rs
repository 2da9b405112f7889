//! The space between two columns: where it lies, what shows it, and on which side of it a segment stands.

use super::rows::LineSegment;

/// Starts of lines within this many ems of each other are on one line.
pub(super) const ALIGNED_EM: f64 = 0.6;

/// An empty stripe between columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gutter {
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Gutter {
    pub(super) fn middle(&self) -> f64 {
        (self.lo + self.hi) / 2.0
    }

    /// Whether a gap holds this gutter, and what is right of it begins where this gutter's column does.
    pub(super) fn matches(&self, gap: (f64, f64), em: f64) -> bool {
        gap.0 <= self.lo + ALIGNED_EM * em && (gap.1 - self.hi).abs() <= ALIGNED_EM * em
    }
}

/// What shows that a stripe is a gutter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GutterEvidence {
    /// Many rows.
    Rows,
    /// Other pages have the same gutter.
    Known,
    /// A label beside lines that hang behind it.
    Label,
}

/// The column that a segment stands in, from 0.
pub(super) fn column_of(segment: &LineSegment, gutters: &[f64]) -> usize {
    let middle = (segment.u0 + segment.u1) / 2.0;
    gutters.iter().filter(|g| **g < middle).count()
}
