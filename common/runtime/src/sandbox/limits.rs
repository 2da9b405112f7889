//! The limits a child sets on itself before it reads a byte, so that the worst document costs one process.

use std::io;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::settings::SandboxSettings;
use super::walls::Walls;

/// The environment variable that passes the limits to the child: the only variable a child gets.
pub(super) const VARIABLE: &str = "PRECIS_SANDBOX_LIMITS";

/// Files a child may have open: three streams, and some that the standard library opens briefly.
const OPEN_FILES: u64 = 16;

/// Limits of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildLimits {
    /// Processor seconds for one request.
    pub cpu_seconds: u64,
    /// Processor seconds in total.
    pub cpu_seconds_total: u64,
    /// Address space in bytes.
    pub memory_bytes: u64,
    /// Largest request in bytes.
    pub max_request_bytes: usize,
}

impl ChildLimits {
    pub(super) fn from_settings(settings: &SandboxSettings) -> Self {
        let requests = u64::from(settings.recycle_after.max(1));
        Self {
            cpu_seconds: settings.cpu_seconds.max(1),
            cpu_seconds_total: settings.cpu_seconds.max(1).saturating_mul(requests).saturating_add(requests),
            memory_bytes: settings.memory_bytes,
            max_request_bytes: settings.max_request_bytes,
        }
    }

    pub(super) fn to_variable(self) -> String {
        format!("{} {} {} {}", self.cpu_seconds, self.cpu_seconds_total, self.memory_bytes, self.max_request_bytes)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(' ').map(str::parse::<u64>);
        let mut next = || numbers.next()?.ok();
        let limits = Self {
            cpu_seconds: next()?,
            cpu_seconds_total: next()?,
            memory_bytes: next()?,
            max_request_bytes: usize::try_from(next()?).ok()?,
        };
        numbers.next().is_none().then_some(limits)
    }

    /// The limits this process was started with.
    ///
    /// # Errors
    /// If it was not started by a [`super::Sandbox`].
    pub fn from_parent() -> io::Result<Self> {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        Self::parse(&text).ok_or_else(|| io::Error::other("this command is internal: it is started by a worker"))
    }

    /// Limits this process for the rest of its life: address space, processor time, 16 open files, no core file, no growing file; on
    /// Linux also death with the parent, no inspection from outside, no new privileges, and the restrictions it returns. Call it while
    /// there is only one thread.
    ///
    /// # Errors
    /// If the system refuses a resource limit. Restrictions that only some kernels support are reported in the result instead.
    pub(super) fn apply(&self) -> io::Result<Walls> {
        let mut walls = Walls::default();
        #[cfg(target_os = "linux")]
        {
            super::confine::die_first();
            rustix::thread::set_no_new_privs(true)?;
            // Namespaces before capabilities: the new user namespace grants a full set of capabilities, which the next line drops.
            walls.namespaces = super::confine::leave_namespaces();
            walls.powerless = super::confine::drop_capabilities();
            walls.landlock = super::confine::lock_files();
            // After the changes of user and capabilities, which reset it.
            die_with_parent()?;
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
        }
        lower(Resource::As, self.memory_bytes)?;
        lower(Resource::Core, 0)?;
        lower(Resource::Fsize, 0)?;
        lower(Resource::Nofile, OPEN_FILES)?;
        lower(Resource::Cpu, self.cpu_seconds_total)?;
        self.allow_one_request()?;
        #[cfg(target_os = "linux")]
        {
            // The filter last: it forbids most of the calls made above.
            walls.filter = super::syscalls::install_filters();
        }
        Ok(walls)
    }

    /// Moves the soft limit of processor time to the time used so far plus that of one request. The kernel counts over the whole life
    /// of the process; without this the last of many requests would be cut short.
    pub(super) fn allow_one_request(&self) -> io::Result<()> {
        let soft = processor_time().as_secs().saturating_add(1).saturating_add(self.cpu_seconds);
        let maximum = getrlimit(Resource::Cpu).maximum;
        let current = Some(maximum.map_or(soft, |m| soft.min(m)));
        Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum })?)
    }
}

/// Lowers the soft and hard limits of `resource` to `value`; never raises them.
pub(crate) fn lower(resource: Resource, value: u64) -> io::Result<()> {
    let value = getrlimit(resource).maximum.map_or(value, |m| value.min(m));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Processor time used by this process.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::from_secs(u64::try_from(used.tv_sec).unwrap_or(0))
}

/// If the parent died before this call, standard input is closed, and the child ends at its first read.
#[cfg(target_os = "linux")]
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_reach_the_child_as_they_left_the_parent() {
        let limits = ChildLimits::from_settings(&SandboxSettings::default());
        assert_eq!(ChildLimits::parse(&limits.to_variable()), Some(limits));
        for bad in ["", "1 2 3", "1 2 3 4 5", "1 2 3 -4", "1  2 3 4", "a b c d"] {
            assert_eq!(ChildLimits::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_whole_life_has_time_for_each_of_its_requests() {
        let settings = SandboxSettings { cpu_seconds: 5, recycle_after: 3, ..SandboxSettings::default() };
        assert!(ChildLimits::from_settings(&settings).cpu_seconds_total >= 15);
    }
}
