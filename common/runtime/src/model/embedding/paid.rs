//! A request for vectors as a kind of paid requests: what it may use, what it has used, and how often it is repeated.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::call::CallRecord;
use precis_proto::task::Role;
use tokio::time::{Instant, sleep_until};

use super::call::{EmbeddedTexts, EmbeddingOrder};
use super::kept::KeptVectors;
use super::wire;
use crate::model::failure::{Code, Failure};
use crate::model::provider::Transport;
use crate::model::state::ModelsState;
use crate::paid::billing::micro_usd;
use crate::paid::{AnswerSender, NotPaid, PaidDesk, PaidRequests, PaidTerms, dispatch, memo};
use crate::store::{Amount, BreakerPermit, CallOutcome};
use crate::telemetry::metrics;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{ModelTokens, embeddings};

/// Requests for vectors of a process, with the providers, limits and ceilings of its model calls.
#[derive(Debug)]
pub(in crate::model) struct EmbeddingCalls(Arc<ModelsState>);

impl EmbeddingCalls {
    pub(in crate::model) fn new(models: &Arc<ModelsState>) -> Arc<Self> {
        Arc::new(Self(Arc::clone(models)))
    }

    /// Returns the stored answer of `order`, else dispatches at most [`CallPolicy::tries`](crate::model::CallPolicy) requests for one.
    pub(in crate::model) async fn pay_once(self: &Arc<Self>, order: EmbeddingOrder) -> Result<EmbeddedTexts, Failure> {
        if order.call.is_kept
            && let Some(kept) = memo::look_up::<KeptVectors>(&self.0.store, &order.key).await
            && let Ok(known) = self.read(&order, &kept)
        {
            return Ok(known);
        }
        let mut left = self.0.policy.tries.max(1);
        loop {
            wait_until_welcome(&order).await?;
            let failure = match dispatch(self, order.clone()).await.and_then(|answer| answer) {
                Ok(answer) => {
                    order.billing.unanswered.take(&order.key);
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            left -= 1;
            // A pause that the provider asked for is kept by `wait_until_welcome`.
            let pause =
                if failure.retry_after.is_some() { Instant::now() } else { Instant::now() + self.0.policy.retry_delay };
            if left == 0 || !failure.code.is_transient() || pause >= order.deadline {
                return Err(failure);
            }
            sleep_until(pause).await;
        }
    }

    /// Reads what is kept as the answer to `order`.
    fn read(&self, order: &EmbeddingOrder, kept: &KeptVectors) -> Result<EmbeddedTexts, Failure> {
        let vectors = kept.vectors(order.call.texts.len(), order.call.dimensions);
        let vectors = vectors.ok_or_else(|| Failure::new(Code::Internal, "what was kept is no answer"))?;
        let is_ours = kept.paid_by == order.billing.session;
        Ok(EmbeddedTexts { vectors, record: self.record_of(order, kept.tokens, is_ours) })
    }

    /// The record of a request that read so many tokens, and was paid by this session or by another one.
    fn record_of(&self, order: &EmbeddingOrder, tokens: u64, is_ours: bool) -> CallRecord {
        let provider = order.addressee().link;
        CallRecord {
            call_key: order.key.clone(),
            phase: order.phase,
            role: Role::Embedding,
            paid: is_ours,
            cost_usd: if is_ours { self.usd(&provider, tokens) } else { 0.0 },
            provider,
            input_tokens: tokens,
            cached_input_tokens: 0,
            output_tokens: 0,
            unreadable: false,
            unanswered: false,
        }
    }

    /// What so many tokens cost; free if the price is unknown.
    fn usd(&self, link: &str, tokens: u64) -> f64 {
        self.0.gate.price(link).map_or(0.0, |price| price.of(tokens, 0, 0))
    }

    fn amount(&self, order: &EmbeddingOrder, tokens: u64) -> Amount {
        Amount { requests: 1, tokens, micro_usd: micro_usd(self.usd(&order.addressee().link, tokens)) }
    }
}

/// Waits out the pause the provider asked for.
async fn wait_until_welcome(order: &EmbeddingOrder) -> Result<(), Failure> {
    match order.provider.not_before() {
        Some(at) if at >= order.deadline => {
            Err(Failure::new(Code::RateLimited, "the provider asks for a longer wait than the time left"))
        }
        Some(at) => {
            sleep_until(at).await;
            Ok(())
        }
        None => Ok(()),
    }
}

impl PaidRequests for EmbeddingCalls {
    type Order = EmbeddingOrder;
    type Kept = KeptVectors;
    type Answer = Result<EmbeddedTexts, Failure>;
    type Failure = Failure;
    type Admission = [BreakerPermit; 2];
    /// For the breakers of the server and of the model.
    type Outcomes = [CallOutcome; 2];

    fn desk(&self) -> PaidDesk<'_> {
        self.0.desk()
    }

    fn terms<'a>(&self, order: &'a EmbeddingOrder) -> PaidTerms<'a> {
        let provider = &order.provider;
        PaidTerms {
            key: &order.key,
            billing: &order.billing,
            deadline: order.deadline,
            permits: &provider.permits,
            limits: (format!("model:{}", provider.name), provider.limits),
            estimate: self.amount(order, order.call.tokens),
            longest: provider.timeout,
        }
    }

    async fn answer_from_kept(&self, order: &EmbeddingOrder, kept: KeptVectors) -> Self::Answer {
        self.read(order, &kept)
    }

    fn record_wait(&self, order: &EmbeddingOrder, seconds: f64) {
        metrics().models.record_wait(&order.provider.name, seconds);
    }

    fn without_price(&self, order: &EmbeddingOrder) -> Option<String> {
        let link = order.addressee().link;
        let is_unknown = self.0.policy.tenants.count_money(&order.billing) && self.0.gate.price(&link).is_none();
        is_unknown.then(|| format!("a ceiling in US dollars applies, but [prices] has no price for `{link}`"))
    }

    async fn admit(&self, order: &EmbeddingOrder, asker: &AnswerSender<Self>) -> Result<[BreakerPermit; 2], Failure> {
        let addressee = order.addressee();
        let admitted = self.0.ask_breakers(&addressee).await?;
        if asker.is_closed() {
            self.0.tell_breakers(&addressee, admitted, [CallOutcome::Neutral; 2]).await;
            return Err(NotPaid::Stopped.into());
        }
        Ok(admitted)
    }

    async fn send(&self, order: &EmbeddingOrder, _: &[BreakerPermit; 2]) -> Result<KeptVectors, Failure> {
        let (sent, unanswered) = (Instant::now(), &order.billing.unanswered);
        unanswered.record_sent(self.record_of(order, order.call.tokens, true));
        let result = self.exchange(order).await;
        measure(order, &result, sent.elapsed());
        match &result {
            Ok(kept) => unanswered.record_answer(self.record_of(order, kept.tokens, true)),
            Err(failure) => unanswered.record_failure(&order.key, self.used_amount(order, Err(failure)).tokens > 0),
        }
        result
    }

    fn used_amount(&self, order: &EmbeddingOrder, sent: Result<&KeptVectors, &Failure>) -> Amount {
        match sent {
            Ok(kept) => self.amount(order, kept.tokens),
            Err(failure) => failure.code.used_amount(self.amount(order, order.call.tokens)),
        }
    }

    fn outcomes(&self, sent: Result<&KeptVectors, &Failure>) -> [CallOutcome; 2] {
        match sent {
            Ok(_) => [CallOutcome::Success; 2],
            Err(failure) => [failure.code.outcome_for_server(), failure.code.outcome_for_model()],
        }
    }

    async fn tell(&self, order: &EmbeddingOrder, admitted: [BreakerPermit; 2], outcomes: [CallOutcome; 2]) {
        self.0.tell_breakers(&order.addressee(), admitted, outcomes).await;
    }

    /// Another call that stored its answer first keeps it: all readers see the same vectors, and each pays for its own request.
    async fn keep(&self, order: &EmbeddingOrder, kept: KeptVectors) -> Self::Answer {
        if !order.call.is_kept {
            return self.read(order, &kept);
        }
        let (state, ttl) = (&self.0, self.0.policy.memo_ttl);
        let standing = memo::keep_now_or_soon(&state.store, &state.tasks, &order.key, kept.clone(), ttl).await;
        let own = self.read(order, &kept);
        match self.read(order, &standing) {
            Ok(standing) => own.map(|own| EmbeddedTexts { vectors: standing.vectors, ..own }),
            Err(_) => own,
        }
    }

    fn hold_off(&self, order: &EmbeddingOrder, failure: &Failure) {
        if let Some(wait) = failure.retry_after {
            order.provider.hold_off(wait);
        }
    }

    fn explain_failure(&self, _: &EmbeddingOrder, failure: Failure) -> Failure {
        failure
    }
}

