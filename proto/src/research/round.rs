//! The rounds of a research, with their directives, searches and results.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::is_none;
use super::{CoverageChange, CoverageScore, DroppedMessage, NotesFidelity};
use crate::label::Withheld;
use crate::source::ContentRef;

/// One round of a research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Number of the round, from 1.
    pub n: u32,
    /// The decision after the round.
    pub decision: Decision,
    /// Reason for the decision, in words.
    pub reason: String,
    /// The directives of the round.
    pub directives: Vec<Directive>,
    /// Changes of coverage; unchanged sub-questions are left out.
    pub coverage: Vec<CoverageChange>,
    /// Reference to the thoughts of the supervising model; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<ContentRef>,
    /// How well the question is covered; absent if no model supervises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<CoverageScore>,
    /// Number of unreadable answers of the supervisor, by model as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// Duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Cost of its searches, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// The decision after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// End the research although not everything is covered.
    Stop,
    /// End the research because everything is covered.
    Complete,
    /// Start another round.
    Delegate,
}

/// One directive of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Directive {
    /// Id: `r1.d1` and so on; with `w` instead of `d` for a directive of the web, and `a` for one of papers.
    pub id: String,
    /// Ids of the sub-questions it works on.
    pub sub_questions: Vec<String>,
    /// What to look for.
    pub topic: String,
    /// Why it ended.
    pub stopped: DirectiveStop,
    /// The queries in order, those that were withheld or answered from the log included.
    pub queries: Vec<Query>,
    /// Number of model turns.
    #[serde(default)]
    pub turns: u32,
    /// Number of tool calls by the model.
    #[serde(default)]
    pub tool_calls: u32,
    /// Number of model answers without a readable tool call.
    #[serde(default)]
    pub tool_parse_failures: u32,
    /// Number of these answers by model, as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// What it found.
    pub inventory: Inventory,
    /// Messages dropped to save space, oldest first.
    #[serde(default)]
    pub dropped_messages: Vec<DroppedMessage>,
    /// The documents that these messages told of, by number, with what its researcher still had about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes_fidelity: Vec<NotesFidelity>,
    /// How often a turn was shortened because it exceeded the context window of its model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub overflow_retries: u32,
    /// Number of excerpts left out because they do not occur in their text.
    #[serde(default, skip_serializing_if = "is_none")]
    pub excerpts_left_out: u32,
    /// Reference to the raw notes, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_notes: Option<ContentRef>,
}

impl Directive {
    /// Whether it searched folders, whose searches are free, as its id says: `r1.d1`.
    #[must_use]
    pub fn is_of_folders(&self) -> bool {
        self.id.split_once('.').is_some_and(|(_, lane)| lane.starts_with('d'))
    }
}

/// Why a directive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DirectiveStop {
    /// Its researcher reported that it is done.
    Complete,
    /// The searches planned for it were made, now or before; no model worked on it.
    Planned,
    /// Its share of the budget was used up.
    Budget,
    /// Its time was used up.
    Time,
    /// No search found anything.
    NoResults,
    /// It repeated itself.
    Loop,
    /// Every search failed.
    Failed,
    /// The caller requested a stop.
    Stopped,
}

/// One query: a search, or one that was withheld or answered from the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// Number of the query within its directive, from 1.
    pub n: u32,
    /// The query; absent if it may not be disclosed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The search provider; empty if the log answered.
    pub provider: String,
    /// Number of hits: `new + related + duplicate`.
    pub hits: u32,
    /// Number of passages unlike any earlier one.
    pub new: u32,
    /// Number of passages similar to an earlier one.
    pub related: u32,
    /// Number of passages seen before, or nearly the same as one seen before.
    pub duplicate: u32,
    /// Where the answer came from.
    pub served: Served,
    /// Cost in US dollars; left out if it is 0.
    #[serde(default, skip_serializing_if = "is_free")]
    pub usd: f64,
    /// Why it failed, in words; absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Why it was not made; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

impl Query {
    /// Whether it was a search: made, also if it failed, and so counted against the limit of searches. A withheld query was not made, and
    /// one that the log answered had been made before.
    #[must_use]
    pub fn is_search(&self) -> bool {
        self.withheld.is_none() && self.served != Served::Log
    }
}

fn is_free(usd: &f64) -> bool {
    *usd == 0.0
}

/// Where the answer of a search came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Served {
    /// The provider.
    Paid,
    /// The memo of an earlier call.
    Memo,
    /// The log of this session, because the same query had been made before: no search, not charged, without hits of its own.
    Log,
    /// Nowhere: the search failed or was not made.
    None,
}

/// What a directive found, as input for the next decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// Number of documents among its hits.
    pub sources: u32,
    /// Number of distinct folders or web domains of these documents.
    pub domains: u32,
    /// The best documents, best first.
    pub lines: Vec<InventoryLine>,
    /// Number of numbers and dates in covering passages.
    pub data_points: u32,
}

/// One document of an inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InventoryLine {
    /// Number of the document in the session, from 1.
    pub n: u32,
    /// Title of the document.
    pub title: String,
    /// Path or address of the document.
    pub r#where: String,
    /// Ids of the facets that its passages cover.
    pub covers: Vec<String>,
}
