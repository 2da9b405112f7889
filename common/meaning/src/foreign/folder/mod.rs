//! A folder as Hugging Face has them: an encoder of the family of BERT or XLM-RoBERTa in `model.safetensors`, with its settings and its
//! tokenizer in JSON. What such a folder asks for and we do not do is refused by name, so that no vector is silently another one.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `files` | which files those are |
//! | `config` | the numbers of `config.json` |
//! | `pooling` | the files of sentence-transformers: which states become the vector, of how much of a text |
//! | `safetensors` | the file of the weights: its header, its tensors |
//! | `layers` | the tensors as whole numbers |
//! | `divided` | weights that are far larger than the others of their row |
//! | `tokenizer` | `tokenizer.json` |
//! | `card` | what a folder says of itself to people |

mod card;
mod config;
mod divided;
mod error;
mod files;
mod json;
mod layers;
mod pooling;
mod safetensors;
mod tokenizer;

pub use card::licence_of_card;
pub use error::FolderError;
pub use files::FolderFiles;
pub use safetensors::MAX_HEADER_BYTES;

use crate::container::{Description, Parts};
use crate::tokens::Tokenizer;

/// The parts of the model in such a folder: every matrix and the table of pieces as whole numbers of eight bits with a scale a row.
/// A prefix that `description` leaves empty is the one of the folder, if it has one.
///
/// # Errors
/// [`FolderError`] with the file and what is wrong in it, or what it asks for that is not done.
pub fn from_folder(files: &FolderFiles<'_>, description: Description) -> Result<Parts, FolderError> {
    let config = config::read(files.config)?;
    let reading = pooling::read(files)?;
    let tokenizer = tokenizer::read(files.tokenizer)?;
    if reading.is_small_only && !tokenizer::makes_small(files.tokenizer)? {
        return Err(FolderError::not_done(pooling::READING, "do_lower_case with a tokenizer that keeps capitals"));
    }
    let encoder = layers::encoder(&safetensors::read(files.weights)?, &config, &reading)?;
    let (query, passage) = pooling::prompts(files.prompts)?;
    let or = |given: String, found: String| if given.is_empty() { found } else { given };
    let description = Description {
        query_prefix: or(description.query_prefix, query),
        passage_prefix: or(description.passage_prefix, passage),
        ..description
    };
    Ok(Parts { description, tokenizer, encoder })
}

/// The tokenizer of a `tokenizer.json` alone.
///
/// # Errors
/// As [`from_folder`].
pub fn tokenizer_of(file: &[u8]) -> Result<Tokenizer, FolderError> {
    tokenizer::read(file)
}

/// Whether a `model.safetensors` alone is one: its header, and the place of every tensor.
///
/// # Errors
/// As [`from_folder`].
pub fn weights_are_whole(file: &[u8]) -> Result<(), FolderError> {
    safetensors::read(file).map(drop)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod toy_folder;
