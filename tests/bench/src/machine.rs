//! The machine, as far as it tells. Reads `/proc`; elsewhere fields stay empty.

use serde::Serialize;

/// What the figures were measured on.
#[derive(Debug, Default, Serialize)]
pub struct Machine {
    /// Cores this process may use.
    pub cores: usize,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// Name of the processor.
    pub cpu: Option<String>,
    /// Runnable tasks before the first measurement, mean of the last minute: above 0, something else wants the cores too.
    pub load_1m: Option<f64>,
    /// Operating system and architecture: `linux x86_64`.
    pub system: String,
}

impl Machine {
    /// The machine this runs on.
    #[must_use]
    pub fn here() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let memory_kib: Option<u64> = value(&read("/proc/meminfo"), "MemTotal").and_then(|kib| kib.parse().ok());
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_kib.map(|kib| kib * 1024),
            cpu: value(&read("/proc/cpuinfo"), "model name"),
            load_1m: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// The value of the first `key: value` line, without a unit of kB.
pub(crate) fn value(text: &str, key: &str) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let mut named = pairs.filter(|(name, _)| name.trim() == key);
    named.next().map(|(_, value)| value.trim().trim_end_matches(" kB").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_whole_name_and_loses_its_unit() {
        let text = "MemTotalX: 1 kB\nMemTotal:   2048 kB\nmodel name\t: A: B\n";
        assert_eq!(value(text, "MemTotal").as_deref(), Some("2048"));
        assert_eq!(value(text, "model name").as_deref(), Some("A: B"));
        assert_eq!(value(text, "Mem"), None);
    }
}
