//! A text as the tokens that a model was trained on.

mod index;
mod pieces;
mod ranges;
mod replaced;
mod special;
mod tokenizer;
mod unigram;
mod wordpiece;

pub use pieces::Pieces;
pub use ranges::Ranges;
pub use replaced::Replaced;
pub use special::Special;
pub use tokenizer::Tokenizer;
pub(crate) use unigram::SPACE;
pub use unigram::{Manner, Spaces, Unigram};
pub(crate) use wordpiece::CONTINUED;
pub use wordpiece::{Characters, WordPiece};
