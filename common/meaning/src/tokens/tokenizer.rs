//! Which way a text becomes tokens, and how many it may become.

use super::special::Special;
use super::unigram::Unigram;
use super::wordpiece::WordPiece;

/// Characters that are read for each token that there is room for; tokens of running text have three to five.
const CHARACTERS_PER_TOKEN: usize = 16;

/// How texts become tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Tokenizer {
    /// The likeliest way to divide a text into pieces, each with a likelihood: SentencePiece's Unigram.
    Unigram(Unigram),
    /// The longest pieces of each word: BERT's WordPiece.
    WordPiece(WordPiece),
}

impl Tokenizer {
    /// At most `most` tokens, at least two, with those that begin and end a text; each is below the vocabulary.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let end = text.char_indices().nth(most.saturating_mul(CHARACTERS_PER_TOKEN)).map_or(text.len(), |(at, _)| at);
        let own = match self {
            Self::Unigram(unigram) => unigram.tokens(&text[..end]),
            Self::WordPiece(words) => words.tokens(&text[..end]),
        };
        let special = self.special();
        let mut tokens = vec![special.begin];
        tokens.extend(own.into_iter().take(most.saturating_sub(2)));
        tokens.push(special.end);
        tokens
    }

    /// Tokens with a part of their own.
    pub fn special(&self) -> Special {
        match self {
            Self::Unigram(unigram) => unigram.special(),
            Self::WordPiece(words) => words.special(),
        }
    }
}
