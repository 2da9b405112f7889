//! The process between a worker and a tool: it starts the tool and, when the worker dies, ends it with all it started.
//!
//! A worker that is killed can end nothing any more. The guard is the head of the tool's process group and asks the system again
//! and again who its parent is; somebody else's child by then, it kills the group with itself in it. It knows nothing of prompts
//! and answers: the tool has its streams, and its end is the tool's.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process};

/// Exit code where the tool is not there or may not be started, as in shells.
pub(super) const MISSING: i32 = 127;
/// How often the parent is looked for. Chosen: a tool outlives its worker by no more.
const LOOK: Duration = Duration::from_millis(200);

/// What stands before a tool's command, so that the tool runs under a guard: a program that calls [`guard`] with the number and
/// the command behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardConfig {
    /// The program.
    pub executable: std::path::PathBuf,
    /// Its arguments; behind them come the number of this process, and the command of the tool.
    pub args: Vec<String>,
}

impl GuardConfig {
    /// `command` as it is started under the guard.
    pub(super) fn before(&self, command: &str) -> tokio::process::Command {
        let mut guarded = tokio::process::Command::new(&self.executable);
        guarded.args(&self.args).arg(std::process::id().to_string()).arg(command);
        guarded
    }
}

/// The guard's side: starts `command`, waits for its end and returns its exit code; does not return where a signal ended it, or
/// where process `parent` has died. Call it from a hidden subcommand and do nothing else in that process.
///
/// # Errors
/// Where this process is not the head of its group, as a worker makes it, or the system fails.
pub fn guard(parent: u32, command: &[OsString]) -> io::Result<i32> {
    if getpgrp() != getpid() {
        return Err(io::Error::other("this command is started by a worker, not by hand"));
    }
    let Some((program, args)) = command.split_first() else { return Ok(MISSING) };
    let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
    std::thread::Builder::new().spawn(move || end_without(parent))?;
    let mut tool = match Command::new(program).args(args).spawn() {
        Ok(tool) => tool,
        Err(error) if is_missing(&error) => return Ok(MISSING),
        Err(error) => return Err(error),
    };
    end_as(tool.wait()?)
}

/// Whether there is no such program, or it may not be started.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// Kills the group once this process is nobody's child but the system's.
fn end_without(parent: Option<Pid>) {
    while getppid() == parent {
        std::thread::sleep(LOOK);
    }
    let _ = kill_current_process_group(Signal::KILL);
}

/// The exit code, or this process's own end by the signal that ended the tool.
fn end_as(status: ExitStatus) -> io::Result<i32> {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        kill_process(getpid(), signal)?;
    }
    status.code().ok_or_else(|| io::Error::other("a tool ended by a signal that this process survives"))
}
