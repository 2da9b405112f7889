//! How long a job that has arrived may still take.
//!
//! A job carries a span, not a date: sender and receiver are two machines, and their clocks may differ by days. Only the time it waited
//! in the queue is a difference of two dates: of the clock of the shared store, and of the workers' own clocks. The smaller one counts, so
//! that neither a store whose clock jumps ahead nor a worker whose clock is ahead ends jobs that have just been sent.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_proto::job::Job;
use serde::de::IgnoredAny;

use crate::clock::Clock;

/// A job without its body.
pub(super) type BodilessJob = Job<IgnoredAny>;

/// Longest time a job gets, whatever its sender says, so that no clock arithmetic overflows.
pub(super) const LONGEST_JOB: Duration = Duration::from_secs(24 * 3600);

/// The time left for `job` on its arrival; zero if it is over.
///
/// Without the time of the store on either side the job counts as just sent: it may then be worked on for nobody, for at most the span it
/// carries, and is never given up because of one clock. A job without a span is from an older worker, whose clock has to be believed; one
/// without the sender's own time is from a worker that knows the store's clock only.
pub(super) fn time_left(job: &BodilessJob, clock: &Clock) -> Duration {
    let Some(left_ms) = job.time_left_ms else { return clock.until(job.deadline) };
    let between = |sent: Timestamp, now: Timestamp| u64::try_from(now.0.saturating_sub(sent.0)).unwrap_or(0);
    let by_store = match (job.sent_at, clock.shared_time()) {
        (Some(sent), Some(now)) => between(sent, now),
        (None, _) | (_, None) => 0,
    };
    let waited = job.sent_at_own.map_or(by_store, |sent| by_store.min(between(sent, clock.own())));
    Duration::from_millis(left_ms.saturating_sub(waited))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The time of the store, in milliseconds.
    const STORE: i64 = 1_700_000_000_000;

    #[tokio::test(start_paused = true)]
    async fn a_job_has_what_the_queue_left_of_its_span() {
        // (span, time it was sent, whether the receiver knows the store's time, seconds left); the date is always the sender's.
        let cases = [
            (Some(300), Some(STORE), true, 300),
            (Some(300), Some(STORE - 100_000), true, 200),
            (Some(300), Some(STORE - 299_000), true, 1),
            (Some(300), Some(STORE - 300_000), true, 0),
            (Some(300), Some(STORE - 301_000), true, 0),
            // Sent in the future: two measurements of the store's clock differ a little.
            (Some(300), Some(STORE + 1_000), true, 300),
            // One of the two does not know the time of the store.
            (Some(300), None, true, 300),
            (Some(300), Some(STORE - 900_000), false, 300),
            (Some(0), None, false, 0),
        ];
        let days = 3 * 86_400_000;
        for ahead_ms in [0, 60_000, -60_000, 360_000, -360_000, days, -days] {
            let clock = Clock::starting_at(Timestamp(STORE + ahead_ms));
            for (span, sent, knows, left) in cases {
                let clock = if knows { followed(&clock) } else { clock.clone() };
                let job = job(Timestamp(STORE - 1), span.map(|s| s * 1_000), sent.map(Timestamp));
                assert_eq!(time_left(&job, &clock), Duration::from_secs(left), "{ahead_ms} {span:?} {sent:?} {knows}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_is_abandoned_only_if_both_clocks_agree() {
        let minutes = |n: i64| n * 60_000;
        // (how far the store's clock went, how far the own clocks are apart, seconds left of 300).
        for (by_store, by_own, left) in [
            (100_000, 100_000, 200),
            (299_000, 299_000, 1),
            (300_000, 300_000, 0),
            (301_000, 301_000, 0),
            // The clock of the store jumped ahead, or back.
            (minutes(600), 1_000, 299),
            (minutes(-600), 1_000, 300),
            // The sender's clock is behind, or ahead.
            (1_000, minutes(6), 299),
            (1_000, minutes(-6), 300),
        ] {
            let clock = Clock::starting_at(Timestamp(STORE));
            clock.follow(Timestamp(STORE));
            let sent = Job {
                sent_at_own: Some(Timestamp(STORE - by_own)),
                ..job(Timestamp(0), Some(300_000), Some(Timestamp(STORE - by_store)))
            };
            assert_eq!(time_left(&sent, &clock), Duration::from_secs(left), "{by_store} {by_own}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_of_an_older_worker_has_until_its_date() {
        for (at, left) in [(STORE + 7_000, 7), (STORE, 0), (STORE - 7_000, 0)] {
            let job = job(Timestamp(at), None, None);
            assert_eq!(time_left(&job, &followed(&Clock::starting_at(Timestamp(0)))), Duration::from_secs(left));
        }
    }

    fn followed(clock: &Clock) -> Clock {
        let clock = Clock::starting_at(clock.now());
        clock.follow(Timestamp(STORE));
        clock
    }

    fn job(deadline: Timestamp, time_left_ms: Option<u64>, sent_at: Option<Timestamp>) -> BodilessJob {
        let job = json!({
            "job_id": "0".repeat(64), "session_id": "s", "phase": "digest", "revision": 1, "deadline": deadline,
            "time_left_ms": time_left_ms, "sent_at": sent_at, "body": {},
        });
        serde_json::from_value(job).expect("a job")
    }
}
