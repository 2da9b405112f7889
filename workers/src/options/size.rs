//! Numbers of the configuration as sizes in memory.

/// Returns `n`, at most the largest size of this machine.
pub(super) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
