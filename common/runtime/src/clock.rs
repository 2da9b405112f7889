//! Wall time that follows the runtime's clock, so that a test which pauses time pauses deadlines too.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use precis_proto::Timestamp;
use tokio::time::Instant;

/// Time since 1970 by the system's clock, zero where that is set before: for what another program has dated, a file or a header. It
/// goes on where a test pauses time; whatever this process dates itself takes a [`Clock`].
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system")]
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Now, as this process sees it.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    started_ms: i64,
}

impl Clock {
    /// A clock that starts at the system's time. Call inside a runtime.
    #[must_use]
    pub fn system() -> Self {
        Self::starting_at(Timestamp(i64::try_from(unix_time().as_millis()).unwrap_or(0)))
    }

    /// A clock that starts at `at`.
    #[must_use]
    pub fn starting_at(at: Timestamp) -> Self {
        Self { started: Instant::now(), started_ms: at.0 }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.started_ms.saturating_add(passed))
    }

    /// How long until `at`; zero where it has passed.
    #[must_use]
    pub fn until(&self, at: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(at.0.saturating_sub(self.now().0)).unwrap_or(0))
    }
}
