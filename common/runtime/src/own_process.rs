//! Restrictions a process puts on itself and its children before it does anything else.

use std::io;

/// Closes this process to others of the same user, as far as the system allows:
/// - files it creates from now on are readable and writable by their owner only, whatever umask it inherited;
/// - its environment and memory, which hold every key, cannot be read by the programs it starts (`PR_SET_DUMPABLE`, Linux);
/// - descriptors it inherited are not passed on to the programs it starts (Linux 5.11 and later).
///
/// Call it before any thread is started.
pub fn close_to_others() {
    keep_to_owner();
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
        let _ = keep_descriptors();
    }
}

/// Makes files created from now on accessible to their owner only, whatever umask was inherited.
pub fn keep_to_owner() {
    use rustix::fs::Mode;
    // The system returns the old mask only in exchange for a new one.
    let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    rustix::process::umask(before | Mode::RWXG | Mode::RWXO);
}

/// Marks every descriptor except the three standard streams as close-on-exec. Our own are marked already; inherited ones may refer to
/// anything.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "no safe form of close_range exists; with CLOEXEC it closes nothing and touches no memory"
)]
fn keep_descriptors() -> io::Result<()> {
    // SAFETY: only three numbers are passed. The call marks descriptors and closes none, so no owned descriptor becomes invalid.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if marked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Most heaps of the C library, if there are as many cores.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_HEAPS: usize = 4;

/// Limits the heaps that the C library keeps for threads to one per core, at least two and at most [`MOST_HEAPS`], instead of eight per
/// core. Memory freed in one heap is not available to another, so many heaps hold unused memory: a worker that carried six sessions of
/// 5,000 sources in turn held 598 MB, and 173 to 200 MB with one or two heaps.
///
/// Call it before any thread is started.
pub fn bound_heaps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    keep_heaps(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_HEAPS));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe form of mallopt exists; it takes two numbers and touches no memory of ours")]
fn keep_heaps(most: usize) {
    let most = libc::c_int::try_from(most).unwrap_or(2);
    // SAFETY: only two numbers are passed, and no other thread exists yet that could allocate meanwhile.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
}

/// Whether the environment and memory of this process are closed to others of the same user.
#[must_use]
pub fn is_closed() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, dumpable_behavior};
        dumpable_behavior().is_ok_and(|behaviour| behaviour == DumpableBehavior::NotDumpable)
    }
    #[cfg(not(target_os = "linux"))]
    false
}
