//! Prompts: turns a typed task into the messages for a language model, and the model's text into a typed answer.
//!
//! This module owns the only gate before dispatch: the layered payload is written, counted as the provider will count it, fitted into that
//! provider's room and only then returned. No payload it returns is over its budget; whatever was left out is recorded. Transport,
//! providers and prices are outside of this module.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`limits`] | the limits of each model, and the share of them that one call may use |
//! | [`layers`] | the layers of a payload, L1 to L5, and the tokens of each |
//! | [`render`] | the wording: versioned templates, untrusted text between unforgeable marks |
//! | [`fit`] | cuts a payload until it fits |
//! | `supplement` | raw notes added to the findings of a report |
//! | `window_share` | the share of a window for earlier rounds and turns of research |
//! | `earlier_context`, `carried_context`, `history` | earlier context: background, carried context, earlier turns |
//! | [`schema`] | the answer schema of each task |
//! | [`mod@read`] | parses a model's text into an answer |

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
mod window;
mod window_share;

pub use carried_context::{MAX_SECTIONS, SECTION_CHARS, compact};
pub use earlier_context::{earlier_tokens, unread};
pub use evidence_cut::EvidenceCut;
pub use fit::{Attempt, FittedPayload, OverBudget, RATINGS_TOKENS, prepare, text_room};
pub use history::{MAX_MESSAGES, TOOL_RESULT_CHARS, compacted_history};
pub use layers::{Layer, LayerCount, Message, Speaker};
pub use limits::{ANALYSIS_BUDGET_PERCENT, LimitOverride, Limits, Room, SYNTHESIS_BUDGET_PERCENT};
pub use read::{going_on, join_parts, parse_beginning, read, step_down};
pub use schema::{OutputSchema, Tool};
pub use supplement::{FREE_PERCENT, SUPPLEMENT_PERCENT};
pub use window::WindowSum;
pub use window_share::messages_out;
pub use window_share::{HISTORY_PERCENT, TURN_PERCENT};
