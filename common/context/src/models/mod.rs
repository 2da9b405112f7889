//! The known models: their limits and their prices.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`catalogue`] | a row for each known model |
//! | [`prices`] | the price of a call: the catalogue, and overrides from the configuration |
//! | `model_limits` | window, longest answer, and whether they share the window |
//!
//! The vocabulary that counts a model's tokens follows from its family, whoever serves it:
//! [`Tokenizer::of_model`](precis_text::tokens::Tokenizer::of_model).

pub mod catalogue;
mod model_limits;
pub mod prices;

pub use model_limits::{BudgetingMode, ModelLimits};
