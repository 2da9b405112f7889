//! One session of many documents, on a fleet whose workers are killed in every phase; asked for and fetched as a person would.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use precis_proto::Phase;
use precis_proto::event::{Event, EventKind};
use precis_runtime::broker::names;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::Serialize;
use serde_json::Value;

use super::faults::WorkerPool;
use super::fleet_under_test::{FleetOptions, FleetUnderTest};
use super::requests;
use super::shared_servers::SharedServers;
use super::wire::{Passed, Wire};
use crate::program::ended;

/// What is asked. Every document has sentences that answer it.
pub const QUESTION: &str = "By how much did the steel output of Delvin grow?";
/// The session.
pub const SESSION: &str = "many";
/// Workers of the fleet.
pub const WORKERS: usize = 2;
/// Copies of the states that workers were handed.
const STATES: &str = "deliver.precis.session.#";
/// How long an event is waited for before the caller is asked whether the result has come.
const LOOK: Duration = Duration::from_millis(50);
/// Log lines that are shown where there is no result.
const LINES: usize = 12;

/// Writes `count` documents of at least `chars` characters each into `dir`; always the same ones.
///
/// # Panics
/// Where they cannot be written.
pub fn write_documents(dir: &Path, count: usize, chars: usize) {
    std::fs::create_dir_all(dir).expect("a directory");
    for number in 0..count {
        let mut dice = StdRng::seed_from_u64(number as u64);
        let mut text = format!("This is report {number}.");
        while text.len() < chars {
            text.push_str(&requests::sentence(&mut dice));
        }
        std::fs::write(dir.join(format!("report-{number:05}.txt")), text).expect("a file");
    }
}

/// What a session of many sources took on a fleet.
#[derive(Debug, Clone, Serialize)]
pub struct Passage {
    /// From asking to the result.
    pub seconds: f64,
    /// Workers that were killed.
    pub kills: usize,
    /// Most resident memory of any worker, in KiB.
    pub peak_kib: u64,
    /// States that were published.
    pub states: usize,
    /// How often workers were handed one.
    pub deliveries: usize,
    /// Largest message of a state, unpacked.
    pub largest_message_bytes: usize,
    /// Largest state, with what lies on its pages.
    pub largest_state_bytes: u64,
}

