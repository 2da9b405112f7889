//! Somebody writes to the store of a fleet while it works: removes records, restores earlier ones, moves them, gives leases away, wipes
//! everything, cuts answers off. Each session ends once all the same, with its own result, and so does the next one of the same id.
//! A failing seed prints the line that replays it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::response::Response;
use precis_runtime::broker::Topology;
use precis_runtime::failpoints::Fault;
use precis_runtime::store::{MemoryStore, RecordName, StoredRecord};
use precis_tests::world::{Fate, WorkerSlot, World, expected};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Seeds of a run, unless `PRECIS_HOSTILE_SEEDS` names another number.
const SEEDS: u64 = 500;
/// Longest time of one life of all sessions, simulated: the longest wait at each of a few revisions.
const LIMIT: Duration = Duration::from_secs(48 * 3_600);
/// How long what is planted stays, if nobody removes it.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);
/// Deaths of workers in one seed: fewer than a job's delivery limit.
const DEATHS: u32 = 3;
/// Messages that are delivered twice in one seed: a copy that waits is published a hundred times.
const REPEATS: u32 = 4;

/// What somebody does all the time; every seed has one.
#[derive(Debug, Clone, Copy)]
enum Habit {
    /// Anything, now and then.
    AtRandom,
    /// Restores the fence of the highest revision below the end that a session ever had, in this life or an earlier one.
    HighestFence,
    /// Restores the last fence that somebody held.
    HeldFence,
    /// Restores the fence that says that a session has ended.
    EndedFence,
    /// Gives the marks of all jobs to nobody.
    Marks,
    /// Leaves nothing.
    Nothing,
}

const HABITS: [Habit; 6] =
    [Habit::AtRandom, Habit::HighestFence, Habit::HeldFence, Habit::EndedFence, Habit::Marks, Habit::Nothing];

/// Somebody who may write to the store, before and after each of its operations.
struct Adversary {
    habit: Habit,
    store: MemoryStore,
    /// One for each place, so that the order of threads does not matter: a simulation has one thread.
    rng: Mutex<StdRng>,
    /// Every record ever seen, in the order of its appearance.
    seen: Mutex<Vec<StoredRecord>>,
    deaths: AtomicU32,
    repeats: AtomicU32,
}

/// Counts one more, if that is within `most`.
fn within(count: &AtomicU32, most: u32) -> bool {
    count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < most).then_some(n + 1)).is_ok()
}

impl Adversary {
    fn fate(&self, point: &str) -> Fate {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let roll = rng.random_range(0..1_000);
        if point.starts_with("store.") {
            return Fate::Fault(self.interfere(roll, &mut rng));
        }
        // Deaths and repeats make the duplicates that only a fence can tell.
        match roll {
            0..6 if within(&self.deaths, DEATHS) => Fate::Fault(Fault::Crash),
            6..10 if within(&self.deaths, DEATHS) => Fate::Cut,
            10..60 if within(&self.repeats, REPEATS) => Fate::Fault(Fault::Repeat),
            _ => Fate::Fault(Fault::None),
        }
    }

    fn interfere(&self, roll: u32, rng: &mut StdRng) -> Fault {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let records = if matches!(self.habit, Habit::AtRandom | Habit::Marks) {
            self.store.records()
        } else {
            self.store.fence_records()
        };
        for record in &records {
            if !seen.contains(record) {
                seen.push(record.clone());
            }
        }
        let restored = |is_wanted: fn(u64, bool) -> bool| {
            let mut last: Vec<&StoredRecord> = Vec::new();
            for record in seen
                .iter()
                .filter(|record| record.fence_state().is_some_and(|(revision, held)| is_wanted(revision, held)))
            {
                let higher =
                    |other: &&StoredRecord| other.name == record.name && other.fence_state() > record.fence_state();
                if !seen.iter().any(|other| {
                    higher(&other) && other.fence_state().is_some_and(|(revision, held)| is_wanted(revision, held))
                }) {
                    last.retain(|other| other.name != record.name);
                    last.push(record);
                }
            }
            for record in last {
                self.store.plant_record(&record.name, record, FOR_EVER);
            }
        };
        match self.habit {
            Habit::AtRandom => return self.at_random(roll, &records, &seen, rng),
            Habit::HighestFence => restored(|revision, _| revision != u64::MAX),
            Habit::HeldFence => restored(|_, held| held),
            Habit::EndedFence => restored(|revision, _| revision == u64::MAX),
            Habit::Marks => {
                for record in seen.iter() {
                    if let RecordName::Lease(key) = &record.name {
                        self.store.plant_lease(key, "nobody", FOR_EVER);
                    }
                }
            }
            Habit::Nothing => self.store.wipe(),
        }
        Fault::None
    }

