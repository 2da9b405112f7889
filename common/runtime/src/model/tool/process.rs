//! One child and all it starts: fed, read within bounds, ended.

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

/// Most bytes of an answer that are read, as for servers.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Most kept of standard error; the rest is read and thrown away, so that the child never waits.
const MAX_STDERR_BYTES: usize = 16 << 10;
/// Longest wait for the rest of the output of a child that has ended, where somebody holds its streams open. Chosen.
const REST: Duration = Duration::from_secs(1);

/// A child that ended by itself.
#[derive(Debug)]
pub(super) struct ProcessOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    /// Its first part.
    pub(super) stderr: Vec<u8>,
}

/// Starts `command` as the head of a process group, feeds it `input` and reads it to its end. The group is killed when the child
/// has ended, when it says too much, and when the future is dropped.
///
/// # Errors
/// [`Code::ToolMissing`] where it cannot be started, [`Code::AnswerTooLarge`].
pub(super) async fn run(mut command: Command, input: String) -> Result<ProcessOutput, Failure> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|e| unstartable(&e))?;
    let group = ProcessGroup::from_child(&child);
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Failure::new(Code::Internal, "a tool without streams"));
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let feed = async move {
        // It may answer without reading to the end. Dropping its input tells it that there is no more.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        Ok(())
    };
    let status = {
        let mut streams = pin!(async { tokio::try_join!(feed, answer(stdout, &mut out), drain(stderr, &mut err)) });
        tokio::select! {
            read = &mut streams => {
                read?;
                let status = child.wait().await;
                group.end_rest();
                status
            }
            status = child.wait() => {
                // What it left behind may hold its streams open; what has even left the group is its guard's to end, and not waited for.
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
    // A stream that cannot be read any more is at its end.
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

/// The child and whatever it started; killed with the value.
///
/// Its number stays taken while a member lives. Once none does, nothing is hit, unless the kernel hands the number to a new
/// group in the moment between the last member's end and the kill.
#[derive(Debug)]
struct ProcessGroup {
    head: Option<Pid>,
    /// Whether the head has ended and been asked about: its number may be another's then.
    is_headless: AtomicBool,
}

impl ProcessGroup {
    fn from_child(child: &Child) -> Self {
        let head = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        Self { head, is_headless: AtomicBool::new(false) }
    }

    /// Ends what is left of the group of a head that has ended by itself.
    fn end_rest(&self) {
        self.is_headless.store(true, Ordering::Relaxed);
        self.end();
    }

    fn end(&self) {
        let Some(head) = self.head else { return };
        if !self.is_headless.load(Ordering::Relaxed) {
            // While the head lives, what set itself apart is still found below it.
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
