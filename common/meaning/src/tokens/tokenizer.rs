//! Which way a text becomes tokens, and how many it may become.

use super::unigram::Unigram;

/// Characters that are read for each token that there is room for; tokens of running text have three to five.
const CHARACTERS_PER_TOKEN: usize = 16;

/// How texts become tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Tokenizer {
    /// The likeliest way to divide a text into pieces, each with a likelihood: SentencePiece's Unigram.
    Unigram(Unigram),
}

impl Tokenizer {
    /// At most `most` tokens, at least two, with those that begin and end a text; each is below the vocabulary.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let Self::Unigram(unigram) = self;
        let end = text.char_indices().nth(most.saturating_mul(CHARACTERS_PER_TOKEN)).map_or(text.len(), |(at, _)| at);
        let special = unigram.special();
        let mut tokens = vec![special.begin];
        let own = unigram.tokens(&text[..end]);
        tokens.extend(own.into_iter().take(most.saturating_sub(2)));
        tokens.push(special.end);
        tokens
    }
}
