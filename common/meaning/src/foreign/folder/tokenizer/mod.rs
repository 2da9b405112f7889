//! `tokenizer.json`: the file of the library "tokenizers", as far as encoders of the two families use it.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `file` | what such a file has |
//! | `around` | the tokens around a text |
//! | `word_piece` | BERT's way: words, and their longest pieces |
//! | `characters` | what BERT's way knows of characters |
//! | `unigram` | SentencePiece's way: the likeliest pieces |
//! | `charsmap` | its map of characters |

mod around;
mod characters;
mod charsmap;
mod file;
mod unigram;
mod word_piece;

use super::error::FolderError;
use super::json;
use crate::tokens::Tokenizer;
use file::{FILE, TokenizerFile, Vocabulary};

pub(super) fn read(bytes: &[u8]) -> Result<Tokenizer, FolderError> {
    let file: TokenizerFile = json::read(FILE, bytes)?;
    if let Some(token) = file.added_tokens.iter().find(|token| !token.special) {
        return Err(FolderError::not_done(FILE, format!("the added token \"{}\"", token.content)));
    }
    let kind = file.model.kind.as_deref().unwrap_or(match file.model.vocabulary {
        Vocabulary::Scored(_) => "Unigram",
        Vocabulary::Numbered(_) if file.model.merges.is_none() => "WordPiece",
        Vocabulary::Numbered(_) => "BPE",
    });
    match kind {
        "Unigram" => Ok(Tokenizer::Unigram(unigram::read(&file)?)),
        "WordPiece" => Ok(Tokenizer::WordPiece(word_piece::read(&file)?)),
        other => Err(FolderError::not_done(FILE, format!("the tokenizer {other}"))),
    }
}

/// Whether capitals become small letters.
pub(super) fn makes_small(bytes: &[u8]) -> Result<bool, FolderError> {
    let file: TokenizerFile = json::read(FILE, bytes)?;
    Ok(json::is_true(&file.normalizer, "lowercase"))
}
