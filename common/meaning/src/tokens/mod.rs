//! A text as the tokens that a model was trained on.

mod index;
mod pieces;
mod replaced;
mod special;
mod tokenizer;
mod unigram;

pub use pieces::Pieces;
pub use replaced::Replaced;
pub use special::Special;
pub use tokenizer::Tokenizer;
pub use unigram::Unigram;
