//! Breakers: one hash each, changed by scripts as [`Breaker`](crate::store::Breaker) is in memory. That one is the reference; the
//! conformance tests keep the two equal.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Script, ScriptInvocation};

use super::{RedisStore, timed_script};
use crate::store::{Admission, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, ReportResult, StoreError};

static ADMIT: LazyLock<Script> =
    LazyLock::new(|| timed_script(concat!(include_str!("breaker.lua"), include_str!("admit.lua"))));
static ADMIT_EARLY: LazyLock<Script> = LazyLock::new(|| {
    timed_script(concat!(include_str!("breaker.lua"), include_str!("early.lua"), include_str!("admit.lua")))
});
static REPORT: LazyLock<Script> =
    LazyLock::new(|| timed_script(concat!(include_str!("breaker.lua"), include_str!("report.lua"))));
/// Longest time in a policy: a year, so that arithmetic in scripts stays exact.
const LONGEST_MS: u64 = 365 * 24 * 3_600_000;

impl RedisStore {
    pub(in crate::store) async fn admit(&self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        self.run_admission(&ADMIT, name, policy).await
    }

    pub(in crate::store) async fn admit_early(
        &self,
        name: &str,
        policy: &BreakerPolicy,
    ) -> Result<Admission, StoreError> {
        self.run_admission(&ADMIT_EARLY, name, policy).await
    }

    async fn run_admission(
        &self,
        script: &Script,
        name: &str,
        policy: &BreakerPolicy,
    ) -> Result<Admission, StoreError> {
        let (word, number): (String, u64) = self.link.script(&self.breaker(script, name, policy)).await?;
        match word.as_str() {
            "allowed" => Ok(Admission::Allowed { generation: number }),
            "probe" => Ok(Admission::Probe { generation: number }),
            "open" => Ok(Admission::Open { retry_after: Duration::from_millis(number) }),
            _ => Err(unknown_result()),
        }
    }

    pub(in crate::store) async fn report(
        &self,
        name: &str,
        policy: &BreakerPolicy,
        generation: u64,
        outcome: CallOutcome,
    ) -> Result<ReportResult, StoreError> {
        let outcome = match outcome {
            CallOutcome::Success => "success",
            CallOutcome::Failure => "failure",
            CallOutcome::Neutral => "neutral",
        };
        let mut script = self.breaker(&REPORT, name, policy);
        script.arg(generation).arg(outcome);
        let (state, failures, size): (String, usize, usize) = self.link.script(&script).await?;
        let state = match state.as_str() {
            "closed" => BreakerState::Closed,
            "open" => BreakerState::Open,
            "half-open" => BreakerState::HalfOpen,
            _ => return Err(unknown_result()),
        };
        Ok(ReportResult { state, opened: (size > 0).then_some(OutcomeWindow { failures, size }) })
    }

    fn breaker<'a>(&self, script: &'a Script, name: &str, policy: &BreakerPolicy) -> ScriptInvocation<'a> {
        let mut script = script.prepare_invoke();
        script.key(self.key_in("breaker", name));
        script.arg(policy.window).arg(policy.min_samples).arg(policy.failure_share);
        script.arg(policy.open_ms.min(LONGEST_MS)).arg(policy.probe_ms.min(LONGEST_MS));
        script
    }
}

fn unknown_result() -> StoreError {
    StoreError("the breaker script returned an unknown result".to_owned())
}
