//! One request to a search provider, run in a task of the process rather than of the caller: once it is sent, its answer is stored even if
//! the caller is gone. If the caller is gone before, it is not sent.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join_all};
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
use crate::model::flight::{self, Flight, FlightWait};
use crate::model::memo;
use crate::store::{Amount, BreakerPermit, CallOutcome};
use crate::telemetry::metrics;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::retrieval;

/// Longest time between the end of a request and the settlement of its cost. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// The stored result of a finished search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CachedSearch {
    /// The session that paid. If the same session finds it again after a crash, its cost is counted once.
    pub(super) paid_by: SessionId,
    pub(super) hits: Vec<WebHit>,
    pub(super) dropped: DroppedResults,
    pub(super) query_cut: bool,
    pub(super) usd: f64,
}

/// The store keys of a search's answer.
#[derive(Debug, Clone)]
pub(super) struct SearchKeys {
    /// Key for its own session, kept as long as the session may resume.
    pub(super) session: String,
    /// Key for other sessions of the tenant, kept while fresh; `None` if sharing is off.
    pub(super) shared: Option<String>,
}

/// One request to one provider, before it is sent.
#[derive(Debug, Clone)]
pub(super) struct SearchOrder {
    pub(super) keys: SearchKeys,
    pub(super) billing: BillingContext,
    pub(super) searcher: Arc<Searcher>,
    pub(super) fitted: FittedQuery,
    /// Nothing is sent after this.
    pub(super) deadline: Instant,
}

/// A request that was sent, and what its breaker is told.
#[derive(Debug)]
struct SentSearch {
    result: Result<CachedSearch, ProviderFailure>,
    admitted: BreakerPermit,
    outcome: CallOutcome,
}

/// Sends the result to the caller; closed if the caller's future is dropped.
type SearchSender = oneshot::Sender<Result<CachedSearch, ProviderFailure>>;

