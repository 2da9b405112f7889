//! Rate limits as plain data: GCRA (the leaky bucket as a meter; ITU-T I.371, virtual scheduling), with time as an argument.
//!
//! Each measure (requests, tokens, money) keeps one number, the time at which everything taken so far is paid off. A request is granted
//! while that time is at most the measure's slack in the future, and moves it on by the amount's share of a minute. Either all measures
//! grant, or nothing is taken.
//!
//! The slack is a tenth of the limit, and the pace is reduced by as much: for measures counted one at a time, **no minute, wherever it
//! starts, sees more than the limit**. Larger amounts (tokens, money) keep the same pace; the amount that exceeds the slack is still
//! granted, so a minute may see one more of them, and no amount is ever too large to be granted.

use std::time::Duration;

use precis_proto::closed_words;
use serde::{Deserialize, Serialize};

/// Share of a limit that may be taken at once after a pause; chosen, not measured.
const SLACK: f64 = 0.1;
/// Share of a limit that one process may take while the store is unavailable; chosen for a fleet of four.
const SHARE: f64 = 0.25;
/// Longest time for one amount to be paid off, so that no clock arithmetic overflows.
const LONGEST_US: f64 = 86_400e6;
const MINUTE_US: f64 = 60e6;

closed_words! {
    /// A limited quantity.
    #[derive(PartialOrd, Ord)]
    pub enum Measure {
        /// Calls.
        Requests => "requests",
        /// Tokens, in and out together.
        Tokens => "tokens",
        /// Millionths of a US dollar.
        MicroUsd => "micro_usd",
    }
}

/// The limits per minute; `None` for no limit, zero to grant nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitPolicy {
    /// Calls per minute.
    pub requests: Option<u64>,
    /// Tokens per minute.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar per minute.
    pub micro_usd: Option<u64>,
    /// Share of each limit that one process takes while the store is unavailable, 0 to 1.
    pub share: f64,
    /// Whether the slack is zero: then no two calls are closer than their share of a minute.
    pub is_even: bool,
}

impl Default for LimitPolicy {
    /// No limit; a quarter of it for a process on its own.
    fn default() -> Self {
        Self { requests: None, tokens: None, micro_usd: None, share: SHARE, is_even: false }
    }
}

/// An amount of each measure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Calls.
    pub requests: u64,
    /// Tokens.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

impl Amount {
    pub(super) fn of(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Requests => self.requests,
            Measure::Tokens => self.tokens,
            Measure::MicroUsd => self.micro_usd,
        }
    }
}

impl Amount {
    fn each(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            requests: of(self.requests, other.requests),
            tokens: of(self.tokens, other.tokens),
            micro_usd: of(self.micro_usd, other.micro_usd),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        self.each(other, u64::max)
    }
}

/// The result of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reservation {
    /// Taken: make the call, and settle afterwards.
    Granted,
    /// Nothing was taken: do not try again sooner than this. [`Duration::MAX`] if the limit is zero.
    Wait(Duration),
}

/// One measure's part of a reservation, in microseconds, as the store needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) measure: Measure,
    /// Time the amount takes to be paid off.
    pub(super) cost_us: i64,
    /// How far in the future the measure's time may be and still grant.
    pub(super) slack_us: i64,
}

impl LimitPolicy {
    /// Whether any measure is limited.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        Measure::ALL.iter().any(|m| self.of(*m).is_some())
    }

    /// The limits of one process on its own; at least 1 of each limit that is not zero.
    #[must_use]
    pub fn alone(&self) -> Self {
        let share = |limit: Option<u64>| {
            limit.map(|l| if l == 0 { 0 } else { ((l as f64 * self.share.clamp(0.0, 1.0)) as u64).max(1) })
        };
        Self {
            requests: share(self.requests),
            tokens: share(self.tokens),
            micro_usd: share(self.micro_usd),
            share: self.share,
            is_even: self.is_even,
        }
    }

    /// Returns the charge of `amount` for each limited measure it contains; `None` if one of them is limited to zero.
    pub(super) fn charges(&self, amount: &Amount) -> Option<Vec<Charge>> {
        let mut charges = Vec::with_capacity(Measure::ALL.len());
        for measure in Measure::ALL {
            match (self.of(measure), amount.of(measure)) {
                (None, _) | (_, 0) => {}
                (Some(0), _) => return None,
                (Some(limit), amount) => charges.push(self.charge(measure, limit, amount)),
            }
        }
        Some(charges)
    }

    /// Returns the correction of each limited measure if `reserved` was taken and `used` was needed.
    pub(super) fn corrections(&self, reserved: &Amount, used: &Amount) -> Vec<(Measure, i64)> {
        let limited = Measure::ALL.into_iter().filter_map(|m| Some((m, self.of(m).filter(|l| *l > 0)?)));
        let cost = |measure, limit, amount: &Amount| self.charge(measure, limit, amount.of(measure)).cost_us;
        let deltas = limited.map(|(m, limit)| (m, cost(m, limit, used) - cost(m, limit, reserved)));
        deltas.filter(|(_, delta)| *delta != 0).collect()
    }

    fn charge(&self, measure: Measure, limit: u64, amount: u64) -> Charge {
        charge(measure, limit, amount, if self.is_even { 0.0 } else { SLACK })
    }

    fn of(&self, measure: Measure) -> Option<u64> {
        match measure {
            Measure::Requests => self.requests,
            Measure::Tokens => self.tokens,
            Measure::MicroUsd => self.micro_usd,
        }
    }
}

