//! The tokenizer in a file.

use super::cursor::{Fraction, Reader, put, put_counted, put_fractions, put_numbers};
use super::error::ContainerError;
use crate::limits::{MAX_PIECE_BYTES, MAX_REPLACED, MAX_REPLACEMENT};
use crate::tokens::{Pieces, Replaced, Special, Tokenizer, Unigram};

/// Says which kind follows.
const UNIGRAM: u8 = 0;

pub(super) fn write(to: &mut Vec<u8>, tokenizer: &Tokenizer) {
    let Tokenizer::Unigram(unigram) = tokenizer;
    to.push(UNIGRAM);
    let (pieces, special) = (unigram.pieces(), unigram.special());
    put_numbers(to, &[special.begin, special.end, special.unknown]);
    put(to, pieces.count());
    put_numbers(to, pieces.ends());
    put_counted(to, pieces.bytes());
    put_fractions(to, unigram.scores());
    let replaced = unigram.replacements();
    put(to, replaced.count());
    put_numbers(to, replaced.from());
    put_numbers(to, replaced.ends());
    put(to, replaced.to().len());
    put_numbers(to, replaced.to());
}

/// `vocabulary` is the number of rows of the table: no token may be beyond it.
pub(super) fn read(from: &mut Reader<'_>, vocabulary: usize) -> Result<Tokenizer, ContainerError> {
    if from.byte("tokenizer")? != UNIGRAM {
        return Err(ContainerError::Invalid("tokenizer"));
    }
    let part = "tokenizer";
    let special = Special { begin: from.number(part)?, end: from.number(part)?, unknown: from.number(part)? };
    let count = from.count("vocabulary", vocabulary)?;
    let ends = from.numbers(part, count)?;
    let length = from.count("pieces", count * MAX_PIECE_BYTES)?;
    let pieces = Pieces::new(ends, from.take(part, length)?.to_vec()).ok_or(ContainerError::Invalid("pieces"))?;
    let scores = from.fractions(part, count, Fraction::Finite)?;
    let replaced = read_replacements(from)?;
    let invalid = ContainerError::Invalid(part);
    Ok(Tokenizer::Unigram(Unigram::new(pieces, scores, special, replaced).ok_or(invalid)?))
}

fn read_replacements(from: &mut Reader<'_>) -> Result<Replaced, ContainerError> {
    let part = "normalization map";
    let count = from.count(part, MAX_REPLACED)?;
    let (characters, ends) = (from.numbers(part, count)?, from.numbers(part, count)?);
    let length = from.count(part, count * MAX_REPLACEMENT)?;
    Replaced::new(characters, ends, from.numbers(part, length)?).ok_or(ContainerError::Invalid(part))
}
