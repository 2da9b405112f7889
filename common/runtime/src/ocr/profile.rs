//! The helper's side: it gives up everything that the tool does not need, then becomes the tool.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::limits::OcrLimits;

/// The hidden subcommand that calls [`become_tool`].
pub const HELPER_COMMAND: &str = "ocr-child";
/// Exit code of a helper that cannot confine itself; its first line of standard error says what is missing.
pub(super) const UNCONFINED: i32 = 97;
/// Exit code of a helper that cannot start the tool.
pub(super) const NOT_STARTED: i32 = 98;

/// Files the tool may have open: libraries and models are opened one after the other.
const OPEN_FILES: u64 = 64;
/// The environment of the tool, whole: one thread, the same words on every machine, no folder of its own.
pub(super) const ENVIRONMENT: &[(&str, &str)] =
    &[("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("OMP_THREAD_LIMIT", "1")];
/// The variable that names the folder of tesseract's models: the only one that is handed on.
pub(super) const MODELS_VARIABLE: &str = "TESSDATA_PREFIX";

/// What may be read and executed beside the tool itself: programs, libraries and models of the system. Not `/etc`, `/home`, `/root`,
/// `/var`, `/tmp`, `/proc`: nothing of a user, and nothing of another process.
const READABLE: &[&str] = &[
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
];

/// The limits as the helper's arguments.
pub(super) fn arguments(limits: &OcrLimits) -> [OsString; 2] {
    [limits.processor_seconds().to_string().into(), limits.memory_bytes.to_string().into()]
}

/// Confines this process to the profile [`PROFILE`](super::PROFILE), then becomes `program` with `arguments`. Call it from the hidden
/// subcommand, before any runtime or thread is started.
///
/// Returns the exit code with which this process must end, because it has not become the tool: the profile cannot be had, or the tool
/// cannot be started. Why is on standard error.
#[expect(clippy::disallowed_macros, reason = "what a child writes there is its only log, which its parent reads")]
pub fn become_tool(processor_seconds: u64, memory_bytes: u64, program: &Path, arguments: &[OsString]) -> i32 {
    let models = std::env::var_os(MODELS_VARIABLE).map(PathBuf::from);
    if let Err(missing) = confine(processor_seconds, memory_bytes, program, models.as_deref()) {
        eprintln!("{missing}");
        return UNCONFINED;
    }
    let error = execute(program, arguments, models.as_deref());
    eprintln!("{error}");
    NOT_STARTED
}

fn execute(program: &Path, arguments: &[OsString], models: Option<&Path>) -> io::Error {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(program);
    command.args(arguments).env_clear().envs(ENVIRONMENT.iter().copied());
    if let Some(models) = models {
        command.env(MODELS_VARIABLE, models);
    }
    command.exec()
}

/// Gives up everything but what the profile allows.
///
/// # Errors
/// What this system does not offer. Then the process must not start the tool.
#[cfg(target_os = "linux")]
fn confine(
    processor_seconds: u64,
    memory_bytes: u64,
    program: &Path,
    models: Option<&Path>,
) -> Result<(), &'static str> {
    use rustix::process::Resource;

    use crate::sandbox::{confine, limits};

    confine::die_first();
    rustix::thread::set_no_new_privs(true).map_err(|_| "no way to give up new privileges")?;
    // Namespaces are one wall more, which many containers refuse: without sockets there is no network in any case.
    confine::leave_namespaces();
    if !confine::drop_capabilities() {
        return Err("capabilities cannot be dropped");
    }
    if !lock_files(program, models) {
        return Err("no limit to file access (Landlock, Linux 5.13)");
    }
    let lowered = limits::die_with_parent()
        .and_then(|()| limits::lower(Resource::As, memory_bytes))
        .and_then(|()| limits::lower(Resource::Core, 0))
        .and_then(|()| limits::lower(Resource::Fsize, 0))
        .and_then(|()| limits::lower(Resource::Nofile, OPEN_FILES))
        .and_then(|()| limits::lower(Resource::Cpu, processor_seconds));
    lowered.map_err(|_| "a resource limit cannot be set")?;
    match super::calls::install_filters() {
        true => Ok(()),
        false => Err("no system call filter (seccomp)"),
    }
}

#[cfg(not(target_os = "linux"))]
fn confine(_: u64, _: u64, _: &Path, _: Option<&Path>) -> Result<(), &'static str> {
    Err("only Linux has what it takes")
}

/// Allows reading and executing what the profile opens, and no other access to any file; nor to ports, where the kernel can forbid it.
/// Returns whether that is in force.
#[cfg(target_os = "linux")]
fn lock_files(program: &Path, models: Option<&Path>) -> bool {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };
    let (least, newest) = (ABI::V1, ABI::V6);
    let paths = READABLE.iter().map(Path::new).chain([program]).chain(models);
    let locked = || -> Result<_, RulesetError> {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(least))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .scope(Scope::from_all(newest))?
            .create()?;
        rules.add_rules(path_beneath_rules(paths, AccessFs::from_read(least)))?.restrict_self()
    };
    locked().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}
