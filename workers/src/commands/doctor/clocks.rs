//! Compares the clock of this machine with those of the servers.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_runtime::clock::unix_time;
use precis_runtime::config::Settings;
use precis_runtime::runner::WorkerSign;

use super::check::{CheckResult, DoctorCheck, PATIENCE, ask_redis};
use crate::fleet;

/// Tolerated difference between two clocks, in seconds. The date of an object may be a whole second, and a question takes time.
const TOLERATED_S: f64 = 5.0;
/// When this program was built, as time since 1970: November 2025.
const PROGRAM_MADE: Duration = Duration::from_secs(1_763_000_000);

/// How far the clock of this machine is ahead of one other clock, in seconds.
#[derive(Debug, Clone, Copy)]
struct ClockDifference {
    of: &'static str,
    ahead_s: f64,
}

/// Reports how far the clock of this machine differs from those of Redis and the content store. RabbitMQ tells its time to nobody.
pub(super) async fn clocks(settings: &Settings) -> DoctorCheck {
    let mut differences = Vec::new();
    differences.extend(redis(settings).await);
    differences.extend(content(settings).await);
    judge_clocks(unix_time(), &differences, worker(settings).await.as_ref())
}

/// `None` if no Redis is configured or it does not answer; another check reports that.
async fn redis(settings: &Settings) -> Option<ClockDifference> {
    let store = fleet::shared_store(settings)?;
    ask_redis(|| store.time()).await.flatten().map(|time| difference("Redis", time))
}

/// What a worker told of its own clock, if it is wrong. `None` also where nobody can tell.
async fn worker(settings: &Settings) -> Option<WorkerSign> {
    let store = fleet::shared_store(settings)?;
    ask_redis(|| WorkerSign::of_wrong_clock(&store)).await.flatten()
}

/// `None` if the content store cannot be written to; another check reports that.
async fn content(settings: &Settings) -> Option<ClockDifference> {
    let content = fleet::content(settings).ok()?;
    let time = tokio::time::timeout(PATIENCE, content.time()).await.ok()?.ok()?;
    Some(difference("the content store", time))
}

fn difference(of: &'static str, time: Timestamp) -> ClockDifference {
    ClockDifference { of, ahead_s: unix_time().as_secs_f64() - time.0 as f64 / 1_000.0 }
}

fn judge_clocks(now: Duration, differences: &[ClockDifference], worker: Option<&WorkerSign>) -> DoctorCheck {
    let described = |difference: &ClockDifference| {
        let side = if difference.ahead_s < 0.0 { "behind" } else { "ahead of" };
        format!("{:.0} s {side} {}", difference.ahead_s.abs(), difference.of)
    };
    let wrong: Vec<String> = differences.iter().filter(|d| d.ahead_s.abs() > TOLERATED_S).map(described).collect();
    if !wrong.is_empty() {
        let detail = format!(
            "the clock of this machine is {}: one of them is wrong; synchronize every machine with NTP. Deadlines and retention follow the \
             servers, dates in logs follow this machine",
            wrong.join(" and ")
        );
        return DoctorCheck::new("clock", CheckResult::Warning, detail);
    }
    if let Some(WorkerSign { worker, clock_ahead_ms }) = worker {
        let side = if *clock_ahead_ms < 0 { "behind" } else { "ahead of" };
        let detail = format!(
            "the clock of the worker {worker} is {} s {side} Redis: synchronize its machine with NTP",
            clock_ahead_ms.unsigned_abs() / 1_000
        );
        return DoctorCheck::new("clock", CheckResult::Warning, detail);
    }
    if now < PROGRAM_MADE {
        return DoctorCheck::new(
            "clock",
            CheckResult::Warning,
            "the clock of this machine is wrong, so certificates do not verify",
        );
    }
    let compared: Vec<&str> = differences.iter().map(|d| d.of).collect();
    let detail = match compared.as_slice() {
        [] => "plausible; no server to compare it with".to_owned(),
        of => format!("agrees with {} within {TOLERATED_S} s; RabbitMQ does not tell its time", of.join(" and ")),
    };
    DoctorCheck::new("clock", CheckResult::Ok, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_differs_is_named_with_the_other_clock() {
        let (redis, content) = (|ahead_s| at("Redis", ahead_s), |ahead_s| at("the content store", ahead_s));
        let (ok, warning) = (CheckResult::Ok, CheckResult::Warning);
        let cases = [
            (vec![], ok, "no server to compare"),
            (vec![redis(5.0), content(-5.0)], ok, "Redis and the content store within 5 s"),
            (vec![redis(5.1)], warning, "5 s ahead of Redis:"),
            (vec![redis(-360.0), content(0.2)], warning, "360 s behind Redis:"),
            (vec![redis(9.0), content(-9.0)], warning, "9 s ahead of Redis and 9 s behind the content store"),
        ];
        for (differences, finding, part) in cases {
            let check = judge_clocks(PROGRAM_MADE, &differences, None);
            assert_eq!(check.finding, finding, "{differences:?}");
            assert!(check.detail.contains(part), "{}", check.detail);
        }
        assert_eq!(judge_clocks(Duration::ZERO, &[redis(1.0)], None).finding, warning, "all clocks are wrong");
    }

    #[test]
    fn a_worker_whose_clock_is_wrong_is_named() {
        let sign = WorkerSign { worker: "w-1".to_owned(), clock_ahead_ms: -360_900 };
        let check = judge_clocks(PROGRAM_MADE, &[at("Redis", 0.1)], Some(&sign));
        assert_eq!(check.finding, CheckResult::Warning);
        assert!(check.detail.contains("the worker w-1 is 360 s behind Redis"), "{}", check.detail);
    }

    fn at(of: &'static str, ahead_s: f64) -> ClockDifference {
        ClockDifference { of, ahead_s }
    }
}
