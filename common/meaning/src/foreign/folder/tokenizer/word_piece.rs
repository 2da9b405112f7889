//! BERT's way: words, and their longest pieces.

use super::around::around;
use super::characters::characters;
use super::file::{FILE, TokenizerFile, Vocabulary};
use crate::foreign::folder::error::FolderError;
use crate::foreign::folder::json;
use crate::limits::{MAX_VOCABULARY, MAX_WORD};
use crate::tokens::{CONTINUED, Special, WordPiece};

/// Characters of a word that is known, where a file says nothing.
const USUAL_WORD: u32 = 100;

pub(super) fn read(file: &TokenizerFile) -> Result<WordPiece, FolderError> {
    let before = json::kind(&file.pre_tokenizer);
    if before != "BertPreTokenizer" {
        return Err(FolderError::not_done(FILE, format!("the pre-tokenizer \"{before}\" with WordPiece")));
    }
    let continued = file.model.continuing_subword_prefix.as_deref().unwrap_or("##");
    if continued.as_bytes() != CONTINUED {
        return Err(FolderError::not_done(FILE, format!("\"{continued}\" before pieces within a word")));
    }
    let named = numbered(file)?;
    let unknown = file.model.unk_token.as_deref().unwrap_or("[UNK]");
    let missing = || FolderError::invalid(FILE, format!("its vocabulary has no \"{unknown}\""));
    let unknown = named.iter().position(|piece| *piece == unknown).ok_or_else(missing)? as u32;
    let [begin, end] = around(file)?;
    let longest_word = file.model.max_input_chars_per_word.unwrap_or(USUAL_WORD);
    if !(1..=MAX_WORD as u32).contains(&longest_word) {
        return Err(FolderError::not_done(FILE, format!("words of {longest_word} characters, not 1 to {MAX_WORD}")));
    }
    let special = Special { begin, end, unknown };
    let words = WordPiece::new(file.pieces(named)?, special, longest_word, characters(&file.normalizer)?);
    words.ok_or_else(|| FolderError::invalid(FILE, "a token around texts is not in its vocabulary"))
}

/// The pieces by their numbers; empty where a number has none.
fn numbered(file: &TokenizerFile) -> Result<Vec<&str>, FolderError> {
    let Vocabulary::Numbered(pieces) = &file.model.vocabulary else {
        return Err(FolderError::invalid(FILE, "the pieces of WordPiece have no numbers"));
    };
    let mut named: Vec<&str> = Vec::new();
    for (piece, number) in pieces {
        let at = *number as usize;
        if at >= MAX_VOCABULARY {
            return Err(FolderError::invalid(FILE, format!("the piece \"{piece}\" is number {number}")));
        }
        if at >= named.len() {
            named.resize(at + 1, "");
        }
        if !named[at].is_empty() {
            return Err(FolderError::invalid(FILE, format!("two pieces are number {number}")));
        }
        named[at] = piece;
    }
    Ok(named)
}
