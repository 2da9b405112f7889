//! The fleet under faults, in its long form, as one command:
//!
//! ```text
//! cargo build --release --workspace
//! cargo run --release -p precis-bench --bin fleet -- --sessions 1000 --seeds 20
//! ```
//!
//! Each seed is a run of its own: all sessions, faults from the first request to the last result. The weather changes from seed to
//! seed: Redis kept, Redis troubled, no Redis; with `--beset` Redis is troubled, and written to besides. Prints a ledger per run; ends with 1 where something happened that must not.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use precis_tests::fleet::plan::Weather;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::trial::Trial;
use precis_tests::fleet::work::{Work, Workplace};

/// Sessions put between two faults.
const SESSIONS_PER_FAULT: usize = 12;

/// Most memory of a worker beside those who mean harm.
const BESET_MIB: u64 = 200;

/// The fleet under faults, in its long form
#[derive(Debug, Parser)]
struct Asked {
    /// Sessions of each run, of five documents each
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    /// Runs
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Seed of the first run; the others follow it [default: by chance]
    #[arg(long)]
    seed: Option<u64>,
    /// Worker processes
    #[arg(long, default_value_t = 3)]
    workers: usize,
    /// With a caller who means harm and somebody who writes to Redis beside them, and less than 200 MiB for each worker
    #[arg(long)]
    beset: bool,
    /// Sessions of research over a scripted web instead, planned and supervised by a scripted model
    #[arg(long)]
    research: bool,
    /// Begin no run after this many minutes
    #[arg(long)]
    minutes: Option<u64>,
    /// The program [default: beside this one]
    #[arg(long)]
    precis: Option<PathBuf>,
    /// Print JSON, one ledger a line
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let asked = Asked::parse();
    let precis = match asked.precis.clone().or_else(beside) {
        Some(precis) if precis.exists() => precis,
        _ => {
            eprintln!(
                "error: there is no precis beside this program: cargo build --release --workspace, or --precis PATH"
            );
            return ExitCode::from(2);
        }
    };
    let Some(servers) = SharedServers::open().await else { return ExitCode::from(2) };
    match run(&asked, &servers, &precis).await {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn beside() -> Option<PathBuf> {
    let name = format!("precis{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe().ok()?.parent().map(|dir| dir.join(name))
}

/// Runs seed after seed; returns how many runs went wrong.
async fn run(asked: &Asked, servers: &SharedServers, precis: &std::path::Path) -> usize {
    let place = Workplace::open(if asked.research { Work::RefinedResearch } else { Work::Documents }).await;
    let calm = Trial::calm(asked.sessions, asked.workers);
    let (ledger, expected) = calm.run(servers, &place, precis, None).await;
    print(asked, &ledger);
    let mut wrong = usize::from(!ledger.wrongs().is_empty() || ledger.reports != asked.sessions);
    let until = asked.minutes.map(|minutes| Instant::now() + Duration::from_secs(minutes * 60));
    let first = asked.seed.unwrap_or_else(|| rand::random::<u32>().into());
    let weathers = match asked.beset {
        true => vec![Weather::RedisTroubled],
        false => vec![Weather::RedisKept, Weather::RedisTroubled, Weather::NoRedis],
    };
    for (run, weather) in (0..asked.seeds).zip(weathers.into_iter().cycle()) {
        if until.is_some_and(|until| Instant::now() > until) {
            eprintln!("{run} of {} runs in {} minutes", asked.seeds, asked.minutes.unwrap_or_default());
            break;
        }
        let trial = Trial {
            seed: first + run,
            weather,
            faults: asked.sessions.div_ceil(SESSIONS_PER_FAULT),
            is_relentless: true,
            is_beset: asked.beset,
            ..calm.clone()
        };
        let (ledger, _) = trial.run(servers, &place, precis, Some(&expected)).await;
        print(asked, &ledger);
        wrong += usize::from(!ledger.wrongs().is_empty());
        if asked.beset && ledger.peak_worker_mib >= BESET_MIB {
            eprintln!("WRONG: a worker had {} MiB", ledger.peak_worker_mib);
            wrong += 1;
        }
    }
    wrong
}

fn print(asked: &Asked, ledger: &precis_tests::fleet::ledger::Ledger) {
    match asked.json {
        true => println!("{}", serde_json::to_string(ledger).expect("plain data")),
        false => println!("{ledger}"),
    }
    for wrong in ledger.wrongs() {
        eprintln!("WRONG: {wrong}");
    }
}
