//! Wall time that follows the runtime's clock, so that a test that pauses time pauses deadlines too; and the time of the shared store,
//! by which the workers of a fleet agree whatever their own clocks show.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use precis_proto::Timestamp;
use tokio::time::Instant;

/// The time since 1970 by the system's clock, zero if it is set earlier. For dates set by other programs, in files or headers. It keeps
/// running when a test pauses time; for its own dates this process uses a [`Clock`].
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system")]
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Stands for a difference that was never measured.
const UNKNOWN: i64 = i64::MIN;

/// The clock of this process: the system's, until [`Clock::follow`] tells it the time of the shared store. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct Clock {
    started: Instant,
    started_ms: i64,
    /// How far the store's clock is ahead of this machine's, in milliseconds, or [`UNKNOWN`].
    ahead_ms: Arc<AtomicI64>,
}

impl Clock {
    /// Returns a clock that starts at the system's time. Must be called inside a tokio runtime.
    #[must_use]
    pub fn system() -> Self {
        Self::starting_at(Timestamp(i64::try_from(unix_time().as_millis()).unwrap_or(0)))
    }

    /// Returns a clock that starts at `at`.
    #[must_use]
    pub fn starting_at(at: Timestamp) -> Self {
        Self { started: Instant::now(), started_ms: at.0, ahead_ms: Arc::new(AtomicI64::new(UNKNOWN)) }
    }

    /// The current time: that of the shared store if it is known, otherwise that of this machine.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.shared_time().unwrap_or_else(|| self.own())
    }

    /// The current time of the shared store, by which all workers agree; `None` while it is unknown.
    #[must_use]
    pub fn shared_time(&self) -> Option<Timestamp> {
        // Relaxed: the number guards no other data.
        match self.ahead_ms.load(Ordering::Relaxed) {
            UNKNOWN => None,
            ahead_ms => Some(self.own().plus_ms(ahead_ms)),
        }
    }

    /// Sets the current time of the shared store. Keeps running at the speed of this machine until the next call.
    pub fn follow(&self, shared: Timestamp) {
        let ahead_ms = shared.0.saturating_sub(self.own().0).max(UNKNOWN + 1);
        self.ahead_ms.store(ahead_ms, Ordering::Relaxed);
    }

    /// The time until `at`; zero if it has passed.
    #[must_use]
    pub fn until(&self, at: Timestamp) -> Duration {
        // `at` may come from a request: a date far outside the range of clocks must not overflow.
        Duration::from_millis(u64::try_from(at.0.saturating_sub(self.now().0)).unwrap_or(0))
    }

    /// The current time of this machine, which no other machine knows.
    #[must_use]
    pub fn own(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.started_ms.saturating_add(passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_shows_the_time_of_the_store_once_it_is_known() {
        for (own_ms, shared_ms) in [(1_000, 1_000), (1_000, 361_000), (361_000, 1_000), (0, i64::MAX), (i64::MAX, 0)] {
            let clock = Clock::starting_at(Timestamp(own_ms));
            assert_eq!((clock.now(), clock.shared_time()), (Timestamp(own_ms), None));
            clock.clone().follow(Timestamp(shared_ms));
            assert_eq!(clock.now(), Timestamp(shared_ms), "{own_ms}");
            tokio::time::advance(Duration::from_millis(5)).await;
            assert!(clock.shared_time().is_some_and(|at| at.0 >= shared_ms), "{own_ms}");
        }
    }
}
