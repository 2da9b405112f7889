//! Shape, table, places, norms and layers in a file.

use super::cursor::{Fraction, Reader, put, put_fractions, put_weights};
use super::error::ContainerError;
use crate::encoder::{BLOCK_BYTES, Encoder, HALVES_IN_BLOCK, Layer, Matrix, Norm, Pooling, Shape, Table, half};
use crate::limits::{MAX_HIDDEN, MAX_INNER, MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, ROW_STEP};

pub(super) fn write_shape(to: &mut Vec<u8>, shape: &Shape) {
    for number in [shape.hidden, shape.layers, shape.heads, shape.inner, shape.positions, shape.vocabulary] {
        put(to, number);
    }
    put_fractions(to, &[shape.epsilon]);
    to.push(match shape.pooling {
        Pooling::Mean => 0,
        Pooling::First => 1,
    });
}

pub(super) fn read_shape(from: &mut Reader<'_>) -> Result<Shape, ContainerError> {
    let shape = Shape {
        hidden: from.count("width", MAX_HIDDEN)?,
        layers: from.count("number of layers", MAX_LAYERS)?,
        heads: from.count("number of heads", MAX_HIDDEN)?,
        inner: from.count("inner width", MAX_INNER)?,
        positions: from.count("number of places", MAX_POSITIONS)?,
        vocabulary: from.count("vocabulary", MAX_VOCABULARY)?,
        epsilon: from.fraction("epsilon", Fraction::AtLeastZero)?,
        pooling: match from.byte("pooling")? {
            0 => Pooling::Mean,
            1 => Pooling::First,
            _ => return Err(ContainerError::Invalid("pooling")),
        },
    };
    check_shape(&shape)?;
    Ok(shape)
}

/// What no count alone says.
fn check_shape(shape: &Shape) -> Result<(), ContainerError> {
    let is_row = |length: usize| length > 0 && length.is_multiple_of(ROW_STEP);
    let checks = [
        (is_row(shape.hidden), "width"),
        (is_row(shape.inner), "inner width"),
        (shape.layers > 0, "number of layers"),
        (shape.heads > 0 && shape.hidden.is_multiple_of(shape.heads.max(1)), "number of heads"),
        // Room for the two tokens around a text and one of its own.
        (shape.positions > 2, "number of places"),
        (shape.vocabulary > 0, "vocabulary"),
    ];
    checks.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, part)| Err(ContainerError::Invalid(part)))
}

pub(super) fn write(to: &mut Vec<u8>, encoder: &Encoder) {
    match &encoder.table {
        Table::Halves(blocks) => {
            to.push(0);
            to.extend_from_slice(blocks);
        }
        Table::Whole { weights, scales } => {
            to.push(1);
            put_weights(to, weights);
            put_fractions(to, scales);
        }
    }
    put_fractions(to, &encoder.places);
    put_norm(to, &encoder.first_norm);
    for layer in &encoder.layers {
        put_matrix(to, &layer.asked);
        put_matrix(to, &layer.found);
        put_norm(to, &layer.found_norm);
        put_matrix(to, &layer.wide);
        put_matrix(to, &layer.narrow);
        put_norm(to, &layer.narrow_norm);
    }
}

fn put_matrix(to: &mut Vec<u8>, matrix: &Matrix) {
    put_weights(to, &matrix.weights);
    put_fractions(to, &matrix.scales);
    put_fractions(to, &matrix.bias);
}

fn put_norm(to: &mut Vec<u8>, norm: &Norm) {
    put_fractions(to, &norm.gain);
    put_fractions(to, &norm.shift);
}

pub(super) fn read(from: &mut Reader<'_>, shape: Shape) -> Result<Encoder, ContainerError> {
    let table = table(from, &shape)?;
    let places = from.fractions("places", shape.positions * shape.hidden, Fraction::Finite)?;
    let first_norm = norm(from, shape.hidden)?;
    // Grows with what the file really has: a count alone takes no memory.
    let mut layers = Vec::new();
    for _ in 0..shape.layers {
        layers.push(layer(from, &shape)?);
    }
    Ok(Encoder { shape, table, places, first_norm, layers })
}

fn table(from: &mut Reader<'_>, shape: &Shape) -> Result<Table, ContainerError> {
    let part = "table";
    match from.byte(part)? {
        0 => {
            let blocks = from.take(part, shape.vocabulary * (shape.hidden / HALVES_IN_BLOCK) * BLOCK_BYTES)?;
            let is_finite = |block: &[u8]| half(u16::from_le_bytes([block[0], block[1]])).is_finite();
            if !blocks.chunks_exact(BLOCK_BYTES).all(is_finite) {
                return Err(ContainerError::NotFinite(part));
            }
            Ok(Table::Halves(blocks.to_vec()))
        }
        1 => Ok(Table::Whole {
            weights: from.weights(part, shape.vocabulary * shape.hidden)?,
            scales: from.fractions(part, shape.vocabulary, Fraction::AtLeastZero)?,
        }),
        _ => Err(ContainerError::Invalid(part)),
    }
}

fn layer(from: &mut Reader<'_>, shape: &Shape) -> Result<Layer, ContainerError> {
    let (hidden, inner) = (shape.hidden, shape.inner);
    Ok(Layer {
        asked: matrix(from, 3 * hidden, hidden)?,
        found: matrix(from, hidden, hidden)?,
        found_norm: norm(from, hidden)?,
        wide: matrix(from, inner, hidden)?,
        narrow: matrix(from, hidden, inner)?,
        narrow_norm: norm(from, hidden)?,
    })
}

fn matrix(from: &mut Reader<'_>, rows: usize, length: usize) -> Result<Matrix, ContainerError> {
    let part = "layers";
    Ok(Matrix {
        weights: from.weights(part, rows * length)?,
        scales: from.fractions(part, rows, Fraction::AtLeastZero)?,
        bias: from.fractions(part, rows, Fraction::Finite)?,
    })
}

fn norm(from: &mut Reader<'_>, hidden: usize) -> Result<Norm, ContainerError> {
    let part = "layers";
    Ok(Norm {
        gain: from.fractions(part, hidden, Fraction::Finite)?,
        shift: from.fractions(part, hidden, Fraction::Finite)?,
    })
}
