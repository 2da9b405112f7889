//! Runs one child process: writes its input, reads bounded output, and kills all it started at the end.

use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::super::failure::{Code, Failure};
use super::descendants::end_all_below;
use super::guard::is_missing;

/// Most bytes read of an answer, as for servers.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Most bytes kept of standard error; the rest is read and discarded, so that the child never blocks.
const MAX_STDERR_BYTES: usize = 16 << 10;
/// Longest wait for the rest of the output after the child has ended, if another process holds its streams open. Chosen.
const REST: Duration = Duration::from_secs(1);

/// The exit status and output of a child that ended.
#[derive(Debug)]
pub(super) struct ProcessOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    /// The first [`MAX_STDERR_BYTES`].
    pub(super) stderr: Vec<u8>,
}

/// Starts `command` as the leader of a process group, writes `input` to it and reads its output to the end. The group is killed when the
/// child has ended, when its output is too large, and when the future is dropped.
///
/// # Errors
/// [`Code::ToolMissing`] or [`Code::ToolFailed`] if it cannot be started, [`Code::AnswerTooLarge`] if it writes too much.
pub(super) async fn run(mut command: Command, input: String) -> Result<ProcessOutput, Failure> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|e| unstartable(&e))?;
    // Right after the start: from here on a drop kills the whole group. Declared after `child`, so dropped before it: until then
    // the leader is not reaped, and its process id is not used again.
    let group = ProcessGroup::from_child(&child);
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Failure::new(Code::Internal, "the tool's standard streams are missing"));
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let feed = async move {
        // Ignored: the tool may answer without reading all input. Closing the stream marks the end of the input.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        Ok(())
    };
    let status = {
        // All at once: a child that fills its output before it has read its input would otherwise block for ever.
        let mut streams = pin!(async { tokio::try_join!(feed, answer(stdout, &mut out), drain(stderr, &mut err)) });
        tokio::select! {
            read = &mut streams => {
                read?;
                let status = child.wait().await;
                group.end_rest();
                status
            }
            status = child.wait() => {
                // A process it left behind may hold its streams open: kill the group first. One that left the group is killed by the
                // guard; after REST its output is no longer waited for.
                group.end_rest();
                if let Ok(read) = timeout(REST, &mut streams).await {
                    read?;
                }
                status
            }
        }
    };
    let status = status.map_err(|e| Failure::new(Code::Internal, format!("end of a tool: {e}")))?;
    Ok(ProcessOutput { status, stdout: out, stderr: err })
}

fn unstartable(error: &io::Error) -> Failure {
    let code = if is_missing(error) { Code::ToolMissing } else { Code::ToolFailed };
    Failure::new(code, format!("start: {error}"))
}

async fn answer(mut stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) -> Result<(), Failure> {
    let mut room = vec![0; 16 << 10];
    // A read error counts as the end of the stream.
    while let Ok(count @ 1..) = stream.read(&mut room).await {
        if kept.len() + count > MAX_ANSWER_BYTES {
            return Err(Failure::new(Code::AnswerTooLarge, format!("over {MAX_ANSWER_BYTES} bytes")));
        }
        kept.extend_from_slice(&room[..count]);
    }
    Ok(())
}

async fn drain(mut stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) -> Result<(), Failure> {
    let mut room = vec![0; 1 << 10];
    while let Ok(count @ 1..) = stream.read(&mut room).await {
        let free = MAX_STDERR_BYTES - kept.len();
        kept.extend_from_slice(&room[..count.min(free)]);
    }
    Ok(())
}

/// The process group of the child; killed on drop.
///
/// The group id stays taken while a member lives. Once none does, the kill has no target, unless the kernel reuses the id between the
/// last member's end and the kill.
#[derive(Debug)]
struct ProcessGroup {
    head: Option<Pid>,
    /// Whether the leader has ended and been reaped: its process id may belong to another process by then.
    is_headless: AtomicBool,
}

impl ProcessGroup {
    fn from_child(child: &Child) -> Self {
        let head = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        Self { head, is_headless: AtomicBool::new(false) }
    }

    /// Kills the rest of the group after its leader has ended.
    fn end_rest(&self) {
        // Relaxed: only the task that runs the child reads it.
        self.is_headless.store(true, Ordering::Relaxed);
        self.end();
    }

    fn end(&self) {
        let Some(head) = self.head else { return };
        if !self.is_headless.load(Ordering::Relaxed) {
            // While the leader lives, processes that left the group are still found as its descendants.
            end_all_below(head);
        }
        let _ = kill_process_group(head, Signal::KILL);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}
