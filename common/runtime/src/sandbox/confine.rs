//! The restrictions a child puts on itself, outermost first: namespaces, capabilities, Landlock, system calls (Linux).
//!
//! Each is attempted and none is assumed: kernels, containers and their own filters differ. The child reports which are in force.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// The newest Landlock version requested; an older kernel applies what it supports.
const LANDLOCK: ABI = ABI::V6;

/// Makes the kernel kill this child first when memory runs out: its parent holds the work of many others. Called before anything else:
/// a process that is not dumpable no longer owns this file.
pub(crate) fn die_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Leaves the network, the other users and all shared names. Call it while there is only one thread.
#[allow(deprecated, reason = "the other form differs for UnshareFlags::FILES alone, and is unsafe to call")]
pub(crate) fn leave_namespaces() -> bool {
    let all = UnshareFlags::NEWUSER | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    rustix::thread::unshare(all).is_ok()
}

/// Drops every capability, including those that a program could give back to root.
pub(crate) fn drop_capabilities() -> bool {
    for capability in CapabilitySet::all().iter() {
        // Fails without the capability to do so; then the set is useless too, because no new privileges are granted.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let dropped = set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none });
    dropped.is_ok() && capabilities(None).is_ok_and(|held| held.permitted.is_empty())
}

/// Forbids access to all files and ports, and signals and sockets to other processes.
pub(super) fn lock_files() -> bool {
    let locked = || -> Result<_, RulesetError> {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(LANDLOCK))?
            .handle_access(AccessNet::from_all(LANDLOCK))?
            .scope(Scope::from_all(LANDLOCK))?;
        rules.create()?.restrict_self()
    };
    locked().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}
