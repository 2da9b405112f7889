//! The walls that a child builds around itself, outermost first: namespaces, capabilities, Landlock, system calls (Linux).
//!
//! Each is tried and none is taken for granted: kernels, containers and their own filters differ. What stands is said.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// The newest Landlock that is asked for; of an older kernel's, what it has.
const LANDLOCK: ABI = ABI::V6;

/// Takes the first child of a full machine first: its parent holds the work of many others. Before anything else, since a process
/// that cannot be looked into does not own this file any more.
pub(super) fn die_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Leaves the network, the other users and everything named. Call it while there is one thread.
#[allow(deprecated, reason = "the other form differs for UnshareFlags::FILES alone, and is unsafe to call")]
pub(super) fn leave_namespaces() -> bool {
    let all = UnshareFlags::NEWUSER | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    rustix::thread::unshare(all).is_ok()
}

/// Gives up every capability, also those that a program could give back to root.
pub(super) fn drop_capabilities() -> bool {
    for capability in CapabilitySet::all().iter() {
        // Without the capability to do so there is nothing to gain from the set either: no new privileges are granted.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let dropped = set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none });
    dropped.is_ok() && capabilities(None).is_ok_and(|held| held.permitted.is_empty())
}

/// Forbids every file, every port, and signals and sockets to others.
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