/// The reservations of one request under rate limits and ceilings; must be settled.
#[derive(Debug)]
struct SearchReservation {
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

impl SearchesState {
    /// Makes the search in a task of this process, or takes the answer of the same search under way elsewhere. Dropping the future does
    /// not end a request that was sent.
    pub(super) async fn dispatch(self: &Arc<Self>, order: SearchOrder) -> Result<CachedSearch, ProviderFailure> {
        let (mut asker, answer) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let (result, flight) = inner.in_single_flight(&order, &mut asker).await;
            // Ignored: if the caller is gone, the answer is still in the store.
            let _ = asker.send(result.map_err(|failure| order.searcher.explained(failure)));
            // Last: the answer is stored, so whoever takes the lease next finds it, and the caller need not wait for the release.
            if let Some(flight) = flight {
                flight.land(&inner.store).await;
            }
        });
        let silent = |_| Err(ProviderFailure::new(SearchCode::Internal, "the search task ended without a result"));
        answer.await.unwrap_or_else(silent)
    }

    /// Makes the search under the single-flight lease of its key, or returns the answer of the holder; returns the lease to release.
    async fn in_single_flight(
        &self,
        order: &SearchOrder,
        asker: &mut SearchSender,
    ) -> (Result<CachedSearch, ProviderFailure>, Option<Flight>) {
        let policy = &self.policy;
        let until = order.deadline.min(Instant::now() + policy.flight_wait);
        let pace = (policy.flight_ttl, policy.flight_poll);
        // With the shared key, two sessions of a tenant that make the same search at once pay once.
        let key = order.keys.shared.as_ref().unwrap_or(&order.keys.session);
        match flight::turn(&self.store, key, pace, until, self.unwanted(asker)).await {
            FlightWait::Landed(kept) => (Ok(self.keep_for_session(&order.keys, kept).await), None),
            FlightWait::Unwanted => (Err(stopped()), None),
            FlightWait::Ours(flight) => {
                let result = flight.during(&self.store, Box::pin(self.under_permit(order, asker))).await;
                (result, Some(flight))
            }
        }
    }

    /// Sends the request with a permit of the provider and reservations under limits and ceilings, and stores its answer.
    async fn under_permit(
        &self,
        order: &SearchOrder,
        asker: &mut SearchSender,
    ) -> Result<CachedSearch, ProviderFailure> {
        let permits = Arc::clone(&order.searcher.permits);
        let permit = tokio::select! {
            permit = timeout_at(order.deadline, permits.acquire_owned()) => permit,
            () = self.unwanted(asker) => return Err(stopped()),
        };
        let Ok(Ok(_permit)) = permit else { return Err(out_of_time()) };
        let reservation = self.reserve(order, asker).await?;
        let SentSearch { result, admitted, outcome } = match self.send_if_admitted(order, asker).await {
            Ok(sent) => sent,
            Err(unsent) => {
                self.settle(reservation, Amount::default()).await;
                return Err(unsent);
            }
        };
        let used = match &result {
            Ok(kept) => Amount { requests: 1, tokens: 0, micro_usd: micro_usd(kept.usd) },
            Err(failure) => used(failure.code, estimate(order)),
        };
        // All at once, as none needs another: see the model calls.
        let ended = join(self.settle(reservation, used), self.tell(order, admitted, outcome));
        match result {
            Ok(kept) => Ok(join(self.keep(order, kept), ended).await.0),
            Err(failure) => {
                ended.await;
                if let Some(wait) = failure.retry_after {
                    order.searcher.hold_off(wait);
                }
                Err(failure)
            }
        }
    }

    /// Reserves the request's estimate under the rate limits and the ceilings. If one of them refuses, or the caller is gone, settles the
    /// reservations made so far with zero usage.
    async fn reserve(
        &self,
        order: &SearchOrder,
        asker: &mut SearchSender,
    ) -> Result<SearchReservation, ProviderFailure> {
        let mut reservation =
            SearchReservation { taken: Vec::new(), aside: SpendHold::new(estimate(order), lease(order)) };
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
    async fn reserve_each(
        &self,
        order: &SearchOrder,
        reservation: &mut SearchReservation,
    ) -> Result<(), ProviderFailure> {
        let (store, tenants, billing) = (&self.store, &self.policy.tenants, &order.billing);
        let waiting = Instant::now();
        let mut limits = vec![order.searcher.limits.clone()];
        limits.push(tenants.limits(billing));
        for (name, limits) in limits {
            let taken = self.allowance.take(store, &name, &limits, estimate(order), order.deadline).await;
            let over = |wait: Duration| {
                ProviderFailure::new(SearchCode::LimitReached, format!("room in {} s", wait.as_secs()))
            };
            reservation.taken.push(taken.map_err(over)?);
        }
        metrics().searches.waited(order.searcher.name(), waiting.elapsed().as_secs_f64());
        let aside = self.ceilings.set_aside(store, tenants, billing, order.deadline, &mut reservation.aside).await;
        aside.map_err(|reached| ProviderFailure::new(SearchCode::CeilingReached, reached))
    }

    async fn settle(&self, reservation: SearchReservation, used: Amount) {
        let limits = reservation.taken.into_iter().map(|taken| self.allowance.settle(&self.store, taken, used));
        join(join_all(limits), self.ceilings.spend(&self.store, reservation.aside, used)).await;
    }

    /// Sends the request if the breaker admits it; the caller reports the outcome to the breaker.
    ///
    /// # Errors
    /// The failure if nothing was sent; then the breaker has been told, and the reservations are to be settled with zero usage.
    async fn send_if_admitted(&self, order: &SearchOrder, asker: &SearchSender) -> Result<SentSearch, ProviderFailure> {
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
        spans::record(order.billing.span, |parent| {
            let error = result.as_ref().err().map(|failure| failure.code.as_str());
            retrieval(parent, &order.billing.session, order.searcher.name(), error, sent.elapsed())
        });
        let outcome = result.as_ref().map_or_else(|failure| failure.code.outcome(), |_| CallOutcome::Success);
        Ok(SentSearch { result, admitted, outcome })
    }

    /// Reports the outcome of a request to the provider's breaker.
    async fn tell(&self, order: &SearchOrder, admitted: BreakerPermit, outcome: CallOutcome) {
        if let Some(window) = self.breakers.tell(&self.store, admitted, outcome).await {
            let (provider, failures, size) = (order.searcher.name(), window.failures, window.size);
            tracing::warn!(provider, window_failures = failures, window_size = size, "search breaker opened");
        }
    }

    /// Sends the request once, within the provider's timeout and the time left.
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

    /// Stores the answer, for its session and for others, before it is used; returns the one that stands for the session. Another session
    /// that stored its own answer first, because the lease was lost, keeps that one: each stays with what it has seen.
    async fn keep(&self, order: &SearchOrder, kept: CachedSearch) -> CachedSearch {
        let Some(shared) = &order.keys.shared else { return self.keep_for_session(&order.keys, kept).await };
        let for_others = kept.clone();
        // Ignored if it fails: another session then searches again.
        let share = memo::keep(&self.store, shared, &for_others, self.policy.cache_ttl);
        join(self.keep_for_session(&order.keys, kept), share).await.0
    }

    /// Stores an answer under its session's key, so that the session finds it again when it resumes.
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

    /// Completes when the caller is gone or this process is stopping.
    async fn unwanted(&self, asker: &mut SearchSender) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// Returns the name of a provider's breaker.
pub(super) fn breaker(provider: &str) -> String {
    format!("search:{provider}")
}

/// Returns the largest usage the search can have: the amount reserved before it is sent.
fn estimate(order: &SearchOrder) -> Amount {
    Amount { requests: 1, tokens: 0, micro_usd: micro_usd(order.searcher.config.usd_per_call) }
}

/// Returns the usage to settle for a failed search: all of `reserved` if it may have been charged, one request if it was sent, else none.
fn used(code: SearchCode, reserved: Amount) -> Amount {
    match (code.may_cost(), code.was_sent()) {
        (true, _) => reserved,
        (false, true) => Amount { requests: reserved.requests, ..Amount::default() },
        (false, false) => Amount::default(),
    }
}

/// Returns the longest time from setting the cost aside to its settlement.
fn lease(order: &SearchOrder) -> Duration {
    let left = order.deadline.saturating_duration_since(Instant::now());
    (billing::LONGEST_WAIT + order.searcher.config.timeout).min(left) + SETTLED
}

pub(super) fn stopped() -> ProviderFailure {
    ProviderFailure::new(SearchCode::Stopped, "the caller is gone or the process is stopping")
}

pub(super) fn out_of_time() -> ProviderFailure {
    ProviderFailure::new(SearchCode::OutOfTime, "the time of the search ended before an answer")
}
