//! The steps between sums of products; each token for itself.

use crate::encoder::{Encoder, Matrix, Norm};
use crate::kernel::Fractions;
use crate::{float, limits};

/// The state of each token before the first layer: its piece and its place.
pub(super) struct Embed<'a> {
    pub(super) encoder: &'a Encoder,
    pub(super) tokens: &'a [u32],
    pub(super) states: &'a mut [f32],
}

impl Fractions for Embed<'_> {
    #[inline(always)]
    fn run(self) {
        let Encoder { shape, table, places, first_norm, .. } = self.encoder;
        let states = self.states.chunks_exact_mut(shape.hidden);
        for ((token, state), place) in self.tokens.iter().zip(states).zip(places.chunks_exact(shape.hidden)) {
            table.row(*token as usize, state);
            state.iter_mut().zip(place).for_each(|(state, place)| *state += place);
            float::normalize(state, &first_norm.gain, &first_norm.shift, shape.epsilon);
        }
    }
}

/// What is multiplied next as whole numbers, with a scale for each token.
pub(super) struct ToWhole<'a> {
    pub(super) from: &'a [f32],
    pub(super) length: usize,
    pub(super) whole: &'a mut [i16],
    pub(super) scales: &'a mut [f32],
}

impl Fractions for ToWhole<'_> {
    #[inline(always)]
    fn run(self) {
        let whole = self.whole.chunks_exact_mut(self.length);
        for ((from, whole), scale) in self.from.chunks_exact(self.length).zip(whole).zip(self.scales) {
            *scale = float::to_whole(from, limits::MAX_ACTIVATION, whole);
        }
    }
}

/// Sums of products as fractions, with the bias of each row.
pub(super) struct Scaled<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [i32],
    pub(super) to: &'a mut [f32],
}

impl Fractions for Scaled<'_> {
    #[inline(always)]
    fn run(self) {
        let Matrix { scales, bias, .. } = self.matrix;
        let to = self.to.chunks_exact_mut(scales.len());
        for ((sums, to), token) in self.sums.chunks_exact(scales.len()).zip(to).zip(self.scales) {
            for (((to, sum), scale), bias) in to.iter_mut().zip(sums).zip(scales).zip(bias) {
                *to = *sum as f32 * (scale * token) + bias;
            }
        }
    }
}

/// Adds what half of a layer made to the states, and evens these out.
pub(super) struct Add<'a> {
    pub(super) states: &'a mut [f32],
    pub(super) made: &'a [f32],
    pub(super) norm: &'a Norm,
    pub(super) epsilon: f32,
}

impl Fractions for Add<'_> {
    #[inline(always)]
    fn run(self) {
        let Norm { gain, shift } = self.norm;
        for (state, made) in self.states.chunks_exact_mut(gain.len()).zip(self.made.chunks_exact(gain.len())) {
            state.iter_mut().zip(made).for_each(|(state, made)| *state += made);
            float::normalize(state, gain, shift, self.epsilon);
        }
    }
}

/// Between the two matrices of a layer's second half.
pub(super) struct Gelu<'a>(pub(super) &'a mut [f32]);

impl Fractions for Gelu<'_> {
    #[inline(always)]
    fn run(self) {
        float::gelu(self.0);
    }
}
