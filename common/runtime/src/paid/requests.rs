//! What the kinds of paid requests have in common, and what each of them decides.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::allowance::Allowance;
use super::billing::{BillingContext, Ceilings, TenantPolicies};
use crate::store::{Amount, LimitPolicy, Store};

/// What all requests of one kind share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaidDesk<'a> {
    pub(crate) store: &'a Store,
    pub(crate) allowance: &'a Allowance,
    pub(crate) ceilings: &'a Ceilings,
    pub(crate) tenants: &'a TenantPolicies,
    pub(crate) flight: FlightPace,
    /// Tasks of the requests under way.
    pub(crate) tasks: &'a TaskTracker,
    /// Cancelled once, when a drain has waited long enough; ends every request.
    pub(crate) stop: &'a CancellationToken,
}

impl PaidDesk<'_> {
    /// Completes when the caller is gone or this process is stopping.
    pub(crate) async fn wait_until_unwanted<T>(&self, asker: &mut oneshot::Sender<T>) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// The times of single flight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlightPace {
    /// Duration of a lease; renewed while the request runs.
    pub(crate) ttl: Duration,
    /// How often a waiting request looks for the answer of the one under way.
    pub(crate) poll: Duration,
    /// Longest wait for it.
    pub(crate) wait: Duration,
}

/// What one request is paid under.
#[derive(Debug)]
pub(crate) struct PaidTerms<'a> {
    /// Key of its single flight, under which its answer is looked up.
    pub(crate) key: &'a str,
    pub(crate) billing: &'a BillingContext,
    /// Nothing is sent after this.
    pub(crate) deadline: Instant,
    /// One permit per concurrent request to its provider.
    pub(crate) permits: &'a Arc<Semaphore>,
    /// Name and value of its provider's rate limits.
    pub(crate) limits: (String, LimitPolicy),
    /// The most it can use.
    pub(crate) estimate: Amount,
    /// Longest time that its kind needs to admit and to send it.
    pub(crate) longest: Duration,
}

/// Why a request was not made, as far as it does not depend on its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotPaid {
    /// The caller is gone, or the process is stopping.
    Stopped,
    /// Its time was over before it was sent.
    OutOfTime,
    /// A rate limit has no room before this time is over.
    NoRoom(Duration),
    /// A spending ceiling is reached: which one.
    Ceiling(String),
    /// The task of the request ended without a result.
    NoResult,
}

/// Sends the result of a request to its caller; closed if the caller's future is dropped.
pub(crate) type AnswerSender<P> = oneshot::Sender<Result<<P as PaidRequests>::Answer, <P as PaidRequests>::Failure>>;

/// One kind of paid requests.
pub(crate) trait PaidRequests: Send + Sync + 'static {
    /// A request before it is sent.
    type Order: Send + Sync + 'static;
    /// The stored part of an answer.
    type Kept: DeserializeOwned + Send;
    /// What the caller gets.
    type Answer: Send + 'static;
    type Failure: From<NotPaid> + Send + Sync + 'static;
    /// A request that may be sent; its breakers are to be told how it ended.
    type Admission: Send + Sync;
    /// What the breakers are told.
    type Outcomes: Copy + Send;

    fn desk(&self) -> PaidDesk<'_>;

    fn terms<'a>(&self, order: &'a Self::Order) -> PaidTerms<'a>;

    /// The answer to `order` for which somebody else has paid.
    fn answer_from_kept(&self, order: &Self::Order, kept: Self::Kept) -> impl Future<Output = Self::Answer> + Send;

    /// Called with the time in seconds that a request waited for its rate limits.
    fn record_wait(&self, order: &Self::Order, seconds: f64);

    /// Which ceiling cannot be held because the price of the request is unknown, if any.
    fn without_price(&self, order: &Self::Order) -> Option<String>;

    /// Admits the request, unless its breakers refuse or the caller is gone.
    ///
    /// # Errors
    /// Why it may not be sent; the breakers then need not be told.
    fn admit(
        &self,
        order: &Self::Order,
        asker: &AnswerSender<Self>,
    ) -> impl Future<Output = Result<Self::Admission, Self::Failure>> + Send;

    /// Sends the request once.
    ///
    /// # Errors
    /// The provider's failure, or that the time is over.
    fn send(
        &self,
        order: &Self::Order,
        admission: &Self::Admission,
    ) -> impl Future<Output = Result<Self::Kept, Self::Failure>> + Send;

    /// What the request has used.
    fn used_amount(&self, order: &Self::Order, sent: Result<&Self::Kept, &Self::Failure>) -> Amount;

    fn outcomes(&self, sent: Result<&Self::Kept, &Self::Failure>) -> Self::Outcomes;

    /// Reports the outcomes to the breakers.
    fn tell(
        &self,
        order: &Self::Order,
        admission: Self::Admission,
        outcomes: Self::Outcomes,
    ) -> impl Future<Output = ()> + Send;

    /// Stores what was paid for, and returns the answer that stands: whoever stored one first keeps it.
    fn keep(&self, order: &Self::Order, kept: Self::Kept) -> impl Future<Output = Self::Answer> + Send;

    /// Makes the provider's next requests wait as long as `failure` asks.
    fn hold_off(&self, order: &Self::Order, failure: &Self::Failure);

    /// `failure` as the caller sees it.
    fn explain_failure(&self, order: &Self::Order, failure: Self::Failure) -> Self::Failure;
}
