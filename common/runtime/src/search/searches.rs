//! Runs a search on the named providers in order until one answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use precis_proto::TenantId;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{SearchAnswer, SearchPayment, key_of};
use super::call::SearchCall;
use super::config::{SearchProviderConfig, SearchSetupError};
use super::failure::{ProviderFailure, SearchCode, SearchFailure};
use super::paid_search::{CachedSearch, SearchKeys, SearchOrder, breaker, out_of_time};
use super::policy::SearchPolicy;
use super::searcher::{FittedQuery, Searcher};
use super::state::SearchesState;
use crate::paid::allowance::Allowance;
use crate::paid::billing::Ceilings;
use crate::paid::{BillingContext, dispatch, memo};
use crate::store::{Breakers, CallOutcome, Store};
use crate::telemetry::metrics;

/// Longer budgets are cut to this, so that no clock arithmetic can overflow.
const LONGEST_BUDGET: Duration = Duration::from_secs(24 * 3600);
/// Version of the response readers, part of the store keys; change it whenever a response would be read differently.
const VERSION: &str = "1";

/// The search providers of a process; clones share them.
#[derive(Debug, Clone)]
pub struct Searches(Arc<SearchesState>);

impl Searches {
    /// Sets up `providers` without connecting.
    ///
    /// # Errors
    /// [`SearchSetupError`] names the provider and the configuration key at fault.
    pub fn new(
        providers: &[SearchProviderConfig],
        store: Store,
        policy: SearchPolicy,
    ) -> Result<Self, SearchSetupError> {
        let mut searchers = BTreeMap::new();
        for config in providers {
            searchers.insert(config.name.clone(), Arc::new(Searcher::new(config)?));
        }
        let breakers = Breakers::new(policy.breaker.clone());
        Ok(Self(Arc::new(SearchesState {
            searchers,
            store,
            policy,
            breakers,
            allowance: Allowance::new(),
            ceilings: Ceilings::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })))
    }

