//! What was looked for, round by round, and what each search brought.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::is_none;
use super::{CoverageChange, CoverageScore};
use crate::label::Withheld;
use crate::source::ContentRef;

/// One pass of supervision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// From 1.
    pub n: u32,
    /// What was decided after it.
    pub decision: Decision,
    /// Why, in words.
    pub reason: String,
    /// What was looked for.
    pub directives: Vec<Directive>,
    /// How the coverage changed; sub-questions without a change are left out.
    pub coverage: Vec<CoverageChange>,
    /// The supervisor's thoughts, where a model had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<ContentRef>,
    /// How sure it is that the question is covered, where a model supervises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<CoverageScore>,
    /// Answers of its supervisor that could not be read, by who gave them, as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What its searches cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// What a round ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The end without everything covered.
    Stop,
    /// Everything is covered.
    Complete,
    /// Another round.
    Delegate,
}

/// One task of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Directive {
    /// `r1.d1` and so on; `w` for a directive of the web, `a` for one of papers.
    pub id: String,
    /// Sub-questions it works on.
    pub sub_questions: Vec<String>,
    /// What to look for.
    pub topic: String,
    /// Why it ended.
    pub stopped: DirectiveStop,
    /// The searches made, in order.
    pub queries: Vec<Query>,
    /// Turns of a model.
    #[serde(default)]
    pub turns: u32,
    /// Tool calls of a model.
    #[serde(default)]
    pub tool_calls: u32,
    /// Answers of a model that were no tool call that could be read.
    #[serde(default)]
    pub tool_parse_failures: u32,
    /// The same by who gave them, as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// What it found.
    pub inventory: Inventory,
    /// Messages that were dropped to make room, oldest first.
    #[serde(default)]
    pub dropped_messages: Vec<DroppedMessage>,
    /// How often a turn was made smaller because it overflowed the window of its model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub overflow_retries: u32,
    /// Excerpts that did not stand in their text and were not shown.
    #[serde(default, skip_serializing_if = "is_none")]
    pub excerpts_left_out: u32,
    /// The raw notes, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_notes: Option<ContentRef>,
}

/// Why a directive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DirectiveStop {
    /// Its searches were made.
    Complete,
    /// Its share of the budget was used.
    Budget,
    /// Its time was over.
    Time,
    /// No search found anything.
    NoResults,
    /// It repeated itself.
    Loop,
    /// Every search failed.
    Failed,
    /// The caller asked to stop.
    Stopped,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// From 1 within its directive.
    pub n: u32,
    /// What was searched for; absent where it may not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Who was asked.
    pub provider: String,
    /// Hits it gave: `new + related + duplicate`.
    pub hits: u32,
    /// Passages unlike all before.
    pub new: u32,
    /// Passages much like one before.
    pub related: u32,
    /// Passages seen before, or nearly the same as one seen before.
    pub duplicate: u32,
    /// Where the answer came from.
    pub served: Served,
    /// What it cost, in US dollars; left out where it cost nothing.
    #[serde(default, skip_serializing_if = "is_free")]
    pub usd: f64,
    /// Why it failed, in words; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Why it was not made; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
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
    /// The log of this session.
    Log,
    /// Nowhere: it failed or was not made.
    None,
}

/// What a directive found, for the next decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// Documents with a passage among its hits.
    pub sources: u32,
    /// Distinct folders or web domains of them.
    pub domains: u32,
    /// The best of them, best first; whole lines only.
    pub lines: Vec<InventoryLine>,
    /// Numbers and dates in the passages that cover something.
    pub data_points: u32,
}

/// One document of an inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InventoryLine {
    /// Its number in the session, from 1.
    pub n: u32,
    /// Its title.
    pub title: String,
    /// Its path or address.
    pub r#where: String,
    /// Facets that its passages cover.
    pub covers: Vec<String>,
}

/// A message that was dropped to make room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DroppedMessage {
    /// Its place in the conversation, from 1.
    pub n: u32,
    /// Who said it.
    pub role: String,
    /// Why it was dropped.
    pub why: String,
    /// Numbers of the documents that it told of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<u32>,
}
