//! The system calls a child may make once it has started: memory, its streams, time, its own exit.
//!
//! Any other call kills it: no socket, no process, no thread, no signal to others. It is a list of allowed calls, so new calls of the
//! kernel are excluded without an update. Calls that libraries try in passing and can do without are refused instead of fatal, so that
//! they cost no document.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Calls that the standard library, the allocator and the frames need, with any arguments.
pub const ALLOWED: &[i64] = &[
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
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Calls that look for a file, a terminal or the system's name: they fail with `EPERM`. The standard library, for example, tries to
/// read the number of processors from a control group.
pub const REFUSED: &[i64] = &[
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_ioctl,
    libc::SYS_fcntl,
    libc::SYS_getcwd,
    libc::SYS_uname,
    libc::SYS_sysinfo,
];

/// Installs both filters; returns whether they are in force.
pub(super) fn install_filters() -> bool {
    // The milder one first: the stricter one forbids installing another. If both apply, the kernel takes the stricter result.
    let both = [refusing(), killing(std::process::id())];
    both.into_iter().all(|program| program.is_ok_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok()))
}

type CompiledFilter = Result<BpfProgram, seccompiler::BackendError>;

fn refusing() -> CompiledFilter {
    let rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))
}

/// Builds the filter that kills the process at every call on neither list, or that affects a process other than `own`.
fn killing(own: u32) -> CompiledFilter {
    let plain = ALLOWED.iter().chain(REFUSED).map(|call| (*call, Vec::new()));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = plain.collect();
    // Each request moves the soft limit of processor time; hard limits cannot be raised. Process 0 is the caller.
    rules.insert(libc::SYS_prlimit64, vec![first_argument(0)?]);
    // An abort signals its own thread.
    rules.insert(libc::SYS_tgkill, vec![first_argument(own)?]);
    compile(rules, SeccompAction::KillProcess, SeccompAction::Allow)
}

fn first_argument(value: u32) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(0, Len::Dword, Op::Eq, u64::from(value))?])
}

fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, others: SeccompAction, these: SeccompAction) -> CompiledFilter {
    SeccompFilter::new(rules, others, these, std::env::consts::ARCH.try_into()?)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_for_this_architecture() {
        assert!(refusing().is_ok() && killing(std::process::id()).is_ok());
    }

    #[test]
    fn nothing_that_reaches_out_is_allowed() {
        let reaching = [
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_openat,
            libc::SYS_execve,
            libc::SYS_clone,
            libc::SYS_tgkill,
            libc::SYS_prlimit64,
            libc::SYS_ptrace,
        ];
        assert!(reaching.iter().all(|call| !ALLOWED.contains(call)));
        assert!(REFUSED.iter().all(|call| !ALLOWED.contains(call)));
    }
}
