//! The layers of a model over the tokens of one text. One text at a time: no batch, whose shape could change anything.

mod attention;
mod steps;
mod work;

pub(crate) use work::Work;

use crate::encoder::{Encoder, Layer, Matrix, Pooling};
use crate::float;
use crate::kernel::{Kernel, with_wide_floats};
use attention::Attend;
use steps::{Add, Embed, Gelu, Scaled, ToWhole};

/// The vector of a text, of length one. `tokens` are below the vocabulary, at least one and at most as many as there are places.
/// `None` if what comes out is no number, as with a file that was made to do so.
pub(crate) fn vector(encoder: &Encoder, kernel: Kernel, tokens: &[u32]) -> Option<Vec<f32>> {
    let hidden = encoder.shape.hidden;
    let mut work = Work::new(&encoder.shape, tokens.len());
    with_wide_floats(Embed { encoder, tokens, states: &mut work.states });
    for layer in &encoder.layers {
        apply(layer, encoder, kernel, &mut work);
    }
    let pooled = match encoder.shape.pooling {
        Pooling::First => work.states[..hidden].to_vec(),
        Pooling::Mean => mean(&work.states, hidden),
    };
    unit(pooled)
}

fn apply(layer: &Layer, encoder: &Encoder, kernel: Kernel, work: &mut Work) {
    let (hidden, inner, epsilon) = (encoder.shape.hidden, encoder.shape.inner, encoder.shape.epsilon);
    let Work { states, asked, found, made, wide, whole, scales, sums, heads } = work;
    let mut product = |matrix: &Matrix, from: &[f32], length: usize, to: &mut [f32]| {
        with_wide_floats(ToWhole { from, length, whole, scales });
        let sums = &mut sums[..to.len()];
        kernel.products(&matrix.weights, &whole[..from.len()], length, sums);
        with_wide_floats(Scaled { matrix, scales, sums, to });
    };
    product(&layer.asked, states, hidden, asked);
    with_wide_floats(Attend { asked, hidden, count: encoder.shape.heads, heads, found });
    product(&layer.found, found, hidden, made);
    with_wide_floats(Add { states, made, norm: &layer.found_norm, epsilon });
    product(&layer.wide, states, hidden, wide);
    with_wide_floats(Gelu(wide));
    product(&layer.narrow, wide, inner, made);
    with_wide_floats(Add { states, made, norm: &layer.narrow_norm, epsilon });
}

fn mean(states: &[f32], hidden: usize) -> Vec<f32> {
    let mut total = vec![0.0_f32; hidden];
    for state in states.chunks_exact(hidden) {
        total.iter_mut().zip(state).for_each(|(total, value)| *total += value);
    }
    let by = 1.0 / (states.len() / hidden) as f32;
    total.into_iter().map(|value| value * by).collect()
}

/// Of length one; `None` if it has no length that is a number above zero.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = float::sum(&vector, |value| value * value).sqrt();
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    let by = 1.0 / length;
    vector.iter_mut().for_each(|value| *value *= by);
    vector.iter().all(|value| value.is_finite()).then_some(vector)
}

#[cfg(test)]
mod tests;
