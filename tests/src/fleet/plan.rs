//! Which fault comes when: drawn from a seed, so that a run can be had again. What the machine makes of it is not repeated, the
//! order and the lengths are.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// What happens to a fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL of a worker; another takes its place.
    KillWorker,
    /// SIGTERM of a worker; it must drain and end with 0, and another takes its place.
    DrainWorker,
    /// SIGSTOP of a worker for a while: it holds what it holds.
    PauseWorker(Duration),
    /// SIGKILL of the broker, and a start on the same data.
    KillBroker,
    /// SIGSTOP of the broker for a while: confirms hang.
    PauseBroker(Duration),
    /// Every connection between workers and broker ends, properly.
    Cut,
    /// Every connection between workers and broker ends without a word.
    Reset,
    /// Nothing passes between workers and broker for a while.
    Stall(Duration),
    /// FLUSHALL.
    Flush,
    /// SIGSTOP of Redis for a while.
    PauseRedis(Duration),
}

/// How Redis fares in a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weather {
    /// It is there all the time: nothing may be paid twice.
    RedisKept,
    /// It is wiped and stopped.
    RedisTroubled,
    /// The workers know of none.
    NoRedis,
}

/// An endless plan: each kind once before any kind again, in an order of chance.
#[derive(Debug)]
pub struct Plan {
    dice: StdRng,
    weather: Weather,
    deck: Vec<Fault>,
}

impl Plan {
    /// The plan of `seed`.
    #[must_use]
    pub fn new(seed: u64, weather: Weather) -> Self {
        Self { dice: StdRng::seed_from_u64(seed), weather, deck: Vec::new() }
    }

    /// How many faults it takes until each kind has come.
    #[must_use]
    pub fn round(weather: Weather) -> usize {
        deck(weather, &mut StdRng::seed_from_u64(0)).len()
    }

    /// How long to wait for the next fault, and what it is.
    pub fn draw(&mut self) -> (Duration, Fault) {
        if self.deck.is_empty() {
            self.deck = deck(self.weather, &mut self.dice);
            self.deck.shuffle(&mut self.dice);
        }
        let fault = self.deck.pop().expect("a deck has cards");
        (Duration::from_millis(self.dice.random_range(20..500)), fault)
    }

    /// One of `count` things.
    pub fn choose(&mut self, count: usize) -> usize {
        self.dice.random_range(0..count)
    }
}

/// What is most common in life comes most often: a worker that dies.
fn deck(weather: Weather, dice: &mut StdRng) -> Vec<Fault> {
    let mut some = |from: u64, to: u64| Duration::from_millis(dice.random_range(from..to));
    let mut deck = vec![
        Fault::KillWorker,
        Fault::KillWorker,
        Fault::KillWorker,
        Fault::DrainWorker,
        Fault::PauseWorker(some(500, 3_000)),
        Fault::KillBroker,
        Fault::PauseBroker(some(1_000, 4_000)),
        Fault::Cut,
        Fault::Reset,
        Fault::Stall(some(500, 3_000)),
    ];
    if weather == Weather::RedisTroubled {
        deck.extend([Fault::Flush, Fault::PauseRedis(some(1_000, 5_000)), Fault::Flush]);
    }
    deck
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_plan_covering_every_kind_before_repeats() {
        let draw = |seed| {
            let mut plan = Plan::new(seed, Weather::RedisTroubled);
            (0..40).map(|_| plan.draw()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let round = Plan::round(Weather::RedisTroubled);
        let first = draw(7);
        assert!(first[..round].iter().any(|(_, fault)| matches!(fault, Fault::PauseRedis(_))));
        assert_eq!(first[..round].iter().filter(|(_, fault)| *fault == Fault::KillBroker).count(), 1);
    }
}
