//! When a delivery is tried again, and when it is given up. Pure.

use std::time::Duration;

use precis_proto::Timestamp;

/// Waits between attempts, before chance is added: soon at first, and a day in all.
const WAITS_SECONDS: [u64; 10] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800];
/// Most attempts of a round.
pub const MAX_ATTEMPTS: u32 = WAITS_SECONDS.len() as u32 + 1;
/// Time after which a delivery is not tried again, from its first attempt on.
pub const GIVEN_UP_AFTER: Duration = Duration::from_secs(24 * 3_600);
/// The share of a wait that chance adds or takes away, so that what failed together does not come back together.
const JITTER: f64 = 0.2;

/// Returns when the attempt after number `attempt` (from 1) is, at `now`; `None` if there is none. `since` is the time of the round, `asked`
/// what the receiver asks for, and `chance` a number from 0 to 1.
#[must_use]
pub fn next_attempt(
    attempt: u32,
    since: Timestamp,
    now: Timestamp,
    asked: Option<Duration>,
    chance: f64,
) -> Option<Timestamp> {
    let place = usize::try_from(attempt.max(1) - 1).ok()?;
    let wait = *WAITS_SECONDS.get(place)? as f64 * (1.0 - JITTER + 2.0 * JITTER * chance.clamp(0.0, 1.0));
    // Never before the receiver wants it.
    let asked = asked.map_or(0.0, |asked| asked.as_secs_f64());
    let next = now.plus_ms((wait.max(asked) * 1_000.0).round() as i64);
    let end = since.plus_ms(i64::try_from(GIVEN_UP_AFTER.as_millis()).unwrap_or(i64::MAX));
    (next <= end).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * 3_600 * 1_000;

    fn next(attempt: u32, now_ms: i64, asked: Option<u64>, chance: f64) -> Option<i64> {
        let asked = asked.map(Duration::from_secs);
        next_attempt(attempt, Timestamp(0), Timestamp(now_ms), asked, chance).map(|at| at.0 - now_ms)
    }

    #[test]
    fn waits_grow_and_fill_a_day() {
        let (mut now, mut attempts) = (0, 1);
        while let Some(wait) = next(attempts, now, None, 0.5) {
            assert!(wait >= 5_000, "{wait}");
            now += wait;
            attempts += 1;
        }
        assert_eq!(attempts, MAX_ATTEMPTS);
        assert!((DAY_MS * 9 / 10..=DAY_MS).contains(&now), "{now}");
        assert_eq!(next(MAX_ATTEMPTS - 1, 0, None, 0.5), Some(28_800_000));
        assert_eq!(next(MAX_ATTEMPTS, 0, None, 0.5), None);
        assert_eq!(next(MAX_ATTEMPTS + 1, 0, None, 0.5), None);
    }

    #[test]
    fn chance_moves_a_wait_by_a_fifth() {
        for (chance, wait) in [(0.0, 8_000), (0.5, 10_000), (1.0, 12_000), (9.0, 12_000), (-1.0, 8_000)] {
            assert_eq!(next(4, 0, None, chance), Some(wait * 60), "{chance}");
        }
    }

    #[test]
    fn what_the_receiver_asks_for_is_kept_within_a_day() {
        assert_eq!(next(1, 0, Some(3), 0.5), Some(5_000), "no sooner than by itself");
        assert_eq!(next(1, 0, Some(77), 0.5), Some(77_000));
        for (asked, is_kept) in [(86_399, true), (86_400, true), (86_401, false)] {
            assert_eq!(next(1, 0, Some(asked), 0.5).is_some(), is_kept, "{asked}");
        }
        assert_eq!(next(2, DAY_MS - 29_000, None, 0.5), None);
        assert_eq!(next(2, DAY_MS - 30_000, None, 0.5), Some(30_000));
    }
}
