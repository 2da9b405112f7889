//! Counts the tokens of a text for a model, exactly or estimated, and manages budgets of tokens.
//!
//! Windows and prices of models are known to the crate of context.
//!
//! ```
//! use precis_text::tokens::{TokenBudget, Tokenizer, count};
//!
//! assert_eq!(count("hello world"), 2);
//! assert!(Tokenizer::of_model("openai:gpt-5.5").is_exact());
//! let mut budget = TokenBudget::new(1_000).reserving(200);
//! assert!(budget.allocate(700) && !budget.allocate(200));
//! assert_eq!(budget.left(), 100);
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`tokenizer`] | the vocabulary of a model, and counting by it |
//! | [`mod@estimate`] | a count for models with an unknown vocabulary |
//! | [`vocabulary`] | counting by a vocabulary, in little memory |
//! | [`pieces`] | the pieces of a text that are merged on their own |
//! | [`merge`] | merging the pairs of a short piece |
//! | [`budget`] | a budget of tokens |

mod budget;
mod estimate;
mod merge;
mod pieces;
mod tokenizer;
mod vocabulary;

pub use budget::TokenBudget;
pub use estimate::{by_script, estimate};
pub use tokenizer::Tokenizer;

/// Tokens of `text` in `o200k_base`, exactly; sessions, ledgers and the built-in model count in it. Text that looks like a special token
/// is counted as ordinary text.
#[must_use]
pub fn count(text: &str) -> u64 {
    Tokenizer::O200k.count(text)
}

#[cfg(test)]
mod golden;
