//! The tokenizer in a file.

use super::cursor::{Fraction, Reader, put, put_counted, put_fractions, put_numbers};
use super::error::ContainerError;
use crate::limits::{MAX_PIECE_BYTES, MAX_RANGES, MAX_REPLACED, MAX_REPLACEMENT};
use crate::tokens::{Characters, Manner, Pieces, Ranges, Replaced, Spaces, Special, Tokenizer, Unigram, WordPiece};

const PART: &str = "tokenizer";
/// Says which kind follows. A Unigram in the manner of the first models has no bytes for it, so that their files stay the same.
const UNIGRAM: u8 = 0;
const WORD_PIECE: u8 = 1;
const UNIGRAM_IN_ITS_MANNER: u8 = 2;
/// In the order of their bytes in a file.
const SPACES: [Spaces; 4] = [Spaces::Single, Spaces::Trimmed, Spaces::Words, Spaces::All];

pub(super) fn write(to: &mut Vec<u8>, tokenizer: &Tokenizer) {
    match tokenizer {
        Tokenizer::Unigram(unigram) => write_unigram(to, unigram),
        Tokenizer::WordPiece(words) => {
            to.push(WORD_PIECE);
            put(to, words.longest_word() as usize);
            write_pieces(to, words.special(), words.pieces());
            let Characters { removed, replaced, alone } = words.characters();
            write_replacements(to, replaced);
            for ranges in [removed, alone] {
                put(to, ranges.first().len());
                put_numbers(to, ranges.first());
                put_numbers(to, ranges.last());
            }
        }
    }
}

fn write_unigram(to: &mut Vec<u8>, unigram: &Unigram) {
    let manner = unigram.manner();
    if manner == Manner::default() {
        to.push(UNIGRAM);
    } else {
        let spaces = SPACES.iter().position(|spaces| *spaces == manner.spaces).unwrap_or_default();
        to.extend([UNIGRAM_IN_ITS_MANNER, spaces as u8, u8::from(manner.joins_unknown)]);
    }
    write_pieces(to, unigram.special(), unigram.pieces());
    put_fractions(to, unigram.scores());
    write_replacements(to, unigram.replacements());
}

fn write_pieces(to: &mut Vec<u8>, special: Special, pieces: &Pieces) {
    put_numbers(to, &[special.begin, special.end, special.unknown]);
    put(to, pieces.count());
    put_numbers(to, pieces.ends());
    put_counted(to, pieces.bytes());
}

fn write_replacements(to: &mut Vec<u8>, replaced: &Replaced) {
    put(to, replaced.count());
    put_numbers(to, replaced.from());
    put_numbers(to, replaced.ends());
    put(to, replaced.to().len());
    put_numbers(to, replaced.to());
}

/// `vocabulary` is the number of rows of the table: no token may be beyond it.
pub(super) fn read(from: &mut Reader<'_>, vocabulary: usize) -> Result<Tokenizer, ContainerError> {
    match from.byte(PART)? {
        UNIGRAM => read_unigram(from, vocabulary, Manner::default()),
        WORD_PIECE => read_word_piece(from, vocabulary),
        UNIGRAM_IN_ITS_MANNER => {
            let invalid = ContainerError::Invalid(PART);
            let spaces = *SPACES.get(usize::from(from.byte(PART)?)).ok_or(invalid.clone())?;
            let manner = Manner { spaces, joins_unknown: from.byte(PART)? != 0 };
            // One model, one file: the first manner has the other kind.
            if manner == Manner::default() { Err(invalid) } else { read_unigram(from, vocabulary, manner) }
        }
        _ => Err(ContainerError::Invalid(PART)),
    }
}

fn read_unigram(from: &mut Reader<'_>, vocabulary: usize, manner: Manner) -> Result<Tokenizer, ContainerError> {
    let (special, pieces) = read_pieces(from, vocabulary)?;
    let scores = from.fractions(PART, pieces.count(), Fraction::Finite)?;
    let replaced = read_replacements(from)?;
    let unigram = Unigram::new(pieces, scores, special, replaced).ok_or(ContainerError::Invalid(PART))?;
    Ok(Tokenizer::Unigram(unigram.with_manner(manner)))
}

fn read_word_piece(from: &mut Reader<'_>, vocabulary: usize) -> Result<Tokenizer, ContainerError> {
    let longest_word = from.number(PART)?;
    let (special, pieces) = read_pieces(from, vocabulary)?;
    let replaced = read_replacements(from)?;
    let (removed, alone) = (read_ranges(from)?, read_ranges(from)?);
    let words = WordPiece::new(pieces, special, longest_word, Characters { removed, replaced, alone });
    Ok(Tokenizer::WordPiece(words.ok_or(ContainerError::Invalid(PART))?))
}

fn read_pieces(from: &mut Reader<'_>, vocabulary: usize) -> Result<(Special, Pieces), ContainerError> {
    let special = Special { begin: from.number(PART)?, end: from.number(PART)?, unknown: from.number(PART)? };
    let count = from.count("vocabulary", vocabulary)?;
    let ends = from.numbers(PART, count)?;
    let length = from.count("pieces", count * MAX_PIECE_BYTES)?;
    let pieces = Pieces::new(ends, from.take(PART, length)?.to_vec()).ok_or(ContainerError::Invalid("pieces"))?;
    Ok((special, pieces))
}

fn read_replacements(from: &mut Reader<'_>) -> Result<Replaced, ContainerError> {
    let part = "normalization map";
    let count = from.count(part, MAX_REPLACED)?;
    let (characters, ends) = (from.numbers(part, count)?, from.numbers(part, count)?);
    let length = from.count(part, count * MAX_REPLACEMENT)?;
    Replaced::new(characters, ends, from.numbers(part, length)?).ok_or(ContainerError::Invalid(part))
}

fn read_ranges(from: &mut Reader<'_>) -> Result<Ranges, ContainerError> {
    let part = "ranges of characters";
    let count = from.count(part, MAX_RANGES)?;
    Ranges::new(from.numbers(part, count)?, from.numbers(part, count)?).ok_or(ContainerError::Invalid(part))
}
