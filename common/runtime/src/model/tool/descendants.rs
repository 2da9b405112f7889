//! Finds and kills all descendants of a process, including those that left its process group or session, by parent process ids.
//!
//! An orphaned process becomes the child of the nearest subreaper above it. A guard is a subreaper, so every process a tool started
//! remains a descendant of its guard.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Most rounds of listing and killing. Each round kills every process it finds, so only a program that starts processes faster than they
/// are listed survives; a limit on processes stops such a program.
const ROUNDS: usize = 200;
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_millis(2);

/// Kills all descendants of `head`, but not `head` itself. Returns when none is running, or after [`ROUNDS`] rounds.
#[expect(clippy::disallowed_methods, reason = "the guard is a process without an executor")]
pub(super) fn end_all_below(head: Pid) {
    for _ in 0..ROUNDS {
        let running = below(head.as_raw_pid(), &processes());
        if running.is_empty() {
            return;
        }
        for pid in running.into_iter().filter_map(Pid::from_raw) {
            // Ignored: the process may have ended since it was listed.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Maps each running process to its parent.
#[expect(clippy::disallowed_methods, reason = "the system's own report, of one line")]
fn processes() -> BTreeMap<i32, i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|pid: i32| Some((pid, parent(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// Returns the parent named in `/proc/PID/stat`; `None` for a process that has ended but was not reaped.
fn parent(stat: &str) -> Option<i32> {
    // The program's name is in brackets and may contain any characters, so split at the last bracket.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") { None } else { fields.next()?.parse().ok() }
}

/// Returns the descendants of `head` according to `parents`.
fn below(head: i32, parents: &BTreeMap<i32, i32>) -> Vec<i32> {
    let mut found = Vec::new();
    let mut heads = vec![head];
    while let Some(head) = heads.pop() {
        for (pid, _) in parents.iter().filter(|(pid, parent)| **parent == head && **pid != head) {
            if !found.contains(pid) {
                found.push(*pid);
                heads.push(*pid);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_read_behind_any_name_and_the_dead_have_none() {
        for (stat, expected) in [
            ("7 (sh) S 3 7 7 0", Some(3)),
            ("7 (a) S 9 (b) R 4 7", Some(4)),
            ("7 (sh) Z 3 7", None),
            ("7 (sh) X 3 7", None),
            ("", None),
            ("7 (sh", None),
        ] {
            assert_eq!(parent(stat), expected, "{stat}");
        }
    }

    #[test]
    fn descendants_are_found_at_any_depth_and_siblings_are_not() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 2), (6, 1), (7, 6)]);
        let mut found = below(2, &parents);
        found.sort_unstable();
        assert_eq!(found, [3, 4, 5]);
        assert_eq!(below(7, &parents), Vec::<i32>::new());
    }

    #[test]
    fn nothing_below_a_process_outlives_the_call() {
        let mut child =
            std::process::Command::new("sh").args(["-c", "sleep 600 & sleep 600 & wait"]).spawn().expect("starts");
        let pid = Pid::from_child(&child);
        while below(pid.as_raw_pid(), &processes()).len() < 2 {
            std::thread::sleep(PAUSE);
        }
        end_all_below(pid);
        assert!(below(pid.as_raw_pid(), &processes()).is_empty());
        assert!(child.wait().is_ok());
    }
}
