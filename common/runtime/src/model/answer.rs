//! What a call ends with: an answer, or why there is none.

use std::collections::BTreeMap;

use precis_proto::call::{CallRecord, LayerUsage};
use precis_proto::task::{Role, Task};
use precis_proto::warning::Warning;
use serde_json::Value;

use super::failure::Code;
use super::gate::PieceCut;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// The answer to the task, as JSON.
    pub value: Value,
    /// `NAME:MODEL` that gave it.
    pub provider: String,
    /// The task it answers, where that is one level down from the one asked.
    pub stepped_down: Option<Task>,
    /// Every finished request on the way to it, also those whose text did not hold; the last one gave the answer.
    pub records: Vec<CallRecord>,
    /// Tokens per layer of those requests.
    pub usage: Vec<LayerUsage>,
    /// What went less well than asked.
    pub warnings: Vec<Warning>,
    /// Pieces of evidence that the answer was given without, or with a part of.
    pub cut: Vec<PieceCut>,
    /// Answers on the way to it that could not be read, by who gave them, as `NAME:MODEL`.
    pub unreadable: BTreeMap<String, u32>,
    /// How often a payload on the way to it was made smaller because it overflowed a window.
    pub overflows: u32,
}

/// No provider of the chain answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("no provider for {} answered: {tried}", role.as_str())]
pub struct ModelError {
    /// What the call was for.
    pub role: Role,
    /// Why the last provider failed.
    pub code: Code,
    /// Whether asking again later may help.
    pub is_transient: bool,
    /// Each provider with its code.
    pub tried: String,
    /// Requests that were paid all the same.
    pub records: Vec<CallRecord>,
    /// What to tell the session.
    pub warnings: Vec<Warning>,
}

impl ModelError {
    /// A call that was not made because what was before the session cannot be read now.
    pub(crate) fn without_prior(role: Role, reason: String) -> Self {
        let tried = format!("nobody was asked, as what was before the session cannot be read: {reason}");
        Self { role, code: Code::Internal, is_transient: true, tried, records: Vec::new(), warnings: Vec::new() }
    }
}
