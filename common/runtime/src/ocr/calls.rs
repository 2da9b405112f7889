//! The system calls of the profile: reading files, memory, threads, standard streams, time, and becoming another program.
//!
//! Any other call fails with `EPERM`: no socket, no second process, no signal to others, no tracing, no mounting. It is a list of allowed
//! calls, so new calls of the kernel are excluded without an update. Calls are refused rather than fatal, unlike in the profile of parsers:
//! the libraries of a foreign program try more than it needs.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use crate::sandbox::ALLOWED;

/// Calls that a program needs to start, to load its libraries and to read its files, beside those of a parser.
const ALSO: &[i64] = &[
    libc::SYS_execve,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_fcntl,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_getcwd,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getppid,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_umask,
    // Answered with ENOSYS by the first filter, so that libraries fall back to the call whose arguments a filter can see.
    libc::SYS_clone3,
];

/// The same calls under the older names that only this architecture has.
#[cfg(target_arch = "x86_64")]
const OLDER: &[i64] = &[
    libc::SYS_arch_prctl,
    libc::SYS_access,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_readlink,
    libc::SYS_dup2,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_getpgrp,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[i64] = &[];

/// Installs both filters; returns whether they are in force.
pub(super) fn install_filters() -> bool {
    // The one about clone3 first: where both answer with an error, the kernel takes that of the newest.
    let both = [without_clone3(), refusing_others()];
    both.into_iter().all(|program| program.is_ok_and(|program| seccompiler::apply_filter(&program).is_ok()))
}

type CompiledFilter = Result<BpfProgram, seccompiler::BackendError>;

fn without_clone3() -> CompiledFilter {
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    compile(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))
}

fn refusing_others() -> CompiledFilter {
    let plain = ALLOWED.iter().chain(ALSO).chain(OLDER).map(|call| (*call, Vec::new()));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = plain.collect();
    // A thread of its own, never a process: the tool ends when its one process does.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![argument(0, Op::MaskedEq(thread), thread)?]);
    // Older Landlock versions know no rule about cutting a file short.
    rules.insert(libc::SYS_openat, vec![argument(2, Op::MaskedEq(libc::O_TRUNC as u64), 0)?]);
    // Limits of its own: hard limits cannot be raised. Process 0 is the caller.
    rules.insert(libc::SYS_prlimit64, vec![argument(0, Op::Eq, 0)?]);
    // An abort signals its own thread; the process keeps its number when it becomes the tool.
    rules.insert(libc::SYS_tgkill, vec![argument(0, Op::Eq, u64::from(std::process::id()))?]);
    compile(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

fn argument(index: u8, comparison: Op, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(index, Len::Dword, comparison, value)?])
}

fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, others: SeccompAction, these: SeccompAction) -> CompiledFilter {
    SeccompFilter::new(rules, others, these, std::env::consts::ARCH.try_into()?)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_for_this_architecture() {
        assert!(without_clone3().is_ok() && refusing_others().is_ok());
    }

    #[test]
    fn nothing_that_reaches_out_is_allowed_without_a_condition() {
        let reaching = [
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_clone,
            libc::SYS_openat,
            libc::SYS_unlinkat,
            libc::SYS_renameat2,
            libc::SYS_mkdirat,
            libc::SYS_truncate,
            libc::SYS_ftruncate,
            libc::SYS_kill,
            libc::SYS_ptrace,
            libc::SYS_unshare,
            libc::SYS_mount,
            libc::SYS_memfd_create,
            libc::SYS_prlimit64,
            libc::SYS_tgkill,
        ];
        assert!(reaching.iter().all(|call| !ALLOWED.iter().chain(ALSO).chain(OLDER).any(|allowed| allowed == call)));
    }
}
