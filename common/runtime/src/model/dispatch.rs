//! One request, owned by the process and not by whoever asked: once it is sent its answer is kept, even when nobody waits any
//! more.
//!
//! Until the request is sent, nobody waiting means that it is not sent.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::allowance::RateReservation;
use super::billing::{self, SpendHold, micro_usd};
use super::call_order::{CallOrder, FinishedRequest};
use super::count::{self, CountResult};
use super::failure::{Code, Failure};
use super::flight::{self, FlightWait};
use super::memo::{self, CountedBy, PaidAnswer};
use super::reply::Reply;
use super::state::ModelsState;
use crate::store::{Amount, BreakerPermit as Admitted, CallOutcome};
use crate::telemetry::metrics;

/// Longest time between the end of a request and the word of what it came to. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// How long a session remembers that a provider does not answer: longer than it lives.
const SILENT_FOR: Duration = Duration::from_secs(6 * 3_600);

/// What a request may take and cost until it is settled.
#[derive(Debug)]
struct CallReservation {
    estimate: Amount,
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

/// Whoever asked; closed when the future that waits is dropped.
type AnswerSender = oneshot::Sender<Result<FinishedRequest, Failure>>;

impl ModelsState {
    /// Makes the call, or takes the answer of the one that is under way elsewhere.
    pub(super) async fn dispatch(self: &Arc<Self>, order: CallOrder) -> Result<FinishedRequest, Failure> {
        let (mut asker, answer) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let result = inner.carry_out(&order, &mut asker).await;
            // Nobody may be waiting: the answer is in the store.
            let _ = asker.send(result);
        });
        answer.await.unwrap_or_else(|_| Err(Failure::new(Code::Internal, "a model call ended without a word")))
    }

    async fn carry_out(&self, order: &CallOrder, asker: &mut AnswerSender) -> Result<FinishedRequest, Failure> {
        let policy = &self.policy;
        let until = order.deadline.min(Instant::now() + policy.flight_wait);
        let flight = tokio::select! {
            turn = flight::turn(&self.store, &order.key, policy.flight_ttl, policy.flight_poll, until) => match turn {
                FlightWait::Landed(paid) => return Ok(FinishedRequest::read(&*self.gate, &order.task, paid)),
                FlightWait::Ours(flight) => flight,
            },
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let result = flight.during(&self.store, self.make(order, asker)).await;
        flight.land(&self.store).await;
        result
    }

    /// Sends the request under a permit, the limits and the breaker, and keeps its answer.
    async fn make(&self, order: &CallOrder, asker: &mut AnswerSender) -> Result<FinishedRequest, Failure> {
        let provider = &order.provider;
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, Arc::clone(&provider.permits).acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(out_of_time()) };
        // Asked under the permit: whoever waited for it has waited for the same silence.
        if let Some(silence) = self.silence(order).await {
            return Err(silence);
        }
        let leave = self.leave(order, asker).await?;
        let result = self.send(order, asker).await;
        let used = match &result {
            Ok(Ok(paid)) => self.amount(order, paid.input_tokens, paid.cached_input_tokens, paid.output_tokens),
            Ok(Err(failure)) => failure.code.used(leave.estimate),
            Err(_) => Amount::default(),
        };
        self.settle(leave, used).await;
        let failure = match result {
            Ok(Ok(paid)) => return Ok(self.keep(order, paid).await),
            Ok(Err(failure)) | Err(failure) => failure,
        };
        if let Some(wait) = failure.retry_after {
            provider.hold_off(wait);
        }
        Err(failure)
    }

    /// Waits for room under the limits of the provider and the tenant, and sets aside what the request may cost. What was taken on
    /// the way to a refusal is given back.
    async fn leave(&self, order: &CallOrder, asker: &mut AnswerSender) -> Result<CallReservation, Failure> {
        let estimate = self.estimate(order);
        let mut leave = CallReservation { estimate, taken: Vec::new(), aside: SpendHold::new(estimate, lease(order)) };
        let asked = tokio::select! {
            asked = self.ask_leave(order, &mut leave) => asked,
            () = self.unwanted(asker) => Err(stopped()),
        };
        match asked {
            Ok(()) => Ok(leave),
            Err(refusal) => {
                self.settle(leave, Amount::default()).await;
                Err(refusal)
            }
        }
    }

    /// Money last: nothing is set aside while a call waits for its turn.
    async fn ask_leave(&self, order: &CallOrder, leave: &mut CallReservation) -> Result<(), Failure> {
        let (store, tenants, billing) = (&self.store, &self.policy.tenants, &order.billing);
        let provider = (format!("model:{}", order.provider.name), order.provider.limits);
        let waiting = Instant::now();
        for (name, limits) in [provider, tenants.limits(billing)] {
            let taken = self.allowance.take(store, &name, &limits, leave.estimate, order.deadline).await;
            let over = |wait: Duration| Failure::new(Code::LimitReached, format!("for {} s", wait.as_secs()));
            leave.taken.push(taken.map_err(over)?);
        }
        metrics().models.waited(&order.provider.name, waiting.elapsed().as_secs_f64());
        let link = order.link();
        if tenants.count_money(billing) && self.gate.price(&link).is_none() {
            let reached = format!("a ceiling in US dollars, with no price of `{link}` in [prices],");
            return Err(Failure::new(Code::CeilingReached, reached));
        }
        let aside = self.ceilings.set_aside(store, tenants, billing, order.deadline, &mut leave.aside).await;
        aside.map_err(|reached| Failure::new(Code::CeilingReached, reached))
    }

    async fn settle(&self, leave: CallReservation, used: Amount) {
        for taken in leave.taken {
            self.allowance.settle(&self.store, taken, used).await;
        }
        self.ceilings.spend(&self.store, leave.aside, used).await;
    }

    /// Sends the request where the breaker admits it and the provider's own count allows it, and tells the breaker how it went.
    /// The outer error: nothing was sent.
    async fn send(&self, order: &CallOrder, asker: &AnswerSender) -> Result<Result<PaidAnswer, Failure>, Failure> {
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
            let detail = format!("{tokens} tokens by its own count, room for {}", order.prepared.input_room);
            return Err(Failure { counted: Some(tokens), ..Failure::new(Code::Overflow, detail) });
        }
        let sent = Instant::now();
        let result = self.exchange(order).await;
        measure(order, &result, sent.elapsed());
        let outcomes = match &result {
            Ok(_) => [CallOutcome::Success; 2],
            Err(failure) => [failure.code.outcome_for_server(), failure.code.outcome_for_model()],
        };
        self.tell(order, admitted, outcomes).await;
        Ok(result.map(|reply| self.paid(order, reply, counted)))
    }

    /// Leave of the server's breaker and of the model's, in this order.
    async fn admitted(&self, order: &CallOrder) -> Result<[Admitted; 2], Failure> {
        let open =
            |what: &str, wait: Duration| Failure::new(Code::BreakerOpen, format!("{what}, for {} s", wait.as_secs()));
        let (server, model) = (format!("server:{}", order.provider.name), format!("model:{}", order.link()));
        let server = self.breakers.ask(&self.store, &server).await.map_err(|wait| open("the server", wait))?;
        match self.breakers.ask(&self.store, &model).await {
            Ok(model) => Ok([server, model]),
            Err(wait) => {
                // Perhaps the one probe of the server, which somebody else may make now.
                self.breakers.tell(&self.store, server, CallOutcome::Neutral).await;
                Err(open("the model", wait))
            }
        }
    }

    /// Tells the breakers of the server and of the model how the request went.
    async fn tell(&self, order: &CallOrder, admitted: [Admitted; 2], outcomes: [CallOutcome; 2]) {
        for (leave, outcome) in admitted.into_iter().zip(outcomes) {
            if let Some(window) = self.breakers.tell(&self.store, leave, outcome).await {
                let (provider, failures, size) = (order.link(), window.failures, window.size);
                tracing::warn!(provider, window_failures = failures, window_size = size, "breaker opened");
            }
        }
    }

    /// The most a request may come to: reserved before it is sent.
    fn estimate(&self, order: &CallOrder) -> Amount {
        self.amount(order, order.prepared.input_tokens, 0, order.prepared.max_output_tokens)
    }

    fn amount(&self, order: &CallOrder, input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> Amount {
        let price = self.gate.price(&format!("{}:{}", order.provider.name, order.model));
        let usd = price.map_or(0.0, |p| p.of(input_tokens, cached_input_tokens, output_tokens));
        Amount { requests: 1, tokens: input_tokens.saturating_add(output_tokens), micro_usd: micro_usd(usd) }
    }

    /// The exchange proper, within the provider's timeout and the time left.
    async fn exchange(&self, order: &CallOrder) -> Result<Reply, Failure> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(out_of_time());
        }
        // A provider that may take longer for one answer is waited for that long.
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

    /// Leaves a mark that the session asks this model no more, on whatever worker.
    async fn give_up(&self, order: &CallOrder, longest: Duration) {
        let (session, provider) = (&order.billing.session, order.link());
        tracing::warn!(%session, provider, seconds = longest.as_secs(), "a provider that does not answer is not asked any more");
        let seconds = Bytes::from(longest.as_secs().to_string());
        // Without the mark other workers find out for themselves.
        let _ = self.store.values().put(&silent_key(session, &provider), seconds, SILENT_FOR).await;
    }

    /// Why the session does not ask this model any more, where it does not.
    async fn silence(&self, order: &CallOrder) -> Option<Failure> {
        let mark = self.store.values().get(&silent_key(&order.billing.session, &order.link())).await.ok()??;
        let seconds = String::from_utf8_lossy(&mark).into_owned();
        Some(Failure::new(Code::Silent, format!("it did not answer this session for {seconds} s")))
    }

    /// What a reply leaves, with the tokens the provider says or else as counted here.
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

    /// Writes the memo and returns the answer that stands.
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
        // Somebody was faster: everybody reads one text, and this session has paid all the same.
        FinishedRequest::read(
            &*self.gate,
            &order.task,
            PaidAnswer { text: standing.text, cut_off: standing.cut_off, ..answer.paid },
        )
    }

    /// Ends when nobody waits for the answer, or nobody may.
    async fn unwanted(&self, asker: &mut AnswerSender) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// How long a request takes at most once its cost is set aside.
fn lease(order: &CallOrder) -> Duration {
    let left = order.deadline.saturating_duration_since(Instant::now());
    (billing::LONGEST_WAIT + count::LONGEST + order.provider.timeout).min(left) + SETTLED
}

/// Measures a request that was sent.
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
    Failure::new(Code::Stopped, "nobody waits for it")
}

fn out_of_time() -> Failure {
    Failure::new(Code::OutOfTime, "before an answer")
}
