//! What is known of models: how much each takes, and what it charges.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`catalogue`] | a row for each model that is known |
//! | [`prices`] | what a call costs: the catalogue, and what the configuration says instead |
//! | `model_limits` | window, longest answer, and whether they share their room |
//!
//! Which vocabulary counts a model's tokens follows from its family, whoever serves it:
//! [`Tokenizer::of_model`](crate::tokens::Tokenizer::of_model).

pub mod catalogue;
mod model_limits;
pub mod prices;

pub use model_limits::{BudgetingMode, ModelLimits};
