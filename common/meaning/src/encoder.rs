//! The numbers of a model: whole ones where they are multiplied, fractions beside them.

/// What a model is made of, in numbers of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Numbers of a token's state, and of a vector.
    pub hidden: usize,
    /// Layers, from the first to the last.
    pub layers: usize,
    /// Parts that a layer's attention is divided in; divides `hidden`.
    pub heads: usize,
    /// Numbers between the two matrices of a layer's second half.
    pub inner: usize,
    /// Places of a text that are told apart.
    pub positions: usize,
    /// Rows of the table of pieces.
    pub vocabulary: usize,
    /// Added to a variance before its root.
    pub epsilon: f32,
    /// How the states of the tokens become one vector.
    pub pooling: Pooling,
}

/// How the states of the tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The state of the first token.
    First,
}

/// Rows of whole numbers, each row with what to multiply its sums by and what to add then.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Row after row.
    pub weights: Vec<i8>,
    /// One a row.
    pub scales: Vec<f32>,
    /// One a row.
    pub bias: Vec<f32>,
}

/// What follows the sum of a state and what a half of a layer made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Norm {
    /// By what each number is multiplied.
    pub gain: Vec<f32>,
    /// What is added to each.
    pub shift: Vec<f32>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Query, key and value, one under the other: three times `hidden` rows of `hidden`.
    pub asked: Matrix,
    /// What attention found, as a state.
    pub found: Matrix,
    /// After the first half.
    pub found_norm: Norm,
    /// `inner` rows of `hidden`.
    pub wide: Matrix,
    /// `hidden` rows of `inner`.
    pub narrow: Matrix,
    /// After the second half.
    pub narrow_norm: Norm,
}

/// A row for every piece of the vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub enum Table {
    /// Blocks of 32 numbers in 18 bytes: a scale of 16 bits, then 16 bytes with a number in each half, number `j` in the low half of byte
    /// `j` and number `j + 16` in the high one; 8 stands for zero. Known as Q4_0.
    Halves(Vec<u8>),
    /// Whole numbers, and one scale a row.
    Whole {
        /// Row after row.
        weights: Vec<i8>,
        /// One a row.
        scales: Vec<f32>,
    },
}

/// All numbers of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    /// How many there are of each.
    pub shape: Shape,
    /// A row for every piece.
    pub table: Table,
    /// A row for every place of a text.
    pub places: Vec<f32>,
    /// After piece and place are added.
    pub first_norm: Norm,
    /// From the first to the last.
    pub layers: Vec<Layer>,
}

/// Numbers of a block of [`Table::Halves`].
pub const HALVES_IN_BLOCK: usize = 32;
/// Bytes of a block of [`Table::Halves`].
pub const BLOCK_BYTES: usize = 18;

/// A fraction of 16 bits as one of 32; exact.
pub fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 0x1F, f32::from(bits & 0x3FF));
    match exponent {
        0 => sign * fraction * f32::from_bits((127 - 24) << 23),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * f32::from_bits((u32::from(exponent) + 127 - 15) << 23),
    }
}

/// The numbers of a row of blocks.
pub fn halves(blocks: &[u8], row: &mut [f32]) {
    for (block, row) in blocks.chunks_exact(BLOCK_BYTES).zip(row.chunks_exact_mut(HALVES_IN_BLOCK)) {
        let scale = half(u16::from_le_bytes([block[0], block[1]]));
        for (at, byte) in block[2..].iter().enumerate() {
            row[at] = (f32::from(byte & 0x0F) - 8.0) * scale;
            row[at + 16] = (f32::from(byte >> 4) - 8.0) * scale;
        }
    }
}

impl Table {
    /// Writes the row of a piece, which is below the vocabulary.
    pub(crate) fn row(&self, piece: usize, row: &mut [f32]) {
        match self {
            Self::Halves(blocks) => {
                let bytes = row.len() / HALVES_IN_BLOCK * BLOCK_BYTES;
                halves(&blocks[piece * bytes..(piece + 1) * bytes], row);
            }
            Self::Whole { weights, scales } => {
                let from = &weights[piece * row.len()..(piece + 1) * row.len()];
                for (to, from) in row.iter_mut().zip(from) {
                    *to = f32::from(*from) * scales[piece];
                }
            }
        }
    }
}

/// Rows of fractions as rows of whole numbers from -127 to 127, and a scale a row.
pub fn whole_rows(rows: &[f32], length: usize) -> (Vec<i8>, Vec<f32>) {
    let mut whole = vec![0_i16; length];
    let mut scales = Vec::with_capacity(rows.len() / length);
    let mut weights = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(length) {
        scales.push(crate::float::to_whole(row, crate::limits::MAX_WEIGHT, &mut whole));
        weights.extend(whole.iter().map(|value| *value as i8));
    }
    (weights, scales)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_sixteen_bits_are_exact() {
        let known = [
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0400, 6.103_515_6e-5),
            (0, 0.0),
        ];
        for (bits, value) in known {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7C00).is_infinite() && half(0x7E00).is_nan());
    }

    #[test]
    fn a_block_holds_its_low_halves_before_its_high_ones() {
        let mut block = [0x88_u8; BLOCK_BYTES];
        block[..2].copy_from_slice(&0x3C00_u16.to_le_bytes());
        block[2] = 0xF1;
        let mut row = [9.0_f32; HALVES_IN_BLOCK];
        halves(&block, &mut row);
        assert_eq!((row[0], row[16], row[1], row[31]), (-7.0, 7.0, 0.0, 0.0));
    }

    #[test]
    fn whole_rows_are_near_their_fractions() {
        let rows: Vec<f32> = (0..64).map(|at| (at as f32 * 0.7).sin()).collect();
        let (weights, scales) = whole_rows(&rows, 32);
        for (at, value) in rows.iter().enumerate() {
            assert!((f32::from(weights[at]) * scales[at / 32] - value).abs() <= 0.5 / 127.0 + 1e-6);
        }
    }
}
