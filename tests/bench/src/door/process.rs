//! A process that ends with its value: its memory and its processor time, as the system tells them.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::machine::value;

/// A process; ends with the value.
#[derive(Debug)]
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts `command`, whose output nobody reads.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(mut command: Command) -> Result<Self, String> {
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        started.map(Self).map_err(|e| format!("start {command:?}: {e}"))
    }

    /// Asks it to end, and waits until it has.
    pub fn terminate(&mut self) {
        let id = Pid::from_raw(self.0.id().cast_signed());
        if id.is_some_and(|id| kill_process(id, Signal::TERM).is_ok()) {
            // It may have ended by itself.
            let _ = self.0.wait();
        }
    }

    /// Resident bytes now.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap_or_default();
        value(&status, "VmRSS").and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() * 1024
    }

    /// Processor seconds until now, user and system.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let fields: Vec<&str> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / 100.0
    }
}

/// An address of this machine that nobody listens on.
///
/// # Errors
/// If there is none.
pub fn free_address() -> Result<SocketAddr, String> {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_err(|e| e.to_string())
}
