//! The system calls a child may still make once it has started: memory, its streams, time, its own end.
//!
//! Everything else fails with `EPERM`: no socket, no file, no process, no thread. A list of what is allowed needs no news
//! of calls yet to be invented. Where the kernel or the architecture has no such filter, the resource limits stand alone.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// What the standard library, the allocator and the frames need.
const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getrusage,
    // Each request moves the soft limit of processor time; hard limits cannot be raised again.
    libc::SYS_prlimit64,
    // An abort raises a signal in its own thread.
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_tgkill,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Best effort: a kernel without filters leaves the process as it is.
pub(super) fn forbid_the_rest() {
    if let Ok(program) = program() {
        let _ = seccompiler::apply_filter_all_threads(&program);
    }
}

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect::<BTreeMap<_, _>>();
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_compiles_for_this_architecture() {
        assert!(program().is_ok());
    }

    #[test]
    fn nothing_that_reaches_out_is_allowed() {
        let reaching = [libc::SYS_socket, libc::SYS_connect, libc::SYS_openat, libc::SYS_execve, libc::SYS_clone];
        assert!(reaching.iter().all(|call| !ALLOWED.contains(call)));
    }
}
