//! The gap between two columns: its position, the evidence for it, and the side on which a segment lies.

use super::rows::LineSegment;

/// Largest distance, in ems, of line starts that count as aligned.
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

    /// Whether `gap` contains this gutter and ends where this gutter's right column begins.
    pub(super) fn matches(&self, gap: (f64, f64), em: f64) -> bool {
        gap.0 <= self.lo + ALIGNED_EM * em && (gap.1 - self.hi).abs() <= ALIGNED_EM * em
    }
}

/// The evidence that a stripe is a gutter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GutterEvidence {
    /// Many rows.
    Rows,
    /// Other pages have the same gutter.
    Known,
    /// A label next to lines that are indented behind it.
    Label,
}

/// The column of a segment, from 0.
pub(super) fn column_of(segment: &LineSegment, gutters: &[f64]) -> usize {
    let middle = (segment.u0 + segment.u1) / 2.0;
    gutters.iter().filter(|g| **g < middle).count()
}
