//! Research of a fleet: what a round costs beside its models, and many sessions in one worker whose models take their time.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use precis_proto::research::CorpusRef;
use precis_runtime::content::ContentStore;
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::work::{Work, Workplace};
use serde::Serialize;
use serde_json::Value;

/// What an answer takes where models take their time.
const LATENCY: Duration = Duration::from_secs(5);
/// Longest wait for all results.
const PATIENCE: Duration = Duration::from_secs(1_200);
/// Between two looks at the worker.
const LOOK: Duration = Duration::from_millis(50);
/// Rounds that are timed, one after the other.
const ROUNDS: usize = 21;

/// The folder that a round of five directives searches beside the web.
const FOLDER: [(&str, &str); 2] = [
    ("ferries.md", "# Ferries\n\nA ferry needs a licence of its town.\n"),
    ("theatres.md", "# Theatres\n\nA theatre pays its director by the season.\n"),
];

/// What rounds of research cost where model and search answer at once: the web has four directives, a folder beside it one.
#[derive(Debug, Clone, Serialize)]
pub struct RoundFigures {
    /// Seconds of a round: the least, the median, the most.
    pub seconds: [f64; 3],
    /// Directives of those rounds.
    pub directives: usize,
}

impl fmt::Display for RoundFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, median, most] = self.seconds.map(|seconds| seconds * 1_000.0);
        write!(f, "    a round of {} directives: {median:.0} ms ({least:.0} to {most:.0})", self.directives)
    }
}

/// What many sessions of research in one worker cost.
#[derive(Debug, Clone, Serialize)]
pub struct ResearchFigures {
    /// Sessions at once in one worker.
    pub sessions: usize,
    /// Seconds of these where the model answers at once.
    pub seconds_without_wait: f64,
    /// Seconds of one session where it takes five seconds, beyond those where it answers at once.
    pub waiting_seconds: f64,
    /// Seconds of all sessions where it takes five seconds.
    pub seconds: f64,
    /// Most resident bytes of the worker then.
    pub peak_bytes: u64,
}

impl fmt::Display for ResearchFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ideal = self.seconds_without_wait + self.waiting_seconds;
        let peak = self.peak_bytes / 1_000_000;
        write!(
            f,
            "    {} sessions of research in one worker, models of {} s: {:.1} s, {:.2} of {ideal:.1} s, peak {peak} MB",
            self.sessions,
            LATENCY.as_secs(),
            self.seconds,
            self.seconds / ideal
        )
    }
}

/// Measures rounds of a worker of `precis`, one session after the other.
///
/// # Errors
/// Where not every session got its result in time.
pub async fn rounds(servers: &SharedServers, precis: &Path) -> Result<RoundFigures, String> {
    let wide = run(servers, precis, Work::WideResearch, Load { sessions: ROUNDS, at_once: 1 }, Duration::ZERO).await?;
    let timed: Option<Vec<(f64, usize)>> = wide.results.iter().map(first_round).collect();
    let mut timed = timed.ok_or("a report without a round")?;
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(RoundFigures {
        seconds: [0, timed.len() / 2, timed.len() - 1].map(|at| timed[at].0),
        directives: timed.iter().map(|(_, directives)| *directives).min().unwrap_or_default(),
    })
}

/// Measures a worker of `precis` with `sessions` sessions of research.
///
/// # Errors
/// Where not every session got its result in time.
pub async fn measure(servers: &SharedServers, precis: &Path, sessions: usize) -> Result<ResearchFigures, String> {
    let one = Load { sessions: 1, at_once: 1 };
    let all = Load { sessions, at_once: sessions };
    let quick = run(servers, precis, Work::Research, one, Duration::ZERO).await?;
    let slow = run(servers, precis, Work::Research, one, LATENCY).await?;
    let without_wait = run(servers, precis, Work::Research, all, Duration::ZERO).await?;
    let whole = run(servers, precis, Work::Research, all, LATENCY).await?;
    Ok(ResearchFigures {
        sessions,
        seconds_without_wait: without_wait.seconds,
        waiting_seconds: slow.seconds - quick.seconds,
        seconds: whole.seconds,
        peak_bytes: whole.peak_kib * 1_024,
    })
}

/// Seconds and directives of the first round of a report.
fn first_round(report: &Value) -> Option<(f64, usize)> {
    let round = report["data"]["research"]["rounds"].get(0)?;
    Some((round["seconds"].as_f64()?, round["directives"].as_array()?.len()))
}

/// How many sessions, and how many of them at once.
#[derive(Debug, Clone, Copy)]
struct Load {
    sessions: usize,
    at_once: usize,
}

/// What sessions took.
struct Run {
    /// From the first request to the last result.
    seconds: f64,
    peak_kib: u64,
    results: Vec<Value>,
}

/// One worker with so many sessions of `work`, where an answer takes `latency`.
async fn run(servers: &SharedServers, precis: &Path, work: Work, load: Load, latency: Duration) -> Result<Run, String> {
    let place = Workplace::open(work).await;
    let options = place.options(true);
    let settings = format!("worker_sessions = 4096\nworker_concurrency = 1024\n{}", options.settings);
    let fleet = FleetOptions { latency, at_once: 1_024, settings, ..options };
    let fleet = FleetUnderTest::furnished(servers, precis, &fleet).await;
    let corpus = if work == Work::WideResearch { vec![published(&fleet).await?] } else { Vec::new() };
    servers.redis.flush().await;
    servers.caller.begin();
    let mut worker = fleet.worker("researching", &[]);
    let begun = Instant::now();
    for number in 0..load.sessions {
        let mut request = place.request(number);
        request.options.research.iter_mut().for_each(|research| research.corpus.clone_from(&corpus));
        servers.caller.ask(&request).await;
        let wanted =
            if number + 1 == load.sessions { load.sessions } else { (number + 1).saturating_sub(load.at_once - 1) };
        while !servers.caller.served(wanted, LOOK).await {
            if begun.elapsed() > PATIENCE || !worker.is_alive() {
                let last = fleet.log_lines("", usize::MAX).pop().unwrap_or_default();
                return Err(format!("not all sessions were done; the worker's last word: {last}"));
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let peak_kib = worker.peak_kib();
    worker.drain().await?;
    let results = servers.caller.results();
    let results = results.values().filter_map(|served| serde_json::from_slice(&served.body).ok()).collect();
    Ok(Run { seconds, peak_kib, results })
}

/// Publishes [`FOLDER`] to the content store of `fleet`.
async fn published(fleet: &FleetUnderTest) -> Result<CorpusRef, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (name, text) in FOLDER {
        std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string())?;
    }
    let dir = folder.path().to_string_lossy();
    let mut printed = Vec::new();
    for verb in ["add", "publish"] {
        let output = fleet.command(&["corpus", verb, &dir]).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        printed = output.stdout;
    }
    let manifest = String::from_utf8_lossy(&printed).trim().parse().map_err(|e| format!("corpus publish: {e}"))?;
    let content = ContentStore::open(&fleet.content_url()).map_err(|e| e.to_string())?;
    let proof = content.proof("", &manifest).await.map_err(|e| e.to_string())?;
    Ok(CorpusRef { manifest, proof: Some(proof) })
}
