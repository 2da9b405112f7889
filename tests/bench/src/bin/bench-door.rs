//! How fast the HTTP door is, on this machine, on private servers, in one command:
//!
//! ```text
//! cargo build --release -p precis-workers && cargo run --release -p precis-bench --bin bench-door
//! ```
//!
//! Requests accepted, beside the same published over AMQP; results read, beside a static file of nginx; streams of events; what records of
//! sessions cost; what spans cost. Rounds alternate. Nothing is asserted; ratios within one run mean more than the figures.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use precis_bench::door::accepting::{self, AcceptFigures};
use precis_bench::door::following::{self, Crowd, FollowFigures};
use precis_bench::door::load::percentile;
use precis_bench::door::records::{self, RecordFigures};
use precis_bench::door::results::{self, ResultFigures};
use precis_bench::door::servers::DoorServers;
use precis_bench::door::tracing::{self, TracingFigures};
use precis_bench::machine::Machine;

/// How fast the HTTP door is, on this machine, on private servers
#[derive(Debug, Parser)]
struct Asked {
    /// What to measure [default: all of it]
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// The program [default: `precis` beside this one]
    #[arg(long, value_name = "FILE")]
    precis: Option<PathBuf>,
    /// Another build of the program, whose sessions per second are measured in turn with the records
    #[arg(long, value_name = "FILE")]
    other: Option<PathBuf>,
    /// Streams of events at once
    #[arg(long, default_value_t = 5_000)]
    streams: usize,
    /// Sessions that they follow
    #[arg(long, default_value_t = 500)]
    sessions: usize,
    /// Further streams, in every second round, that nobody reads
    #[arg(long, default_value_t = 500)]
    unread: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests accepted, beside AMQP
    Accepting,
    /// Results read, beside nginx
    Results,
    /// Streams of events
    Following,
    /// Records of sessions
    Records,
    /// Spans, beside none
    Tracing,
}

#[tokio::main]
async fn main() -> ExitCode {
    match measure(&Asked::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(asked: &Asked) -> Result<(), String> {
    let beside = std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("precis");
    let precis = std::path::absolute(asked.precis.as_ref().unwrap_or(&beside)).map_err(|e| e.to_string())?;
    let other = asked.other.as_ref().map(std::path::absolute).transpose().map_err(|e| e.to_string())?;
    let wants = |part: Part| asked.only.is_empty() || asked.only.contains(&part);
    // Servers of its own for each: what one leaves in the queues is work for the next.
    if wants(Part::Accepting)
        && let Some(servers) = DoorServers::open(&precis).await?
    {
        print_machine();
        print_accepting(&accepting::measure(&servers).await?);
    }
    if wants(Part::Results)
        && let Some(servers) = DoorServers::open(&precis).await?
    {
        print_machine();
        print_results(&results::measure(&servers).await?);
    }
    if wants(Part::Following)
        && let Some(servers) = DoorServers::open(&precis).await?
    {
        print_machine();
        let crowd = Crowd { streams: asked.streams, sessions: asked.sessions, unread: asked.unread };
        print_following(crowd, &following::measure(&servers, crowd).await?);
    }
    if wants(Part::Records) {
        print_machine();
        records::measure(&precis, other.as_deref()).await?.iter().for_each(print_records);
    }
    if wants(Part::Tracing) {
        print_machine();
        print_tracing(&tracing::measure(&precis).await?);
    }
    Ok(())
}

/// Before each part: the load of the machine is not that of another part.
fn print_machine() {
    let machine = Machine::here();
    let load = machine.load_1m.map_or(String::new(), |load| format!(", load {load}"));
    println!("machine           {} cores, {}{load}", machine.cores, machine.system);
}

fn print_accepting(f: &AcceptFigures) {
    println!(
        "accepted          {:.0} requests of {} bytes per second; published over AMQP {:.0}; share {}",
        f.accepted_per_second,
        f.bytes,
        f.published_per_second,
        spread(&f.ratios, 2)
    );
    println!(
        "at half of that   95th percentile {} ms; published over AMQP {} ms",
        spread(&f.p95_ms, 1),
        spread(&f.published_p95_ms, 1)
    );
}

fn print_results(f: &ResultFigures) {
    let of_nginx = |files: f64| format!("; nginx {files:.0}; share {}", spread(&f.ratios, 2));
    let nginx = f.files_per_second.map_or(String::new(), of_nginx);
    println!("results           {:.0} of {} bytes per second{nginx}", f.results_per_second, f.bytes);
}

fn print_following(crowd: Crowd, rounds: &[FollowFigures]) {
    for f in rounds {
        println!(
            "streams           {} of {} sessions, {} more that nobody reads: {:.0} MB (without {:.0} MB), {:.2} cores while nothing happens; \
             {} events in {:.0} s, median {:.0} ms, 95th percentile {:.0} ms",
            crowd.streams,
            crowd.sessions,
            f.unread,
            f.resident_bytes as f64 / 1e6,
            f.idle_bytes as f64 / 1e6,
            f.waiting_cores,
            f.events,
            f.seconds,
            f.median_ms,
            f.p95_ms
        );
    }
}

fn print_records(f: &RecordFigures) {
    let contents: Vec<String> = f.contents.iter().map(|(kind, count)| format!("{kind} {count:.2}")).collect();
    println!("contents          of a session, by kind: {}", contents.join(", "));
    println!("sessions          {} per second", spread(&f.per_second, 1));
    if !f.others_per_second.is_empty() {
        let ratios: Vec<f64> = f.per_second.iter().zip(&f.others_per_second).map(|(own, other)| own / other).collect();
        println!("the other program {} per second; share {}", spread(&f.others_per_second, 1), spread(&ratios, 2));
    }
}

fn print_tracing(f: &TracingFigures) {
    println!(
        "spans             {:.1} ms of processor time a session, without {:.1}; {} times that; {} bytes of spans a session",
        f.cpu_ms_with_spans,
        f.cpu_ms,
        spread(&f.ratios, 2),
        f.span_bytes
    );
}

/// `MEDIAN (LEAST to MOST)`.
fn spread(values: &[f64], digits: usize) -> String {
    let mut values = values.to_vec();
    let median = percentile(&mut values, 0.5);
    let end = |value: Option<&f64>| value.copied().unwrap_or_default();
    format!("{median:.digits$} ({:.digits$} to {:.digits$})", end(values.first()), end(values.last()))
}
