//! All that a process started, also what has left its group and its session: found by who is whose child.
//!
//! What loses its parent becomes the child of the nearest subreaper above it. A guard is one, so whatever a tool started stays below
//! its guard, and can be found there.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How often one looks again for what was started meanwhile. Each time everything seen is killed, so only what starts processes faster
/// than they are listed outlives this; a limit of processes ends such a thing.
const ROUNDS: usize = 200;
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Kills everything below `head`, and not `head` itself. Returns when nothing of it runs any more.
#[expect(clippy::disallowed_methods, reason = "the guard is a process without an executor")]
pub(super) fn end_all_below(head: Pid) {
    for _ in 0..ROUNDS {
        let running = below(head.as_raw_pid(), &processes());
        if running.is_empty() {
            return;
        }
        for pid in running.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

/// The parent of each process that runs.
#[expect(clippy::disallowed_methods, reason = "the system's own report, of one line")]
fn processes() -> BTreeMap<i32, i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|pid: i32| Some((pid, parent(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// The parent as `/proc/PID/stat` names it; `None` of a process that has ended and waits for its parent to ask.
fn parent(stat: &str) -> Option<i32> {
    // The name of the program stands in brackets and may hold anything.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") { None } else { fields.next()?.parse().ok() }
}

/// Processes below `head` by `parents`.
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
    fn what_is_below_is_found_at_any_depth_and_nothing_beside_it() {
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
