//! One run: requests under faults, until every caller is served and every queue is empty.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use precis_runtime::broker::names;
use serde_json::Value;

use super::caller::{Answers, Caller};
use super::faults::WorkerPool;
use super::fleet_under_test::FleetUnderTest;
use super::ledger::{Call, Ledger, repeats, weather_name};
use super::mischief::{self, AskedIds};
use super::plan::{Plan, Weather};
use super::requests;
use super::same_report::{difference, essence};
use super::shared_servers::SharedServers;
use super::work::Workplace;
use crate::finished;

/// Longest wait for results once all is calm, beside what the sessions themselves take.
const SERVING: Duration = Duration::from_secs(120);
/// A session's share of that wait on a slow machine.
const SERVING_EACH: Duration = Duration::from_millis(500);
/// Longest wait for empty queues: copies that stood back wait in the shortest tiers, and RabbitMQ tries a move out of such a queue that was
/// not confirmed again after three minutes.
const EMPTYING: Duration = Duration::from_secs(240);
/// Log lines shown of a session that went wrong, and sessions shown.
const LINES: usize = 12;
const SHOWN: usize = 2;

/// What a trial is made of.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Requests.
    pub sessions: usize,
    /// Settings of each worker process, one entry per worker.
    pub workers: Vec<Vec<(&'static str, String)>>,
    /// Decides the faults.
    pub seed: u64,
    /// How Redis fares.
    pub weather: Weather,
    /// Faults while the requests come in; none for a calm run.
    pub faults: usize,
    /// Whether faults go on until the last caller is served.
    pub is_relentless: bool,
    /// Whether a caller who means harm and somebody who writes to Redis are beside it. Their letters are dead, as they must be.
    pub is_beset: bool,
}

/// What every result of a session must amount to, by session.
pub type Expected = BTreeMap<String, Value>;

impl Trial {
    /// A run without faults, whose results say what all others must amount to.
    #[must_use]
    pub fn calm(sessions: usize, workers: usize) -> Self {
        let workers = vec![Vec::new(); workers];
        Self {
            sessions,
            workers,
            seed: 0,
            weather: Weather::RedisKept,
            faults: 0,
            is_relentless: false,
            is_beset: false,
        }
    }

    /// Runs it at `place` with the program at `program`; compares with `expected` where there is something. Returns its book, and what its
    /// results amount to.
    pub async fn run(
        &self,
        servers: &SharedServers,
        place: &Workplace,
        program: &Path,
        expected: Option<&Expected>,
    ) -> (Ledger, Expected) {
        servers.redis.flush().await;
        let searched_before = place.searches().len();
        let options = place.options(self.weather != Weather::NoRedis);
        let fleet = FleetUnderTest::furnished(servers, program, &options).await;
        let caller = &servers.caller;
        caller.begin();
        let mut pool = WorkerPool::start(&fleet, self.workers.clone());
        let started = Instant::now();
        // Boxed: together they are larger than a future on a stack should be.
        let served = Box::pin(async {
            let faults = self.inject_faults(servers, &mut pool, place).await;
            let patience = SERVING + SERVING_EACH * u32::try_from(self.sessions).unwrap_or(u32::MAX);
            caller.served(self.sessions, patience).await;
            faults
        });
        let theirs = AskedIds::default();
        let harm = Box::pin(async {
            match self.is_beset {
                true => mischief::go_on(servers, self.sessions, self.seed, &theirs).await,
                false => std::future::pending().await,
            }
        });
        let faults = tokio::select! {
            faults = served => faults,
            () = harm => unreachable!("it goes on"),
        };
        let emptied = emptied(servers).await;
        let seconds = started.elapsed().as_secs_f64();
        let peak_kib = pool.dismiss().await;
        // What drained workers gave back shows now.
        let mut waiting: BTreeMap<String, u64> = emptied.into_iter().collect();
        waiting.extend(servers.depths().await);
        let asked: Vec<Call> = fleet.provider.seen().iter().map(Call::asked).collect();
        let searched = place.searches().split_off(searched_before);
        let (mut paid_twice, mut cut_short) = repeats(&asked, &pool.deaths);
        let (searched_twice, searches_cut_short) = repeats(&searched, &pool.deaths);
        paid_twice.extend(searched_twice);
        cut_short += searches_cut_short;
        let dead = waiting.remove(names::DEAD).filter(|_| !self.is_beset).unwrap_or_default();
        let mut ledger = Ledger {
            seed: self.seed,
            weather: weather_name(self.weather),
            faults,
            attempted: self.sessions,
            accepted: self.sessions,
            terminal: 0,
            reports: 0,
            lost: 0,
            unexpected: 0,
            duplicated: 0,
            differing: 0,
            mismatched: 0,
            dead,
            left_over: waiting.values().sum(),
            provider_calls: asked.len(),
            searches: searched.len(),
            paid_twice: paid_twice.len(),
            cut_short,
            seconds,
            peak_worker_mib: peak_kib / 1_024,
            remarks: std::mem::take(&mut pool.violations),
        };
        if self.weather == Weather::RedisKept {
            ledger.remarks.extend(paid_twice);
        }
        if ledger.left_over > 0 {
            ledger.remarks.push(format!("messages left over: {waiting:?}"));
        }
        ledger.remarks.extend(not_held(caller, &fleet).await);
        let found = self.judge(&mut ledger, caller, expected, &fleet);
        let theirs = theirs.into_inner().expect("no panic held it");
        let unexpected: Vec<String> = [caller.replies(), caller.results()]
            .iter()
            .flat_map(|answers| unasked(answers, self.sessions, &theirs))
            .collect();
        ledger.unexpected = unexpected.len();
        ledger.remarks.extend(unexpected.iter().map(|id| format!("nobody asked for {id:?}")));
        (ledger, found)
    }

