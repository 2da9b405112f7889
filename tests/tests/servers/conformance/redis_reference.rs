//! The breaker's scripts against the breaker in memory, which is the reference: the same answers over random calls.

use std::fmt::Debug;
use std::time::Duration;

use precis_runtime::store::{Admission, Breaker, BreakerPolicy, CallOutcome, Store};
use precis_tests::servers::redis::RedisServer;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const SEEDS: [u64; 4] = [1, 2, 3, 4];
const STEPS: u32 = 250;

/// Every breaker the one on Redis may be: each operation ran in some millisecond between two looks at the server's clock.
struct Reference(Vec<Breaker>);

impl Reference {
    /// Keeps those that answer as Redis did.
    fn follow<T: PartialEq + Debug>(&mut self, told: T, times: (u64, u64), act: impl Fn(&mut Breaker, u64) -> T) {
        let mut next = Vec::new();
        for (before, now) in self.0.iter().flat_map(|b| (times.0..=times.1).map(move |now| (b, now))) {
            let mut after = before.clone();
            if act(&mut after, now) == told && !next.contains(&after) {
                next.push(after);
            }
        }
        assert!(!next.is_empty(), "Redis answered {told:?} between {times:?}, but the reference is {:?}", self.0);
        self.0 = next;
    }
}

fn policy(random: &mut StdRng) -> BreakerPolicy {
    BreakerPolicy {
        window: random.random_range(0..12),
        min_samples: random.random_range(0..6),
        failure_share: [0.0, 0.3, 0.5, 0.7, 1.0][random.random_range(0..5)],
        open_ms: random.random_range(0..20),
        probe_ms: random.random_range(0..20),
    }
}

#[tokio::test]
async fn the_breaker_on_redis_answers_as_the_one_in_memory() {
    let Some(server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store());
    for seed in SEEDS {
        eprintln!("seed {seed}");
        let mut random = StdRng::seed_from_u64(seed);
        let (name, policy) = (format!("seed-{seed}"), policy(&mut random));
        let mut reference = Reference(vec![Breaker::default()]);
        let mut generations = vec![0];
        for _ in 0..STEPS {
            let before = server.clock_ms().await;
            match random.random_range(0..10) {
                0 => tokio::time::sleep(Duration::from_millis(random.random_range(0..15))).await,
                1..=4 => {
                    let told = store.breakers().admit(&name, &policy).await.expect("reachable");
                    let times = (before, server.clock_ms().await);
                    reference.follow(told, times, |b, now| b.admit(&policy, now));
                    if let Admission::Allowed { generation } | Admission::Probe { generation } = told {
                        generations.push(generation);
                    }
                }
                _ => {
                    // Mostly of the newest admission, sometimes of one long gone.
                    let back = if random.random_bool(0.8) { 1 } else { random.random_range(1..=generations.len()) };
                    let generation = generations[generations.len() - back];
                    let outcome =
                        [CallOutcome::Failure, CallOutcome::Failure, CallOutcome::Success, CallOutcome::Neutral]
                            [random.random_range(0..4)];
                    let told = store.breakers().report(&name, &policy, generation, outcome).await.expect("reachable");
                    let times = (before, server.clock_ms().await);
                    reference.follow(told, times, |b, now| b.report(&policy, now, generation, outcome));
                }
            }
        }
    }
}