/// With `extra` at once and one more each `pace`, a minute sees `extra + ceil(minute / pace)`: the limit.
fn charge(measure: Measure, limit: u64, amount: u64, slack: f64) -> Charge {
    let extra = (limit as f64 * slack).floor();
    let pace_us = MINUTE_US / (limit as f64 - extra);
    let cost_us = (amount as f64 * pace_us).ceil().min(LONGEST_US);
    let slack_us = match measure {
        // In whole costs, so that rounding does not lose a call.
        Measure::Requests => extra * pace_us.ceil(),
        Measure::Tokens | Measure::MicroUsd => extra * pace_us,
    };
    Charge { measure, cost_us: cost_us as i64, slack_us: slack_us as i64 }
}

/// One limit. Not synchronized; its owner passes microseconds of a single clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limit {
    /// The time at which each measure is paid off, in the order of [`Measure::ALL`].
    paid_off_us: [i64; 3],
}

impl Limit {
    /// Takes `amount` at `now_us`, or returns how long to wait.
    pub fn reserve(&mut self, policy: &LimitPolicy, now_us: i64, amount: &Amount) -> Reservation {
        let Some(charges) = policy.charges(amount) else { return Reservation::Wait(Duration::MAX) };
        // All measures are asked before one is charged: a call that waits for tokens must not have used up a request.
        let wait_us = charges.iter().map(|c| self.at(c.measure).saturating_sub(now_us + c.slack_us)).max().unwrap_or(0);
        if wait_us > 0 {
            return Reservation::Wait(Duration::from_micros(wait_us.unsigned_abs()));
        }
        for charge in charges {
            self.add(charge.measure, now_us, charge.cost_us);
        }
        Reservation::Granted
    }

    /// Corrects what was taken to what was used: returns the rest, or takes what was missing.
    pub fn settle(&mut self, policy: &LimitPolicy, now_us: i64, reserved: &Amount, used: &Amount) {
        for (measure, delta_us) in policy.corrections(reserved, used) {
            self.add(measure, now_us, delta_us);
        }
    }

    /// Whether everything is paid off at `now_us`.
    #[cfg(test)]
    fn is_idle(&self, now_us: i64) -> bool {
        self.paid_off_us.iter().all(|at| *at <= now_us)
    }

    fn at(&self, measure: Measure) -> i64 {
        self.paid_off_us[measure as usize]
    }

