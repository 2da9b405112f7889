//! Wall time that follows the runtime's clock, so that a test that pauses time pauses deadlines too.

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

/// The wall clock of this process.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    started_ms: i64,
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
        Self { started: Instant::now(), started_ms: at.0 }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.started_ms.saturating_add(passed))
    }

    /// The time until `at`; zero if it has passed.
    #[must_use]
    pub fn until(&self, at: Timestamp) -> Duration {
        // `at` may come from a request: a date far outside the range of clocks must not overflow.
        Duration::from_millis(u64::try_from(at.0.saturating_sub(self.now().0)).unwrap_or(0))
    }
}
