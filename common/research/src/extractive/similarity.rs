//! Similarity of meaning on the scale of a task: where a cosine lies between the lowest and the highest of what the task has.
//!
//! The cosines of one model lie close together and elsewhere for each question, so that only their order within a task tells something.

use precis_proto::task::TaskPassage;

/// Place of a cosine between two others.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    fn of(cosines: impl Iterator<Item = f64> + Clone) -> Self {
        let low = cosines.clone().fold(f64::INFINITY, f64::min);
        Self { low, high: cosines.fold(f64::NEG_INFINITY, f64::max) }
    }

    /// 0 to 1; `None` without a cosine, 0 if all are the same.
    fn place(self, cosine: Option<f64>) -> Option<f64> {
        let place = |cosine: f64| ((cosine - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        cosine.filter(|cosine| cosine.is_finite()).map(|cosine| if self.high > self.low { place(cosine) } else { 0.0 })
    }
}

/// The cosines of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Similarities {
    passages: Span,
    units: Span,
    /// Where passages lie on average: what a passage without a cosine is taken for, since it may be anything.
    usual: f64,
}

impl Similarities {
    pub(super) fn new(passages: &[TaskPassage]) -> Self {
        let units = passages.iter().flat_map(|passage| passage.similarity.units.iter().copied().flatten());
        let wholes = passages.iter().filter_map(|passage| passage.similarity.whole);
        let span = Span::of(wholes.clone());
        let places: Vec<f64> = wholes.filter_map(|whole| span.place(Some(whole))).collect();
        let usual = if places.is_empty() { 0.0 } else { places.iter().sum::<f64>() / places.len() as f64 };
        Self { passages: span, units: Span::of(units), usual }
    }

    /// Where a passage lies, 0 to 1.
    pub(super) fn of_passage(self, passage: &TaskPassage) -> f64 {
        self.passages.place(passage.similarity.whole).unwrap_or(self.usual)
    }

    /// Where a unit of a passage lies, 0 to 1. Those of a passage that was not read closely lie where it lies.
    pub(super) fn of_unit(self, passage: &TaskPassage, unit: usize) -> f64 {
        match passage.similarity.units.is_empty() {
            true => self.of_passage(passage),
            false => self.units.place(cosine(passage, unit)).unwrap_or_default(),
        }
    }
}

/// The cosine of a unit, by its place in the passage.
pub(super) fn cosine(passage: &TaskPassage, unit: usize) -> Option<f64> {
    passage.similarity.units.get(unit).copied().flatten()
}