    fn at_random(&self, roll: u32, records: &[StoredRecord], seen: &[StoredRecord], rng: &mut StdRng) -> Fault {
        match roll {
            0..60 => {
                if let Some(record) = records.choose(rng) {
                    self.store.remove_record(&record.name);
                }
            }
            60..160 => {
                if let Some(record) = seen.choose(rng) {
                    self.store.plant_record(&record.name, record, FOR_EVER);
                }
            }
            // To another name: what is sealed is nothing there, as is any number that somebody makes up.
            160..220 => {
                if let (Some(record), Some(place)) = (seen.choose(rng), seen.choose(rng)) {
                    self.store.plant_record(&place.name, record, FOR_EVER);
                }
            }
            220..225 => self.store.wipe(),
            225..255 => return Fault::Drop,
            255..355 => return Fault::Delay(Duration::from_millis(rng.random_range(1..3_000))),
            _ => {}
        }
        Fault::None
    }
}

/// The results of `session` that have arrived so far.
fn results(world: &World, session: &str) -> Vec<Vec<u8>> {
    world.results().remove(&SessionId::new(session).expect("an id")).unwrap_or_default()
}

/// Waits until no queue has a message, so that nothing of a life is left.
async fn quiet(world: &World) -> Result<(), String> {
    let mut left = Vec::new();
    for _ in 0..LIMIT.as_secs() / 300 {
        left.clear();
        let caller = world.caller();
        for queue in Topology::standard().queues {
            let depth = caller.depth(&queue.name).await.expect("declared");
            if depth.ready + depth.unacked.unwrap_or_default() > 0 {
                left.push(queue.name);
            }
        }
        caller.close().await;
        if left.is_empty() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(300)).await;
    }
    Err(format!("messages left behind in {left:?}"))
}

/// One life of all sessions: each gets one result, as without anybody's doing, and its repeats are the same bytes.
async fn live(world: &World, sessions: &[(&str, usize)]) -> Result<(), String> {
    let before: Vec<usize> = sessions.iter().map(|(session, _)| results(world, session).len()).collect();
    for (session, sources) in sessions {
        world.submit(session, *sources).await;
    }
    let waiting = async {
        while sessions.iter().zip(&before).any(|((session, _), before)| results(world, session).len() <= *before) {
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    };
    let lost = || {
        let late =
            sessions.iter().zip(&before).filter(|((session, _), before)| results(world, session).len() <= **before);
        format!("lost: {:?}", late.map(|((session, _), _)| *session).collect::<Vec<_>>())
    };
    tokio::time::timeout(LIMIT, waiting).await.map_err(|_| lost())?;
    quiet(world).await?;
    for ((session, sources), before) in sessions.iter().zip(before) {
        let bodies = results(world, session).split_off(before);
        if bodies.iter().any(|body| body != &bodies[0]) {
            return Err(format!("{session}: its repeats differ"));
        }
        let response: Response = serde_json::from_slice(&bodies[0]).map_err(|e| e.to_string())?;
        let report = response.data.as_ref().map(|data| data.report.clone());
        if report.as_deref() != Some(expected(session, *sources).as_str()) {
            return Err(format!("{session}: {report:?} {:?}", response.error));
        }
    }
    Ok(())
}

fn simulate(seed: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.map_err(|e| e.to_string())?.block_on(async {
        let mut rng = StdRng::seed_from_u64(seed);
        let habit = *HABITS.choose(&mut rng).expect("some");
        let world = World::new().await;
        let adversary = Arc::new(Adversary {
            habit,
            store: world.store.clone(),
            rng: Mutex::new(StdRng::seed_from_u64(seed ^ 1)),
            seen: Mutex::default(),
            deaths: AtomicU32::new(0),
            repeats: AtomicU32::new(0),
        });
        let _slots = ["a", "b"].map(|name| {
            let adversary = Arc::clone(&adversary);
            WorkerSlot::start(&world, name, move |point| adversary.fate(point))
        });
        let names = &["one", "two"][..rng.random_range(1..3)];
        let sessions: Vec<(&str, usize)> = names.iter().map(|name| (*name, rng.random_range(1..3))).collect();
        for life in 1..3 {
            live(&world, &sessions).await.map_err(|e| format!("{habit:?}, life {life}: {e}"))?;
            // As retention does: the ids may be used again.
            world.content.remove_older_than(0).await.map_err(|e| e.to_string())?;
        }
        Ok(())
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn a_hostile_store_writer_can_repeat_and_delay_but_not_lose_sessions() {
    let only = number("PRECIS_HOSTILE_SEED");
    if only.is_some() {
        tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_test_writer().init();
    }
    let seeds = only.map_or(0..number("PRECIS_HOSTILE_SEEDS").unwrap_or(SEEDS), |seed| seed..seed + 1);
    let (next, failures) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    if let Err(error) = simulate(seed) {
                        let replay =
                            format!("PRECIS_HOSTILE_SEED={seed} cargo test -p precis-tests --test fast hostile_cache");
                        failures.lock().expect("no panic").push(format!("seed {seed}: {error}\n  {replay}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{} seeds failed:\n{}", failures.len(), failures.join("\n"));
}
