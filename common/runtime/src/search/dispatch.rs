//! One request, owned by the process and not by whoever asked: once it is sent its answer is kept, even when nobody waits any
//! more. Until it is sent, nobody waiting means that it is not sent.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::SessionId;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::answer::{DroppedResults, WebHit};
use super::failure::{ProviderFailure, SearchCode};
use super::searcher::{FittedQuery, Searcher};
use super::state::SearchesState;
use crate::model::BillingContext;
use crate::model::allowance::RateReservation;
use crate::model::billing::{self, SpendHold, micro_usd};
use crate::model::flight::{self, FlightWait};
use crate::model::memo;
use crate::store::{Amount, CallOutcome};
use crate::telemetry::metrics;

/// Longest time between the end of a request and the word of what it came to. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// What a search left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CachedSearch {
    /// Whose search it was. The same session meeting it again after a crash has paid once.
    pub(super) paid_by: SessionId,
    pub(super) hits: Vec<WebHit>,
    pub(super) dropped: DroppedResults,
    pub(super) query_cut: bool,
    pub(super) usd: f64,
}

/// Where the answer of a search is looked for and kept.
#[derive(Debug, Clone)]
pub(super) struct SearchKeys {
    /// For its session, as long as that may come back to it.
    pub(super) session: String,
    /// For others of the tenant, as long as it is fresh; none where nothing is.
    pub(super) shared: Option<String>,
}

/// A request to be made.
#[derive(Debug, Clone)]
pub(super) struct SearchOrder {
    pub(super) keys: SearchKeys,
    pub(super) billing: BillingContext,
    pub(super) searcher: Arc<Searcher>,
    pub(super) fitted: FittedQuery,
    /// Nothing is sent after this.
    pub(super) deadline: Instant,
}

/// Whoever asked; closed when the future that waits is dropped.
type SearchSender = oneshot::Sender<Result<CachedSearch, ProviderFailure>>;

