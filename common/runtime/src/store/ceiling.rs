//! Ceilings as plain data: a bound on spending in total, or in each window of the store's clock.
//!
//! The most a call may cost is set aside before the call, and replaced by its actual cost afterwards. Nothing is set aside that could
//! exceed the ceiling, so **spending never exceeds it**, however many callers there are, as long as no call costs more than was set
//! aside for it or takes longer than its lease. A lease ends by itself, because its owner may die.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::{Amount, Measure};

/// Share of the rest that one process may spend while the store is unavailable; chosen for a fleet of four.
const SHARE: f64 = 0.25;

/// The bounds on spending; `None` for no ceiling, zero to grant nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct CeilingPolicy {
    /// Tokens, in and out together.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// Length of a window, counted from the zero of the store's clock; each window starts from zero. `None` for a ceiling in total.
    pub window: Option<Duration>,
    /// How long the ceiling is remembered after its last use; at least the window.
    pub kept: Duration,
    /// Share of the rest that one process spends while the store is unavailable, 0 to 1.
    pub share: f64,
}

impl Default for CeilingPolicy {
    /// No ceiling, remembered for two days.
    fn default() -> Self {
        Self { tokens: None, micro_usd: None, window: None, kept: Duration::from_secs(48 * 3_600), share: SHARE }
    }
}

/// What to set aside for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CeilingHold {
    /// Identifies it among everything set aside under the ceiling.
    pub id: String,
    /// The amount.
    pub amount: Amount,
    /// How long it stays set aside if its cost is never reported; longer than the call can take.
    pub lease: Duration,
}

/// The result of setting an amount aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// Set aside: make the call, and report its cost afterwards.
    Granted {
        /// The window it counts in; passed back with the cost.
        window: u64,
    },
    /// There is room only if calls in progress cost less than was set aside for them: try again.
    Busy,
    /// There is no room, whatever calls in progress cost.
    Reached(Measure),
}

impl CeilingPolicy {
    /// Whether any measure is bounded.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.bounds().next().is_some()
    }

    /// The ceiling of one process on its own: what is spent, plus its share of the rest.
    #[must_use]
    pub fn alone(&self, spent: &Amount) -> Self {
        let share = |bound: Option<u64>, spent: u64| {
            bound.map(|bound| {
                let left = bound.saturating_sub(spent) as f64;
                spent.saturating_add((left * self.share.clamp(0.0, 1.0)) as u64).min(bound)
            })
        };
        Self {
            tokens: share(self.tokens, spent.tokens),
            micro_usd: share(self.micro_usd, spent.micro_usd),
            ..self.clone()
        }
    }

    /// Returns each bounded measure with its bound.
    pub(super) fn bounds(&self) -> impl Iterator<Item = (Measure, u64)> {
        let bounds = [(Measure::Tokens, self.tokens), (Measure::MicroUsd, self.micro_usd)];
        bounds.into_iter().filter_map(|(measure, bound)| Some((measure, bound?)))
    }

    fn window_at(&self, now_us: i64) -> u64 {
        let now = u128::from(now_us.unsigned_abs());
        let length = self.window.map_or(0, |w| w.as_micros());
        now.checked_div(length).map_or(0, |n| u64::try_from(n).unwrap_or(u64::MAX))
    }
}

/// One ceiling. Not synchronized; its owner passes microseconds of a single clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    window: u64,
    spent: Amount,
    /// Amounts set aside, by id, each with the end of its lease.
    aside: BTreeMap<String, (Amount, i64)>,
}

impl Ceiling {
    /// Sets `hold` aside at `now_us`, or returns why not. `spent` is what the caller knows to be spent.
    pub fn set_aside(&mut self, policy: &CeilingPolicy, now_us: i64, hold: &CeilingHold, spent: &Amount) -> Spending {
        let amount = &hold.amount;
        let window = policy.window_at(now_us);
        if window != self.window {
            *self = Self { window, ..Self::default() };
        }
        // The caller may know more than a store that was wiped: never count less than either knows.
        self.spent = self.spent.max(spent);
        for (measure, bound) in policy.bounds() {
            // Saturating: an amount too large to be added must not wrap around and be granted.
            if self.spent.of(measure).saturating_add(amount.of(measure)) > bound {
                return Spending::Reached(measure);
            }
        }
        self.aside.retain(|_, (_, until_us)| *until_us > now_us);
        let taken = self.aside.values().fold(self.spent, |sum, (amount, _)| sum.plus(amount));
        if policy.bounds().any(|(measure, bound)| taken.of(measure).saturating_add(amount.of(measure)) > bound) {
            return Spending::Busy;
        }
        let lease_us = i64::try_from(hold.lease.as_micros()).unwrap_or(i64::MAX);
        self.aside.insert(hold.id.clone(), (*amount, now_us.saturating_add(lease_us)));
        Spending::Granted { window }
    }

