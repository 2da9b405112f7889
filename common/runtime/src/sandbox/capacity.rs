//! How much memory parsers may use, so that all of them together fit into the machine, or into the container's share of it.

/// Address space of a child if there is room. Chosen, not measured: a document of 10 MiB takes 200 MB.
const MEMORY_BYTES: u64 = 1 << 30;
/// Least useful memory: enough for the program itself, its tables and a document of some pages.
pub(super) const LEAST_MEMORY_BYTES: u64 = 128 << 20;
/// Below this, fewer children are better than less memory for each. Chosen: the largest document that is read by default fits.
const GOOD_MEMORY_BYTES: u64 = 384 << 20;

/// The number of children at once, and the address space of each in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SandboxCapacity {
    /// At least one.
    pub children: usize,
    /// At least 128 MiB.
    pub memory_bytes: u64,
}

impl SandboxCapacity {
    /// Returns what this machine has room for; `children` and `memory_bytes` override it.
    #[must_use]
    pub fn here(children: Option<usize>, memory_bytes: Option<u64>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        fit(cores, memory_limit(), children, memory_bytes)
    }
}

/// Divides three quarters of `limit` among children, at most one per core; the rest is for their parent. Explicit values are kept:
/// their operator knows the documents.
fn fit(cores: usize, limit: Option<u64>, children: Option<usize>, memory_bytes: Option<u64>) -> SandboxCapacity {
    let share = limit.map_or(u64::MAX, |limit| limit / 4 * 3);
    let wanted = memory_bytes.unwrap_or(GOOD_MEMORY_BYTES).max(1);
    let fitting = usize::try_from(share / wanted).unwrap_or(usize::MAX);
    let children = children.unwrap_or(fitting.min(cores)).clamp(1, cores.max(1));
    let each = (share / children as u64).min(MEMORY_BYTES);
    SandboxCapacity { children, memory_bytes: memory_bytes.unwrap_or(each).max(LEAST_MEMORY_BYTES) }
}

/// The memory limit of this process's control group in bytes, if it has one.
#[expect(clippy::disallowed_methods, reason = "the system's own reports, of a few lines")]
fn memory_limit() -> Option<u64> {
    let files = limit_files(&std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default());
    let limits = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    // Version 1 reports "no limit" as a number close to the largest one.
    limits.filter(|limit| *limit < 1 << 60).min()
}

/// The files that may hold the memory limit of a process in `groups` (`/proc/PID/cgroup`), in version 2 and version 1. Inside a
/// container the process's own group appears as the root.
fn limit_files(groups: &str) -> [String; 4] {
    let unified = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let of_memory = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|controller| controller == "memory").then_some(path)
    });
    [
        format!("/sys/fs/cgroup{unified}/memory.max"),
        "/sys/fs/cgroup/memory.max".to_owned(),
        format!("/sys/fs/cgroup/memory{}/memory.limit_in_bytes", of_memory.unwrap_or("/")),
        "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_limit_of_the_own_group_is_looked_for_in_both_versions() {
        let [two, _, one, _] = limit_files("4:memory:/a/b\n3:cpu,cpuacct:/c\n0::/d\n");
        assert_eq!(
            (two.as_str(), one.as_str()),
            ("/sys/fs/cgroup/d/memory.max", "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes")
        );
        let [two, _, one, _] = limit_files("");
        assert_eq!(
            (two.as_str(), one.as_str()),
            ("/sys/fs/cgroup//memory.max", "/sys/fs/cgroup/memory//memory.limit_in_bytes")
        );
    }

    #[test]
    fn children_and_their_memory_fit_the_limit_unless_more_was_asked_for() {
        for (cores, limit, asked, expected) in [
            (2, None, (None, None), (2, 1024)),
            (2, Some(8 * 1024), (None, None), (2, 1024)),
            (2, Some(2 * 1024), (None, None), (2, 768)),
            (2, Some(1024), (None, None), (2, 384)),
            (2, Some(1023), (None, None), (1, 767)),
            (16, Some(1024), (None, None), (2, 384)),
            (16, Some(512), (None, None), (1, 384)),
            (4, Some(100), (None, None), (1, 128)),
            (4, Some(1024), (Some(1), None), (1, 768)),
            (4, Some(1024), (None, Some(256)), (3, 256)),
            (4, Some(1024), (Some(4), Some(1024)), (4, 1024)),
            (2, None, (Some(9), None), (2, 1024)),
            (2, None, (Some(0), Some(1)), (1, 128)),
        ] {
            let asked = (asked.0, asked.1.map(|mib: u64| mib * MIB));
            let room = fit(cores, limit.map(|mib: u64| mib * MIB), asked.0, asked.1);
            assert_eq!((room.children, room.memory_bytes / MIB), expected, "{cores} cores, {limit:?} MiB, {asked:?}");
        }
    }
}