/// Asks a fleet of workers of `program` for the session on the documents in `docs`, kills workers in each of its phases, and lets
/// `program` write the result into `out`.
///
/// # Errors
/// Where there is no result within `patience`, where a worker ended by itself, and what the program said where it failed.
pub async fn pass(
    servers: &SharedServers,
    program: &Path,
    docs: &Path,
    out: &Path,
    patience: Duration,
) -> Result<Passage, String> {
    servers.redis.flush().await;
    servers.caller.begin();
    let options = FleetOptions { roles: &[], settings: String::new(), ..FleetOptions::default() };
    let fleet = FleetUnderTest::furnished(servers, program, &options).await;
    let wire = Wire::tap_routes(servers, STATES).await;
    let broker = servers.connect().await;
    let mut events = broker.subscribe(names::EVENTS, "#").await.map_err(|e| e.to_string())?;
    let mut pool = WorkerPool::start(&fleet, vec![Vec::new(); WORKERS]);

    let (docs, out) = (docs.display().to_string(), out.display().to_string());
    let reply_to = servers.caller.reply_queue();
    let begun = Instant::now();
    let ask = ["submit", "--quiet", "--query", QUESTION, "--session", SESSION, "--reply-to", reply_to, "--docs", &docs];
    done(&fleet, &ask)?;
    let mut kills = Kills::default();
    while !servers.caller.served(1, Duration::ZERO).await {
        if begun.elapsed() > patience {
            let last = fleet.log_lines(SESSION, LINES).join("\n");
            return Err(format!("no result after {} s\n{last}", patience.as_secs()));
        }
        let Ok(Some(event)) = tokio::time::timeout(LOOK, events.next()).await else { continue };
        let event = event.decode().ok().and_then(|value| serde_json::from_value::<Event>(value).ok());
        if let Some(place) = event.and_then(|event| kills.due(&event.kind)) {
            pool.kill(place);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let peak_kib = pool.dismiss().await;
    broker.close().await;
    if !pool.violations.is_empty() {
        return Err(pool.violations.join("\n"));
    }
    done(&fleet, &["result", SESSION, "--out", &out])?;
    let states = wire.passed().await;
    Ok(Passage {
        seconds,
        kills: pool.deaths.len(),
        peak_kib,
        states: states.iter().map(|state| &state.body).collect::<BTreeSet<_>>().len(),
        deliveries: states.len(),
        largest_message_bytes: states.iter().map(|state| state.body.len()).max().unwrap_or_default(),
        largest_state_bytes: states.iter().map(state_bytes).max().unwrap_or_default(),
    })
}

/// What many such sessions at once took of one worker.
#[derive(Debug, Clone, Serialize)]
pub struct Crowd {
    /// Sessions.
    pub sessions: usize,
    /// From the first request to the last result.
    pub seconds: f64,
    /// Most resident memory of the worker, in KiB.
    pub peak_kib: u64,
}

/// Asks a fleet of one worker of `program` for so many sessions on the documents in `docs`, all at once, each with a question of its own.
///
/// # Errors
/// Where there are not as many results within `patience`, where the worker ended, and what the program said where it failed.
pub async fn crowd(
    servers: &SharedServers,
    program: &Path,
    docs: &Path,
    sessions: usize,
    patience: Duration,
) -> Result<Crowd, String> {
    servers.redis.flush().await;
    servers.caller.begin();
    let options = FleetOptions { roles: &[], settings: String::new(), ..FleetOptions::default() };
    let fleet = FleetUnderTest::furnished(servers, program, &options).await;
    let docs = docs.display().to_string();
    let reply_to = servers.caller.reply_queue();
    for n in 0..sessions {
        let (session, question) = (format!("{SESSION}-{n}"), format!("{QUESTION} Tell of report {n}."));
        done(
            &fleet,
            &[
                "submit",
                "--quiet",
                "--query",
                &question,
                "--session",
                &session,
                "--reply-to",
                reply_to,
                "--docs",
                &docs,
            ],
        )?;
    }
    // All of them wait when the worker begins.
    let mut pool = WorkerPool::start(&fleet, vec![Vec::new()]);
    let begun = Instant::now();
    while !servers.caller.served(sessions, LOOK).await {
        if begun.elapsed() > patience {
            let last = fleet.log_lines(SESSION, LINES).join("\n");
            return Err(format!("not all results after {} s\n{last}", patience.as_secs()));
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let peak_kib = pool.dismiss().await;
    match pool.violations.is_empty() && pool.deaths.is_empty() {
        true => Ok(Crowd { sessions, seconds, peak_kib }),
        false => Err(format!("the worker ended: {}", pool.violations.join("\n"))),
    }
}

fn done(fleet: &FleetUnderTest, arguments: &[&str]) -> Result<(), String> {
    let told = ended(fleet.command(arguments));
    if told.code == 0 { Ok(()) } else { Err(format!("precis {}: {}", arguments[0], told.stderr.trim())) }
}

/// Bytes of a state that was handed to a worker: of its message and of the pages it names.
fn state_bytes(state: &Passed) -> u64 {
    let message: Value = serde_json::from_str(&state.body).unwrap_or_default();
    let pages = message["pages"].as_object().into_iter().flatten();
    state.body.len() as u64 + pages.filter_map(|(_, list)| list["bytes"].as_u64()).sum::<u64>()
}

/// Who dies when: one worker as soon as a phase begins, and the other once half of its jobs are done.
#[derive(Debug, Default)]
struct Kills {
    begun: BTreeSet<Phase>,
    half_done: BTreeSet<Phase>,
}

impl Kills {
    /// The place of the worker to be killed after `event`.
    fn due(&mut self, event: &EventKind) -> Option<usize> {
        match event {
            EventKind::PhaseStarted { phase, .. } => self.begun.insert(*phase).then_some(0),
            EventKind::JobsProgress { phase, done, total } if *done * 2 >= *total => {
                self.half_done.insert(*phase).then_some(1)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_worker_dies_once_in_a_phase() {
        let mut kills = Kills::default();
        let started = |phase| EventKind::PhaseStarted { phase, attempt: 1 };
        let jobs = |done| EventKind::JobsProgress { phase: Phase::Digest, done, total: 11 };
        let events = [(started(Phase::Digest), Some(0)), (jobs(5), None), (jobs(6), Some(1))];
        for (event, place) in events {
            assert_eq!(kills.due(&event), place, "{event:?}");
        }
        // The phase is taken up again, and what was done is found in the cache.
        for (event, place) in [(started(Phase::Digest), None), (jobs(11), None), (started(Phase::Evaluation), Some(0))]
        {
            assert_eq!(kills.due(&event), place, "{event:?}");
        }
    }
}