    /// Releases what was set aside as `id` in `window`, if its lease has not ended, and counts `used` as spent. Does nothing if that
    /// window is over.
    pub fn spend(&mut self, window: u64, id: &str, used: &Amount) {
        if window == self.window {
            self.aside.remove(id);
            self.spent = self.spent.plus(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const HOUR_US: i64 = 3_600_000_000;
    const GRANTED: Spending = Spending::Granted { window: 0 };

    fn tokens(n: u64) -> Amount {
        Amount { tokens: n, ..Amount::default() }
    }

    fn ceiling_of(tokens: u64) -> CeilingPolicy {
        CeilingPolicy { tokens: Some(tokens), ..CeilingPolicy::default() }
    }

    /// A hold identified by its amount.
    fn hold(amount: Amount) -> CeilingHold {
        CeilingHold { id: amount.tokens.to_string(), amount, lease: HOUR }
    }

    fn ask(ceiling: &mut Ceiling, policy: &CeilingPolicy, n: u64) -> Spending {
        ceiling.set_aside(policy, 0, &hold(tokens(n)), &Amount::default())
    }

    #[test]
    fn what_might_end_above_the_ceiling_is_not_granted_and_takes_nothing() {
        // Ceiling, what is asked for, and the answers; each granted call comes to all of it.
        let cases: [(u64, &[u64], &[Spending]); 5] = [
            (100, &[100], &[GRANTED]),
            (100, &[101], &[Spending::Reached(Measure::Tokens)]),
            (100, &[60, 60, 40], &[GRANTED, Spending::Reached(Measure::Tokens), GRANTED]),
            (0, &[1], &[Spending::Reached(Measure::Tokens)]),
            (0, &[0], &[GRANTED]),
        ];
        for (bound, asked, want) in cases {
            let (mut ceiling, policy) = (Ceiling::default(), ceiling_of(bound));
            for (n, want) in asked.iter().zip(want) {
                assert_eq!(ask(&mut ceiling, &policy, *n), *want, "{n} of {bound}");
                if *want == GRANTED {
                    ceiling.spend(0, &n.to_string(), &tokens(*n));
                }
            }
        }
    }

    #[test]
    fn what_is_only_set_aside_makes_others_wait_and_not_give_up() {
        let (mut ceiling, policy) = (Ceiling::default(), ceiling_of(100));
        assert_eq!(ask(&mut ceiling, &policy, 80), GRANTED);
        assert_eq!(ask(&mut ceiling, &policy, 30), Spending::Busy);
        ceiling.spend(0, "80", &tokens(10));
        assert_eq!(ask(&mut ceiling, &policy, 30), GRANTED);
    }

    #[test]
    fn a_reservation_is_freed_with_its_lease_and_spent_if_used() {
        let (mut ceiling, policy, nothing) = (Ceiling::default(), ceiling_of(100), Amount::default());
        let forgotten = CeilingHold { id: "forgotten".to_owned(), ..hold(tokens(80)) };
        assert_eq!(ceiling.set_aside(&policy, 5, &forgotten, &nothing), GRANTED);
        assert_eq!(ceiling.set_aside(&policy, HOUR_US + 4, &hold(tokens(30)), &nothing), Spending::Busy);
        assert_eq!(ceiling.set_aside(&policy, HOUR_US + 5, &hold(tokens(30)), &nothing), GRANTED);
        ceiling.spend(0, "forgotten", &tokens(70));
        let more = ceiling.set_aside(&policy, HOUR_US + 5, &hold(tokens(31)), &nothing);
        assert_eq!(more, Spending::Reached(Measure::Tokens));
    }

    #[test]
    fn the_callers_known_spend_counts_where_the_store_forgot_it() {
        let (mut ceiling, policy) = (Ceiling::default(), ceiling_of(100));
        assert_eq!(ceiling.set_aside(&policy, 0, &hold(tokens(30)), &tokens(80)), Spending::Reached(Measure::Tokens));
        assert_eq!(ceiling.set_aside(&policy, 0, &hold(tokens(20)), &tokens(80)), GRANTED);
        assert_eq!(ceiling.set_aside(&policy, 0, &hold(tokens(20)), &tokens(10)), Spending::Busy);
    }

    #[test]
    fn a_new_window_starts_empty_without_the_old_one() {
        let (mut ceiling, policy) = (Ceiling::default(), CeilingPolicy { window: Some(HOUR), ..ceiling_of(100) });
        let mut ask = |now_us, n, want| {
            assert_eq!(ceiling.set_aside(&policy, now_us, &hold(tokens(n)), &Amount::default()), want);
            ceiling.clone()
        };
        ask(HOUR_US - 1, 100, GRANTED);
        ask(HOUR_US - 1, 1, Spending::Busy);
        let mut ceiling = ask(HOUR_US, 90, Spending::Granted { window: 1 });
        ceiling.spend(0, "100", &tokens(100));
        let rest = ceiling.set_aside(&policy, HOUR_US, &hold(tokens(10)), &Amount::default());
        assert_eq!(rest, Spending::Granted { window: 1 });
    }

    #[test]
    fn the_ceilings_of_all_measures_hold_together() {
        let policy = CeilingPolicy { micro_usd: Some(5), ..ceiling_of(100) };
        let mut ceiling = Ceiling::default();
        let dear = Amount { requests: 1, tokens: 1, micro_usd: 6 };
        assert_eq!(
            ceiling.set_aside(&policy, 0, &hold(dear), &Amount::default()),
            Spending::Reached(Measure::MicroUsd)
        );
        assert_eq!(ask(&mut ceiling, &policy, 100), GRANTED);
        assert!(policy.is_bounded() && !CeilingPolicy::default().is_bounded());
    }

    #[test]
    fn a_process_alone_spends_its_share_of_what_is_left() {
        let policy = ceiling_of(100);
        for (spent, bound) in [(0, 25), (60, 70), (100, 100), (130, 100)] {
            assert_eq!(policy.alone(&tokens(spent)).tokens, Some(bound), "{spent}");
        }
    }
}
