//! A `tokenizer.json` is read or refused; one that is read gives every text tokens of its own vocabulary, and not more than asked for.

#![no_main]

use libfuzzer_sys::fuzz_target;
use precis_meaning::foreign::tokenizer_of;
use precis_meaning::tokens::Tokenizer;

const MOST: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let Ok(tokenizer) = tokenizer_of(bytes) else { return };
    let count = match &tokenizer {
        Tokenizer::Unigram(unigram) => unigram.pieces().count(),
        Tokenizer::WordPiece(words) => words.pieces().count(),
    };
    for text in ["", "the quick brown fox", "быстрая лиса 快速的 ξ [SEP]", &"a".repeat(2_000)] {
        let tokens = tokenizer.tokens(text, MOST);
        assert!((2..=MOST).contains(&tokens.len()));
        assert!(tokens.iter().all(|token| (*token as usize) < count));
    }
});
