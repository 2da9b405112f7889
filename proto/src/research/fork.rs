//! A fork: a research that continues from a round of an earlier one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forked::Forked;
use crate::bounded;
use crate::source::{CONTENT_PROOF_CHARS, ContentRef};

/// Most rounds a fork can keep.
pub const MAX_KEPT_ROUNDS: usize = 100;

/// The rounds of an earlier research that a fork keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// The report they come from; at most [`MAX_KEPT_ROUNDS`] rounds are kept.
    pub from: Forked,
    /// Page in the content store: for each kept round, in order, a list of [`RoundLog`](super::RoundLog)s, one per lane. Their hits refer
    /// to sources of the request.
    pub rounds: ContentRef,
    /// Proof that the tenant of the message uploaded the page, as for `content_ref` of a source: rounds reference texts, and no tenant may
    /// reference the texts of another.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    #[serde(default, deserialize_with = "bounded::content_proof", skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}
