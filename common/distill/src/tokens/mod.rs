//! Tokens: how many a text has for a model, exactly or estimated, and an allowance of them that is used up.
//!
//! Windows and prices are not known here.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`tokenizer`] | which vocabulary a model has, and counting by it |
//! | [`mod@estimate`] | a count for models whose vocabulary is not at hand |
//! | [`vocabulary`] | counting by a vocabulary, in little memory |
//! | [`merge`] | the pairs of a short piece |
//! | [`budget`] | an allowance of tokens |

mod budget;
mod estimate;
mod merge;
mod tokenizer;
mod vocabulary;

pub use budget::TokenBudget;
pub use estimate::{by_script, estimate};
pub use tokenizer::Tokenizer;

/// Tokens of `text` in `o200k_base`, exactly: what sessions, ledgers and the built-in model count by. Text that looks like a
/// special token counts as the text it is.
#[must_use]
pub fn count(text: &str) -> u64 {
    Tokenizer::O200k.count(text)
}

#[cfg(test)]
mod golden;
