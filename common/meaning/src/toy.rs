//! A model of two layers, made here: enough to try everything but meaning.

use crate::container::{Description, Parts};
use crate::encoder::{Encoder, Layer, Matrix, Norm, Pooling, Shape, Table, whole_rows};
use crate::tokens::{Pieces, Replaced, Special, Tokenizer, Unigram};

/// Numbers that look like chance and are the same on every machine.
struct Chance(u64);

impl Chance {
    fn fractions(&mut self, count: usize, most: f32) -> Vec<f32> {
        (0..count)
            .map(|_| {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0) * most
            })
            .collect()
    }

    fn matrix(&mut self, rows: usize, length: usize) -> Matrix {
        let (weights, scales) = whole_rows(&self.fractions(rows * length, 0.3), length);
        Matrix { weights, scales, bias: self.fractions(rows, 0.1) }
    }

    fn norm(&mut self, hidden: usize) -> Norm {
        let gain = self.fractions(hidden, 0.1).into_iter().map(|value| value + 1.0).collect();
        Norm { gain, shift: self.fractions(hidden, 0.1) }
    }
}

/// Two layers of 64 numbers, three heads' worth of letters, 16 places.
pub(crate) fn parts() -> Parts {
    let pieces = ["<s>", "</s>", "<unk>", "▁", "a", "b", "c", "d", "e", "▁a", "ab", "cd", "▁be", "é"];
    let mut ends = Vec::new();
    let mut bytes = Vec::new();
    for piece in pieces {
        bytes.extend_from_slice(piece.as_bytes());
        ends.push(bytes.len() as u32);
    }
    let scores = (0..pieces.len()).map(|at| if at < 3 { 0.0 } else { -2.0 - at as f32 / 8.0 }).collect();
    let special = Special { begin: 0, end: 1, unknown: 2 };
    let map = Replaced::new(vec![0x09, 0xE8], vec![1, 2], vec![0x20, 0xE9]).expect("valid");
    let unigram = Unigram::new(Pieces::new(ends, bytes).expect("valid"), scores, special, map).expect("valid");
    let shape = Shape {
        hidden: 64,
        layers: 2,
        heads: 4,
        inner: 128,
        positions: 16,
        vocabulary: 16,
        epsilon: 1e-12,
        pooling: Pooling::Mean,
    };
    let mut chance = Chance(7);
    let (weights, scales) = whole_rows(&chance.fractions(shape.vocabulary * shape.hidden, 1.0), shape.hidden);
    let places = chance.fractions(shape.positions * shape.hidden, 0.2);
    let first_norm = chance.norm(shape.hidden);
    let layers = (0..shape.layers)
        .map(|_| Layer {
            asked: chance.matrix(3 * shape.hidden, shape.hidden),
            found: chance.matrix(shape.hidden, shape.hidden),
            found_norm: chance.norm(shape.hidden),
            wide: chance.matrix(shape.inner, shape.hidden),
            narrow: chance.matrix(shape.hidden, shape.inner),
            narrow_norm: chance.norm(shape.hidden),
        })
        .collect();
    let description = Description {
        name: "toy".into(),
        licence: "MIT".into(),
        query_prefix: "a: ".into(),
        passage_prefix: "b: ".into(),
    };
    let encoder = Encoder { shape, table: Table::Whole { weights, scales }, places, first_norm, layers };
    Parts { description, tokenizer: Tokenizer::Unigram(unigram), encoder }
}
