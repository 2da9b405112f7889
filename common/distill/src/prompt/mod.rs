//! Prompts: a typed task becomes the messages a language model reads, and the model's text becomes a typed answer.
//!
//! This module owns the one gate before dispatch: the layered payload is written, counted as the provider will count it, fitted
//! into that provider's room and only then handed out. Nothing it returns is over its budget; what was left out to get there is
//! recorded. It refuses to know how a payload travels, who answers it and what that costs.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`limits`] | how much each model takes, and how much of it one call may use |
//! | [`layers`] | the layers of a payload, L1 to L5, and what each of them cost |
//! | [`render`] | the wording: versioned templates, untrusted text between unforgeable marks |
//! | [`fit`] | cutting a payload until it fits |
//! | `share` | the share that the course of research may take |
//! | `earlier`, `carry`, `history` | what was before: background, carried context, earlier turns |
//! | [`schema`] | what the answer to each task must look like |
//! | [`read`] | an answer out of a model's text |

mod carry;
mod earlier;
mod evidence;
pub mod fit;
mod history;
pub mod layers;
pub mod limits;
pub mod read;
mod render;
pub mod schema;
mod share;
pub(crate) mod truncate;
mod vendors;
mod window;

pub use carry::{MAX_SECTIONS, SECTION_CHARS, compact};
pub use earlier::{earlier_tokens, unread};
pub use fit::{Attempt, Cut, Fitted, OverBudget, prepare, text_room};
pub use history::{MAX_MESSAGES, TOOL_RESULT_CHARS, compacted_history};
pub use layers::{Layer, LayerCount, Message, Speaker};
pub use limits::{
    ANALYSIS_BUDGET_PERCENT, BudgetingMode, LimitOverride, Limits, ModelLimits, Room, SYNTHESIS_BUDGET_PERCENT,
};
pub use read::{read, step_down};
pub use schema::{OutputSchema, Tool};
pub(crate) use share::messages_out;
pub use share::{HISTORY_PERCENT, TURN_PERCENT};
pub use window::WindowSum;

/// Counts the tokens of a text.
pub type Count<'a> = &'a dyn Fn(&str) -> u64;