/// What a request may take and cost until it is settled.
#[derive(Debug)]
struct SearchReservation {
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

impl SearchesState {
    /// Makes the search, or takes the answer of the one that is under way elsewhere.
    pub(super) async fn dispatch(self: &Arc<Self>, order: SearchOrder) -> Result<CachedSearch, ProviderFailure> {
        let (mut asker, answer) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let result = inner.carry_out(&order, &mut asker).await;
            // Nobody may be waiting: the answer is in the store.
            let _ = asker.send(result.map_err(|failure| order.searcher.explained(failure)));
        });
        let silent = |_| Err(ProviderFailure::new(SearchCode::Internal, "a search ended without a word"));
        answer.await.unwrap_or_else(silent)
    }

    async fn carry_out(&self, order: &SearchOrder, asker: &mut SearchSender) -> Result<CachedSearch, ProviderFailure> {
        let policy = &self.policy;
        let until = order.deadline.min(Instant::now() + policy.flight_wait);
        // Two sessions of one tenant that ask the same at once pay once.
        let key = order.keys.shared.as_ref().unwrap_or(&order.keys.session);
        let flight = tokio::select! {
            turn = flight::turn(&self.store, key, policy.flight_ttl, policy.flight_poll, until) => match turn {
                FlightWait::Landed(kept) => return Ok(self.keep_for_session(&order.keys, kept).await),
                FlightWait::Ours(flight) => flight,
            },
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let result = flight.during(&self.store, self.make(order, asker)).await;
        flight.land(&self.store).await;
        result
    }

    /// Sends the request under a permit, the limits and the breaker, and keeps its answer.
    async fn make(&self, order: &SearchOrder, asker: &mut SearchSender) -> Result<CachedSearch, ProviderFailure> {
        let permits = Arc::clone(&order.searcher.permits);
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, permits.acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(out_of_time()) };
        let leave = self.leave(order, asker).await?;
        let (result, used) = match self.send(order, asker).await {
            Ok(Ok(kept)) => {
                let used = Amount { requests: 1, tokens: 0, micro_usd: micro_usd(kept.usd) };
                (Ok(kept), used)
            }
            Ok(Err(failure)) => {
                let used = used(failure.code, estimate(order));
                (Err(failure), used)
            }
            Err(unsent) => (Err(unsent), Amount::default()),
        };
        self.settle(leave, used).await;
        match result {
            Ok(kept) => Ok(self.keep(order, kept).await),
            Err(failure) => {
                if let Some(wait) = failure.retry_after {
                    order.searcher.hold_off(wait);
                }
                Err(failure)
            }
        }
    }

    /// Waits for room under the limits of the provider and the tenant, and sets aside what the request costs. What was taken on the
    /// way to a refusal is given back.
    async fn leave(&self, order: &SearchOrder, asker: &mut SearchSender) -> Result<SearchReservation, ProviderFailure> {
        let mut leave = SearchReservation { taken: Vec::new(), aside: SpendHold::new(estimate(order), lease(order)) };
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

    /// Money last: nothing is set aside while a search waits for its turn.
    async fn ask_leave(&self, order: &SearchOrder, leave: &mut SearchReservation) -> Result<(), ProviderFailure> {
        let (store, tenants, billing) = (&self.store, &self.policy.tenants, &order.billing);
        let waiting = Instant::now();
        let mut limits = vec![order.searcher.limits.clone()];
        limits.push(tenants.limits(billing));
        for (name, limits) in limits {
            let taken = self.allowance.take(store, &name, &limits, estimate(order), order.deadline).await;
            let over =
                |wait: Duration| ProviderFailure::new(SearchCode::LimitReached, format!("for {} s", wait.as_secs()));
            leave.taken.push(taken.map_err(over)?);
        }
        metrics().searches.waited(order.searcher.name(), waiting.elapsed().as_secs_f64());
        let aside = self.ceilings.set_aside(store, tenants, billing, order.deadline, &mut leave.aside).await;
        aside.map_err(|reached| ProviderFailure::new(SearchCode::CeilingReached, reached))
    }

    async fn settle(&self, leave: SearchReservation, used: Amount) {
        for taken in leave.taken {
            self.allowance.settle(&self.store, taken, used).await;
        }
        self.ceilings.spend(&self.store, leave.aside, used).await;
    }

    /// Sends the request where the breaker admits it, and tells the breaker how it went. The outer error: nothing was sent.
    async fn send(
        &self,
        order: &SearchOrder,
        asker: &SearchSender,
    ) -> Result<Result<CachedSearch, ProviderFailure>, ProviderFailure> {
        let open = |wait: Duration| ProviderFailure::new(SearchCode::BreakerOpen, format!("for {} s", wait.as_secs()));
        let admitted = self.breakers.ask(&self.store, &breaker(order.searcher.name())).await.map_err(open)?;
        if asker.is_closed() {
            self.breakers.tell(&self.store, admitted, CallOutcome::Neutral).await;
            return Err(stopped());
        }
        let sent = Instant::now();
        let result = self.exchange(order).await;
        let word = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
        metrics().searches.ended(order.searcher.name(), word, sent.elapsed().as_secs_f64());
        let outcome = result.as_ref().map_or_else(|failure| failure.code.outcome(), |_| CallOutcome::Success);
        if let Some(window) = self.breakers.tell(&self.store, admitted, outcome).await {
            let (provider, failures, size) = (order.searcher.name(), window.failures, window.size);
            tracing::warn!(provider, window_failures = failures, window_size = size, "search breaker opened");
        }
        Ok(result)
    }

    /// The exchange proper, within the provider's timeout and the time left.
    async fn exchange(&self, order: &SearchOrder) -> Result<CachedSearch, ProviderFailure> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(out_of_time());
        }
        let longest = order.searcher.config.timeout.min(left);
        let page = tokio::select! {
            page = timeout(longest, order.searcher.ask(&order.fitted)) => page.unwrap_or_else(|_| Err(match longest == left {
                true => out_of_time(),
                false => ProviderFailure::new(SearchCode::Timeout, format!("after {} ms", longest.as_millis())),
            })),
            () = self.stop.cancelled() => Err(stopped()),
        }?;
        let (fitted, config) = (&order.fitted, &order.searcher.config);
        let usd = page.usd.filter(|usd| usd.is_finite() && *usd >= 0.0).unwrap_or(config.usd_per_call);
        let (hits, dropped) = order.searcher.choose(fitted, page);
        Ok(CachedSearch { paid_by: order.billing.session.clone(), hits, dropped, query_cut: fitted.query_cut, usd })
    }

    /// Writes the memo, before anybody uses the answer; returns the one that stands.
    async fn keep(&self, order: &SearchOrder, kept: CachedSearch) -> CachedSearch {
        let Some(shared) = &order.keys.shared else { return self.keep_for_session(&order.keys, kept).await };
        let standing = memo::keep(&self.store, shared, &kept, self.policy.cache_ttl).await;
        self.keep_for_session(&order.keys, standing.unwrap_or(kept)).await
    }

    /// Keeps an answer where its session finds it again, however long it takes to come back.
    pub(super) async fn keep_for_session(&self, keys: &SearchKeys, kept: CachedSearch) -> CachedSearch {
        let ttl = self.policy.memo_ttl;
        match memo::keep(&self.store, &keys.session, &kept, ttl).await {
            Ok(standing) => standing,
            Err(_) => {
                self.tasks.spawn(memo::keep_later(self.store.clone(), keys.session.clone(), kept.clone(), ttl));
                kept
            }
        }
    }

    /// Ends when nobody waits for the answer, or nobody may.
    async fn unwanted(&self, asker: &mut SearchSender) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// Name of a provider's breaker.
pub(super) fn breaker(provider: &str) -> String {
    format!("search:{provider}")
}

/// The most a search may come to: reserved before it is sent.
fn estimate(order: &SearchOrder) -> Amount {
    Amount { requests: 1, tokens: 0, micro_usd: micro_usd(order.searcher.config.usd_per_call) }
}

/// What a search that failed has used up of what was `reserved`.
fn used(code: SearchCode, reserved: Amount) -> Amount {
    match (code.may_cost(), code.was_sent()) {
        (true, _) => reserved,
        (false, true) => Amount { requests: reserved.requests, ..Amount::default() },
        (false, false) => Amount::default(),
    }
}

/// How long a request takes at most once its cost is set aside.
fn lease(order: &SearchOrder) -> Duration {
    let left = order.deadline.saturating_duration_since(Instant::now());
    (billing::LONGEST_WAIT + order.searcher.config.timeout).min(left) + SETTLED
}

pub(super) fn stopped() -> ProviderFailure {
    ProviderFailure::new(SearchCode::Stopped, "nobody waits for it")
}

pub(super) fn out_of_time() -> ProviderFailure {
    ProviderFailure::new(SearchCode::OutOfTime, "before an answer")
}
