//! The session state: everything a worker needs to continue a session.

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
use crate::{JobId, LifeId, Phase, SessionId, SourceId, Timestamp};

/// A session between phases. Only the worker that holds its delivery may write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionState {
    /// Version of the state schema.
    pub schema_version: u32,
    /// Id of the session.
    pub session_id: SessionId,
    /// How often the state has been published.
    pub revision: u64,
    /// The life of the session that this state belongs to; absent if a worker of a version before it was introduced published the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<LifeId>,
    /// The next phase to run.
    pub phase: Phase,
    /// How often the session has entered a phase again; part of job ids.
    #[serde(default)]
    pub epoch: u32,
    /// The question.
    pub query: String,
    /// Options of the request.
    #[serde(default)]
    pub options: RequestOptions,
    /// Queue that gets the result, in addition to the `results` exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// SHA-256 of the request body, to distinguish a repeated request from a different one with the same id.
    #[serde(default)]
    pub request_hash: String,
    /// Conversation and background before the session: a [`Prior`](crate::prior::Prior) in the content store; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<ContentRef>,
    /// Tenant and spending limits; the calls made are in `calls`.
    #[serde(default, skip_serializing_if = "Account::is_open")]
    pub account: Account,
    /// When the session was accepted.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When the session ends early, with a report on what is there by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Whether an early end was requested.
    #[serde(default)]
    pub stop_requested: bool,
    /// The documents.
    pub sources: Vec<Source>,
    /// The findings that the report is based on.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The report with finding ids in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// Whether the documents answer the question; absent until synthesis has judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What the writer of the report reads; absent until extraction has decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer_reads: Option<WriterReads>,
    /// SHA-256 of the model of meaning that had a part in the choice of passages; absent where words alone chose For a model of a
    /// server, see [`crate::meaning::MeaningServer::key`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// Seconds per finished phase.
    #[serde(default)]
    pub phases: Vec<PhaseTime>,
    /// Warnings raised so far.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Tokens through each phase.
    #[serde(default)]
    pub ledger: Vec<LedgerRow>,
    /// Model calls in the order in which their answers were added.
    #[serde(default)]
    pub calls: Vec<CallRecord>,
    /// Job answers received before a hand over, by job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gathered: BTreeMap<JobId, serde_json::Value>,

    /// Since version 1: what each phase did to each source.
    #[serde(default)]
    pub content_fidelity: ContentFidelity,
    /// Since version 1: sources that did not fit or could not be read.
    #[serde(default)]
    pub dropped_content_ids: Vec<SourceId>,
    /// Since version 1: hash of each archived text.
    #[serde(default)]
    pub content_archive_hashes: BTreeMap<SourceId, ContentRef>,

    /// Since version 2: references to unprocessed notes, the last fallback of synthesis.
    #[serde(default)]
    pub raw_notes: Vec<ContentRef>,
    /// Since version 2: tokens per prompt layer of each call.
    #[serde(default)]
    pub token_usage: Vec<LayerUsage>,

    /// Since version 3: the pages of fields that are stored in the content store; such a field is absent or blank in this message.
    #[serde(default, skip_serializing_if = "Pages::is_empty")]
    pub pages: Pages,

    /// Since version 4: plan and rounds of the research; absent in a session that does not search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<ResearchState>,

    /// Since version 5: number of earlier passes through the phases; 0, and left out, in the first pass.
    #[serde(default, skip_serializing_if = "crate::fidelity::is_first")]
    pub visit: u32,
}

/// What the writer of a report reads of its documents, decided from numbers of tokens alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriterReads {
    /// Every text as a whole: no call shortens one or makes findings of it.
    Whole,
    /// Findings, and passages of the texts that they rest on.
    Reduced,
}

/// The duration of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseTime {
    /// The phase.
    pub name: Phase,
    /// Wall-clock seconds, summed over all attempts that ended in a publish.
    pub seconds: f64,
}

impl SessionState {
    /// Returns the source with this id.
    #[must_use]
    pub fn source(&self, id: &SourceId) -> Option<&Source> {
        self.sources.iter().find(|s| &s.source_id == id)
    }

    /// Adds a warning unless there is an equal one.
    pub fn warn(&mut self, warning: Warning) {
        push_once(&mut self.warnings, warning);
    }

    /// Adds `seconds` to the duration of `phase`.
    pub fn add_time(&mut self, phase: Phase, seconds: f64) {
        match self.phases.iter_mut().find(|p| p.name == phase) {
            Some(known) => known.seconds += seconds,
            None => self.phases.push(PhaseTime { name: phase, seconds }),
        }
    }
}
