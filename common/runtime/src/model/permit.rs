//! One request under a permit of its provider: reserved, admitted, exchanged, and ended in the store whatever its outcome.
//!
//! Operations of the store that do not depend on each other run at once: each costs a round trip, and a quick model answers in one.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use precis_proto::call::CallRecord;
use tokio::time::{Instant, timeout_at};

use super::call_order::{AnswerSender, CallOrder, FinishedRequest};
use super::count::CountResult;
use super::failure::Failure;
use super::memo::{self, CountedBy, PaidAnswer};
use super::reply::Reply;
use super::state::ModelsState;
use crate::store::{Amount, CallOutcome};
use crate::telemetry::metrics;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{ModelTokens, chat};

impl ModelsState {
    /// Sends the request with a permit of the provider, under reservations and once it is admitted. Then settles the reservations, tells
    /// the breakers, and stores the answer.
    pub(super) async fn under_permit(
        &self,
        order: &CallOrder,
        asker: &mut AnswerSender,
    ) -> Result<FinishedRequest, Failure> {
        let provider = &order.provider;
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, Arc::clone(&provider.permits).acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(Failure::stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(Failure::out_of_time()) };
        let reservation = self.reserve(order, asker).await?;
        let admission = match self.admit(order, asker).await {
            Ok(admission) => admission,
            Err(unsent) => {
                self.settle(reservation, Amount::default()).await;
                return Err(unsent);
            }
        };
        let sent = Instant::now();
        let unanswered = &order.billing.unanswered;
        unanswered.sent(self.record_of(order, order.prepared.input_tokens, 0, 0));
        let result = self.exchange(order).await;
        measure(order, &result, sent.elapsed());
        let result = result.map(|reply| self.paid(order, reply, admission.counted));
        let (used, outcomes) = match &result {
            Ok(paid) => {
                let (input, cached, output) = (paid.input_tokens, paid.cached_input_tokens, paid.output_tokens);
                unanswered.answered(self.record_of(order, input, cached, output));
                (self.amount(order, input, cached, output), [CallOutcome::Success; 2])
            }
            Err(failure) => {
                let used = failure.code.used(reservation.estimate);
                unanswered.failed(&order.key, used.tokens > 0);
                (used, [failure.code.outcome_for_server(), failure.code.outcome_for_model()])
            }
        };
        // All at once, as none needs another: a worker that dies between them leaves a paid answer that is stored or not, amounts that
        // are freed when their lease expires, and a breaker that misses one outcome.
        let ended = join(self.settle(reservation, used), self.tell(order, admission, outcomes));
        match result {
            Ok(paid) => Ok(join(self.keep(order, paid), ended).await.0),
            Err(failure) => {
                ended.await;
                if let Some(wait) = failure.retry_after {
                    provider.hold_off(wait);
                }
                Err(failure)
            }
        }
    }

    /// The record of a request of `order` that used these tokens.
    fn record_of(
        &self,
        order: &CallOrder,
        input_tokens: u64,
        cached_input_tokens: u64,
        output_tokens: u64,
    ) -> CallRecord {
        let (provider, cached_input_tokens) = (order.link(), cached_input_tokens.min(input_tokens));
        let price = self.gate.price(&provider);
        CallRecord {
            call_key: order.key.clone(),
            phase: Some(order.phase),
            role: order.role,
            paid: true,
            cost_usd: price.map_or(0.0, |price| price.of(input_tokens, cached_input_tokens, output_tokens)),
            provider,
            input_tokens,
            cached_input_tokens,
            output_tokens,
            unreadable: false,
            unanswered: false,
        }
    }

    /// Builds the paid answer of a reply, with the tokens reported by the provider, else as counted here.
    fn paid(&self, order: &CallOrder, reply: Reply, counted: CountResult) -> PaidAnswer {
        PaidAnswer {
            counted: match counted {
                CountResult::Unasked => CountedBy::Us,
                CountResult::Fits | CountResult::Over(_) => CountedBy::Provider,
                CountResult::Unknown => CountedBy::UsInstead,
            },
            paid_by: order.billing.session.clone(),
            input_tokens: reply.input_tokens.unwrap_or(order.prepared.input_tokens),
            cached_input_tokens: reply.cached_input_tokens,
            output_tokens: reply.output_tokens.unwrap_or_else(|| self.gate.count(&reply.text)),
            text: reply.text,
            cut_off: reply.cut_off,
        }
    }

    /// Writes the answer to the memo and returns the stored one.
    async fn keep(&self, order: &CallOrder, paid: PaidAnswer) -> FinishedRequest {
        let answer = FinishedRequest::read(&*self.gate, &order.task, paid);
        let ttl = if answer.reading.is_ok() { self.policy.memo_ttl } else { self.policy.malformed_ttl };
        let standing = match memo::keep(&self.store, &order.key, &answer.paid, ttl).await {
            Ok(standing) => standing,
            Err(_) => {
                let (store, key) = (self.store.clone(), order.key.clone());
                self.tasks.spawn(memo::keep_later(store, key, answer.paid.clone(), ttl));
                return answer;
            }
        };
        if standing.text == answer.paid.text {
            return answer;
        }
        // Another call stored its answer first. All readers must see one text, so use that one; this session has still paid for its own.
        FinishedRequest::read(
            &*self.gate,
            &order.task,
            PaidAnswer { text: standing.text, cut_off: standing.cut_off, ..answer.paid },
        )
    }
}

/// Records the metrics of a request that was sent.
fn measure(order: &CallOrder, result: &Result<Reply, Failure>, took: Duration) {
    let (role, link) = (order.task.role().as_str(), format!("{}:{}", order.provider.name, order.model));
    let outcome = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
    metrics().models.ended(role, &link, outcome, took.as_secs_f64());
    spans::record(order.billing.span, |parent| {
        let used = result.as_ref().map(|reply| ModelTokens {
            input: reply.input_tokens.unwrap_or(order.prepared.input_tokens),
            cached: reply.cached_input_tokens,
            output: reply.output_tokens.unwrap_or(0),
        });
        let named = (order.provider.name.as_str(), order.model.as_str());
        chat(parent, &order.billing.session, named, used.map_err(|failure| failure.code.as_str()), took)
    });
    if let Ok(reply) = result {
        let input = reply.input_tokens.unwrap_or(order.prepared.input_tokens);
        metrics().models.tokens(role, &link, input, reply.output_tokens.unwrap_or(0));
    }
}
