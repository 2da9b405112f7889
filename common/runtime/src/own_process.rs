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