    /// Iterates over the names of the providers that are set up, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.searchers.keys().map(String::as_str)
    }

    /// Returns how long the breaker of `provider` stays open; `None` if it admits searches. Sends no request to the provider.
    pub async fn is_open(&self, provider: &str) -> Option<Duration> {
        match self.0.breakers.ask(&self.0.store, &breaker(provider)).await {
            Ok(leave) => {
                // The permit may be the only probe: return it unused, so that a search can make the probe.
                self.0.breakers.tell(&self.0.store, leave, CallOutcome::Neutral).await;
                None
            }
            Err(wait) => Some(wait),
        }
    }

    /// Calls the providers of `call` in order, within `budget`, until one answers. Skips a provider that `billing` can no longer pay. Calls
    /// no provider that the call does not name.
    ///
    /// An answer already in the store is used without a request. Dropping the future stops the waiting; a request already sent is finished
    /// and its answer stored.
    ///
    /// # Errors
    /// [`SearchFailure`] with the failure of each provider. An empty result is an answer, not a failure.
    pub async fn search(
        &self,
        billing: &BillingContext,
        call: &SearchCall,
        budget: Duration,
    ) -> Result<SearchAnswer, SearchFailure> {
        let deadline = Instant::now() + budget.min(LONGEST_BUDGET);
        let mut tried: Vec<ProviderFailure> = Vec::new();
        if let Some(fault) = call.fault() {
            return Err(SearchFailure { tried: vec![ProviderFailure::new(SearchCode::Unusable, fault)] });
        }
        for (number, name) in call.providers.iter().enumerate() {
            if call.providers[..number].contains(name) {
                continue;
            }
            let found = match self.0.searchers.get(name) {
                Some(searcher) => Box::pin(self.0.search_one(searcher, billing, call, deadline)).await,
                None => Err(ProviderFailure::new(SearchCode::UnknownProvider, "the provider is not set up")),
            };
            match found {
                Ok((kept, key)) => return Ok(answer(name, key, billing, kept, tried)),
                Err(failure) => {
                    let failure = ProviderFailure { provider: name.clone(), ..failure };
                    let (code, detail) = (failure.code.as_str(), failure.detail.as_str());
                    tracing::warn!(provider = name, code, detail, "search provider failed");
                    let is_over = !failure.code.fails_over();
                    tried.push(failure);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Err(SearchFailure { tried })
    }

    /// Waits for the requests under way, at most `grace`, then cancels them; returns whether all were finished in time.
    pub async fn drain(&self, grace: Duration) -> bool {
        self.0.tasks.close();
        let finished = timeout(grace, self.0.tasks.wait()).await.is_ok();
        // Only after the grace period: a request that was sent is paid for, and its answer should be stored.
        self.0.stop.cancel();
        self.0.tasks.wait().await;
        finished
    }
}

fn answer(
    name: &str,
    key: String,
    billing: &BillingContext,
    kept: CachedSearch,
    failed_over: Vec<ProviderFailure>,
) -> SearchAnswer {
    let served = if kept.paid_by == billing.session { SearchPayment::Paid } else { SearchPayment::Memo };
    metrics().searches.count_served(name, served.as_str());
    SearchAnswer {
        provider: name.to_owned(),
        hits: kept.hits,
        served,
        key,
        failed_over,
        usd: if served == SearchPayment::Paid { kept.usd } else { 0.0 },
        dropped: kept.dropped,
        query_cut: kept.query_cut,
    }
}

impl SearchesState {
    /// Returns the answer of one provider, stored or new, and its store key.
    async fn search_one(
        self: &Arc<Self>,
        searcher: &Arc<Searcher>,
        billing: &BillingContext,
        call: &SearchCall,
        deadline: Instant,
    ) -> Result<(CachedSearch, String), ProviderFailure> {
        let fitted = searcher.fit(call);
        let keys = self.keys(searcher, billing, &fitted);
        let kept = match self.look_up(&keys).await {
            Some(kept) => kept,
            None => {
                let (billing, searcher) = (billing.clone(), Arc::clone(searcher));
                self.pay_once(SearchOrder { keys: keys.clone(), billing, searcher, fitted, deadline }).await?
            }
        };
        Ok((kept, keys.session))
    }

    fn keys(&self, searcher: &Searcher, billing: &BillingContext, fitted: &FittedQuery) -> SearchKeys {
        let config = &searcher.config;
        let mut parts = vec![VERSION.to_owned(), config.name.clone(), config.kind.as_str().to_owned()];
        parts.push(searcher.base().origin().ascii_serialization());
        parts.push(config.cx.clone().unwrap_or_default());
        parts.extend(fitted.identity());
        let within = |scope: &str, name: &str| {
            let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            parts.extend([scope, name]);
            key_of(&parts)
        };
        let tenant = billing.account.tenant.as_ref().map_or("", TenantId::as_str);
        let is_shared = !self.policy.cache_ttl.is_zero();
        SearchKeys {
            session: within("session", billing.session.as_str()),
            shared: is_shared.then(|| within("tenant", tenant)),
        }
    }

    /// Returns the stored answer of this session, else a fresh one of its tenant, which is then stored for the session too, so that a
    /// repeat after a crash finds the same answer.
    async fn look_up(&self, keys: &SearchKeys) -> Option<CachedSearch> {
        let Some(shared) = &keys.shared else { return memo::look_up(&self.store, &keys.session).await };
        match join(memo::look_up(&self.store, &keys.session), memo::look_up(&self.store, shared)).await {
            (Some(kept), _) => Some(kept),
            (None, Some(kept)) => Some(self.keep_for_session(keys, kept).await),
            (None, None) => None,
        }
    }

    /// Gets a new answer in at most [`SearchPolicy::tries`] requests.
    async fn pay_once(self: &Arc<Self>, order: SearchOrder) -> Result<CachedSearch, ProviderFailure> {
        let searcher = Arc::clone(&order.searcher);
        let mut left = self.policy.tries.max(1);
        loop {
            self.wait_until_welcome(&searcher, order.deadline).await?;
            let failure = match dispatch(self, order.clone()).await {
                Ok(kept) => return Ok(kept),
                Err(failure) => failure,
            };
            left -= 1;
            // A pause that the provider asked for is kept by `wait_until_welcome`.
            let pause = if failure.retry_after.is_some() { Duration::ZERO } else { self.policy.retry_delay };
            let is_late = Instant::now() + pause >= order.deadline;
            let too_long = failure.retry_after.is_some_and(|wait| wait > self.policy.longest_wait);
            if left == 0 || !failure.code.is_transient() || is_late || too_long {
                return Err(failure);
            }
            sleep(pause).await;
        }
    }

    /// Waits out the pause the provider asked for; fails if it exceeds [`SearchPolicy::longest_wait`] or the deadline.
    async fn wait_until_welcome(&self, searcher: &Searcher, deadline: Instant) -> Result<(), ProviderFailure> {
        let now = Instant::now();
        if now >= deadline {
            return Err(out_of_time());
        }
        let wait = searcher.unwelcome();
        if wait > self.policy.longest_wait || now + wait >= deadline {
            let detail = format!("the provider asks for a pause of {} s", wait.as_secs().max(1));
            return Err(searcher.explain_failure(ProviderFailure {
                retry_after: Some(wait),
                ..ProviderFailure::new(SearchCode::RateLimited, detail)
            }));
        }
        sleep(wait).await;
        Ok(())
    }
}
