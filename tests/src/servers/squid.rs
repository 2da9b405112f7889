//! A private Squid with the configuration that ships for the egress proxy, on a free port of the loopback interface.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PROGRAM: &str = "/usr/sbin/squid";
/// Longest wait for it to listen; a loaded machine needs seconds.
const READY: Duration = Duration::from_secs(30);

/// A proxy of one test. Ends with the value.
#[derive(Debug)]
pub struct SquidServer {
    port: u16,
    process: Child,
    _dir: TempDir,
}

impl SquidServer {
    /// A proxy that listens, by `compose/egress/squid.conf` without the lines in `left_out`, which must be there; `None`, and a word on
    /// standard error, where Squid is not installed.
    #[must_use]
    pub fn start(left_out: &[&str]) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            eprintln!("SKIPPED: {PROGRAM} is not installed, so the egress proxy was not tried");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("squid.conf");
        std::fs::write(&file, configuration(port, left_out)).expect("is written");
        let process = launch(&file).expect("starts");
        let mut server = Self { port, process, _dir: dir };
        server.wait();
        Some(server)
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn wait(&mut self) {
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < READY, "{PROGRAM} does not listen on port {}", self.port);
            assert!(self.process.try_wait().expect("our own child").is_none(), "{PROGRAM} ended");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for SquidServer {
    fn drop(&mut self) {
        // Fails only where it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configuration(port: u16, left_out: &[&str]) -> String {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compose/egress/squid.conf");
    let mut text = std::fs::read_to_string(shipped).expect("it is checked in");
    for line in left_out.iter().chain(&["http_port 3128"]) {
        let whole = format!("\n{line}\n");
        assert!(text.contains(&whole), "{line} is no line of it");
        text = text.replace(&whole, "\n");
    }
    format!("http_port 127.0.0.1:{port}\n{text}")
}

fn launch(file: &Path) -> io::Result<Child> {
    let mut command = Command::new(PROGRAM);
    command.args(["-N", "-f"]).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}
