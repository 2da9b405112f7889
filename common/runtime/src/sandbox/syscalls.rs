//! The system calls a child may still make once it has started: memory, its streams, time, its own end.
//!
//! Everything else ends it: no socket, no process, no thread, no signal to others. A list of what is allowed needs no news of calls
//! yet to be invented. What libraries try in passing and do without is refused instead, so that trying costs no document.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// What the standard library, the allocator and the frames need: a child may make these with any arguments.
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

/// Looking for a file, a terminal, a name of the system: fails with `EPERM`. Reading the number of processors out of a control
/// group, for one, is tried by the standard library.
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

/// Puts the filters up; whether they stand.
pub(super) fn forbid_the_rest() -> bool {
    // The milder first: the stricter one allows no further filter. Of two answers the kernel takes the stricter.
    let both = [refusing(), ending(std::process::id())];
    both.into_iter().all(|program| program.is_ok_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok()))
}

type CompiledFilter = Result<BpfProgram, seccompiler::BackendError>;

fn refusing() -> CompiledFilter {
    let rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))
}

/// Ends the process at every call that is on neither list, or that reaches beyond process `own`.
fn ending(own: u32) -> CompiledFilter {
    let plain = ALLOWED.iter().chain(REFUSED).map(|call| (*call, Vec::new()));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = plain.collect();
    // Each request moves the soft limit of processor time; hard limits cannot be raised again. Process 0 is the caller.
    rules.insert(libc::SYS_prlimit64, vec![first_argument(0)?]);
    // An abort raises a signal in its own thread.
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
        assert!(refusing().is_ok() && ending(std::process::id()).is_ok());
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
