//! One child, on the parent's side: its start, one request at a time, its end.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::error::{ChildDeath, SandboxError};
use super::frame::{self, FrameError, FramedMessage};
use super::serve::READY;
use super::spawner::Spawner;
use super::walls::Walls;
use crate::telemetry::metrics;

/// Longest wait for a child to report that it is ready. Chosen for a machine under heavy load.
const START: Duration = Duration::from_secs(20);
/// Longest wait for the exit of a child that closed its output, and for the rest of its standard error.
const END: Duration = Duration::from_secs(2);
/// Most bytes kept of a child's standard error; the rest is read and dropped, so that the child never blocks on it.
const STDERR_BYTES: usize = 4 << 10;
/// Longest part of its first line that is reported.
const SAID_CHARS: usize = 200;

/// Longest list of restrictions a child reports, in bytes.
const WALLS_BYTES: usize = 256;

/// Whether a child of this process ever started without a system call filter.
static UNFILTERED: AtomicBool = AtomicBool::new(false);

/// Whether a child of this process ever started without a system call filter: then a document that takes over its parser could do
/// anything the user can.
#[must_use]
pub fn is_unfiltered() -> bool {
    // Relaxed: the flag guards no other data.
    UNFILTERED.load(Ordering::Relaxed)
}

/// Counts a child without a system call filter, and logs the first one.
fn report_unfiltered(walls: Walls) {
    if walls.filter {
        return;
    }
    metrics().extraction.count_unfiltered();
    if !UNFILTERED.swap(true, Ordering::Relaxed) {
        tracing::warn!(%walls, "documents are parsed without a system call filter; set sandbox = \"required\" to refuse instead");
    }
}

/// A child that is ready. Dropping it kills it.
#[derive(Debug)]
pub(super) struct ChildProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// Reads standard error to its end, when the child exits.
    stderr: JoinHandle<Vec<u8>>,
    /// Requests answered.
    pub(super) served: u32,
    /// The restrictions the child reports.
    pub(super) walls: Walls,
}

impl ChildProcess {
    /// Starts a child and waits until it has limited itself.
    pub(super) async fn start(spawner: &Spawner) -> Result<Self, SandboxError> {
        let mut child = spawner.start().await?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(SandboxError::Unavailable("the child has no standard streams".to_owned()));
        };
        let stderr = tokio::spawn(drain(stderr));
        let mut process =
            Self { child, stdin, stdout: BufReader::new(stdout), stderr, served: 0, walls: Walls::default() };
        match timeout(START, frame::receive(&mut process.stdout, READY.len() + WALLS_BYTES)).await {
            Ok(Ok((header, walls))) if header == READY => {
                process.walls = Walls::parse(&walls);
                report_unfiltered(process.walls);
                Ok(process)
            }
            Ok(_) => Err(SandboxError::Unavailable(format!("the child {} before it was ready", process.end().await))),
            Err(_) => Err(SandboxError::Unavailable("the child was not ready in time".to_owned())),
        }
    }

    /// Sends a request and waits for its answer. After an error the child must not be used again.
    pub(super) async fn ask(&mut self, header: &[u8], body: &[u8], limit: usize) -> Result<FramedMessage, FrameError> {
        frame::send(&mut self.stdin, header, body).await.map_err(|_| FrameError::Ended)?;
        let answer = frame::receive(&mut self.stdout, limit).await?;
        self.served = self.served.saturating_add(1);
        Ok(answer)
    }

    /// Whether it is still running, as far as is known.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Resident memory in bytes; 0 if the system does not report it.
    #[expect(clippy::disallowed_methods, reason = "the system's own report, of a few lines")]
    pub(super) fn memory_bytes(&self) -> u64 {
        let Some(pid) = self.child.id() else { return 0 };
        // procfs is served from memory: this does not wait for a disk.
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        resident_bytes(&status).unwrap_or(0)
    }

    /// Waits for its end and returns how it ended; a child that does not exit in time is killed when dropped.
    pub(super) async fn end(mut self) -> ChildDeath {
        let status = match timeout(END, self.child.wait()).await {
            Ok(Ok(status)) => status,
            _ => return ChildDeath::Malformed("it closed its output without exiting"),
        };
        let said = timeout(END, &mut self.stderr).await.ok().and_then(Result::ok).unwrap_or_default();
        let said = first_line(&said);
        match status.signal() {
            Some(number) => ChildDeath::Signal { number, said },
            None => ChildDeath::Exit { code: status.code().unwrap_or(-1), said },
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.stderr.abort();
    }
}

async fn drain(mut stderr: ChildStderr) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut room = [0; 1 << 10];
    while let Ok(count @ 1..) = stderr.read(&mut room).await {
        let free = STDERR_BYTES - kept.len();
        kept.extend_from_slice(&room[..count.min(free)]);
    }
    kept
}

/// Returns the first line that is not blank, without control characters.
fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(SAID_CHARS).collect()
}

fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_kernels_words() {
        assert_eq!(resident_bytes("VmPeak:\t 9 kB\nVmRSS:\t   128 kB\n"), Some(131_072));
        for odd in ["", "VmRSS:", "VmRSS: x kB"] {
            assert_eq!(resident_bytes(odd), None);
        }
    }

    #[test]
    fn only_a_short_clean_first_line_is_passed_on() {
        assert_eq!(first_line(b"\n\n  a\x1b[31mb \nc"), "a[31mb");
        assert_eq!(first_line(&[b'x'; 4_096]).len(), SAID_CHARS);
        assert_eq!(first_line(b""), "");
    }
}
