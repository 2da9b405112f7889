//! What is looked for in a round and what came of it, as they travel between supervisor and researchers and lie in the log of a session.
//!
//! A round is an object of its own in the content store; a session that is given to another worker is what its rounds, folded in
//! order, make of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::is_none;
use super::{Brief, DirectiveStop, DroppedMessage, Forked, Served, Stop, SubQuestion};
use crate::CharRange;
use crate::extraction::ExtractionAnswer;
use crate::label::Withheld;
use crate::source::ContentRef;

/// How far research goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// One round.
    Quick,
    /// A few rounds.
    #[default]
    Standard,
    /// As many as help.
    Deep,
}

/// What may be searched together, and what the outcome may be told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// Folders of the user: private.
    Local,
    /// What search providers for pages find: public.
    Web,
    /// What search providers for papers find: public.
    Academic,
}

impl Lane {
    /// The word in reports and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Web => "web",
            Self::Academic => "academic",
        }
    }

    /// Whether what is found there may be told to a search provider. What the lane itself may be told: [`super::ResearchOptions::label_of`].
    #[must_use]
    pub fn is_public(self) -> bool {
        self != Self::Local
    }
}

/// Brief and sub-questions of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The question as understood.
    pub brief: Brief,
    /// What is to be found out, in order.
    #[serde(rename = "plan")]
    pub sub_questions: Vec<SubQuestion>,
}

/// One task of a round, as a researcher gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    /// `r1.d1` and so on; `w` for a directive of the web, `a` for one of papers.
    pub id: String,
    /// Where it may look.
    pub lane: Lane,
    /// Sub-questions it works on.
    pub sub_questions: Vec<String>,
    /// What to look for.
    pub topic: String,
    /// From what side, in a model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub perspective: String,
    /// What would settle it, in a model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence_needed: String,
    /// From 1, the most important, to 3.
    pub priority: u8,
    /// Searches that are made in any case, in order.
    pub queries: Vec<PlannedSearch>,
    /// Whether searches were left out of it because no more are allowed.
    #[serde(default)]
    pub is_cut: bool,
    /// Searches that the researcher may make of its own beside them; 0 where no model is asked.
    #[serde(default)]
    pub own_searches: u32,
}

/// A search to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSearch {
    /// What to search for.
    pub text: String,
    /// Hits wanted at most.
    pub hits: u32,
    /// The sub-question it is for.
    pub sub_question: String,
    /// The name that it follows, where it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<Lead>,
}

/// Something that a passage names and the question does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lead {
    /// The thing.
    pub text: String,
    /// Trust in what it leads to, 0 to 1.
    pub path: f64,
    /// Terms of the question that its passage lacks.
    pub lacking: Vec<String>,
    /// Whether a stated relation leads to it.
    pub is_certain: bool,
}

/// A passage that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Path or address of its document; two hits with the same one are of the same document.
    pub document: String,
    /// Where a page is fetched from, where that is written otherwise than `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Title of the document; empty where it has none.
    pub title: String,
    /// Day, month or year it was published, as far as a provider says: `2019-03-01`, `2019-03` or `2019`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// Its characters in the document's text; of a page that was not read, in its excerpt.
    pub range: CharRange,
    /// Its text.
    pub text: String,
    /// How well it matches; comparable within one search only, higher is better.
    pub score: f64,
    /// Hash of the document's text, `sha256:` and hex; empty for a page that was not read.
    pub source_text_hash: String,
}

/// A search that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompletedSearch {
    /// What was searched for.
    pub text: String,
    /// Who was asked.
    pub provider: String,
    /// Where the answer came from.
    pub served: Served,
    /// What it gave, best first.
    pub hits: Vec<Hit>,
    /// US dollars that it cost this session.
    #[serde(default)]
    pub usd: f64,
    /// Why it failed, in words; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Nothing more may be searched, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Stop>,
    /// Why it was not made; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

