//! The result of a model call: an answer or an error.

use std::collections::BTreeMap;

use precis_proto::call::{CallRecord, LayerUsage};
use precis_proto::task::{Role, Task};
use precis_proto::warning::Warning;
use serde_json::Value;

use super::failure::Code;
use super::gate::PieceCut;

/// A checked answer to a task, with the cost and the warnings of obtaining it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// The answer to the task, as JSON.
    pub value: Value,
    /// `NAME:MODEL` that answered.
    pub provider: String,
    /// The simpler task that was answered, if the provider stepped down from the one requested.
    pub stepped_down: Option<Task>,
    /// Every finished request of this call, including those with an invalid answer; the last one gave the answer.
    pub records: Vec<CallRecord>,
    /// Tokens per layer of those requests.
    pub usage: Vec<LayerUsage>,
    /// Warnings raised while producing this answer.
    pub warnings: Vec<Warning>,
    /// Pieces of evidence that were left out of the prompt or shortened.
    pub cut: Vec<PieceCut>,
    /// Number of answers that could not be parsed, by `NAME:MODEL`.
    pub unreadable: BTreeMap<String, u32>,
    /// How often a payload of this call was shrunk because it overflowed a window.
    pub overflows: u32,
}

/// No provider of the chain answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("no provider for {} answered: {tried}", role.as_str())]
pub struct ModelError {
    /// The role of the task.
    pub role: Role,
    /// Why the last provider failed.
    pub code: Code,
    /// Whether the same call may succeed later.
    pub is_transient: bool,
    /// Each provider with its failure code.
    pub tried: String,
    /// Finished requests, which are paid although the call failed.
    pub records: Vec<CallRecord>,
    /// Warnings for the session.
    pub warnings: Vec<Warning>,
}

impl ModelError {
    /// The error of a call that was not made because the session's prior context cannot be read at the moment.
    pub(crate) fn without_prior(role: Role, reason: String) -> Self {
        let tried = format!("no provider was called, because the session's prior context cannot be read: {reason}");
        Self { role, code: Code::Internal, is_transient: true, tried, records: Vec::new(), warnings: Vec::new() }
    }
}
