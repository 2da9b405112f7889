//! A model call as it is counted: what it cost, and the tokens of its layers. What a session has spent is the sum of its records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;
use crate::task::Role;

/// One identified model call, as the spend ledger counts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// Identity of the call: hash of provider, model, parameters, payload and prompt version.
    pub call_key: String,
    /// The phase it was made in, or for whose jobs; missing where an older worker wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// What it was for.
    pub role: Role,
    /// `NAME:MODEL` that was asked.
    pub provider: String,
    /// Whether this session paid for it; a repeat after a crash is not another payment.
    pub paid: bool,
    /// Input tokens, as the provider counted them.
    pub input_tokens: u64,
    /// Those of them that the provider had cached; 0 where it does not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
    /// Output tokens, likewise.
    pub output_tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Whether the answer could not be read, and another one was asked for: it was paid, and nothing of it is used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Tokens per layer of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerUsage {
    /// Identity of the call.
    pub call_key: String,
    /// The phase the call was made in, or for whose jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// What the call was for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// `NAME:MODEL` it was put to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// `L1` to `L5`.
    pub layer: String,
    /// Tokens offered.
    pub estimated: u64,
    /// Tokens allowed.
    pub budget: u64,
    /// Tokens sent.
    pub kept: u64,
    /// Tokens left out.
    pub dropped: u64,
}
