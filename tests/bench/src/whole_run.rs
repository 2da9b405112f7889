//! The program on documents, as a user starts it: wall seconds, seconds per phase, memory, calls.
//!
//! Three runs in a home of their own: without a cache, with an empty one, with a warm one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use precis_proto::response::{ReportData, Response};
use precis_proto::state::PhaseTime;
use serde::Serialize;

use crate::memory::{Peak, wait_watching};
use precis_tests::program::CliWorkspace;

/// The question of every run.
pub const QUESTION: &str = "What methods and results are described, and what are their main limitations?";
/// Exit codes that come with a report: whole, or with something missing.
const WITH_REPORT: [i32; 2] = [0, 5];

/// What one run took.
#[derive(Debug, Serialize)]
pub struct WholeRun {
    /// `no cache`, `empty cache` or `warm cache`.
    pub cache: &'static str,
    /// Documents given.
    pub documents: usize,
    /// Documents without a text.
    pub unread: usize,
    /// Bytes of the documents.
    pub input_bytes: u64,
    /// From start to end of the process.
    pub seconds: f64,
    /// Documents given per second.
    pub documents_per_second: f64,
    /// As the report tells.
    pub phases: Vec<PhaseTime>,
    /// Model calls made.
    pub calls: u64,
    /// Model calls answered by the memo.
    pub cached_calls: u64,
    /// Citations of the report.
    pub citations: usize,
    /// Memory; absent where the system does not tell.
    pub peak: Option<Peak>,
}

/// Runs `precis` three times on `documents`.
///
/// # Errors
/// What the program said where it ended without a report.
pub fn measure(precis: &Path, documents: &[PathBuf]) -> Result<Vec<WholeRun>, String> {
    let workspace = CliWorkspace::new();
    let runs = [("no cache", &["--no-cache"][..]), ("empty cache", &[]), ("warm cache", &[])];
    runs.into_iter().map(|(cache, flags)| run(&workspace, precis, documents, cache, flags)).collect()
}

fn run(
    workspace: &CliWorkspace,
    precis: &Path,
    documents: &[PathBuf],
    cache: &'static str,
    flags: &[&str],
) -> Result<WholeRun, String> {
    let out = cache.replace(' ', "-");
    let mut command = workspace.within(precis, &["run", "--json", "--quiet", "--query", QUESTION, "--out", &out]);
    command.args(flags).arg("--docs").args(documents);
    let (data, seconds, peak) = timed(workspace, command).map_err(|e| format!("{cache}: {e}"))?;
    let lengths = documents.iter().filter_map(|path| path.metadata().ok());
    Ok(WholeRun {
        cache,
        documents: documents.len(),
        unread: data.sources.iter().filter(|source| source.source_text_hash.is_none()).count(),
        input_bytes: lengths.map(|file| file.len()).sum(),
        seconds,
        documents_per_second: documents.len() as f64 / seconds,
        calls: data.spend.iter().map(|row| row.calls).sum(),
        cached_calls: data.spend.iter().map(|row| row.cached_calls).sum(),
        citations: data.citations.len(),
        phases: data.session.phases,
        peak,
    })
}

/// Runs `command` to its end; its output goes to files, so that no full pipe holds it up.
fn timed(workspace: &CliWorkspace, mut command: Command) -> Result<(ReportData, f64, Option<Peak>), String> {
    let (out, err) = (workspace.at("stdout.json"), workspace.at("stderr.txt"));
    let file = |path: &Path| File::create(path).map_err(|e| format!("write {}: {e}", path.display()));
    command.stdin(Stdio::null()).stdout(file(&out)?).stderr(file(&err)?);
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("start the program: {e}"))?;
    let (status, peak) = wait_watching(&mut child).map_err(|e| format!("wait for the program: {e}"))?;
    let seconds = started.elapsed().as_secs_f64();
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("read {}: {e}", path.display()));
    if !status.code().is_some_and(|code| WITH_REPORT.contains(&code)) {
        return Err(format!("the program ended with {status}: {}", read(&err)?.trim()));
    }
    let response: Response = serde_json::from_str(&read(&out)?).map_err(|e| format!("its output: {e}"))?;
    let data = response.data.ok_or("its response has no report")?;
    Ok((data, seconds, peak))
}
