//! The session itself: all that a worker must know to go on with it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page_list::Pages;
use crate::account::Account;
use crate::answer::Answer;
use crate::call::{CallRecord, LayerUsage};
use crate::fidelity::ContentFidelity;
use crate::finding::Finding;
use crate::ledger::LedgerRow;
use crate::request::RequestOptions;
use crate::research::ResearchState;
use crate::source::{ContentRef, Source};
use crate::warning::{Warning, push_once};
use crate::{JobId, Phase, SessionId, SourceId, Timestamp};

/// A session between phases. Whoever holds its delivery is its only writer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionState {
    /// Version of this layout.
    pub schema_version: u32,
    /// The session.
    pub session_id: SessionId,
    /// How often it has been published.
    pub revision: u64,
    /// The phase it waits for.
    pub phase: Phase,
    /// How often it has entered a phase anew; part of job identities.
    #[serde(default)]
    pub epoch: u32,
    /// The question.
    pub query: String,
    /// What the request changed.
    #[serde(default)]
    pub options: RequestOptions,
    /// Queue that wants the result, beside the `results` exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// SHA-256 of the request body, to tell a repeat from another request under the same id.
    #[serde(default)]
    pub request_hash: String,
    /// What was before it: a [`Prior`](crate::prior::Prior) in the content store; absent where it stands on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<ContentRef>,
    /// Who pays, and how much at most; what is spent stands in `calls`.
    #[serde(default, skip_serializing_if = "Account::is_open")]
    pub account: Account,
    /// When it was accepted.
    #[serde(default)]
    pub created_at: Timestamp,
    /// Ends with what there is after this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Somebody asked for an early end.
    #[serde(default)]
    pub stop_requested: bool,
    /// The documents.
    pub sources: Vec<Source>,
    /// What the report will stand on.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The report with finding ids in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// Whether the documents answer the question; absent until synthesis has judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Seconds per finished phase.
    #[serde(default)]
    pub phases: Vec<PhaseTime>,
    /// What went less well than asked.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Tokens through each phase.
    #[serde(default)]
    pub ledger: Vec<LedgerRow>,
    /// Model calls in the order their answers were folded in.
    #[serde(default)]
    pub calls: Vec<CallRecord>,
    /// Answers gathered before a hand over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gathered: BTreeMap<JobId, serde_json::Value>,

    /// Since version 1.
    #[serde(default)]
    pub content_fidelity: ContentFidelity,
    /// Since version 1: sources that did not fit or could not be read.
    #[serde(default)]
    pub dropped_content_ids: Vec<SourceId>,
    /// Since version 1: hash of each archived text.
    #[serde(default)]
    pub content_archive_hashes: BTreeMap<SourceId, ContentRef>,

    /// Since version 2: unprocessed notes, the last fallback of synthesis; by reference.
    #[serde(default)]
    pub raw_notes: Vec<ContentRef>,
    /// Since version 2: tokens per prompt layer of each call.
    #[serde(default)]
    pub token_usage: Vec<LayerUsage>,

    /// Since version 3: where the fields are that this message only refers to; such a field is absent or blank here.
    #[serde(default, skip_serializing_if = "Pages::is_empty")]
    pub pages: Pages,

    /// Since version 4: what was planned and searched; absent in a session that reads only what it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<ResearchState>,

    /// Since version 5: passes that were made before this one, of a session that goes through its phases again.
    #[serde(default, skip_serializing_if = "crate::fidelity::is_first")]
    pub visit: u32,
}

/// Seconds a phase took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseTime {
    /// The phase.
    pub name: Phase,
    /// Wall seconds, all tries that ended in a publish together.
    pub seconds: f64,
}

impl SessionState {
    /// The source of that id.
    #[must_use]
    pub fn source(&self, id: &SourceId) -> Option<&Source> {
        self.sources.iter().find(|s| &s.source_id == id)
    }

    /// Adds a warning unless an equal one is there.
    pub fn warn(&mut self, warning: Warning) {
        push_once(&mut self.warnings, warning);
    }

    /// Adds seconds to the time of `phase`.
    pub fn add_time(&mut self, phase: Phase, seconds: f64) {
        match self.phases.iter_mut().find(|p| p.name == phase) {
            Some(known) => known.seconds += seconds,
            None => self.phases.push(PhaseTime { name: phase, seconds }),
        }
    }
}
