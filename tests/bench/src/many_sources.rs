//! One session of many sources: the program in one process, and a fleet whose workers are killed in each phase. Time should grow as
//! the sources do, and messages not at all.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use precis_tests::fleet::many_sources::{self, Crowd, Passage, QUESTION};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program::{CliWorkspace, ended};
use serde::Serialize;

use crate::memory::{Peak, wait_watching};

/// Longest wait for the result of a fleet.
const PATIENCE: Duration = Duration::from_secs(4 * 3_600);

/// What one session took.
#[derive(Debug, Serialize)]
pub struct ManySources {
    /// Sources.
    pub sources: usize,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Seconds in one process, with reading the files and writing the report.
    pub alone_seconds: f64,
    /// Memory of that process, and of all it started; absent where the system does not tell.
    pub alone_peak: Option<Peak>,
    /// Seconds `precis verify` takes to prove its report.
    pub verify_seconds: f64,
    /// The same session on a fleet, where it was asked for.
    pub fleet: Option<Passage>,
}

/// Measures a session of `sources` documents of at least `chars` characters each; on the fleet of `servers` too, where there is one.
/// Both reports are proved.
///
/// # Errors
/// What the program said where there was no report, or one that is not proved.
pub async fn measure(
    servers: Option<&SharedServers>,
    precis: &Path,
    sources: usize,
    chars: usize,
) -> Result<ManySources, String> {
    let workspace = CliWorkspace::new();
    let docs = workspace.at("docs");
    many_sources::write_documents(&docs, sources, chars);
    let files = std::fs::read_dir(&docs).map_err(|e| e.to_string())?.flatten();
    let text_bytes = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();

    let alone = ["run", "--quiet", "--no-cache", "--query", QUESTION, "--docs", "docs", "--out", "alone"];
    let begun = Instant::now();
    let alone_peak = watched(&workspace, workspace.within(precis, &alone))?;
    let alone_seconds = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    proved(&workspace, precis, "alone")?;
    let verify_seconds = begun.elapsed().as_secs_f64();

    let mut fleet = None;
    if let Some(servers) = servers {
        let out = workspace.at("fleet");
        fleet = Some(many_sources::pass(servers, precis, &docs, &out, PATIENCE).await?);
        proved(&workspace, precis, "fleet")?;
    }
    Ok(ManySources { sources, text_bytes, alone_seconds, alone_peak, verify_seconds, fleet })
}

/// What many sessions at once took of one worker.
#[derive(Debug, Serialize)]
pub struct CrowdOfMany {
    /// Sources of each session.
    pub sources: usize,
    /// What they took.
    #[serde(flatten)]
    pub crowd: Crowd,
}

/// Measures `sessions` of `sources` documents each, of at least `chars` characters, all at once in one worker.
///
/// # Errors
/// What the program said where there were not as many results.
pub async fn crowd(
    servers: &SharedServers,
    precis: &Path,
    sessions: usize,
    sources: usize,
    chars: usize,
) -> Result<CrowdOfMany, String> {
    let workspace = CliWorkspace::new();
    let docs = workspace.at("docs");
    many_sources::write_documents(&docs, sources, chars);
    let crowd = many_sources::crowd(servers, precis, &docs, sessions, PATIENCE).await?;
    Ok(CrowdOfMany { sources, crowd })
}

/// Runs `command` to its end; what it says goes to a file, so that no full pipe holds it up.
fn watched(workspace: &CliWorkspace, mut command: Command) -> Result<Option<Peak>, String> {
    let said = workspace.at("stderr.txt");
    let file = File::create(&said).map_err(|e| e.to_string())?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    let mut child = command.spawn().map_err(|e| format!("start the program: {e}"))?;
    let (status, peak) = wait_watching(&mut child).map_err(|e| format!("wait for the program: {e}"))?;
    let said = || std::fs::read_to_string(&said).unwrap_or_default();
    if status.success() { Ok(peak) } else { Err(format!("the program ended with {status}: {}", said().trim())) }
}

fn proved(workspace: &CliWorkspace, precis: &Path, out: &str) -> Result<(), String> {
    let (report, archive) = (format!("{out}/report.json"), format!("{out}/archive"));
    let told = ended(workspace.within(precis, &["verify", &report, "--archive", &archive]));
    if told.code == 0 { Ok(()) } else { Err(format!("the report is not proved: {}{}", told.stdout, told.stderr)) }
}

impl fmt::Display for CrowdOfMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Crowd { sessions, seconds, peak_kib } = &self.crowd;
        let mb = *peak_kib as f64 * 1_024.0 / 1e6;
        write!(
            f,
            "{sessions:>5} sessions    of {} sources at once in one worker: {seconds:.1} s, peak {mb:.0} MB",
            self.sources
        )
    }
}

impl fmt::Display for ManySources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        write!(
            f,
            "{:>5} sources     {:.1} MB: one process {:.1} s, peak {:.0} MB ({:.0} MB with its children); proved in {:.1} s",
            self.sources,
            mb(self.text_bytes),
            self.alone_seconds,
            mb(self.alone_peak.map_or(0, |peak| peak.process_bytes)),
            mb(self.alone_peak.map_or(0, |peak| peak.tree_bytes)),
            self.verify_seconds,
        )?;
        let Some(fleet) = &self.fleet else { return Ok(()) };
        write!(
            f,
            "; {} workers, {} kills: {:.1} s, peak of a worker {:.0} MB, {} states in {} deliveries, largest message {:.1} kB, largest \
             state {:.1} kB",
            many_sources::WORKERS,
            fleet.kills,
            fleet.seconds,
            mb(fleet.peak_kib * 1_024),
            fleet.states,
            fleet.deliveries,
            fleet.largest_message_bytes as f64 / 1e3,
            fleet.largest_state_bytes as f64 / 1e3,
        )
    }
}
