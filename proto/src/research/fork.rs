//! What a research goes on from: another one, up to one of its rounds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forked::Forked;
use crate::bounded;
use crate::source::{CONTENT_PROOF_CHARS, ContentRef};

/// Most rounds that a research goes on from.
pub const MAX_KEPT_ROUNDS: usize = 100;

/// Rounds that are not made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// Where they come from; at most [`MAX_KEPT_ROUNDS`] are kept.
    pub from: Forked,
    /// A page of the content store: for each kept round a list of [`RoundLog`](super::RoundLog)s, one for each lane, in order. Their hits
    /// stand in sources that the request gives.
    pub rounds: ContentRef,
    /// That the tenant of the message put it, as for a source's `content_ref`: rounds name texts, and nobody may name those of another.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    #[serde(default, deserialize_with = "bounded::content_proof", skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}
