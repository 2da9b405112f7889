//! One request to a provider, run in a task of the process rather than of the caller: once it is sent, its answer is stored even if
//! the caller is gone. If the caller is gone before, it is not sent.
//!
//! The stops, in order, each inside the one before:
//!
//! 1. `dispatch` starts the task and waits for its result.
//! 2. `in_single_flight` takes the single-flight lease, or another worker's answer to the same call.
//! 3. `under_permit` takes a permit of the provider and the reservations (`reserve`), and ends the call: settles the reservations, reports
//!    the outcome to the breakers, and stores the answer (`keep`).
//! 4. `send_if_admitted` asks the breakers and, near the limit, the provider's token counter.
//! 5. `exchange` sends the payload once, within the timeout and the session's patience.
//!
//! Operations of the store that do not depend on each other run at once: each costs a round trip, and a quick model answers in one.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{join, join_all, join3};
use precis_proto::SessionId;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::allowance::RateReservation;
use super::billing::{self, SpendHold, micro_usd};
use super::call_order::{CallOrder, FinishedRequest};
use super::count::{self, CountResult};
use super::failure::{Code, Failure};
use super::flight::{self, Flight, FlightWait};
use super::memo::{self, CountedBy, PaidAnswer};
use super::reply::Reply;
use super::state::ModelsState;
use crate::store::{Amount, BreakerPermit as Admitted, CallOutcome};
use crate::telemetry::metrics;

/// Longest time between the end of a request and the settlement of its cost. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// How long the mark that a provider does not answer a session is kept: longer than a session lives.
const SILENT_FOR: Duration = Duration::from_secs(6 * 3_600);

