//! A search as a kind of paid requests: what it may use, what it has used, and what is stored of its answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use precis_proto::SessionId;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout};

use super::answer::{DroppedResults, WebHit};
use super::failure::{ProviderFailure, SearchCode};
use super::searcher::{FittedQuery, Searcher};
use super::state::SearchesState;
use crate::paid::billing::micro_usd;
use crate::paid::{AnswerSender, BillingContext, FlightPace, NotPaid, PaidDesk, PaidRequests, PaidTerms, memo};
use crate::store::{Amount, BreakerPermit, CallOutcome};
use crate::telemetry::metrics;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::retrieval;

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

impl From<NotPaid> for ProviderFailure {
    fn from(why: NotPaid) -> Self {
        match why {
            NotPaid::Stopped => stop_failure(),
            NotPaid::OutOfTime => out_of_time(),
            NotPaid::NoRoom(wait) => Self::new(SearchCode::LimitReached, format!("room in {} s", wait.as_secs())),
            NotPaid::Ceiling(reached) => Self::new(SearchCode::CeilingReached, reached),
            NotPaid::NoResult => Self::new(SearchCode::Internal, "the search task ended without a result"),
        }
    }
}

impl PaidRequests for SearchesState {
    type Order = SearchOrder;
    type Kept = CachedSearch;
    type Answer = CachedSearch;
    type Failure = ProviderFailure;
    type Admission = BreakerPermit;
    type Outcomes = CallOutcome;

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

    fn terms<'a>(&self, order: &'a SearchOrder) -> PaidTerms<'a> {
        let searcher = &order.searcher;
        PaidTerms {
            // With the shared key, two sessions of a tenant that make the same search at once pay once.
            key: order.keys.shared.as_ref().unwrap_or(&order.keys.session),
            billing: &order.billing,
            deadline: order.deadline,
            permits: &searcher.permits,
            limits: searcher.limits.clone(),
            estimate: estimate(order),
            longest: searcher.config.timeout,
        }
    }

    async fn answer_from_kept(&self, order: &SearchOrder, kept: CachedSearch) -> CachedSearch {
        self.keep_for_session(&order.keys, kept).await
    }

    fn record_wait(&self, order: &SearchOrder, seconds: f64) {
        metrics().searches.record_wait(order.searcher.name(), seconds);
    }

    /// A search without a price is free.
    fn without_price(&self, _: &SearchOrder) -> Option<String> {
        None
    }

    async fn admit(&self, order: &SearchOrder, asker: &AnswerSender<Self>) -> Result<BreakerPermit, ProviderFailure> {
        let open = |wait: Duration| ProviderFailure::new(SearchCode::BreakerOpen, format!("for {} s", wait.as_secs()));
        let admitted = self.breakers.ask(&self.store, &breaker(order.searcher.name())).await.map_err(open)?;
        if asker.is_closed() {
            self.breakers.tell(&self.store, admitted, CallOutcome::Neutral).await;
            return Err(stop_failure());
        }
        Ok(admitted)
    }

    async fn send(&self, order: &SearchOrder, _: &BreakerPermit) -> Result<CachedSearch, ProviderFailure> {
        let sent = Instant::now();
        let result = self.exchange(order).await;
        let word = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "answered");
        metrics().searches.record_end(order.searcher.name(), word, sent.elapsed().as_secs_f64());
        spans::record(order.billing.span, |parent| {
            let error = result.as_ref().err().map(|failure| failure.code.as_str());
            retrieval(parent, &order.billing.session, order.searcher.name(), error, sent.elapsed())
        });
        result
    }

    fn used_amount(&self, order: &SearchOrder, sent: Result<&CachedSearch, &ProviderFailure>) -> Amount {
        match sent {
            Ok(kept) => Amount { requests: 1, tokens: 0, micro_usd: micro_usd(kept.usd) },
            Err(failure) => used_amount(failure.code, estimate(order)),
        }
    }

    fn outcomes(&self, sent: Result<&CachedSearch, &ProviderFailure>) -> CallOutcome {
        sent.map_or_else(|failure| failure.code.outcome(), |_| CallOutcome::Success)
    }

    async fn tell(&self, order: &SearchOrder, admitted: BreakerPermit, outcome: CallOutcome) {
        if let Some(window) = self.breakers.tell(&self.store, admitted, outcome).await {
            let (provider, failures, size) = (order.searcher.name(), window.failures, window.size);
            tracing::warn!(provider, window_failures = failures, window_size = size, "search breaker opened");
        }
    }

    /// Another session that stored its own answer first, because the lease was lost, keeps that one: each stays with what it has seen.
    async fn keep(&self, order: &SearchOrder, kept: CachedSearch) -> CachedSearch {
        let Some(shared) = &order.keys.shared else { return self.keep_for_session(&order.keys, kept).await };
        let for_others = kept.clone();
        // Ignored if it fails: another session then searches again.
        let share = memo::keep(&self.store, shared, &for_others, self.policy.cache_ttl);
        join(self.keep_for_session(&order.keys, kept), share).await.0
    }

    fn hold_off(&self, order: &SearchOrder, failure: &ProviderFailure) {
        if let Some(wait) = failure.retry_after {
            order.searcher.hold_off(wait);
        }
    }

    fn explain_failure(&self, order: &SearchOrder, failure: ProviderFailure) -> ProviderFailure {
        order.searcher.explain_failure(failure)
    }
}

impl SearchesState {
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
            () = self.stop.cancelled() => Err(stop_failure()),
        }?;
        let (fitted, config) = (&order.fitted, &order.searcher.config);
        let usd = page.usd.filter(|usd| usd.is_finite() && *usd >= 0.0).unwrap_or(config.usd_per_call);
        let (hits, dropped) = order.searcher.choose(fitted, page);
        Ok(CachedSearch { paid_by: order.billing.session.clone(), hits, dropped, query_cut: fitted.query_cut, usd })
    }

    /// Stores an answer under its session's key, so that the session finds it again when it resumes.
    pub(super) async fn keep_for_session(&self, keys: &SearchKeys, kept: CachedSearch) -> CachedSearch {
        memo::keep_now_or_soon(&self.store, &self.tasks, &keys.session, kept, self.policy.memo_ttl).await
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
fn used_amount(code: SearchCode, reserved: Amount) -> Amount {
    match (code.may_cost(), code.was_sent()) {
        (true, _) => reserved,
        (false, true) => Amount { requests: reserved.requests, ..Amount::default() },
        (false, false) => Amount::default(),
    }
}

fn stop_failure() -> ProviderFailure {
    ProviderFailure::new(SearchCode::Stopped, "the caller is gone or the process is stopping")
}

pub(super) fn out_of_time() -> ProviderFailure {
    ProviderFailure::new(SearchCode::OutOfTime, "the time of the search ended before an answer")
}
