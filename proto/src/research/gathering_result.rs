//! What gathering ends with, as it lies in the content store.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Pointer, Research};

/// What gathering ended with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GatheringResult {
    /// As it is reported, before anything was read.
    pub research: Research,
    /// Each document that was chosen, by path or address, with the hits that count as read in it.
    pub chosen: Vec<(String, u32)>,
    /// Where sub-questions are answered in so many words, in the order of the plan.
    #[serde(default)]
    pub pointers: Vec<Pointer>,
    /// How rare terms of the question are in what was searched; empty where no searcher can tell.
    #[serde(default)]
    pub rarity: BTreeMap<String, f64>,
    /// The number of each document that was chosen, by path or address, under which its researchers knew it; empty where no model
    /// researched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, u32>,
}