impl EmbeddingCalls {
    /// Sends the texts once, and reads their vectors.
    async fn exchange(&self, order: &EmbeddingOrder) -> Result<KeptVectors, Failure> {
        let Transport::Server(server) = &order.provider.transport else {
            return Err(Failure::new(Code::Refused, "a tool gives no vectors"));
        };
        let body = wire::request(&order.model, &order.call.texts);
        let sent = server.post_texts(&body, &order.call.texts);
        let answer = self.0.within_patience(&order.addressee(), order.deadline, sent).await?;
        let read = wire::read(&answer, order.call.texts.len(), order.call.dimensions)?;
        let paid_by = order.billing.session.clone();
        Ok(KeptVectors::new(paid_by, read.tokens.unwrap_or(order.call.tokens), &read.vectors))
    }
}

/// Records the metrics of a request that was sent.
fn measure(order: &EmbeddingOrder, result: &Result<KeptVectors, Failure>, took: Duration) {
    let (role, link) = (Role::Embedding.as_str(), order.addressee().link);
    let outcome = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
    metrics().models.record_end(role, &link, outcome, took.as_secs_f64());
    spans::record(order.billing.span, |parent| {
        let used = result.as_ref().map(|kept| ModelTokens { input: kept.tokens, cached: 0, output: 0 });
        let named = (order.provider.name.as_str(), order.model.as_str());
        embeddings(parent, &order.billing.session, named, used.map_err(|failure| failure.code.as_str()), took)
    });
    if let Ok(kept) = result {
        metrics().models.tokens(role, &link, kept.tokens, 0);
    }
}
