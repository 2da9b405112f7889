//! The digest breaker, shared by the fleet: if most digests fail, workers pause making them, and sessions continue with whole texts at once
//! instead of after a timeout each. Independent of what a digest is.

use precis_runtime::model::Code;
use precis_runtime::runner::JobError;
use precis_runtime::store::{BreakerPolicy, Breakers, CallOutcome, OutcomeWindow, SharedBreakers};

/// The breaker's name in the store and in metrics.
const NAME: &str = "digest";
/// Code of a digest that was not tried because a breaker is open: this one, or those of all providers of the chain.
pub const BREAKER_OPEN: &str = "breaker_open";
/// Failures that do not count against digests: 4xx, 429, limits, and failures that another breaker guards.
const OF_THE_REQUEST: [Code; 11] = [
    Code::RateLimited,
    Code::LimitReached,
    Code::CeilingReached,
    Code::QuotaExhausted,
    Code::Unauthorized,
    Code::Refused,
    Code::Overflow,
    Code::Filtered,
    Code::OverBudget,
    Code::BreakerOpen,
    Code::Stopped,
];
/// Codes of jobs whose answer is no longer needed.
const UNWANTED: [&str; 2] = ["superseded", "cancelled"];
/// Code of a text that the content store does not give or take: it says nothing of digests.
const WITHOUT_CONTENT: &str = "content_unavailable";

/// Guards the making of digests; cached ones are served without it.
#[derive(Debug)]
pub struct DigestBreaker(Breakers);

impl Default for DigestBreaker {
    /// The policy of every breaker of the program: opens for 60 s if more than 70 % of the last 10 failed, with at least 5 tried.
    fn default() -> Self {
        Self(Breakers::new(BreakerPolicy::default()))
    }
}

impl DigestBreaker {
    /// A breaker with a different policy.
    #[must_use]
    pub fn new(policy: BreakerPolicy) -> Self {
        Self(Breakers::new(policy))
    }

    /// Runs `make` if the breaker admits it, and reports the outcome to the breaker. With `probes` it may run as the probe of an open
    /// breaker before the pause is over.
    ///
    /// # Errors
    /// Those of `make`; transient [`BREAKER_OPEN`] if it was not run.
    pub async fn guard<'a, T>(
        &self,
        shared: impl Into<SharedBreakers<'a>>,
        probes: bool,
        make: impl Future<Output = Result<T, JobError>>,
    ) -> Result<T, JobError> {
        let shared = shared.into();
        let asked = if probes { self.0.ask_early(shared, NAME).await } else { self.0.ask(shared, NAME).await };
        let leave = asked.map_err(|wait| {
            let seconds = wait.as_secs_f64().ceil();
            JobError::transient(BREAKER_OPEN, format!("most digests fail; no digest is made for the next {seconds} s"))
        })?;
        let made = make.await;
        let outcome = made.as_ref().err().map_or(CallOutcome::Success, outcome);
        if let Some(OutcomeWindow { failures, size }) = self.0.tell(shared, leave, outcome).await {
            tracing::warn!(window_failures = failures, window_size = size, "digest.circuit_breaker_triggered");
        }
        made
    }
}

fn outcome(error: &JobError) -> CallOutcome {
    let code = match error {
        JobError::Interrupted(_) => return CallOutcome::Neutral,
        JobError::Transient { code, .. } | JobError::Permanent { code, .. } => code.as_str(),
    };
    let counts_nothing =
        UNWANTED.contains(&code) || code == WITHOUT_CONTENT || OF_THE_REQUEST.iter().any(|of| of.as_str() == code);
    if counts_nothing { CallOutcome::Neutral } else { CallOutcome::Failure }
}

#[cfg(test)]
mod tests {
    use precis_runtime::runner::Interrupt;
    use precis_runtime::store::{MemoryStore, Store};

    use super::*;

    async fn tried(breaker: &DigestBreaker, store: &Store, result: Result<(), JobError>) -> Result<(), String> {
        breaker.guard(store, false, async { result }).await.map_err(|error| error.code().to_owned())
    }

    #[tokio::test]
    async fn failed_digests_stop_the_making_of_digests_and_refusals_do_not() {
        let store = Store::Memory(MemoryStore::new());
        let breaker = DigestBreaker::default();
        for code in ["rate_limited", "unauthorized", "refused", "superseded", "breaker_open", "content_unavailable"] {
            for _ in 0..10 {
                let refused = tried(&breaker, &store, Err(JobError::transient(code, "m"))).await;
                assert_eq!(refused, Err(code.to_owned()));
            }
        }
        let broken_off = tried(&breaker, &store, Err(Interrupt::HandOver.into())).await;
        assert_eq!(broken_off, Err("interrupted".to_owned()));
        for code in ["timed_out", "server_error", "timed_out", "panicked", "malformed_output"] {
            assert_eq!(tried(&breaker, &store, Err(JobError::permanent(code, "m"))).await, Err(code.to_owned()));
        }
        assert_eq!(tried(&breaker, &store, Ok(())).await, Err(BREAKER_OPEN.to_owned()), "not even tried");
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_iteration_tries_one_digest_and_success_admits_all() {
        let store = Store::Memory(MemoryStore::new());
        let breaker = DigestBreaker::default();
        for _ in 0..5 {
            let _ = tried(&breaker, &store, Err(JobError::transient("timed_out", "m"))).await;
        }
        assert_eq!(tried(&breaker, &store, Ok(())).await, Err(BREAKER_OPEN.to_owned()));
        let failed = breaker.guard(&store, true, async { Err::<(), _>(JobError::transient("timed_out", "m")) }).await;
        assert!(failed.is_err_and(|error| error.code() == "timed_out"), "it was tried");
        assert_eq!(tried(&breaker, &store, Ok(())).await, Err(BREAKER_OPEN.to_owned()), "and the others were not");
        assert_eq!(breaker.guard(&store, true, async { Ok(()) }).await, Ok(()));
        assert_eq!(tried(&breaker, &store, Ok(())).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_minute_one_digest_probes_and_success_admits_all() {
        let store = Store::Memory(MemoryStore::new());
        let breaker = DigestBreaker::default();
        for _ in 0..5 {
            let _ = tried(&breaker, &store, Err(JobError::transient("timed_out", "m"))).await;
        }
        tokio::time::advance(std::time::Duration::from_secs(61)).await;
        let probe = breaker.guard(&store, false, async {
            assert_eq!(tried(&breaker, &store, Ok(())).await, Err(BREAKER_OPEN.to_owned()), "one at a time");
            Ok(())
        });
        assert_eq!(probe.await, Ok(()));
        assert_eq!(tried(&breaker, &store, Ok(())).await, Ok(()));
    }
}
