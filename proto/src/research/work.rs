//! Assignments of a round and their results, as exchanged between supervisor and researchers and recorded in the log of a session.
//!
//! Each round is a separate object in the content store; a worker that takes over a session restores the research by replaying its rounds
//! in order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::is_none;
use super::{Brief, DirectiveStop, DroppedMessage, Forked, NotesFidelity, Served, Stop, SubQuestion};
use crate::CharRange;
use crate::closed_words;
use crate::extraction::ExtractionAnswer;
use crate::label::Withheld;
use crate::source::ContentRef;

/// The depth of a research.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// One round.
    Quick,
    /// A few rounds.
    #[default]
    Standard,
    /// As many rounds as bring new evidence.
    Deep,
}

closed_words! {
    /// A search lane: what is searched together, and whether the results are public.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Lane: serde {
        /// Corpora of the user: private.
        Local => "local",
        /// Search providers for web pages: public.
        Web => "web",
        /// Search providers for papers: public.
        Academic => "academic",
    }
}

impl Lane {
    /// Returns whether results of the lane may be sent to a search provider. What may be sent to the lane itself is decided by
    /// [`super::ResearchOptions::label_of`].
    #[must_use]
    pub fn is_public(self) -> bool {
        self != Self::Local
    }
}

/// The plan of a research: brief and sub-questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The brief.
    pub brief: Brief,
    /// The sub-questions, in order.
    #[serde(rename = "plan")]
    pub sub_questions: Vec<SubQuestion>,
}

/// One directive of a round, as assigned to a researcher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// Id: `r1.d1` and so on; with `w` instead of `d` for a directive of the web, and `a` for one of papers.
    pub id: String,
    /// Lane to search.
    pub lane: Lane,
    /// Ids of the sub-questions it works on.
    pub sub_questions: Vec<String>,
    /// What to look for.
    pub topic: String,
    /// Perspective to take, in words of a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub perspective: String,
    /// Kind of evidence needed, in words of a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence_needed: String,
    /// Priority from 1, the most important, to 3.
    pub priority: u8,
    /// Searches to make, in order: all of them without a model, else only if the researcher makes none.
    pub queries: Vec<PlannedSearch>,
    /// Whether searches were left out because of the limit on searches.
    #[serde(default)]
    pub is_cut: bool,
    /// Number of searches the researcher may make; 0 without a model.
    #[serde(default)]
    pub own_searches: u32,
}

/// A planned search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedSearch {
    /// The query.
    pub text: String,
    /// Maximum number of hits.
    pub hits: u32,
    /// Id of the sub-question it is for.
    pub sub_question: String,
    /// The lead it follows, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<Lead>,
}

/// A lead: something that a passage names and the question does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The name.
    pub text: String,
    /// Confidence in passages found through it, 0 to 1.
    pub path: f64,
    /// Terms of the question that its passage lacks.
    pub lacking: Vec<String>,
    /// Whether the passage states a relation to it.
    pub is_certain: bool,
    /// The document that a link in its passage leads to, as [`Hit::document`]: only that document is searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

/// A hit: a passage that a search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Path or address of its document; hits with the same value are in the same document.
    pub document: String,
    /// Address to fetch a page from, if it differs from `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Title of the document; may be empty.
    pub title: String,
    /// Day, month or year of publication according to the provider: `2019-03-01`, `2019-03` or `2019`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// Position in the text of the document, or in the excerpt of a page that was not read.
    pub range: CharRange,
    /// Text of the passage.
    pub text: String,
    /// Match score; higher is better, comparable within one search only.
    pub score: f64,
    /// Hash of the text of the document, `sha256:` and hexadecimal digits; empty for a page that was not read.
    pub source_text_hash: String,
    /// Its links to other documents of the same folders, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<HitLink>,
}

/// A link in a passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HitLink {
    /// Its text, as in the passage.
    pub text: String,
    /// The document it leads to, as [`Hit::document`].
    pub document: String,
    /// How well that document matches the same search, as a share of the best match, 0 to 1.
    pub score: f64,
}

/// A completed search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompletedSearch {
    /// The query.
    pub text: String,
    /// The search provider.
    pub provider: String,
    /// Where the answer came from.
    pub served: Served,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Cost for this session, in US dollars.
    #[serde(default)]
    pub usd: f64,
    /// Why it failed, in words; absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Why no further search is possible; absent if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Stop>,
    /// Why it was not made; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

