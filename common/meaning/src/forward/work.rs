//! The memory of one pass: taken once, before the first layer.

use super::attention::Heads;
use crate::encoder::Shape;

/// What lies between the steps of a layer, token after token.
pub(crate) struct Work {
    /// The state of each token.
    pub(super) states: Vec<f32>,
    /// Query, key and value of each token.
    pub(super) asked: Vec<f32>,
    /// What attention found.
    pub(super) found: Vec<f32>,
    /// What is added to a state.
    pub(super) made: Vec<f32>,
    /// Between the two matrices of the second half.
    pub(super) wide: Vec<f32>,
    /// What is multiplied next, as whole numbers.
    pub(super) whole: Vec<i16>,
    /// By what the whole numbers of each token are multiplied.
    pub(super) scales: Vec<f32>,
    /// Sums of products.
    pub(super) sums: Vec<i32>,
    /// One head at a time.
    pub(super) heads: Heads,
}

impl Work {
    pub(super) fn new(shape: &Shape, tokens: usize) -> Self {
        let widest = shape.inner.max(shape.hidden);
        Self {
            states: vec![0.0; tokens * shape.hidden],
            asked: vec![0.0; tokens * 3 * shape.hidden],
            found: vec![0.0; tokens * shape.hidden],
            made: vec![0.0; tokens * shape.hidden],
            wide: vec![0.0; tokens * shape.inner],
            whole: vec![0; tokens * widest],
            scales: vec![0.0; tokens],
            sums: vec![0; tokens * shape.inner.max(3 * shape.hidden)],
            heads: Heads::new(shape.hidden / shape.heads, tokens),
        }
    }
}
