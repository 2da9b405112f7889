//! All of a file, from its first byte to its last.

use super::cursor::{Reader, put_counted};
use super::error::ContainerError;
use super::{encoder, tokenizer};
use crate::encoder::Encoder;
use crate::limits::MAX_LABEL_BYTES;
use crate::tokens::Tokenizer;

/// The first bytes of a file, with its version.
pub const MAGIC: &[u8; 16] = b"precis-meaning/1";

/// What a model says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Description {
    /// Its name, for people.
    pub name: String,
    /// The licence of its weights as its file, or who added it, gives it; empty if nobody does.
    pub licence: String,
    /// What is put before a question.
    pub query_prefix: String,
    /// What is put before a passage.
    pub passage_prefix: String,
}

/// All of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// What it says of itself.
    pub description: Description,
    /// How texts become tokens.
    pub tokenizer: Tokenizer,
    /// Its numbers.
    pub encoder: Encoder,
}

/// The file of these parts.
///
/// # Errors
/// [`ContainerError`] if the parts are not those of one model: what [`read`] refuses, this does not write.
pub fn write(parts: &Parts) -> Result<Vec<u8>, ContainerError> {
    let mut to = MAGIC.to_vec();
    let Description { name, licence, query_prefix, passage_prefix } = &parts.description;
    for label in [name, licence, query_prefix, passage_prefix] {
        put_counted(&mut to, label.as_bytes());
    }
    encoder::write_shape(&mut to, &parts.encoder.shape);
    tokenizer::write(&mut to, &parts.tokenizer);
    encoder::write(&mut to, &parts.encoder);
    read(&to)?;
    Ok(to)
}

/// Bytes that hold what a model says of itself, whatever it says: the first of a file.
pub const DESCRIPTION_BYTES: usize = MAGIC.len() + 4 * (4 + MAX_LABEL_BYTES);

/// What a model says of itself, from the first [`DESCRIPTION_BYTES`] of its file or more. The rest is not looked at.
///
/// # Errors
/// [`ContainerError`] if it is another kind of file.
pub fn describe(start: &[u8]) -> Result<Description, ContainerError> {
    description(&mut Reader::new(start.strip_prefix(MAGIC).ok_or(ContainerError::OtherKind)?))
}

fn description(from: &mut Reader<'_>) -> Result<Description, ContainerError> {
    let [name, licence, query_prefix, passage_prefix] =
        [label(from, "name")?, label(from, "licence")?, label(from, "prefix")?, label(from, "prefix")?];
    Ok(Description { name, licence, query_prefix, passage_prefix })
}

/// The parts of a file.
///
/// # Errors
/// [`ContainerError`] with the part that is not as it must be.
pub fn read(bytes: &[u8]) -> Result<Parts, ContainerError> {
    let mut from = Reader::new(bytes.strip_prefix(MAGIC).ok_or(ContainerError::OtherKind)?);
    let description = description(&mut from)?;
    let shape = encoder::read_shape(&mut from)?;
    let tokenizer = tokenizer::read(&mut from, shape.vocabulary)?;
    let encoder = encoder::read(&mut from, shape)?;
    if !from.is_at_end() {
        return Err(ContainerError::Long);
    }
    Ok(Parts { description, tokenizer, encoder })
}

/// One line of text: it is shown on terminals.
fn label(from: &mut Reader<'_>, part: &'static str) -> Result<String, ContainerError> {
    let count = from.count(part, MAX_LABEL_BYTES)?;
    let text = std::str::from_utf8(from.take(part, count)?).map_err(|_| ContainerError::Invalid(part))?;
    if text.chars().any(char::is_control) {
        return Err(ContainerError::Invalid(part));
    }
    Ok(text.to_owned())
}
