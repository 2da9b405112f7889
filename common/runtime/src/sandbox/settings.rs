//! Settings of a pool of children: the program, their number, their limits.

use std::path::PathBuf;
use std::time::Duration;

/// Settings of a [`super::Sandbox`].
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    /// The program to start; our own executable if `None`.
    pub executable: Option<PathBuf>,
    /// Its arguments: the hidden subcommand that calls [`super::serve()`].
    pub args: Vec<String>,
    /// Most children at once; at least one, and at most one per core.
    pub children: usize,
    /// Time limit for one request, from the first byte sent to the last byte received.
    pub wall: Duration,
    /// Limit of processor time for one request, in seconds.
    pub cpu_seconds: u64,
    /// Address space of a child, in bytes.
    pub memory_bytes: u64,
    /// Requests a child answers before it is replaced; at least one.
    pub recycle_after: u32,
    /// Largest request, header and body together, in bytes.
    pub max_request_bytes: usize,
    /// Largest answer, header and body together, in bytes.
    pub max_response_bytes: usize,
    /// Whether requests are refused if a child has no system call filter.
    pub is_required: bool,
}

impl Default for SandboxSettings {
    /// Chosen, not measured: a document of 10 MiB takes well under a second and 200 MB.
    fn default() -> Self {
        Self {
            executable: None,
            args: Vec::new(),
            children: usize::MAX,
            wall: Duration::from_secs(30),
            cpu_seconds: 30,
            memory_bytes: 1 << 30,
            recycle_after: 64,
            max_request_bytes: 64 << 20,
            max_response_bytes: 64 << 20,
            is_required: false,
        }
    }
}

impl SandboxSettings {
    /// The number of children to use: the setting, limited to the machine's cores.
    pub(super) fn pool_size(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.children.clamp(1, cores)
    }

    /// Resident memory above which an idle child is replaced, in bytes: a quarter of its address space, so that leftovers of one
    /// document do not take the memory of the next. Chosen, not measured.
    pub(super) fn recycle_memory_bytes(&self) -> u64 {
        self.memory_bytes / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_between_one_child_and_one_per_core() {
        let size = |children| SandboxSettings { children, ..SandboxSettings::default() }.pool_size();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(size(0), 1);
        assert_eq!(size(1), 1);
        assert_eq!(size(usize::MAX), cores);
    }
}
