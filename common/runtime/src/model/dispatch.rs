//! One request, owned by the process and not by whoever asked: once it is sent its answer is kept, even when nobody waits any
//! more.
//!
//! Until the request is sent, nobody waiting means that it is not sent.

use std::sync::Arc;

use precis_proto::SessionId;
use precis_proto::task::Task;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::failure::{Code, Failure};
use super::flight::{self, Turn};
use super::gate::{Gate, Prepared};
use super::memo::{self, Paid};
use super::models::Inner;
use super::openai::Reply;
use super::provider::Provider;
use crate::store::Outcome;

/// A request to be made.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) key: String,
    pub(super) session: SessionId,
    pub(super) provider: Arc<Provider>,
    pub(super) model: String,
    pub(super) task: Arc<Task>,
    pub(super) prepared: Prepared,
    /// Nothing is sent after this.
    pub(super) deadline: Instant,
}

/// A finished request: what it left, and what its text is worth.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) paid: Paid,
    pub(super) reading: Result<Value, String>,
}

impl Answer {
    /// Reads what a call left as the answer to `task`.
    pub(super) fn read(gate: &dyn Gate, task: &Task, paid: Paid) -> Self {
        let reading = match paid.cut_off {
            true => Err(format!("the answer was cut off after {} tokens: it must be shorter", paid.output_tokens)),
            false => gate.read(task, &paid.text),
        };
        Self { paid, reading }
    }
}

/// Whoever asked; closed when the future that waits is dropped.
type Asker = oneshot::Sender<Result<Answer, Failure>>;

impl Inner {
    /// Makes the call, or takes the answer of the one that is under way elsewhere.
    pub(super) async fn dispatch(self: &Arc<Self>, order: Order) -> Result<Answer, Failure> {
        let (mut asker, answer) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let result = inner.carry_out(&order, &mut asker).await;
            // Nobody may be waiting: the answer is in the store.
            let _ = asker.send(result);
        });
        answer.await.unwrap_or_else(|_| Err(Failure::new(Code::Internal, "a model call ended without a word")))
    }

    async fn carry_out(&self, order: &Order, asker: &mut Asker) -> Result<Answer, Failure> {
        let policy = &self.policy;
        let until = order.deadline.min(Instant::now() + policy.flight_wait);
        let flight = tokio::select! {
            turn = flight::turn(&self.store, &order.key, policy.flight_ttl, policy.flight_poll, until) => match turn {
                Turn::Landed(paid) => return Ok(Answer::read(&*self.gate, &order.task, paid)),
                Turn::Ours(flight) => flight,
            },
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let result = flight.during(&self.store, self.make(order, asker)).await;
        flight.land(&self.store).await;
        result
    }

    /// Sends the request under a permit and the breaker, and keeps its answer.
    async fn make(&self, order: &Order, asker: &mut Asker) -> Result<Answer, Failure> {
        let provider = &order.provider;
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, Arc::clone(&provider.permits).acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(out_of_time()) };
        let leave = self
            .health
            .ask(&self.store, &provider.name)
            .await
            .map_err(|wait| Failure::new(Code::BreakerOpen, format!("for {} s", wait.as_secs())))?;
        let result = match asker.is_closed() {
            true => Err(stopped()),
            false => self.exchange(order).await,
        };
        let outcome = result.as_ref().map_or_else(|f| f.code.outcome(), |_| Outcome::Success);
        self.health.tell(&self.store, leave, outcome).await;
        match result {
            Ok(reply) => Ok(self.keep(order, reply).await),
            Err(failure) => {
                if let Some(wait) = failure.retry_after {
                    provider.hold_off(wait);
                }
                Err(failure)
            }
        }
    }

    /// The exchange proper, within the provider's timeout and the time left.
    async fn exchange(&self, order: &Order) -> Result<Reply, Failure> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        let limit = order.provider.timeout.min(left);
        if limit.is_zero() {
            return Err(out_of_time());
        }
        let sent = timeout(limit, order.provider.send(&order.model, &order.prepared));
        tokio::select! {
            reply = sent => reply.unwrap_or_else(|_| Err(match limit < order.provider.timeout {
                true => out_of_time(),
                false => Failure::new(Code::Timeout, format!("after {} ms", limit.as_millis())),
            })),
            () = self.stop.cancelled() => Err(stopped()),
        }
    }

    /// Writes the memo and returns the answer that stands.
    async fn keep(&self, order: &Order, reply: Reply) -> Answer {
        let paid = Paid {
            paid_by: order.session.clone(),
            input_tokens: reply.input_tokens.unwrap_or(order.prepared.input_tokens),
            output_tokens: reply.output_tokens.unwrap_or_else(|| self.gate.count(&reply.text)),
            text: reply.text,
            cut_off: reply.cut_off,
        };
        let answer = Answer::read(&*self.gate, &order.task, paid);
        let ttl = if answer.reading.is_ok() { self.policy.memo_ttl } else { self.policy.malformed_ttl };
        let standing = memo::keep(&self.store, &order.key, answer.paid.clone(), ttl).await;
        if standing.text == answer.paid.text {
            return answer;
        }
        // Somebody was faster: everybody reads one text, and this session has paid all the same.
        Answer::read(&*self.gate, &order.task, Paid { text: standing.text, cut_off: standing.cut_off, ..answer.paid })
    }

    /// Ends when nobody waits for the answer, or nobody may.
    async fn unwanted(&self, asker: &mut Asker) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

fn stopped() -> Failure {
    Failure::new(Code::Stopped, "nobody waits for it")
}

fn out_of_time() -> Failure {
    Failure::new(Code::OutOfTime, "before an answer")
}