    fn add(&mut self, measure: Measure, now_us: i64, delta_us: i64) {
        // The theoretical arrival time of GCRA. From now on if it has passed: a pause saves up no more than the slack.
        let at = &mut self.paid_off_us[measure as usize];
        *at = (*at).max(now_us).saturating_add(delta_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn requests(limit: u64) -> LimitPolicy {
        LimitPolicy { requests: Some(limit), ..LimitPolicy::default() }
    }

    fn call(tokens: u64) -> Amount {
        Amount { requests: 1, tokens, micro_usd: 0 }
    }

    /// Takes one request as soon as it is granted, until `until_us`; returns when each was granted.
    fn greedy(policy: &LimitPolicy, until_us: i64) -> Vec<i64> {
        let (mut limit, mut now, mut granted) = (Limit::default(), 0, Vec::new());
        while now < until_us {
            match limit.reserve(policy, now, &call(0)) {
                Reservation::Granted => granted.push(now),
                Reservation::Wait(wait) => now += i64::try_from(wait.as_micros()).expect("is short"),
            }
        }
        granted
    }

    #[test]
    fn no_minute_exceeds_the_limit_and_patient_callers_get_nearly_all() {
        for limit in [1, 2, 9, 10, 11, 60, 61, 500, 7_777] {
            let granted = greedy(&requests(limit), 600 * SECOND);
            for (n, start) in granted.iter().enumerate() {
                let seen = granted[n..].iter().take_while(|at| **at < start + 60 * SECOND).count();
                assert!(seen as u64 <= limit, "{seen} of {limit}");
            }
            assert!(granted.len() as f64 >= 0.89 * 10.0 * limit as f64, "{} of {limit} in ten minutes", granted.len());
        }
    }

    #[test]
    fn an_even_limit_spaces_calls_by_their_share_of_a_minute() {
        let policy = LimitPolicy { is_even: true, ..requests(20) };
        let granted = greedy(&policy, 60 * SECOND);
        assert_eq!(granted, (0..20).map(|n| n * 3 * SECOND).collect::<Vec<_>>());
        assert!(greedy(&requests(20), 60 * SECOND)[1] < SECOND, "another one takes some at once");
    }

    #[test]
    fn what_is_refused_takes_nothing_and_says_when_to_ask_again() {
        let mut limit = Limit::default();
        let policy = requests(6);
        assert_eq!(limit.reserve(&policy, 0, &call(0)), Reservation::Granted);
        for now in [0, 4 * SECOND, 10 * SECOND - 1] {
            let left = u64::try_from(10 * SECOND - now).expect("is positive");
            assert_eq!(limit.reserve(&policy, now, &call(0)), Reservation::Wait(Duration::from_micros(left)));
        }
        assert_eq!(limit.reserve(&policy, 10 * SECOND, &call(0)), Reservation::Granted);
    }

    #[test]
    fn the_tightest_measure_decides_for_all() {
        let policy = LimitPolicy { tokens: Some(600), ..requests(100) };
        let mut limit = Limit::default();
        assert_eq!(limit.reserve(&policy, 0, &call(300)), Reservation::Granted);
        let Reservation::Wait(wait) = limit.reserve(&policy, 0, &call(1)) else { panic!("the tokens are taken") };
        assert!((26.0..28.0).contains(&wait.as_secs_f64()), "300 of 540 a minute less the slack of 60: {wait:?}");
        let before = limit.clone();
        assert_ne!(limit.reserve(&policy, 0, &call(1)), Reservation::Granted);
        assert_eq!(limit, before, "nor was a request taken");
        assert_eq!(limit.reserve(&policy, 0, &call(0)), Reservation::Granted, "what needs none waits for none");
    }

    #[test]
    fn settling_gives_back_what_was_not_used_and_takes_what_was_short() {
        let policy = LimitPolicy { tokens: Some(600), ..LimitPolicy::default() };
        for (used, waits) in [(0, false), (50, false), (300, true), (900, true)] {
            let mut limit = Limit::default();
            assert_eq!(limit.reserve(&policy, 0, &call(300)), Reservation::Granted);
            limit.settle(&policy, 0, &call(300), &call(used));
            let mut as_used = Limit::default();
            assert_eq!(as_used.reserve(&policy, 0, &call(used)), Reservation::Granted);
            assert_eq!(limit, as_used, "{used}");
            assert_eq!(limit.reserve(&policy, 0, &call(1)) != Reservation::Granted, waits, "{used}");
        }
    }

    #[test]
    fn a_late_settlement_of_less_makes_no_room_beyond_an_idle_limit() {
        let policy = requests(6);
        let mut limit = Limit::default();
        limit.reserve(&policy, 0, &call(0));
        limit.settle(&policy, 3_600 * SECOND, &call(0), &Amount::default());
        assert_eq!(limit.reserve(&policy, 3_600 * SECOND, &call(0)), Reservation::Granted);
        assert_ne!(limit.reserve(&policy, 3_600 * SECOND, &call(0)), Reservation::Granted);
    }

    #[test]
    fn zero_grants_nothing_and_no_limit_grants_everything() {
        let mut limit = Limit::default();
        assert_eq!(limit.reserve(&requests(0), 0, &call(0)), Reservation::Wait(Duration::MAX));
        for _ in 0..1_000 {
            assert_eq!(limit.reserve(&LimitPolicy::default(), 0, &call(u64::MAX)), Reservation::Granted);
        }
        let no_money = LimitPolicy { micro_usd: Some(0), ..LimitPolicy::default() };
        assert_eq!(limit.reserve(&no_money, 0, &call(5)), Reservation::Granted, "it costs nothing");
        assert!(limit.is_idle(0));
    }

    #[test]
    fn an_amount_over_the_limit_is_granted_once_then_repaid() {
        let policy = LimitPolicy { tokens: Some(100), ..LimitPolicy::default() };
        let mut limit = Limit::default();
        assert_eq!(limit.reserve(&policy, 0, &call(900)), Reservation::Granted);
        assert!(matches!(limit.reserve(&policy, 0, &call(1)), Reservation::Wait(w) if w > Duration::from_secs(590)));
    }

    #[test]
    fn a_process_alone_takes_its_share_and_at_least_one() {
        let policy =
            LimitPolicy { requests: Some(2), tokens: Some(1_000), micro_usd: Some(0), share: 0.25, is_even: false };
        let alone = LimitPolicy { requests: Some(1), tokens: Some(250), ..policy };
        assert_eq!(policy.alone(), alone);
    }
}
