//! How fast a fleet is, on this machine, on private servers, in one command:
//!
//! ```text
//! cargo build --release --workspace && cargo run --release -p precis-tests --bin bench-fleet -- [--sessions N] [--json]
//! ```
//!
//! Prints jobs per second through the real runner on RabbitMQ and Redis beside a bare loop of the AMQP client on the same broker,
//! and what an idle worker costs. Nothing is asserted; ratios within one run mean more than the figures.

use std::process::ExitCode;

use precis_tests::bench::idle::{self, IdleFigures};
use precis_tests::bench::machine::Machine;
use precis_tests::bench::rabbit::{self, RabbitFigures};
use serde::Serialize;

const USAGE: &str = "Usage: bench-fleet [--sessions N] [--json]";

#[derive(Debug, Serialize)]
struct Figures {
    machine: Machine,
    rabbit: Option<RabbitFigures>,
    idle: Option<IdleFigures>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut sessions, mut json) = (1_000, false);
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.size_hint()) {
            ("--json", _) => json = true,
            ("--sessions", _) => match args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0) {
                Some(n) => sessions = n,
                None => return usage("--sessions wants a number"),
            },
            (other, _) => return usage(other),
        }
    }
    match measure(sessions).await {
        Ok(figures) if json => println!("{}", serde_json::to_string_pretty(&figures).expect("plain data")),
        Ok(figures) => print(&figures),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn usage(what: &str) -> ExitCode {
    eprintln!("error: {what}\n{USAGE}");
    ExitCode::from(2)
}

async fn measure(sessions: usize) -> Result<Figures, String> {
    let precis = std::env::current_exe().map_err(|e| e.to_string())?;
    let precis = precis.with_file_name(format!("precis{}", std::env::consts::EXE_SUFFIX));
    Ok(Figures {
        machine: Machine::here(),
        rabbit: rabbit::measure(sessions).await?,
        idle: idle::measure(&precis).await?,
    })
}

fn print(figures: &Figures) {
    let machine = &figures.machine;
    let load = machine.load_1m.map_or(String::new(), |load| format!(", load {load}"));
    println!("machine           {} cores, {}{load}", machine.cores, machine.system);
    if let Some(r) = &figures.rabbit {
        println!(
            "sessions          {:.0} per second ({} of 8 jobs each, durable quorum queues, confirms, Redis)",
            r.sessions_per_second, r.sessions
        );
        println!(
            "jobs              {:.0} per second, {:.0} us of client processor time each",
            r.jobs_per_second, r.client_cpu_us_per_job
        );
        let share = r.messages_per_second / r.bare_messages_per_second;
        println!(
            "messages          {:.0} per second; the bare client {:.0}; {:.2} of it",
            r.messages_per_second, r.bare_messages_per_second, share
        );
    }
    if let Some(i) = &figures.idle {
        println!(
            "idle worker       ready after {:.0} ms, {:.1} MB resident",
            i.ready_ms,
            i.resident_bytes as f64 / 1e6
        );
    }
}
