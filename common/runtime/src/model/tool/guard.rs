//! The guard process between a worker and a tool: drops privileges, starts the tool, and kills it with all its descendants at the end.
//!
//! A killed worker cannot clean up. The guard leads the tool's process group and polls its parent process id; when that changes, the
//! worker is dead, and the guard kills all its descendants and itself. It is a subreaper, so processes that the tool detached remain its
//! descendants. It does not handle prompts or answers: the tool inherits its streams, and it exits with the tool's exit status.

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

/// Exit code if the tool does not exist or may not be started, as in shells.
pub(super) const MISSING: i32 = 127;
/// How often the parent is checked, and so the longest time a tool outlives its worker. Chosen.
const LOOK: Duration = Duration::from_millis(200);

/// The command that runs a tool under a guard: a program that calls [`guard`] with the process id and the tool's command that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardConfig {
    /// The program.
    pub executable: std::path::PathBuf,
    /// Its arguments; the id of this process and the tool's command are appended.
    pub args: Vec<String>,
}

impl GuardConfig {
    /// Returns the process command that starts `command` under the guard.
    pub(super) fn before(&self, command: &str) -> tokio::process::Command {
        let mut guarded = tokio::process::Command::new(&self.executable);
        guarded.args(&self.args).arg(std::process::id().to_string()).arg(command);
        guarded
    }
}

/// Runs as the guard process: starts `command` without privileges, fenced if `is_fenced` and the system supports it, waits for its end
/// and returns its exit code. Does not return if a signal ended the tool or if process `parent` died. In every case all processes the
/// tool started are killed. Call it from a hidden subcommand and do nothing else in that process.
///
/// # Errors
/// If this process is not the leader of its process group, as when a worker starts it, or if a system call fails.
pub fn guard(parent: u32, is_fenced: bool, command: &[OsString]) -> io::Result<i32> {
    if getpgrp() != getpid() {
        return Err(io::Error::other("this command can only be started by a worker"));
    }
    let Some((program, args)) = command.split_first() else { return Ok(MISSING) };
    let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
    // Before a second thread exists: these restrictions apply to the calling thread and to everything started by it.
    give_up_privileges()?;
    if is_fenced {
        let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
        ToolPaths::for_directory(&std::env::current_dir()?, home.as_deref(), &std::env::temp_dir()).close();
    }
    // Before the tool starts, so that no tool runs whose worker could die unnoticed.
    std::thread::Builder::new().spawn(move || end_without(parent))?;
    let mut tool = match Command::new(program).args(args).spawn() {
        Ok(tool) => tool,
        Err(error) if is_missing(&error) => return Ok(MISSING),
        Err(error) => return Err(error),
    };
    let status = tool.wait()?;
    while IS_ORPHAN.load(Ordering::SeqCst) {
        // The watching thread killed the tool, cleans up, and ends this process.
        std::thread::park();
    }
    end_all_below(getpid());
    end_as(status)
}

/// Makes this process a subreaper and drops the privileges that neither it nor a tool needs: setuid programs and all capabilities of root
/// except those for file access (root in a container) and for killing its descendants.
#[cfg(target_os = "linux")]
fn give_up_privileges() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};
    rustix::process::set_child_subreaper(Some(getpid()))?;
    set_no_new_privs(true)?;
    let kept = CapabilitySet::DAC_OVERRIDE | CapabilitySet::KILL;
    if let Ok(held) = capabilities(None) {
        let left = held.permitted & kept;
        let inheritable = CapabilitySet::empty();
        // With no_new_privs set, programs started as root get no more capabilities than these either.
        let _ = set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable });
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn give_up_privileges() -> io::Result<()> {
    Ok(())
}

/// Whether the program does not exist or may not be started.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// Waits until this process's parent is no longer `parent`, then kills all descendants and the process group.
#[expect(clippy::disallowed_methods, reason = "a thread of the guard, which is a process without an executor")]
fn end_without(parent: Option<Pid>) {
    while getppid() == parent {
        std::thread::sleep(LOOK);
    }
    // Before the kill: the main thread, which the end of the tool wakes, must find it set.
    IS_ORPHAN.store(true, Ordering::SeqCst);
    end_all_below(getpid());
    // The worker that would have removed the directory is dead.
    let _ = std::env::current_dir().and_then(ScratchDirectory::remove_abandoned);
    // Last: this ends the guard too.
    let _ = kill_current_process_group(Signal::KILL);
}

/// Returns the tool's exit code; ends this process by the same signal if a signal ended the tool.
fn end_as(status: ExitStatus) -> io::Result<i32> {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        kill_process(getpid(), signal)?;
    }
    status.code().ok_or_else(|| io::Error::other("the tool was ended by a signal that did not end the guard"))
}