/// The reservations of one request under rate limits and ceilings; must be settled.
#[derive(Debug)]
struct CallReservation {
    estimate: Amount,
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

/// A request that was sent, and what its breakers are told.
#[derive(Debug)]
struct SentRequest {
    result: Result<PaidAnswer, Failure>,
    admitted: [Admitted; 2],
    outcomes: [CallOutcome; 2],
}

/// Sends the result to the caller; closed if the caller's future is dropped.
type AnswerSender = oneshot::Sender<Result<FinishedRequest, Failure>>;

impl ModelsState {
    /// Makes the call in a task of this process, or takes the answer of the same call under way elsewhere. Dropping the future does not
    /// end a request that was sent.
    pub(super) async fn dispatch(self: &Arc<Self>, order: CallOrder) -> Result<FinishedRequest, Failure> {
        let (mut asker, answer) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let (result, flight) = inner.in_single_flight(&order, &mut asker).await;
            // Ignored: if the caller is gone, the answer is still in the store.
            let _ = asker.send(result);
            // Last: the answer is stored, so whoever takes the lease next finds it, and the caller need not wait for the release.
            if let Some(flight) = flight {
                flight.land(&inner.store).await;
            }
        });
        answer.await.unwrap_or_else(|_| Err(Failure::new(Code::Internal, "the model call task ended without a result")))
    }

    /// Makes the call under the single-flight lease of its key, or returns the answer of the holder; returns the lease to release.
    async fn in_single_flight(
        &self,
        order: &CallOrder,
        asker: &mut AnswerSender,
    ) -> (Result<FinishedRequest, Failure>, Option<Flight>) {
        let policy = &self.policy;
        let until = order.deadline.min(Instant::now() + policy.flight_wait);
        let pace = (policy.flight_ttl, policy.flight_poll);
        match flight::turn(&self.store, &order.key, pace, until, self.unwanted(asker)).await {
            FlightWait::Landed(paid) => (Ok(FinishedRequest::read(&*self.gate, &order.task, paid)), None),
            FlightWait::Unwanted => (Err(stopped()), None),
            FlightWait::Ours(flight) => {
                let result = flight.during(&self.store, Box::pin(self.under_permit(order, asker))).await;
                (result, Some(flight))
            }
        }
    }

    /// Sends the request with a permit of the provider and reservations under limits and ceilings, and stores its answer.
    async fn under_permit(&self, order: &CallOrder, asker: &mut AnswerSender) -> Result<FinishedRequest, Failure> {
        let provider = &order.provider;
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, Arc::clone(&provider.permits).acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(out_of_time()) };
        let reservation = self.reserve(order, asker).await?;
        let SentRequest { result, admitted, outcomes } = match self.send_if_admitted(order, asker).await {
            Ok(sent) => sent,
            Err(unsent) => {
                self.settle(reservation, Amount::default()).await;
                return Err(unsent);
            }
        };
        let used = match &result {
            Ok(paid) => self.amount(order, paid.input_tokens, paid.cached_input_tokens, paid.output_tokens),
            Err(failure) => failure.code.used(reservation.estimate),
        };
        // All at once, as none needs another: a worker that dies between them leaves a paid answer that is stored or not, amounts that
        // are freed when their lease expires, and a breaker that misses one outcome.
        let ended = join(self.settle(reservation, used), self.tell(order, admitted, outcomes));
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

    /// Reserves the request's estimate under the rate limits and the ceilings. If one of them refuses, or the caller is gone, settles the
    /// reservations made so far with zero usage.
    async fn reserve(&self, order: &CallOrder, asker: &mut AnswerSender) -> Result<CallReservation, Failure> {
        let estimate = self.estimate(order);
        let mut reservation =
            CallReservation { estimate, taken: Vec::new(), aside: SpendHold::new(estimate, lease(order)) };
        let asked = tokio::select! {
            asked = self.reserve_each(order, &mut reservation) => asked,
            () = self.unwanted(asker) => Err(stopped()),
        };
        match asked {
            Ok(()) => Ok(reservation),
            Err(refusal) => {
                self.settle(reservation, Amount::default()).await;
                Err(refusal)
            }
        }
    }

    /// Waits for room under the limits of the provider and the tenant, then sets the cost aside. Money comes last, so that no amount is
    /// blocked for other calls while this one waits for a limit.
    async fn reserve_each(&self, order: &CallOrder, reservation: &mut CallReservation) -> Result<(), Failure> {
        let (store, tenants, billing) = (&self.store, &self.policy.tenants, &order.billing);
        let provider = (format!("model:{}", order.provider.name), order.provider.limits);
        let waiting = Instant::now();
        for (name, limits) in [provider, tenants.limits(billing)] {
            let taken = self.allowance.take(store, &name, &limits, reservation.estimate, order.deadline).await;
            let over = |wait: Duration| Failure::new(Code::LimitReached, format!("room in {} s", wait.as_secs()));
            reservation.taken.push(taken.map_err(over)?);
        }
        metrics().models.waited(&order.provider.name, waiting.elapsed().as_secs_f64());
        let link = order.link();
        if tenants.count_money(billing) && self.gate.price(&link).is_none() {
            let reached = format!("a ceiling in US dollars applies, but [prices] has no price for `{link}`");
            return Err(Failure::new(Code::CeilingReached, reached));
        }
        let aside = self.ceilings.set_aside(store, tenants, billing, order.deadline, &mut reservation.aside).await;
        aside.map_err(|reached| Failure::new(Code::CeilingReached, reached))
    }

    /// Settles all reservations of a request with its actual usage.
    async fn settle(&self, reservation: CallReservation, used: Amount) {
        let limits = reservation.taken.into_iter().map(|taken| self.allowance.settle(&self.store, taken, used));
        join(join_all(limits), self.ceilings.spend(&self.store, reservation.aside, used)).await;
    }

    /// Sends the request if the breakers admit it and the provider's token count fits; the caller reports the outcome to the breakers.
    ///
    /// # Errors
    /// The failure if nothing was sent; then the breakers have been told, and the reservations are to be settled with zero usage.
    async fn send_if_admitted(&self, order: &CallOrder, asker: &AnswerSender) -> Result<SentRequest, Failure> {
        let admitted = self.admitted(order).await?;
        if asker.is_closed() {
            self.tell(order, admitted, [CallOutcome::Neutral; 2]).await;
            return Err(stopped());
        }
        let counted = tokio::select! {
            counted = self.count(order) => counted,
            () = self.stop.cancelled() => CountResult::Unknown,
        };
        if let CountResult::Over(tokens) = counted {
            self.tell(order, admitted, [CallOutcome::Neutral; 2]).await;
            let detail = format!("{tokens} tokens counted by the provider, room for {}", order.prepared.input_room);
            return Err(Failure { counted: Some(tokens), ..Failure::new(Code::Overflow, detail) });
        }
        let sent = Instant::now();
        let result = self.exchange(order).await;
        measure(order, &result, sent.elapsed());
        let outcomes = match &result {
            Ok(_) => [CallOutcome::Success; 2],
            Err(failure) => [failure.code.outcome_for_server(), failure.code.outcome_for_model()],
        };
        Ok(SentRequest { result: result.map(|reply| self.paid(order, reply, counted)), admitted, outcomes })
    }

    /// Asks the breakers of the server and of the model to admit the request, and whether the session still calls this model. Asked once
    /// the permit and the reservations are there: while this call waited for them, another one may have found that it is silent.
    async fn admitted(&self, order: &CallOrder) -> Result<[Admitted; 2], Failure> {
        let (server, model) = (format!("server:{}", order.provider.name), format!("model:{}", order.link()));
        let (silence, server, model) =
            join3(self.silence(order), self.breakers.ask(&self.store, &server), self.breakers.ask(&self.store, &model))
                .await;
        let open =
            |what: &str, wait: Duration| Failure::new(Code::BreakerOpen, format!("{what}, for {} s", wait.as_secs()));
        let (refusal, unused) = match (silence, server, model) {
            (None, Ok(server), Ok(model)) => return Ok([server, model]),
            (Some(silence), server, model) => (silence, [server.ok(), model.ok()]),
            (None, Err(wait), model) => (open("the server", wait), [None, model.ok()]),
            (None, server, Err(wait)) => (open("the model", wait), [server.ok(), None]),
        };
        // A permit may be a breaker's only probe: return it unused, so that another call can make the probe.
        join_all(
            unused.into_iter().flatten().map(|permit| self.breakers.tell(&self.store, permit, CallOutcome::Neutral)),
        )
        .await;
        Err(refusal)
    }

    /// Reports the outcome of the request to the breakers of the server and of the model.
    async fn tell(&self, order: &CallOrder, [server, model]: [Admitted; 2], outcomes: [CallOutcome; 2]) {
        let opened = join(
            self.breakers.tell(&self.store, server, outcomes[0]),
            self.breakers.tell(&self.store, model, outcomes[1]),
        );
        let (server, model) = opened.await;
        for window in [server, model].into_iter().flatten() {
            let (provider, failures, size) = (order.link(), window.failures, window.size);
            tracing::warn!(provider, window_failures = failures, window_size = size, "breaker opened");
        }
    }

    /// Returns the largest usage the request can have: the amount reserved before it is sent.
    fn estimate(&self, order: &CallOrder) -> Amount {
        self.amount(order, order.prepared.input_tokens, 0, order.prepared.max_output_tokens)
    }

    /// Converts token counts to a usage amount of one request, priced for the model of `order`; free if its price is unknown.
    fn amount(&self, order: &CallOrder, input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> Amount {
        let price = self.gate.price(&format!("{}:{}", order.provider.name, order.model));
        let usd = price.map_or(0.0, |p| p.of(input_tokens, cached_input_tokens, output_tokens));
        Amount { requests: 1, tokens: input_tokens.saturating_add(output_tokens), micro_usd: micro_usd(usd) }
    }

    /// Sends the payload once, within the provider's timeout, the time left and the session's remaining patience.
    async fn exchange(&self, order: &CallOrder) -> Result<Reply, Failure> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(out_of_time());
        }
        // A timeout longer than the patience extends it; otherwise the patience would cut short a permitted wait.
        let longest = self.policy.patience.max(order.provider.timeout);
        let (session, link, now) = (&order.billing.session, order.link(), Instant::now());
        let patient = self.patience.begin(session, &link, longest, now).saturating_duration_since(now);
        let limit = order.provider.timeout.min(left).min(patient);
        let sent = timeout(limit, order.provider.send(&order.model, &order.prepared));
        let reply = tokio::select! {
            reply = sent => reply.unwrap_or_else(|_| Err(match limit == left {
                true => out_of_time(),
                false => Failure::new(Code::Timeout, format!("after {} ms", limit.as_millis())),
            })),
            () = self.stop.cancelled() => Err(stopped()),
        };
        let is_unanswered = reply.as_ref().is_err_and(|failure| {
            matches!(failure.code, Code::Timeout | Code::OutOfTime | Code::Stopped | Code::Connect)
        });
        if self.patience.end(session, &link, !is_unanswered, longest, Instant::now()) {
            self.give_up(order, longest).await;
        }
        reply
    }

    /// Stores a mark, for all workers, that the session no longer calls this model.
    async fn give_up(&self, order: &CallOrder, longest: Duration) {
        let (session, provider) = (&order.billing.session, order.link());
        tracing::warn!(%session, provider, seconds = longest.as_secs(), "the provider does not answer; this session no longer calls it");
        let seconds = Bytes::from(longest.as_secs().to_string());
        // Ignored: without the mark each worker detects the silence itself.
        let _ = self.store.values().put(&silent_key(session, &provider), seconds, SILENT_FOR).await;
    }

    /// Returns a failure if the session no longer calls this model because it did not answer.
    async fn silence(&self, order: &CallOrder) -> Option<Failure> {
        let mark = self.store.values().get(&silent_key(&order.billing.session, &order.link())).await.ok()??;
        let seconds = String::from_utf8_lossy(&mark).into_owned();
        Some(Failure::new(Code::Silent, format!("no answer to this session for {seconds} s")))
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

    /// Completes when the caller is gone or this process is stopping.
    async fn unwanted(&self, asker: &mut AnswerSender) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// Returns the longest time from setting the cost aside to its settlement. After it the amount is freed, since the worker must have died.
fn lease(order: &CallOrder) -> Duration {
    let left = order.deadline.saturating_duration_since(Instant::now());
    (billing::LONGEST_WAIT + count::LONGEST + order.provider.timeout).min(left) + SETTLED
}

/// Records the metrics of a request that was sent.
fn measure(order: &CallOrder, result: &Result<Reply, Failure>, took: Duration) {
    let (role, link) = (order.task.role().as_str(), format!("{}:{}", order.provider.name, order.model));
    let outcome = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
    metrics().models.ended(role, &link, outcome, took.as_secs_f64());
    if let Ok(reply) = result {
        let input = reply.input_tokens.unwrap_or(order.prepared.input_tokens);
        metrics().models.tokens(role, &link, input, reply.output_tokens.unwrap_or(0));
    }
}

fn silent_key(session: &SessionId, link: &str) -> String {
    format!("silent:{session}:{link}")
}

fn stopped() -> Failure {
    Failure::new(Code::Stopped, "the caller is gone or the process is stopping")
}

fn out_of_time() -> Failure {
    Failure::new(Code::OutOfTime, "the time of the call ended before an answer")
}
