//! A seeded simulation: workers die, answers vanish or repeat, everything comes late, the broker restarts, the store is wiped.
//! A failing seed prints the line that replays it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use precis_runtime::failpoints::Fault;
use precis_tests::world::{Fate, WorkerSlot, World};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Seeds of a run, unless `PRECIS_SIM_SEEDS` names another number.
const SEEDS: u64 = 500;
const LIMIT: Duration = Duration::from_secs(24 * 3_600);
const NAMES: [&str; 3] = ["one", "two", "three"];
/// Deaths, cuts and restarts together: fewer than a job's delivery limit, so that no innocent job is given up on. Nothing else may
/// give a job back.
const DEATHS: u32 = 4;

/// The faults of one seed: a stream of random decisions, with a bounded number of deaths.
struct Chaos {
    seed: u64,
    rolls: AtomicU32,
    deaths: AtomicU32,
}

impl Chaos {
    fn fate(&self, worker: u64, point: &str) -> Fate {
        let roll = self.rolls.fetch_add(1, Ordering::Relaxed);
        let mut rng = StdRng::seed_from_u64(self.seed ^ (worker << 32) ^ (u64::from(roll) << 40) ^ u64::from(roll));
        match rng.random_range(0..1_000) {
            0..8 if self.may_die() => Fate::Fault(Fault::Crash),
            8..12 if self.may_die() => Fate::Cut,
            // A lost answer is free; a lost publish or confirm is a cut connection, and counts as a death.
            12..27 if point == "reply.send" || self.may_die() => Fate::Fault(Fault::Drop),
            27..57 => Fate::Fault(Fault::Repeat),
            57..300 => Fate::Fault(Fault::Delay(Duration::from_millis(rng.random_range(1..40)))),
            _ => Fate::Fault(Fault::None),
        }
    }

    fn may_die(&self) -> bool {
        self.deaths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < DEATHS).then_some(n + 1)).is_ok()
    }
}

fn simulate(seed: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.map_err(|e| e.to_string())?.block_on(async {
        let mut rng = StdRng::seed_from_u64(seed);
        // Every second seed with states on pages.
        let world = if seed.is_multiple_of(2) { World::new().await } else { World::paged().await };
        let chaos = Arc::new(Chaos { seed, rolls: AtomicU32::new(0), deaths: AtomicU32::new(0) });
        let _slots: Vec<WorkerSlot> = (0..3)
            .map(|worker| {
                let chaos = Arc::clone(&chaos);
                WorkerSlot::start(&world, &format!("w{worker}"), move |point| chaos.fate(worker, point))
            })
            .collect();
        let sessions: Vec<(&str, usize)> = NAMES.into_iter().map(|name| (name, rng.random_range(1..6))).collect();
        for (session, sources) in &sessions {
            world.submit(session, *sources).await;
            tokio::time::sleep(Duration::from_millis(rng.random_range(0..30))).await;
        }
        for _ in 0..rng.random_range(0..3) {
            tokio::time::sleep(Duration::from_millis(rng.random_range(0..200))).await;
            match rng.random_range(0..3) {
                0 if chaos.may_die() => world.broker.restart(),
                1 => world.store.wipe(),
                _ => {
                    world.store.set_available(false);
                    tokio::time::sleep(Duration::from_millis(rng.random_range(0..3_000))).await;
                    world.store.set_available(true);
                }
            }
        }
        world.wait_for(sessions.len(), LIMIT).await.map_err(|n| format!("only {n} of {} results", sessions.len()))?;
        world.check(&sessions).await
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn every_session_ends_once_whatever_the_seed() {
    let only = number("PRECIS_SIM_SEED");
    if only.is_some() {
        // A replay is for reading along.
        tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_test_writer().init();
    }
    let seeds = only.map_or(0..number("PRECIS_SIM_SEEDS").unwrap_or(SEEDS), |seed| seed..seed + 1);
    let next = Arc::new(std::sync::atomic::AtomicU64::new(seeds.start));
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (next, end) = (Arc::clone(&next), seeds.end);
                scope.spawn(move || {
                    let mut failed = Vec::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= end {
                            return failed;
                        }
                        if let Err(error) = simulate(seed) {
                            failed.push(format!(
                                "seed {seed}: {error}\n  PRECIS_SIM_SEED={seed} cargo test -p precis-tests --test fast simulation"
                            ));
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("a simulation does not panic")).collect()
    });
    assert!(failures.is_empty(), "{} seeds failed:\n{}", failures.len(), failures.join("\n"));
}
