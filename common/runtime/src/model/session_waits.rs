//! How long a session has waited in total for a provider that does not answer.
//!
//! The count runs while at least one request of the session is under way at the provider and none has been answered since. Any answer,
//! even a refusal, resets it. When it reaches the limit, the session no longer calls that provider, instead of waiting again in each
//! call, try and phase.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use precis_proto::SessionId;
use tokio::time::Instant;

/// Number of entries at which those without a request under way are dropped.
const REMEMBERED: usize = 4_096;

/// The waits of a process, by session and `NAME:MODEL`.
#[derive(Debug, Default)]
pub(super) struct SessionWaits(Mutex<HashMap<(SessionId, String), Wait>>);

/// One session waiting for one provider.
#[derive(Debug, Default)]
struct Wait {
    /// Requests under way.
    under_way: usize,
    /// When the current wait began; `Some` while requests are under way.
    since: Option<Instant>,
    /// Earlier unanswered waits, summed.
    before: Duration,
}

impl Wait {
    fn total_wait(&self, now: Instant) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

impl SessionWaits {
    /// Records the start of a request at `now`; returns when the session's patience ends. Pair each call with one [`SessionWaits::end`].
    pub(super) fn begin(&self, session: &SessionId, link: &str, longest: Duration, now: Instant) -> Instant {
        self.with(session, link, |wait| {
            wait.under_way += 1;
            wait.since = wait.since.or(Some(now));
            now + longest.saturating_sub(wait.total_wait(now))
        })
    }

    /// Records the end of a request; returns whether the patience of `longest` is used up.
    pub(super) fn end(
        &self,
        session: &SessionId,
        link: &str,
        is_answered: bool,
        longest: Duration,
        now: Instant,
    ) -> bool {
        self.with(session, link, |wait| {
            if is_answered {
                (wait.before, wait.since) = (Duration::ZERO, Some(now));
            }
            let waited = wait.total_wait(now);
            wait.under_way = wait.under_way.saturating_sub(1);
            if wait.under_way == 0 {
                (wait.before, wait.since) = (waited, None);
            }
            waited >= longest
        })
    }

    fn with<T>(&self, session: &SessionId, link: &str, act: impl FnOnce(&mut Wait) -> T) -> T {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.len() >= REMEMBERED {
            waits.retain(|_, wait| wait.under_way > 0);
        }
        act(waits.entry((session.clone(), link.to_owned())).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(120);

    struct ClockedWaits {
        patience: SessionWaits,
        zero: Instant,
    }

    impl ClockedWaits {
        fn new() -> Self {
            Self { patience: SessionWaits::default(), zero: Instant::now() }
        }

        fn at(&self, seconds: u64) -> Instant {
            self.zero + Duration::from_secs(seconds)
        }

        /// Begins a request at `now`; returns when patience ends, in seconds.
        fn begin(&self, link: &str, now: u64) -> u64 {
            let session = SessionId::new("s").expect("an id");
            let until = self.patience.begin(&session, link, LONGEST, self.at(now));
            until.saturating_duration_since(self.zero).as_secs()
        }

        fn end(&self, link: &str, is_answered: bool, now: u64) -> bool {
            let session = SessionId::new("s").expect("an id");
            self.patience.end(&session, link, is_answered, LONGEST, self.at(now))
        }
    }

    #[test]
    fn parallel_and_successive_requests_share_one_patience() {
        let clock = ClockedWaits::new();
        assert_eq!((clock.begin("a", 0), clock.begin("a", 30)), (120, 120));
        assert!(!clock.end("a", false, 60) && !clock.end("a", false, 100));
        // No request is under way in between, so that time does not count.
        assert_eq!(clock.begin("a", 1_000), 1_020);
        assert!(!clock.end("a", false, 1_019));
        assert_eq!(clock.begin("a", 2_000), 2_001);
        assert!(clock.end("a", false, 2_001));
        assert_eq!(clock.begin("a", 3_000), 3_000, "used up");
        assert_eq!(clock.begin("b", 3_000), 3_120, "each provider has its own");
    }

    #[test]
    fn any_answer_restarts_the_count() {
        let clock = ClockedWaits::new();
        clock.begin("a", 0);
        clock.begin("a", 0);
        assert!(!clock.end("a", true, 110));
        assert!(!clock.end("a", false, 120), "another was answered meanwhile");
        assert_eq!(clock.begin("a", 200), 310);
    }
}
