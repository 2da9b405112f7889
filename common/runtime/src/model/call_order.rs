//! A request to a provider before it is sent and after it is finished.

use std::sync::Arc;

use precis_proto::task::Task;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::billing::BillingContext;
use super::failure::Failure;
use super::gate::{Gate, PreparedPayload};
use super::memo::PaidAnswer;
use super::provider::Provider;

/// One request to one provider, before it is sent.
#[derive(Debug)]
pub(super) struct CallOrder {
    pub(super) key: String,
    pub(super) billing: BillingContext,
    pub(super) provider: Arc<Provider>,
    pub(super) model: String,
    pub(super) task: Arc<Task>,
    pub(super) prepared: PreparedPayload,
    /// Nothing is sent after this.
    pub(super) deadline: Instant,
}

/// A finished request: the paid answer, and its text read as an answer to the task.
#[derive(Debug)]
pub(super) struct FinishedRequest {
    pub(super) paid: PaidAnswer,
    pub(super) reading: Result<Value, String>,
}

/// Sends the result of a request to the caller; closed if the caller's future is dropped.
pub(super) type AnswerSender = oneshot::Sender<Result<FinishedRequest, Failure>>;

impl FinishedRequest {
    /// Reads a paid answer as the answer to `task`; `reading` is the value, or the complaint to send back to the model.
    pub(super) fn read(gate: &dyn Gate, task: &Task, paid: PaidAnswer) -> Self {
        let reading = match paid.cut_off {
            true => Err(format!("the answer was cut off after {} tokens: it must be shorter", paid.output_tokens)),
            false => gate.read(task, &paid.text),
        };
        Self { paid, reading }
    }
}

impl CallOrder {
    /// Returns `NAME:MODEL`.
    pub(super) fn link(&self) -> String {
        format!("{}:{}", self.provider.name, self.model)
    }
}
