//! The circuit breaker as plain data: a window of outcomes, a state, and time as an argument.
//!
//! Not synchronized and without a clock; its owner passes milliseconds of a single clock that never runs backwards. The transitions:
//!
//! ```text
//! closed    --failure, window over the share-->  open for `open_ms`
//! open      --first call after that time----->   half-open: this call is the probe, no other call is made
//! half-open --the probe succeeds------------->   closed, window cleared
//! half-open --the probe fails---------------->   open
//! half-open --the probe is neutral or never reports--> the next call is the probe
//! ```
//!
//! Each transition starts a new generation. A report carries the generation of its admission and counts only in that one, so that calls
//! from before an outage do not count after it.

use std::collections::VecDeque;
use std::time::Duration;

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct BreakerPolicy {
    /// Number of recent outcomes considered.
    pub window: usize,
    /// Fewest outcomes in the window before it can open.
    pub min_samples: usize,
    /// Opens when more than this share of the window failed, 0 to 1.
    pub failure_share: f64,
    /// Time during which no call is admitted, in milliseconds.
    pub open_ms: u64,
    /// Time after which a probe without a report is given up, in milliseconds.
    pub probe_ms: u64,
}

impl Default for BreakerPolicy {
    /// More than 70 % of the last 10, with at least 5 samples, open it for a minute: a single bad document does not open it, and calls
    /// that mostly fail are not paid for again and again. The probe has as much time as the opening. Chosen, not measured.
    fn default() -> Self {
        Self { window: 10, min_samples: 5, failure_share: 0.7, open_ms: 60_000, probe_ms: 60_000 }
    }
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Make the call and report.
    Allowed {
        /// Passed back with the report.
        generation: u64,
    },
    /// Make the call and report: all other callers wait for it.
    Probe {
        /// Passed back with the report.
        generation: u64,
    },
    /// Make no call.
    Open {
        /// Do not ask again sooner than this; the longest wait for a probe in progress.
        retry_after: Duration,
    },
}

/// How an admitted call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The call succeeded.
    Success,
    /// The service failed: no answer, 5xx, an invalid response.
    Failure,
    /// Unrelated to the health of the service (4xx, 429, cancelled): not counted; as a probe, it lets the next call be the probe.
    Neutral,
}

/// How the breaker treats the next call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Admits it.
    Closed,
    /// Refuses it.
    Open,
    /// The open time is over: one probe at a time.
    HalfOpen,
}

/// The effect of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportResult {
    /// The new state.
    pub state: BreakerState,
    /// The outcomes that opened the breaker, if this report did: exactly one report gets them.
    pub opened: Option<OutcomeWindow>,
}

/// The outcomes on which a breaker opened; a failed probe is a window of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeWindow {
    /// Failures among the outcomes.
    pub failures: usize,
    /// Number of outcomes.
    pub size: usize,
}

/// A circuit breaker.
///
/// ```
/// use precis_runtime::store::{Admission, Breaker, BreakerPolicy, BreakerState, CallOutcome};
///
/// let policy = BreakerPolicy { min_samples: 1, ..BreakerPolicy::default() };
/// let mut breaker = Breaker::default();
/// let Admission::Allowed { generation } = breaker.admit(&policy, 0) else { panic!("a new breaker is closed") };
/// let report = breaker.report(&policy, 0, generation, CallOutcome::Failure);
/// assert_eq!(report.state, BreakerState::Open);
/// assert!(matches!(breaker.admit(&policy, 1), Admission::Open { .. }));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breaker {
    generation: u64,
    /// Newest last; `true` is a failure. Empty unless closed.
    outcomes: VecDeque<bool>,
    mode: BreakerMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum BreakerMode {
    #[default]
    Closed,
    Open {
        until_ms: u64,
    },
    Probing {
        until_ms: u64,
    },
}

impl Breaker {
    /// Requests a call at `now_ms`; admits exactly one probe at a time once the open time is over.
    pub fn admit(&mut self, policy: &BreakerPolicy, now_ms: u64) -> Admission {
        match self.mode {
            BreakerMode::Closed => Admission::Allowed { generation: self.generation },
            BreakerMode::Open { until_ms } | BreakerMode::Probing { until_ms } if now_ms < until_ms => {
                Admission::Open { retry_after: Duration::from_millis(until_ms - now_ms) }
            }
            // Also a probe that never reported: its process may be gone.
            BreakerMode::Open { .. } | BreakerMode::Probing { .. } => {
                self.enter(BreakerMode::Probing { until_ms: now_ms.saturating_add(policy.probe_ms) });
                Admission::Probe { generation: self.generation }
            }
        }
    }

