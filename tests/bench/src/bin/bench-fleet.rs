//! How fast a fleet is, on this machine, on private servers, in one command:
//!
//! ```text
//! cargo build --release --workspace && cargo run --release -p precis-bench --bin bench-fleet
//! ```
//!
//! Jobs per second through the real runner on RabbitMQ and Redis, beside a bare loop of the AMQP client and, where a Python with
//! Celery is given, beside the same shape of work in Celery; what an idle worker costs; a thousand sessions that wait; how soon
//! sessions go on after a worker was killed; sessions per second against the number of workers; and, where they are named, research, and one session of
//! many sources, in one process and on two workers that are killed in each of its phases. Nothing is asserted; ratios within one run
//! mean more than the figures.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use precis_bench::celery::{self, CeleryFigures};
use precis_bench::curve::{self, Point};
use precis_bench::idle::{self, IdleFigures};
use precis_bench::machine::Machine;
use precis_bench::many_sources::{self, CrowdOfMany, ManySources};
use precis_bench::rabbit::{self, RabbitFigures};
use precis_bench::recovery::{self, RecoveryFigures};
use precis_bench::researching::{self, ResearchFigures, RoundFigures};
use precis_bench::waiting::{self, WaitingFigures};
use precis_tests::fleet::shared_servers::SharedServers;
use serde::Serialize;

/// How fast a fleet is, on this machine, on private servers
#[derive(Debug, Parser)]
struct Asked {
    /// What to measure [default: all of it but research and those of many sources]
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Sessions without work through the runner
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    /// Sessions that wait at a slow model at once
    #[arg(long, default_value_t = 1_000)]
    waiting: usize,
    /// Sessions of research in one worker at once, 256 at most
    #[arg(long, default_value_t = 200)]
    researching: usize,
    /// Sessions of each point of the curve over workers
    #[arg(long, default_value_t = 100)]
    curve: usize,
    /// Sources of the sessions of many sources
    #[arg(long, value_delimiter = ',', value_name = "N", default_values_t = [500, 1_000, 2_500, 5_000])]
    sources: Vec<usize>,
    /// Sessions of many sources in one worker at once
    #[arg(long, default_value_t = 100)]
    crowd: usize,
    /// Characters of each of these sources, at least
    #[arg(long, default_value_t = 2_000)]
    source_chars: usize,
    /// Pass many sources in one process only
    #[arg(long)]
    alone: bool,
    /// A Python with the packages celery and redis, to compare with
    #[arg(long, value_name = "PYTHON")]
    celery: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Sessions and jobs per second, beside the bare client and Celery
    Jobs,
    /// What an idle worker costs
    Idle,
    /// A crowd that waits
    Waiting,
    /// The next delivery after a killed worker
    Recovery,
    /// Sessions per second against the number of workers
    Curve,
    /// Rounds of research
    Rounds,
    /// Many sessions of research in one worker
    Research,
    /// One session of many sources
    Sources,
    /// Many sessions of many sources, all at once in one worker
    Crowd,
}

impl Asked {
    fn wants(&self, part: Part) -> bool {
        (self.only.is_empty() && !matches!(part, Part::Rounds | Part::Research | Part::Sources | Part::Crowd))
            || self.only.contains(&part)
    }
}

