//! Memory of a process and all below it, looked at again and again. Reads `/proc`; elsewhere there is no figure.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

use crate::machine::value;

/// Time between two looks: short beside a document's, long beside the look itself.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The most that was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Peak {
    /// Resident bytes of all processes at one moment; a page that two of them share counts twice.
    pub tree_bytes: u64,
    /// Peak resident bytes of the single largest process, as the system keeps it.
    pub process_bytes: u64,
    /// Most processes at one moment.
    pub processes: usize,
}

/// Waits for `child` and watches it and its descendants meanwhile. No peak where the system does not tell.
///
/// # Errors
/// Where the child cannot be waited for.
pub fn wait_watching(child: &mut Child) -> std::io::Result<(std::process::ExitStatus, Option<Peak>)> {
    let (pid, ended) = (child.id(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut peak = Peak::default();
            while !ended.load(Ordering::Relaxed) {
                look(pid, &mut peak);
                std::thread::sleep(BETWEEN_LOOKS);
            }
            peak
        });
        let status = child.wait();
        ended.store(true, Ordering::Relaxed);
        let peak = watching.join().unwrap_or_default();
        Ok((status?, (peak.processes > 0).then_some(peak)))
    })
}

/// Adds what is there now. A process that ends meanwhile counts as gone.
fn look(root: u32, peak: &mut Peak) {
    let (mut waiting, mut tree_bytes, mut processes) = (vec![root], 0, 0);
    while let Some(pid) = waiting.pop() {
        let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { continue };
        let bytes = |key| value(&status, key).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() * 1024;
        tree_bytes += bytes("VmRSS");
        processes += 1;
        peak.process_bytes = peak.process_bytes.max(bytes("VmHWM"));
        waiting.extend(children(pid));
    }
    peak.tree_bytes = peak.tree_bytes.max(tree_bytes);
    peak.processes = peak.processes.max(processes);
}

/// Children of all threads of a process.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_child_and_its_child_count_together() {
        let mut command = std::process::Command::new("sh");
        let mut child = command.args(["-c", "sleep 0.3 & wait"]).spawn().expect("a shell");
        let (status, peak) = wait_watching(&mut child).expect("it ends");
        let peak = peak.expect("the system tells");
        assert!(status.success() && peak.processes >= 2, "{peak:?}");
        assert!(peak.tree_bytes > 0 && peak.process_bytes > 0, "{peak:?}");
    }
}
