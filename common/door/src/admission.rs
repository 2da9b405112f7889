//! Whether a token may submit one more session: how fast, how many at once, and whether the fleet keeps up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use precis_proto::Phase;
use precis_runtime::broker::{Broker, BrokerError, names};
use precis_runtime::records::{AcceptedSession, ActiveSessions, keep_accepted, withdraw_accepted};
use precis_runtime::runner::RESULTS;
use precis_runtime::store::{Amount, LimitPolicy, MemoryStore, Reservation, Store};
use tokio::time::{Instant, timeout};

use crate::callers::Caller;
use crate::door::Door;
use crate::limits::{ACTIVE_AGAIN, DEPTH_KEPT, DEPTH_TIME, QUEUE_AGAIN};
use crate::problem::{Problem, ReachedLimit};

/// Share of what is left of a limit that a door grants without counting again: with up to so many doors none passes the limit.
const DOORS: usize = 8;
/// Seconds of the window of submissions.
const MINUTE: u32 = 60;

/// What a door remembers to ask less often; another door need not know it.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Submissions that may be granted without counting, by token.
    granted: Mutex<HashMap<Option<String>, usize>>,
    /// Messages that wait for workers, if the broker told, and when it was asked.
    depth: tokio::sync::Mutex<Option<(Instant, Option<u64>)>>,
    /// Counts submissions of this door alone while the shared store is away.
    alone: Store,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            granted: Mutex::default(),
            depth: tokio::sync::Mutex::default(),
            alone: Store::Memory(MemoryStore::new()),
        }
    }
}

impl Door {
    /// Counts a submission of `caller`, whatever becomes of it.
    ///
    /// # Errors
    /// 429 above `door_submissions_per_minute`.
    pub(crate) async fn may_submit(&self, caller: &Caller) -> Result<(), Problem> {
        let limit = self.parts.limits.submissions_per_minute;
        let policy = LimitPolicy { requests: Some(limit), ..LimitPolicy::default() };
        let (name, one) = (counted_as(caller), Amount { requests: 1, ..Amount::default() });
        let reserved = match self.parts.store.limits().reserve(&name, &policy, &one).await {
            Ok(reserved) => Ok(reserved),
            Err(_) => self.admission.alone.limits().reserve(&name, &policy.alone(), &one).await,
        };
        // The store of this process does not fail.
        let Ok(Reservation::Wait(time)) = reserved else { return Ok(()) };
        let detail = format!("the caller may submit {limit} sessions a minute");
        let reached = ReachedLimit { name: "submissions", quota: limit, window: Some(MINUTE) };
        Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_submissions", detail)
            .with_remedy("wait as long as Retry-After says, or ask the operator to raise `door_submissions_per_minute`")
            .again_after(seconds(time))
            .with_limit(reached))
    }

    /// Checks that the fleet keeps up with what is submitted.
    ///
    /// # Errors
    /// 503 with `door_queue_depth` or more requests and sessions waiting for workers. A broker that does not say refuses nothing here: that
    /// it takes no messages is told when the request is published, once its session can be come back to.
    pub(crate) async fn is_keeping_up(&self) -> Result<(), Problem> {
        let limit = self.parts.limits.queue_depth;
        let Some(waiting) = self.depth().await else { return Ok(()) };
        if waiting < limit {
            return Ok(());
        }
        let detail =
            format!("{waiting} requests and sessions wait for workers, and the door takes no more above {limit}");
        let reached = ReachedLimit { name: "queue", quota: limit, window: None };
        Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "queue_full", detail)
            .with_remedy("send the request again later; an operator adds workers, or raises `door_queue_depth`")
            .again_after(QUEUE_AGAIN)
            .with_limit(reached))
    }

    /// How many requests and sessions wait for workers; `None` if that is not known.
    async fn depth(&self) -> Option<u64> {
        let mut kept = self.admission.depth.lock().await;
        if let Some((_, depth)) = kept.filter(|(at, _)| at.elapsed() < DEPTH_KEPT) {
            return depth;
        }
        let depth = match self.link.broker() {
            Ok(broker) => match timeout(DEPTH_TIME, count_waiting(&broker)).await {
                Ok(Ok(depth)) => Some(depth),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the depth of the queues is not known");
                    None
                }
                Err(_) => None,
            },
            Err(_) => None,
        };
        *kept = Some((Instant::now(), depth));
        depth
    }

    /// Keeps the record of a session; returns the one that is kept. One that is new is marked as under way of its caller.
    ///
    /// # Errors
    /// 503.
    pub(crate) async fn keep(
        &self,
        caller: &Caller,
        record: &AcceptedSession,
        is_new: bool,
    ) -> Result<AcceptedSession, Problem> {
        let content = &self.parts.content;
        match is_new {
            true => Ok(active(caller).keep_accepted(content, record).await?),
            false => Ok(keep_accepted(content, record).await?),
        }
    }

    /// Counts the sessions under way of a caller whose session of `record` was just kept as new.
    ///
    /// # Errors
    /// 429 if the caller has `door_active_sessions` others; then `record` is withdrawn. 503.
    pub(crate) async fn begin(&self, caller: &Caller, record: &AcceptedSession) -> Result<(), Problem> {
        let (content, limit) = (&self.parts.content, self.parts.limits.active_sessions);
        // Marked when it was kept, which is before it is counted: of two at once, both see both.
        let active = active(caller);
        if self.admission.takes_granted(caller) {
            return Ok(());
        }
        let count = active.count(content, limit).await?;
        if count <= limit {
            self.admission.grant(caller, (limit - count) / DOORS);
            return Ok(());
        }
        active.unmark(content, &record.session_id).await?;
        withdraw_accepted(content, record).await?;
        let detail = format!("the caller has {limit} sessions that have not ended, which is as many as it may have");
        let reached = ReachedLimit { name: "sessions", quota: limit as u64, window: None };
        Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_sessions", detail)
            .with_remedy("wait until one of them has ended, or ask the operator to raise `door_active_sessions`")
            .again_after(ACTIVE_AGAIN)
            .with_limit(reached))
    }
}