#[derive(Debug, Default, Serialize)]
struct Figures {
    machine: Machine,
    rabbit: Option<RabbitFigures>,
    celery: Option<CeleryFigures>,
    idle: Option<IdleFigures>,
    waiting: Option<WaitingFigures>,
    recovery: Option<RecoveryFigures>,
    curve: Vec<Point>,
    rounds: Option<RoundFigures>,
    research: Option<ResearchFigures>,
    many_sources: Vec<ManySources>,
    crowd: Vec<CrowdOfMany>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let asked = Asked::parse();
    match measure(&asked).await {
        Ok(figures) if asked.json => println!("{}", serde_json::to_string_pretty(&figures).expect("plain data")),
        Ok(figures) => print(&figures),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

async fn measure(asked: &Asked) -> Result<Figures, String> {
    let precis = std::env::current_exe().map_err(|e| e.to_string())?;
    let precis = precis.with_file_name(format!("precis{}", std::env::consts::EXE_SUFFIX));
    let mut figures = Figures { machine: Machine::here(), ..Figures::default() };
    if asked.wants(Part::Jobs) {
        figures.rabbit = rabbit::measure(asked.sessions).await?;
        if let Some(python) = &asked.celery {
            figures.celery = celery::measure(python, asked.sessions.min(200)).await?;
        }
    }
    if asked.wants(Part::Idle) {
        figures.idle = idle::measure(&precis).await?;
    }
    let Some(servers) = SharedServers::open().await else { return Ok(figures) };
    if asked.wants(Part::Waiting) {
        figures.waiting = Some(waiting::measure(&servers, &precis, asked.waiting).await?);
    }
    if asked.wants(Part::Recovery) {
        figures.recovery = Some(recovery::measure(&servers, &precis).await?);
    }
    if asked.wants(Part::Curve) {
        figures.curve = curve::measure(&servers, &precis, asked.curve).await?;
    }
    if asked.wants(Part::Rounds) {
        figures.rounds = Some(researching::rounds(&servers, &precis).await?);
    }
    if asked.wants(Part::Research) {
        figures.research = Some(researching::measure(&servers, &precis, asked.researching.min(256)).await?);
    }
    if asked.wants(Part::Sources) {
        for sources in asked.sources.iter().copied() {
            let fleet = if asked.alone { None } else { Some(&servers) };
            figures.many_sources.push(many_sources::measure(fleet, &precis, sources, asked.source_chars).await?);
        }
    }
    if asked.wants(Part::Crowd) {
        for sources in asked.sources.iter().copied() {
            figures.crowd.push(many_sources::crowd(&servers, &precis, asked.crowd, sources, asked.source_chars).await?);
        }
    }
    Ok(figures)
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
            "jobs              {:.0} per second, {:.0} us of client processor time each; a bare message {:.0} us",
            r.jobs_per_second, r.client_cpu_us_per_job, r.bare_cpu_us_per_message
        );
        let share = r.messages_per_second / r.bare_messages_per_second;
        println!(
            "messages          {:.0} per second; the bare client {:.0}; {share:.2} of it",
            r.messages_per_second, r.bare_messages_per_second
        );
    }
    match (&figures.celery, &figures.rabbit) {
        (Some(c), Some(r)) => println!(
            "celery            {:.0} jobs per second in a chord made safe; ours {:.1} times that",
            c.jobs_per_second(),
            r.jobs_per_second / c.jobs_per_second()
        ),
        (None, None) => {}
        _ => println!("celery            not compared: name a Python with it by --celery"),
    }
    if let Some(i) = &figures.idle {
        println!(
            "idle worker       ready after {:.0} ms, {:.1} MB resident",
            i.ready_ms,
            i.resident_bytes as f64 / 1e6
        );
    }
    if let Some(w) = &figures.waiting {
        println!(
            "waiting           {} sessions at a model of {:.0} s: {:.1} s, {:.2} of the ideal ({:.1} s without the wait); {} at \
             once, peak {:.0} MB",
            w.sessions,
            w.latency_seconds,
            w.seconds,
            w.seconds / (w.seconds_without_wait + w.latency_seconds),
            w.seconds_without_wait,
            w.waiting_at_once,
            w.peak_bytes as f64 / 1e6
        );
    }
    if let Some(r) = &figures.recovery {
        println!(
            "after SIGKILL     next worker after {:.0} ms median, {:.0} ms 95th percentile, {:.0} ms at most ({} sessions)",
            r.median_ms, r.p95_ms, r.longest_ms, r.sessions
        );
    }
    for p in &figures.curve {
        println!(
            "{:>2} workers        {:.1} sessions per second, {:.0} model calls per second",
            p.workers, p.sessions_per_second, p.calls_per_second
        );
    }
    if let Some(rounds) = &figures.rounds {
        println!("{rounds}");
    }
    if let Some(research) = &figures.research {
        println!("{research}");
    }
    for many in &figures.many_sources {
        println!("{many}");
    }
    for crowd in &figures.crowd {
        println!("{crowd}");
    }
}