/// A document that a researcher read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadDocument {
    /// Path or address.
    pub document: String,
    /// What its extraction answered; absent for a document of a corpus, and where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ExtractionAnswer>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What came of an assignment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssignmentResult {
    /// The searches that were made, in order: those of the assignment first.
    pub made: Vec<CompletedSearch>,
    /// What was read of what they found, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ReadDocument>,
    /// Turns of a model.
    #[serde(default)]
    pub turns: u32,
    /// Tool calls of a model that were charged.
    #[serde(default)]
    pub tool_calls: u32,
    /// Answers of a model that were no tool call that could be read.
    #[serde(default)]
    pub tool_parse_failures: u32,
    /// The same by who gave them, as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// Messages that were dropped to make room, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_messages: Vec<DroppedMessage>,
    /// How often a turn was made smaller because it overflowed the window of its model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub overflow_retries: u32,
    /// Excerpts that did not stand in their text and were not shown.
    #[serde(default, skip_serializing_if = "is_none")]
    pub excerpts_left_out: u32,
    /// The number of each document that was found; empty where no model researches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, u32>,
    /// Why the researcher ended; absent where it made its searches and no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<DirectiveStop>,
    /// Its raw notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_notes: Option<ContentRef>,
    /// Characters of them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub raw_notes_chars: u32,
    /// What it says it found, in a line; a model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// Numbers that a directive gives to documents that have none yet: `first`, `first + step` and so on. Those of a round do not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumberBlock {
    /// From 1.
    pub first: u32,
    /// From 1.
    pub step: u32,
}

/// A document that was found in an earlier round, as those who look on are told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenDocument {
    /// Path or address.
    pub document: String,
    /// Its number in the session.
    pub number: u32,
    /// Passages of it that were found.
    pub passages: Vec<String>,
}

/// One round of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundLog {
    /// Where it looked.
    pub lane: Lane,
    /// What was looked for.
    pub assignments: Vec<Assignment>,
    /// What came of each, in their order.
    pub gathered: Vec<AssignmentResult>,
    /// What the supervisor thought before it; a model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub think: String,
    /// Directives of a model that were refused, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Answers of its supervisor that could not be read, by who gave them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// Seconds it took.
    #[serde(default)]
    pub seconds: f64,
    /// What its searches cost, in US dollars; model calls are in the record of calls.
    #[serde(default)]
    pub usd: f64,
}

/// Where a document answers a sub-question in so many words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pointer {
    /// The sub-question, in words.
    pub sub_question: String,
    /// Path or address of the document.
    pub document: String,
    /// Characters of what was searched: of a document's text, or of the excerpt of a page that was not read then.
    pub range: CharRange,
    /// What stands there: a field, or a sentence. Only where a document's text holds it is it quoted.
    #[serde(default)]
    pub text: String,
}

/// What a session that searches carries: everything by reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchState {
    /// A [`Plan`].
    pub plan: ContentRef,
    /// For each round a list of [`RoundLog`]s, one for each lane that was still open.
    #[serde(default)]
    pub rounds: Vec<ContentRef>,
    /// A [`GatheringResult`](super::GatheringResult), once gathering has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<ContentRef>,
    /// A [`RefinementLog`](super::RefinementLog), once an iteration has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<ContentRef>,
    /// An [`EvaluatedReport`](crate::evaluated::EvaluatedReport), where refinement has not seen it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<ContentRef>,
    /// What failed in an iteration, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What the first of the rounds were taken from, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
}

impl RoundLog {
    /// A round that no model had a say in.
    #[must_use]
    pub fn new(lane: Lane, assignments: Vec<Assignment>, gathered: Vec<AssignmentResult>) -> Self {
        let (think, refused, unreadable) = (String::new(), Vec::new(), BTreeMap::new());
        Self { lane, assignments, gathered, think, refused, unreadable, seconds: 0.0, usd: 0.0 }
    }
}