    /// As [`Self::admit`], for a caller that need not wait for the open time to end, such as a new iteration of a session: an open
    /// breaker admits it as the probe; one with a probe in progress does not.
    pub fn admit_early(&mut self, policy: &BreakerPolicy, now_ms: u64) -> Admission {
        if let BreakerMode::Open { .. } = self.mode {
            self.mode = BreakerMode::Open { until_ms: now_ms };
        }
        self.admit(policy, now_ms)
    }

    /// Counts the outcome of a call admitted in `generation`; returns the new state, and the outcomes that opened the breaker if this
    /// report did.
    pub fn report(
        &mut self,
        policy: &BreakerPolicy,
        now_ms: u64,
        generation: u64,
        outcome: CallOutcome,
    ) -> ReportResult {
        let mut opened = None;
        if generation == self.generation {
            opened = match self.mode {
                BreakerMode::Closed => self.count(policy, now_ms, outcome),
                BreakerMode::Probing { .. } => self.end_probe(policy, now_ms, outcome),
                BreakerMode::Open { .. } => None,
            };
        }
        ReportResult { state: self.state(now_ms), opened }
    }

    /// Returns the state at `now_ms`.
    #[must_use]
    pub fn state(&self, now_ms: u64) -> BreakerState {
        match self.mode {
            BreakerMode::Closed => BreakerState::Closed,
            BreakerMode::Open { until_ms } if now_ms < until_ms => BreakerState::Open,
            BreakerMode::Open { .. } | BreakerMode::Probing { .. } => BreakerState::HalfOpen,
        }
    }

    fn count(&mut self, policy: &BreakerPolicy, now_ms: u64, outcome: CallOutcome) -> Option<OutcomeWindow> {
        let failed = match outcome {
            CallOutcome::Success => false,
            CallOutcome::Failure => true,
            CallOutcome::Neutral => return None,
        };
        self.outcomes.push_back(failed);
        while self.outcomes.len() > policy.window {
            self.outcomes.pop_front();
        }
        let window = self.window();
        // Only a failure opens it: a success that pushes an old success out of the window must not.
        let opens = failed && is_over(window, policy);
        if opens {
            self.enter(BreakerMode::Open { until_ms: now_ms.saturating_add(policy.open_ms) });
        }
        opens.then_some(window)
    }

    fn end_probe(&mut self, policy: &BreakerPolicy, now_ms: u64, outcome: CallOutcome) -> Option<OutcomeWindow> {
        self.enter(match outcome {
            CallOutcome::Success => BreakerMode::Closed,
            CallOutcome::Failure => BreakerMode::Open { until_ms: now_ms.saturating_add(policy.open_ms) },
            // It told nothing of the service: still open, but over, so that the next call is the probe.
            CallOutcome::Neutral => BreakerMode::Open { until_ms: now_ms },
        });
        (outcome == CallOutcome::Failure).then_some(OutcomeWindow { failures: 1, size: 1 })
    }

    fn window(&self) -> OutcomeWindow {
        OutcomeWindow { failures: self.outcomes.iter().filter(|failed| **failed).count(), size: self.outcomes.len() }
    }

    fn enter(&mut self, mode: BreakerMode) {
        self.mode = mode;
        self.generation += 1;
        self.outcomes.clear();
    }
}

