//! A request to a provider before it is sent and after it is finished.

use std::sync::Arc;

use precis_proto::Phase;
use precis_proto::task::{Role, Task};
use serde_json::Value;
use tokio::time::Instant;

use super::addressee::Addressee;
use super::gate::{Gate, PreparedPayload};
use super::memo::PaidAnswer;
use super::provider::Provider;
use crate::paid::BillingContext;

/// One request to one provider, before it is sent.
#[derive(Debug)]
pub(super) struct CallOrder {
    pub(super) key: String,
    /// What the call is made for, as its record says.
    pub(super) phase: Phase,
    pub(super) role: Role,
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
    /// Whether it is only the beginning of an answer, with which another request can go on.
    pub(super) is_begun: bool,
}

impl FinishedRequest {
    /// Reads a paid answer as the answer to `task`; `reading` is the value, or the complaint to send back to the model.
    pub(super) fn read(gate: &dyn Gate, task: &Task, paid: PaidAnswer) -> Self {
        let begun = if paid.cut_off { gate.parse_beginning(task, &paid.text) } else { None };
        let is_begun = begun.is_some();
        let reading = match (paid.cut_off, begun) {
            (true, Some(begun)) => Ok(begun),
            (true, None) => {
                Err(format!("the answer was cut off after {} tokens: it must be shorter", paid.output_tokens))
            }
            (false, _) => gate.read(task, &paid.text),
        };
        Self { paid, reading, is_begun }
    }
}

impl CallOrder {
    /// Whom it is sent to.
    pub(super) fn addressee(&self) -> Addressee<'_> {
        Addressee { session: &self.billing.session, provider: &self.provider, link: self.link() }
    }

    /// Returns `NAME:MODEL`.
    pub(super) fn link(&self) -> String {
        format!("{}:{}", self.provider.name, self.model)
    }
}
