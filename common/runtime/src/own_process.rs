//! What this process forbids itself and passes on to nobody, before it does anything else.

use std::io;

/// Closes this process to others of the same user, as far as the system lets it:
/// - what it makes from now on is read and written by its owner alone, whatever the umask of its surroundings;
/// - its environment and memory, which hold every key, cannot be read by what it starts (`PR_SET_DUMPABLE`, Linux);
/// - descriptors that whoever started it left open do not reach what it starts (Linux 5.11 and later).
///
/// Call it before threads are started.
pub fn close_to_others() {
    keep_to_owner();
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
        let _ = keep_descriptors();
    }
}

/// Lets nothing that this process makes from now on be read or written by others, whatever the umask of its surroundings.
pub fn keep_to_owner() {
    use rustix::fs::Mode;
    // The system tells the old mask only in exchange for a new one.
    let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
    rustix::process::umask(before | Mode::RWXG | Mode::RWXO);
}

/// Marks every descriptor but the three streams to be closed at the start of another program. Ours are marked already; those that
/// were inherited may lead anywhere.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "no safe form of close_range exists; with CLOEXEC it closes nothing and touches no memory"
)]
fn keep_descriptors() -> io::Result<()> {
    // SAFETY: three numbers are passed. The call marks descriptors; none is closed, so none that somebody owns becomes invalid.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if marked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Heaps of the C library at most, where there are as many cores.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_HEAPS: usize = 4;

/// Bounds the heaps that the C library keeps for threads: as many as cores, two at least and [`MOST_HEAPS`] at most, instead of eight for
/// each core. What is freed in one heap is of no use to another, so many of them hold memory that nothing uses: a worker that carried six
/// sessions of 5,000 sources one after the other held 598 MB, and 173 to 200 MB with one or two heaps.
///
/// Call it before threads are started.
pub fn bound_heaps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    keep_heaps(std::thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_HEAPS));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe form of mallopt exists; it takes two numbers and touches no memory of ours")]
fn keep_heaps(most: usize) {
    let most = libc::c_int::try_from(most).unwrap_or(2);
    // SAFETY: two numbers are passed, and no other thread is there yet that could allocate meanwhile.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
}

/// Whether the environment and the memory of this process are closed to others of the same user.
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