fn is_over(window: OutcomeWindow, policy: &BreakerPolicy) -> bool {
    window.size >= policy.min_samples && window.failures as f64 > policy.failure_share * window.size as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(outcomes: &str) -> (Breaker, BreakerState) {
        let mut breaker = Breaker::default();
        let mut state = BreakerState::Closed;
        for letter in outcomes.chars() {
            let outcome = match letter {
                'f' => CallOutcome::Failure,
                's' => CallOutcome::Success,
                _ => CallOutcome::Neutral,
            };
            state = breaker.report(&BreakerPolicy::default(), 0, 0, outcome).state;
        }
        (breaker, state)
    }

    #[test]
    fn it_opens_above_seven_tenths_of_ten_with_five_samples() {
        use BreakerState::{Closed, Open};
        for (outcomes, state) in [
            ("", Closed),
            ("ffff", Closed),
            ("fffff", Open),
            ("sffff", Open),
            ("ssfff", Closed),
            ("nnnnnnffff", Closed),
            // Exactly 70 % is not more than 70 %.
            ("sssfffffff", Closed),
            // A success does not open it; the next failure finds 8 of the last 10.
            ("sssfffffffs", Closed),
            ("sssfffffffsf", Open),
        ] {
            assert_eq!(after(outcomes).1, state, "{outcomes}");
        }
    }

    #[test]
    fn a_success_never_opens_it_even_over_the_share() {
        // With fewer samples needed the window is over the share only when the success arrives.
        let policy = BreakerPolicy { min_samples: 5, failure_share: 0.5, ..BreakerPolicy::default() };
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            breaker.report(&policy, 0, 0, CallOutcome::Failure);
        }
        assert_eq!(breaker.report(&policy, 0, 0, CallOutcome::Success).state, BreakerState::Closed);
        assert_eq!(breaker.report(&policy, 0, 0, CallOutcome::Failure).state, BreakerState::Open);
    }

    #[test]
    fn only_the_report_that_opens_it_gets_the_outcome_window() {
        let policy = BreakerPolicy::default();
        let (mut breaker, _) = after("sffff");
        assert_eq!(breaker.report(&policy, 0, 0, CallOutcome::Failure).opened, None, "of an older generation");
        breaker.admit(&policy, 60_000);
        let probe = breaker.report(&policy, 60_000, 2, CallOutcome::Failure);
        assert_eq!(probe.opened, Some(OutcomeWindow { failures: 1, size: 1 }));
        let mut fresh = Breaker::default();
        let told: Vec<Option<OutcomeWindow>> =
            (0..6).map(|_| fresh.report(&policy, 0, 0, CallOutcome::Failure).opened).collect();
        assert_eq!(told, [None, None, None, None, Some(OutcomeWindow { failures: 5, size: 5 }), None]);
    }

    #[test]
    fn after_the_open_time_one_probe_decides() {
        for (outcome, state, next) in [
            (CallOutcome::Success, BreakerState::Closed, Admission::Allowed { generation: 3 }),
            (CallOutcome::Failure, BreakerState::Open, Admission::Open { retry_after: Duration::from_secs(60) }),
            (CallOutcome::Neutral, BreakerState::HalfOpen, Admission::Probe { generation: 4 }),
        ] {
            let policy = BreakerPolicy::default();
            let (mut breaker, _) = after("fffff");
            assert_eq!(breaker.admit(&policy, 59_000), Admission::Open { retry_after: Duration::from_secs(1) });
            assert_eq!(breaker.admit(&policy, 60_000), Admission::Probe { generation: 2 });
            assert_eq!(breaker.admit(&policy, 60_000), Admission::Open { retry_after: Duration::from_secs(60) });
            assert_eq!(breaker.report(&policy, 61_000, 2, outcome).state, state, "{outcome:?}");
            assert_eq!(breaker.admit(&policy, 61_000), next, "{outcome:?}");
        }
    }

    #[test]
    fn a_closed_breaker_has_forgotten_the_window_that_opened_it() {
        let policy = BreakerPolicy::default();
        let (mut breaker, _) = after("fffff");
        breaker.admit(&policy, 60_000);
        breaker.report(&policy, 60_000, 2, CallOutcome::Success);
        for _ in 0..4 {
            assert_eq!(breaker.report(&policy, 60_000, 3, CallOutcome::Failure).state, BreakerState::Closed);
        }
        assert_eq!(breaker.report(&policy, 60_000, 3, CallOutcome::Failure).state, BreakerState::Open);
    }

    #[test]
    fn an_early_caller_is_the_probe_unless_one_is_running() {
        let policy = BreakerPolicy::default();
        let mut closed = Breaker::default();
        assert_eq!(closed.admit_early(&policy, 0), Admission::Allowed { generation: 0 });
        let (mut breaker, _) = after("fffff");
        assert!(matches!(breaker.admit(&policy, 1), Admission::Open { .. }));
        assert_eq!(breaker.admit_early(&policy, 1), Admission::Probe { generation: 2 });
        assert!(matches!(breaker.admit_early(&policy, 2), Admission::Open { .. }), "one probe at a time");
        assert_eq!(breaker.report(&policy, 3, 2, CallOutcome::Failure).state, BreakerState::Open);
        assert!(matches!(breaker.admit(&policy, 60_002), Admission::Open { .. }), "open for its whole time again");
    }

    #[test]
    fn a_lost_probe_frees_its_place_and_late_reports_are_ignored() {
        let policy = BreakerPolicy::default();
        let (mut breaker, _) = after("fffff");
        assert_eq!(breaker.admit(&policy, 60_000), Admission::Probe { generation: 2 });
        assert_eq!(breaker.admit(&policy, 120_000), Admission::Probe { generation: 3 });
        assert_eq!(breaker.report(&policy, 121_000, 2, CallOutcome::Success).state, BreakerState::HalfOpen);
        assert_eq!(breaker.report(&policy, 121_000, 3, CallOutcome::Failure).state, BreakerState::Open);
    }

    #[test]
    fn a_report_from_before_it_opened_counts_nothing() {
        let policy = BreakerPolicy::default();
        let (mut breaker, _) = after("fffff");
        breaker.admit(&policy, 60_000);
        breaker.report(&policy, 60_000, 2, CallOutcome::Success);
        for _ in 0..10 {
            assert_eq!(breaker.report(&policy, 60_000, 0, CallOutcome::Failure).state, BreakerState::Closed);
        }
    }
}
