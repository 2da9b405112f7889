//! What the records of sessions cost: contents that a session leaves by kind, and sessions per second beside another build of the program.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use precis_runtime::runner::RESULTS;
use serde::Serialize;

use super::publishing::{connect, publish};
use super::servers::DoorServers;

/// Sessions of a round, and rounds, of both in turn.
const SESSIONS: usize = 200;
const ROUNDS: usize = 5;
/// Sources of a session.
const SOURCES: usize = 2;
/// Sessions that the worker has at once.
const AT_ONCE: usize = 16;
/// Longest time for a round, and time between two looks.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK: Duration = Duration::from_millis(20);

/// What records cost.
#[derive(Debug, Clone, Serialize)]
pub struct RecordFigures {
    /// Named contents that a session leaves in the content store, by kind.
    pub contents: BTreeMap<String, f64>,
    /// Sessions per second, of each round, in order.
    pub per_second: Vec<f64>,
    /// The same of the other program; none without one.
    pub others_per_second: Vec<f64>,
}

/// Measures sessions over AMQP by one worker of the program, and by one of `other`, in turn.
///
/// # Errors
/// If the sessions do not end.
pub async fn measure(precis: &Path, other: Option<&Path>) -> Result<Option<RecordFigures>, String> {
    let Some(mut servers) = DoorServers::open(precis).await? else { return Ok(None) };
    let mut figures =
        RecordFigures { contents: BTreeMap::new(), per_second: Vec::new(), others_per_second: Vec::new() };
    // The first round warms up, and is counted.
    for round in 0..=ROUNDS {
        servers.use_program(precis);
        let before = contents(&servers.content());
        let own = sessions_per_second(&servers).await?;
        if round == 0 {
            let after = contents(&servers.content());
            let new = |(kind, count): (String, usize)| {
                let count = count - before.get(&kind).copied().unwrap_or_default();
                (kind, count as f64 / SESSIONS as f64)
            };
            figures.contents = after.into_iter().map(new).collect();
        } else {
            figures.per_second.push(own);
        }
        if let Some(other) = other {
            servers.use_program(other);
            let others = sessions_per_second(&servers).await?;
            figures.others_per_second.extend((round > 0).then_some(others));
        }
    }
    Ok(Some(figures))
}

/// Publishes the requests, then starts a worker; the watch runs from its first result to its last one.
async fn sessions_per_second(servers: &DoorServers) -> Result<f64, String> {
    let broker = connect(&servers.rabbit).await?;
    for _ in 0..SESSIONS {
        publish(&broker, SOURCES).await?;
    }
    let kept = results(servers);
    let _worker = servers.worker(AT_ONCE)?;
    let first = until(servers, kept + 1).await?;
    let last = until(servers, kept + SESSIONS).await?;
    broker.close().await;
    Ok((SESSIONS - 1) as f64 / last.duration_since(first).as_secs_f64())
}

async fn until(servers: &DoorServers, count: usize) -> Result<Instant, String> {
    let begun = Instant::now();
    while results(servers) < count {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{} of {count} sessions have a result", results(servers)));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(Instant::now())
}

fn results(servers: &DoorServers) -> usize {
    entries(&servers.content().join("named").join(RESULTS)).len()
}

/// Named contents by kind.
fn contents(content: &Path) -> BTreeMap<String, usize> {
    let named = content.join("named");
    entries(&named).into_iter().map(|kind| (kind.clone(), entries(&named.join(kind)).len())).collect()
}

/// Names in `dir`; none where there is no such folder.
fn entries(dir: &Path) -> Vec<String> {
    let found = std::fs::read_dir(dir).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