impl Admission {
    fn takes_granted(&self, caller: &Caller) -> bool {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = granted.get_mut(&caller.token).filter(|left| **left > 0) else { return false };
        *left -= 1;
        true
    }

    fn grant(&self, caller: &Caller, count: usize) {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        granted.insert(caller.token.clone(), count);
    }
}

/// The marks of the sessions of `caller`.
fn active(caller: &Caller) -> ActiveSessions {
    ActiveSessions::of(caller.token.as_deref(), RESULTS)
}

/// Name of the limit that counts the submissions of a caller.
fn counted_as(caller: &Caller) -> String {
    // A byte before the name: no token, and one with an empty name, differ.
    format!("door{}", caller.token.as_deref().map_or_else(String::new, |name| format!("/{name}")))
}

/// Requests, and sessions of all phases, that wait for a worker.
async fn count_waiting(broker: &Broker) -> Result<u64, BrokerError> {
    let mut waiting = broker.depth(names::REQUESTS).await?.ready;
    for phase in Phase::ALL {
        waiting = waiting.saturating_add(broker.depth(&names::session_queue(phase)).await?.ready);
    }
    Ok(waiting)
}

/// Whole seconds, at least 1.
fn seconds(time: Duration) -> u32 {
    let whole = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    u32::try_from(whole.clamp(1, u64::from(MINUTE))).unwrap_or(MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_shown_in_whole_seconds_up_to_a_minute() {
        for (ms, expected) in [(0, 1), (999, 1), (1_000, 1), (1_001, 2), (60_000, 60), (u64::MAX, 60)] {
            assert_eq!(seconds(Duration::from_millis(ms)), expected, "{ms}");
        }
    }
}
