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
//! | `supplement` | raw notes beside the findings of a report |
//! | `window_share` | the share that the course of research may take |
//! | `earlier_context`, `carried_context`, `history` | what was before: background, carried context, earlier turns |
//! | [`schema`] | what the answer to each task must look like |
//! | [`mod@read`] | an answer out of a model's text |

mod carried_context;
mod earlier_context;
mod evidence;
mod evidence_cut;
pub mod fit;
mod history;
pub mod layers;
pub mod limits;
pub mod read;
mod render;
pub mod schema;
mod supplement;
pub(crate) mod truncate;
mod window;
mod window_share;

pub use carried_context::{MAX_SECTIONS, SECTION_CHARS, compact};
pub use earlier_context::{earlier_tokens, unread};
pub use evidence_cut::EvidenceCut;
pub use fit::{Attempt, FittedPayload, OverBudget, RATINGS_TOKENS, prepare, text_room};
pub use history::{MAX_MESSAGES, TOOL_RESULT_CHARS, compacted_history};
pub use layers::{Layer, LayerCount, Message, Speaker};
pub use limits::{ANALYSIS_BUDGET_PERCENT, LimitOverride, Limits, Room, SYNTHESIS_BUDGET_PERCENT};
pub use read::{read, step_down};
pub use schema::{OutputSchema, Tool};
pub use supplement::{FREE_PERCENT, SUPPLEMENT_PERCENT};
pub use window::WindowSum;
pub(crate) use window_share::messages_out;
pub use window_share::{HISTORY_PERCENT, TURN_PERCENT};

/// Counts the tokens of a text.
pub type Count<'a> = &'a dyn Fn(&str) -> u64;
