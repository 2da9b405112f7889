//! What a research goes on from: another one, up to one of its rounds.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::forked::Forked;
use super::work::RoundLog;
use crate::bounded;

/// Most rounds that a research goes on from.
pub const MAX_KEPT_ROUNDS: usize = 100;

/// Rounds that are not made again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// Where they come from.
    pub from: Forked,
    /// For each round a list of [`RoundLog`]s, one for each lane, in order; at most [`MAX_KEPT_ROUNDS`]. Their hits stand in sources that
    /// the request gives.
    #[schemars(length(max = MAX_KEPT_ROUNDS))]
    #[serde(deserialize_with = "rounds")]
    pub rounds: Vec<Vec<RoundLog>>,
}

fn rounds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<RoundLog>>, D::Error> {
    bounded::sequence(deserializer, MAX_KEPT_ROUNDS)
}
