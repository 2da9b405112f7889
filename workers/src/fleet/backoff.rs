//! Computes how long a worker waits before it reconnects.

use std::time::Duration;

/// Longest pause between two tries to reach a broker that does not answer.
const LONGEST_UNREACHED: Duration = Duration::from_secs(5);
/// Longest pause after consecutive short-lived connections.
const LONGEST_YOUNG: Duration = Duration::from_secs(30);
/// The first pause of either kind.
const SHORTEST: Duration = Duration::from_millis(100);
/// A connection that lived this long was not ended by a waiting message, which would have ended it at once.
const LIVED: Duration = Duration::from_secs(60);

/// Pauses that grow while the broker is unreachable, and while connections are lost soon after they are made.
///
/// The second kind is reset only by a long-lived connection, not by each new one: otherwise a message that ends every connection receiving
/// it would cause a reconnect every few milliseconds.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    unreached: u32,
    died_young: u32,
}

impl Backoff {
    /// Returns the pause after the broker could not be reached.
    pub(super) fn pause_when_unreachable(&mut self) -> Duration {
        let pause = double(self.unreached, LONGEST_UNREACHED).max(double(self.died_young, LONGEST_YOUNG));
        self.unreached = self.unreached.saturating_add(1);
        pause
    }

    /// Returns the pause after the loss of a connection that lived for `lived`.
    pub(super) fn pause_after_loss(&mut self, lived: Duration) -> Duration {
        self.unreached = 0;
        self.died_young = if lived < LIVED { self.died_young.saturating_add(1) } else { 0 };
        double(self.died_young, LONGEST_YOUNG)
    }
}

/// Returns the shortest pause, doubled `times` times, at most `longest`.
fn double(times: u32, longest: Duration) -> Duration {
    // The shift is capped: one of 32 or more would overflow. 2^16 times the shortest pause is longer than every limit.
    SHORTEST.saturating_mul(1 << times.min(16)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const YOUNG: Duration = Duration::from_millis(59_999);

    #[test]
    fn a_broker_that_is_away_is_asked_at_least_every_five_seconds() {
        let mut backoff = Backoff::default();
        let pauses: Vec<u128> = (0..8).map(|_| backoff.pause_when_unreachable().as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        backoff.unreached = u32::MAX;
        assert_eq!(backoff.pause_when_unreachable(), LONGEST_UNREACHED);
    }

    #[test]
    fn short_lived_connections_back_off_until_one_lasts() {
        let mut backoff = Backoff::default();
        let pauses: Vec<u128> = (0..10).map(|_| backoff.pause_after_loss(YOUNG).as_millis()).collect();
        assert_eq!(pauses, [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
        assert_eq!(backoff.pause_after_loss(LIVED), SHORTEST);
        assert_eq!(backoff.pause_after_loss(LIVED + YOUNG), SHORTEST);
        assert_eq!(backoff.pause_after_loss(YOUNG), SHORTEST * 2);
    }

    #[test]
    fn a_connection_that_is_made_resets_nothing_by_itself() {
        let mut backoff = Backoff::default();
        for _ in 0..9 {
            backoff.pause_after_loss(Duration::ZERO);
        }
        assert_eq!(backoff.pause_when_unreachable(), LONGEST_YOUNG, "and neither does a broker that is away meanwhile");
        assert_eq!(backoff.pause_after_loss(Duration::ZERO), LONGEST_YOUNG);
    }
}