/// A document that a researcher read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadDocument {
    /// Path or address.
    pub document: String,
    /// Result of its extraction; absent for a document of a corpus, or if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ExtractionAnswer>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The result of an assignment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssignmentResult {
    /// The searches made, in order: those of the assignment first.
    pub made: Vec<CompletedSearch>,
    /// The found documents that were read, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ReadDocument>,
    /// Number of model turns.
    #[serde(default)]
    pub turns: u32,
    /// Number of charged tool calls by the model.
    #[serde(default)]
    pub tool_calls: u32,
    /// Number of model answers without a readable tool call.
    #[serde(default)]
    pub tool_parse_failures: u32,
    /// Number of these answers by model, as `NAME:MODEL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// Messages dropped to save space, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_messages: Vec<DroppedMessage>,
    /// The documents that these messages told of, by number, with what the researcher still had about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes_fidelity: Vec<NotesFidelity>,
    /// How often a turn was shortened because it exceeded the context window of its model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub overflow_retries: u32,
    /// Number of excerpts left out because they do not occur in their text.
    #[serde(default, skip_serializing_if = "is_none")]
    pub excerpts_left_out: u32,
    /// Numbers of the found documents, by path or address; empty if no model researches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, u32>,
    /// Why the researcher ended; absent if only the planned searches were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<DirectiveStop>,
    /// Reference to the raw notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_notes: Option<ContentRef>,
    /// Number of characters of the raw notes.
    #[serde(default, skip_serializing_if = "is_none")]
    pub raw_notes_chars: u32,
    /// What the researcher found, in one line of its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What the researcher thought, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<String>,
}

/// The numbers a directive assigns to new documents: `first`, `first + step` and so on. The blocks of a round do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberBlock {
    /// The first number, at least 1.
    pub first: u32,
    /// The distance between two numbers, at least 1.
    pub step: u32,
}

/// A document found in an earlier round, as shown to the researchers of later rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenDocument {
    /// Path or address.
    pub document: String,
    /// Address to fetch a page from, if it differs from `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Number of the document in the session.
    pub number: u32,
    /// Passages found in it.
    pub passages: Vec<String>,
}

/// The log of one round in one lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundLog {
    /// The lane.
    pub lane: Lane,
    /// The assignments of the round.
    pub assignments: Vec<Assignment>,
    /// The results of the assignments, in the same order.
    pub gathered: Vec<AssignmentResult>,
    /// Thought of the supervising model before the round.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub think: String,
    /// Refused directives of the supervising model, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Number of unreadable answers of the supervisor, by model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u32>,
    /// Duration in seconds.
    #[serde(default)]
    pub seconds: f64,
    /// Cost of its searches, in US dollars; model calls are recorded separately.
    #[serde(default)]
    pub usd: f64,
}

/// A passage that answers a sub-question literally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// The sub-question, in words.
    pub sub_question: String,
    /// Path or address of the document.
    pub document: String,
    /// Position in the text that was searched: the text of the document, or the excerpt of a page not read by then.
    pub range: CharRange,
    /// The text at this position: a field or a sentence. It is quoted only if the text of the document contains it.
    #[serde(default)]
    pub text: String,
}

/// The research of a session, everything by reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchState {
    /// Reference to the [`Plan`].
    pub plan: ContentRef,
    /// Reference per round to a list of [`RoundLog`]s, one for each lane that was still open.
    #[serde(default)]
    pub rounds: Vec<ContentRef>,
    /// Reference to the [`GatheringResult`](super::GatheringResult), once gathering has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<ContentRef>,
    /// Reference to the [`RefinementLog`](super::RefinementLog), once an iteration has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<ContentRef>,
    /// Reference to an [`EvaluatedReport`](crate::evaluated::EvaluatedReport) that refinement has not processed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<ContentRef>,
    /// Description of a failure in an iteration, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The report that the first rounds were taken from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
}

impl RoundLog {
    /// Creates the log of a round made without a model.
    #[must_use]
    pub fn new(lane: Lane, assignments: Vec<Assignment>, gathered: Vec<AssignmentResult>) -> Self {
        let (think, refused, unreadable) = (String::new(), Vec::new(), BTreeMap::new());
        Self { lane, assignments, gathered, think, refused, unreadable, seconds: 0.0, usd: 0.0 }
    }
}