    /// Puts the requests, a few between any two faults; returns the faults.
    async fn inject_faults(
        &self,
        servers: &SharedServers,
        pool: &mut WorkerPool<'_>,
        place: &Workplace,
    ) -> Vec<String> {
        let caller = &servers.caller;
        let mut plan = Plan::new(self.seed, self.weather);
        let mut faults = Vec::new();
        for step in 0..=self.faults {
            let share = |step: usize| step * self.sessions / (self.faults + 1);
            for number in share(step)..share(step + 1) {
                caller.ask(&place.request(number)).await;
            }
            let is_last = step == self.faults;
            let mut goes_on = !is_last || (self.is_relentless && self.faults > 0);
            while goes_on {
                let (pause, fault) = plan.draw();
                let is_served = caller.served(self.sessions, pause).await;
                goes_on = is_last && !is_served;
                if !is_served {
                    faults.push(format!("{fault:?}"));
                    pool.suffer(servers, fault, &mut plan).await;
                }
            }
        }
        faults
    }

    fn judge(
        &self,
        ledger: &mut Ledger,
        caller: &Caller,
        expected: Option<&Expected>,
        fleet: &FleetUnderTest,
    ) -> Expected {
        let (replies, results) = (caller.replies(), caller.results());
        let mut found = Expected::new();
        for number in 0..self.sessions {
            let name = requests::name(number);
            ledger.terminal += usize::from(replies.contains_key(&name));
            let served = replies.get(&name).filter(|_| results.contains_key(&name));
            let Some(served) = served else {
                ledger.lost += 1;
                if ledger.lost <= SHOWN {
                    ledger.remarks.push(format!("{name} has no result"));
                    ledger.remarks.extend(fleet.log_lines(&name, LINES));
                }
                continue;
            };
            if results[&name].body != served.body {
                ledger.differing += 1;
            }
            match judged(&served.body, expected.and_then(|e| e.get(&name))) {
                Ok(result) => {
                    ledger.reports += usize::from(result["success"] == true);
                    found.insert(name, result);
                }
                Err(why) => {
                    ledger.mismatched += 1;
                    if ledger.mismatched <= SHOWN {
                        ledger.remarks.push(format!("{name}: {why}"));
                        ledger.remarks.extend(fleet.log_lines(&name, LINES));
                    }
                }
            }
        }
        for answers in [&replies, &results] {
            ledger.duplicated += answers.values().map(|served| served.repeats).sum::<usize>();
            ledger.differing += answers.values().map(|served| served.differing).sum::<usize>();
        }
        found
    }
}

/// The reports that do not hold, and why: see [`crate::finished`].
async fn not_held(caller: &Caller, fleet: &FleetUnderTest) -> Vec<String> {
    let content = fleet.content();
    let mut said = Vec::new();
    for (session, served) in caller.replies() {
        let held = finished::check_result(&served.body, &content).await;
        said.extend(held.err().map(|why| format!("the report of {session} does not hold: {why}")));
    }
    said
}

fn judged(body: &[u8], expected: Option<&Value>) -> Result<Value, String> {
    let result = essence(body)?;
    match expected.and_then(|expected| difference(expected, &result)) {
        Some(difference) => Err(difference),
        None => Ok(result),
    }
}

/// The ids of `answers` that neither the honest caller nor the one who means harm asked for.
fn unasked(answers: &Answers, sessions: usize, theirs: &BTreeSet<String>) -> Vec<String> {
    let honest: BTreeSet<String> = (0..sessions).map(requests::name).collect();
    answers.keys().filter(|id| !honest.contains(*id) && !theirs.contains(*id)).cloned().collect()
}

/// Waits until no queue of the topology but the dead letters has a message, waiting or held; returns what is left when the wait is
/// over.
async fn emptied(servers: &SharedServers) -> Vec<(String, u64)> {
    let until = Instant::now() + EMPTYING;
    loop {
        let mut waiting = servers.depths().await;
        waiting.retain(|(queue, _)| queue != names::DEAD);
        if waiting.is_empty() {
            waiting = servers.messages().await;
            waiting.retain(|(queue, _)| queue != names::DEAD);
        }
        if waiting.is_empty() || Instant::now() > until {
            return waiting;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}
