//! The record of a model call: its cost and the tokens of its prompt layers. The spending of a session is the sum of its records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;
use crate::task::Role;

/// One model call in the spend ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// Key of the call: hash of provider, model, parameters, payload and prompt version.
    pub call_key: String,
    /// Phase of the call, or of the job that made it; absent if an older worker recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Role of the call.
    pub role: Role,
    /// `NAME:MODEL` that was called.
    pub provider: String,
    /// Whether this session paid for the call; a repeat after a crash is not paid again.
    pub paid: bool,
    /// Input tokens, as counted by the provider.
    pub input_tokens: u64,
    /// Input tokens that the provider had cached; 0 if it does not report them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
    /// Output tokens, as counted by the provider.
    pub output_tokens: u64,
    /// Cost in US dollars.
    pub cost_usd: f64,
    /// Whether the answer was unreadable and another one was requested: it was paid for, but not used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// Whether it was sent and nobody used an answer: the caller stopped waiting, or none came whole. The tokens are those known to be
    /// used; without an answer that is the input, as counted here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The tokens of one prompt layer of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerUsage {
    /// Key of the call.
    pub call_key: String,
    /// Phase of the call, or of the job that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Role of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// `NAME:MODEL` that was called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// Name of the layer, `L1` to `L5`.
    pub layer: String,
    /// Tokens of the content of the layer before fitting.
    pub estimated: u64,
    /// Tokens the layer may use.
    pub budget: u64,
    /// Tokens sent.
    pub kept: u64,
    /// Tokens left out.
    pub dropped: u64,
}
