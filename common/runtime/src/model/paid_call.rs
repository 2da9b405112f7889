//! A model call as a kind of paid requests: what it may use, what it has used, and what is stored of its answer.

use std::time::Duration;

use precis_proto::call::CallRecord;
use tokio::time::Instant;

use super::admission::Admission;
use super::call_order::{CallOrder, FinishedRequest};
use super::count::{self, CountResult};
use super::failure::{Code, Failure};
use super::memo::{CountedBy, PaidAnswer};
use super::reply::Reply;
use super::state::ModelsState;
use crate::paid::billing::micro_usd;
use crate::paid::{AnswerSender, FlightPace, NotPaid, PaidDesk, PaidRequests, PaidTerms, memo};
use crate::store::{Amount, CallOutcome};
use crate::telemetry::metrics;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{ModelTokens, chat};

impl From<NotPaid> for Failure {
    fn from(why: NotPaid) -> Self {
        match why {
            NotPaid::Stopped => Self::stopped(),
            NotPaid::OutOfTime => Self::out_of_time(),
            NotPaid::NoRoom(wait) => Self::new(Code::LimitReached, format!("room in {} s", wait.as_secs())),
            NotPaid::Ceiling(reached) => Self::new(Code::CeilingReached, reached),
            NotPaid::NoResult => Self::new(Code::Internal, "the model call task ended without a result"),
        }
    }
}

impl PaidRequests for ModelsState {
    type Order = CallOrder;
    type Kept = PaidAnswer;
    type Answer = FinishedRequest;
    type Failure = Failure;
    type Admission = Admission;
    /// For the breakers of the server and of the model.
    type Outcomes = [CallOutcome; 2];

    fn desk(&self) -> PaidDesk<'_> {
        let (policy, tasks, stop) = (&self.policy, &self.tasks, &self.stop);
        PaidDesk {
            store: &self.store,
            allowance: &self.allowance,
            ceilings: &self.ceilings,
            tenants: &policy.tenants,
            flight: FlightPace { ttl: policy.flight_ttl, poll: policy.flight_poll, wait: policy.flight_wait },
            tasks,
            stop,
        }
    }

    fn terms<'a>(&self, order: &'a CallOrder) -> PaidTerms<'a> {
        let provider = &order.provider;
        PaidTerms {
            key: &order.key,
            billing: &order.billing,
            deadline: order.deadline,
            permits: &provider.permits,
            limits: (format!("model:{}", provider.name), provider.limits),
            estimate: self.estimate(order),
            longest: count::LONGEST + provider.timeout,
        }
    }

    async fn answer_from_kept(&self, order: &CallOrder, kept: PaidAnswer) -> FinishedRequest {
        FinishedRequest::read(&*self.gate, &order.task, kept)
    }

    fn record_wait(&self, order: &CallOrder, seconds: f64) {
        metrics().models.record_wait(&order.provider.name, seconds);
    }

    fn without_price(&self, order: &CallOrder) -> Option<String> {
        let link = order.link();
        let is_unknown = self.policy.tenants.count_money(&order.billing) && self.gate.price(&link).is_none();
        is_unknown.then(|| format!("a ceiling in US dollars applies, but [prices] has no price for `{link}`"))
    }

    async fn admit(&self, order: &CallOrder, asker: &AnswerSender<Self>) -> Result<Admission, Failure> {
        self.admit_call(order, asker).await
    }

    async fn send(&self, order: &CallOrder, admission: &Admission) -> Result<PaidAnswer, Failure> {
        let (sent, unanswered) = (Instant::now(), &order.billing.unanswered);
        unanswered.record_sent(self.record_of(order, order.prepared.input_tokens, 0, 0));
        let result = self.exchange(order).await;
        measure(order, &result, sent.elapsed());
        let result = result.map(|reply| self.paid_answer(order, reply, admission.counted));
        match &result {
            Ok(paid) => {
                let (input, cached, output) = (paid.input_tokens, paid.cached_input_tokens, paid.output_tokens);
                unanswered.record_answer(self.record_of(order, input, cached, output));
            }
            Err(failure) => unanswered.record_failure(&order.key, self.used_amount(order, Err(failure)).tokens > 0),
        }
        result
    }

    fn used_amount(&self, order: &CallOrder, sent: Result<&PaidAnswer, &Failure>) -> Amount {
        match sent {
            Ok(paid) => self.amount(order, paid.input_tokens, paid.cached_input_tokens, paid.output_tokens),
            Err(failure) => failure.code.used_amount(self.estimate(order)),
        }
    }

    fn outcomes(&self, sent: Result<&PaidAnswer, &Failure>) -> [CallOutcome; 2] {
        match sent {
            Ok(_) => [CallOutcome::Success; 2],
            Err(failure) => [failure.code.outcome_for_server(), failure.code.outcome_for_model()],
        }
    }

    async fn tell(&self, order: &CallOrder, admission: Admission, outcomes: [CallOutcome; 2]) {
        self.tell_breakers(&order.addressee(), admission.breakers, outcomes).await;
    }

    async fn keep(&self, order: &CallOrder, paid: PaidAnswer) -> FinishedRequest {
        let answer = self.answer_from_kept(order, paid).await;
        let ttl = if answer.reading.is_ok() { self.policy.memo_ttl } else { self.policy.malformed_ttl };
        let standing = memo::keep_now_or_soon(&self.store, &self.tasks, &order.key, answer.paid.clone(), ttl).await;
        if standing.text == answer.paid.text {
            return answer;
        }
        // Another call stored its answer first. All readers must see one text, so use that one; this session has still paid for its own.
        self.answer_from_kept(order, PaidAnswer { text: standing.text, cut_off: standing.cut_off, ..answer.paid }).await
    }

    fn hold_off(&self, order: &CallOrder, failure: &Failure) {
        if let Some(wait) = failure.retry_after {
            order.provider.hold_off(wait);
        }
    }

    fn explain_failure(&self, _: &CallOrder, failure: Failure) -> Failure {
        failure
    }
}

impl ModelsState {
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
    fn paid_answer(&self, order: &CallOrder, reply: Reply, counted: CountResult) -> PaidAnswer {
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

    /// Returns the largest usage the request can have: the amount reserved before it is sent.
    fn estimate(&self, order: &CallOrder) -> Amount {
        self.amount(order, order.prepared.input_tokens, 0, order.prepared.max_output_tokens)
    }

    /// Converts token counts to a usage amount of one request, priced for the model of `order`; free if its price is unknown.
    pub(super) fn amount(
        &self,
        order: &CallOrder,
        input_tokens: u64,
        cached_input_tokens: u64,
        output_tokens: u64,
    ) -> Amount {
        let price = self.gate.price(&format!("{}:{}", order.provider.name, order.model));
        let usd = price.map_or(0.0, |p| p.of(input_tokens, cached_input_tokens, output_tokens));
        Amount { requests: 1, tokens: input_tokens.saturating_add(output_tokens), micro_usd: micro_usd(usd) }
    }
}

/// Records the metrics of a request that was sent.
fn measure(order: &CallOrder, result: &Result<Reply, Failure>, took: Duration) {
    let (role, link) = (order.task.role().as_str(), format!("{}:{}", order.provider.name, order.model));
    let outcome = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
    metrics().models.record_end(role, &link, outcome, took.as_secs_f64());
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
