//! How fast queues on disk are beside a bare log on the same disk, and how large their folder becomes:
//!
//! ```text
//! cargo run --release -p precis-bench --bin bench-queues -- [DIR]
//! ```
//!
//! Rounds alternate. Nothing is asserted.

use std::path::PathBuf;
use std::process::ExitCode;

use precis_bench::machine::Machine;
use precis_bench::queues::{self, Load};

/// Short ones, so that both meet the same moments of the disk.
const ROUNDS: usize = 9;
const BODY_BYTES: usize = 2_000;
/// Messages confirmed together, and how many make a round.
const WINDOWS: [(usize, usize); 3] = [(1, 200), (8, 1_600), (64, 12_800)];
/// Messages that go through the folder whose size is watched, how many are live at most, and the bytes of each.
const MANY: usize = 1_000_000;
const LIVE: usize = 2_000;
const MANY_BYTES: usize = 500;

#[tokio::main]
async fn main() -> ExitCode {
    match measure().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure() -> std::io::Result<()> {
    let own = tempfile::tempdir()?;
    let dir = std::env::args_os().nth(1).map_or_else(|| own.path().to_owned(), PathBuf::from);
    println!("{:?}", Machine::here());
    println!(
        "bodies of {BODY_BYTES} bytes; messages per second, median of {ROUNDS} rounds; share of the bare log in the same round"
    );
    for (window, messages) in WINDOWS {
        let load = Load { messages, window, body_bytes: BODY_BYTES };
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push(queues::round(&dir, load).await?);
        }
        let of = |value: fn(&queues::Round) -> f64| median(rounds.iter().map(value).collect());
        println!(
            "{window:>3} together: bare {:.0}/s · published {:.0}/s, share {:.2} · acked {:.0}/s, share {:.2}",
            of(|round| round.bare),
            of(|round| round.published),
            of(|round| round.published / round.bare),
            of(|round| round.acked),
            of(|round| round.acked / round.bare),
        );
    }
    let load = Load { messages: MANY, window: LIVE, body_bytes: MANY_BYTES };
    let growth = queues::growth(&dir.join("many"), load, LIVE).await?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    println!(
        "{MANY} messages of {MANY_BYTES} bytes, {LIVE} live at most: folder at most {:.1} MiB, at most {:.1} MiB beyond four times what is live; after the next start {:.3} MiB",
        mib(growth.largest_bytes),
        mib(growth.beyond_four_times_live_bytes),
        mib(growth.last_bytes)
    );
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
