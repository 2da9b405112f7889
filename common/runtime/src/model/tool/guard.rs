//! The process between a worker and a tool: it takes from the tool what it does not need, starts it, and ends it with all it started.
//!
//! A worker that is killed can end nothing any more. The guard is the head of the tool's process group and asks the system again
//! and again who its parent is; somebody else's child by then, it kills all below it and itself. What a tool started and set apart
//! stays below the guard too, which is a subreaper. It knows nothing of prompts and answers: the tool has its streams, and its end is
//! the tool's.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process};

use super::descendants::end_all_below;
use super::paths::ToolPaths;
use super::scratch::ScratchDirectory;

/// Whether the worker has died; set before its tool is ended.
static IS_ORPHAN: AtomicBool = AtomicBool::new(false);

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

/// The guard's side: starts `command` without privileges, inside a fence where `is_fenced` and the system has one, waits for its end
/// and returns its exit code; does not return where a signal ended it, or where process `parent` has died. Nothing that it started
/// runs any more then. Call it from a hidden subcommand and do nothing else in that process.
///
/// # Errors
/// Where this process is not the head of its group, as a worker makes it, or the system fails.
pub fn guard(parent: u32, is_fenced: bool, command: &[OsString]) -> io::Result<i32> {
    if getpgrp() != getpid() {
        return Err(io::Error::other("this command is started by a worker, not by hand"));
    }
    let Some((program, args)) = command.split_first() else { return Ok(MISSING) };
    let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
    // Before there is a second thread: all this holds for the thread that asks for it, and for what comes of it.
    give_up_privileges()?;
    if is_fenced {
        let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
        ToolPaths::for_directory(&std::env::current_dir()?, home.as_deref(), &std::env::temp_dir()).close();
    }
    std::thread::Builder::new().spawn(move || end_without(parent))?;
    let mut tool = match Command::new(program).args(args).spawn() {
        Ok(tool) => tool,
        Err(error) if is_missing(&error) => return Ok(MISSING),
        Err(error) => return Err(error),
    };
    let status = tool.wait()?;
    while IS_ORPHAN.load(Ordering::SeqCst) {
        // The other thread has ended the tool, clears up, and ends this process.
        std::thread::park();
    }
    end_all_below(getpid());
    end_as(status)
}

/// Makes this process the one that orphans below it come to, and takes from it what neither it nor a tool needs: setuid programs, and
/// the capabilities of root but those by which root reads and writes the files of its own containers.
#[cfg(target_os = "linux")]
fn give_up_privileges() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};
    rustix::process::set_child_subreaper(Some(getpid()))?;
    set_no_new_privs(true)?;
    let kept = CapabilitySet::DAC_OVERRIDE | CapabilitySet::KILL;
    if let Ok(held) = capabilities(None) {
        let left = held.permitted & kept;
        let inheritable = CapabilitySet::empty();
        // Without new privileges a program that root starts gets no more than this either.
        let _ = set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable });
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn give_up_privileges() -> io::Result<()> {
    Ok(())
}

/// Whether there is no such program, or it may not be started.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// Kills all below, then the group, once this process is nobody's child but the system's.
#[expect(clippy::disallowed_methods, reason = "a thread of the guard, which is a process without an executor")]
fn end_without(parent: Option<Pid>) {
    while getppid() == parent {
        std::thread::sleep(LOOK);
    }
    IS_ORPHAN.store(true, Ordering::SeqCst);
    end_all_below(getpid());
    // Nobody else is left to clear it away.
    let _ = std::env::current_dir().and_then(ScratchDirectory::abandoned);
    let _ = kill_current_process_group(Signal::KILL);
}

/// The exit code, or this process's own end by the signal that ended the tool.
fn end_as(status: ExitStatus) -> io::Result<i32> {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        kill_process(getpid(), signal)?;
    }
    status.code().ok_or_else(|| io::Error::other("a tool ended by a signal that this process survives"))
}
