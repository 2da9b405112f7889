//! The result of gathering, as stored in the content store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Pointer, Research};

/// The result of gathering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GatheringResult {
    /// The course of the research, before the chosen documents are read.
    pub research: Research,
    /// The chosen documents, by path or address, each with the number of hits that count as read in it.
    pub chosen: Vec<(String, u32)>,
    /// Passages that answer sub-questions literally, in the order of the plan.
    #[serde(default)]
    pub pointers: Vec<Pointer>,
    /// Rarity of the terms of the question in what was searched; empty if the search lanes cannot tell.
    #[serde(default)]
    pub rarity: BTreeMap<String, f64>,
    /// The numbers that researchers used for the chosen documents, by path or address; empty if no model researched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, u32>,
}
