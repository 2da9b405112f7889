//! Python programs as child processes, and a few bytes of HTTP to drive them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A child process that ends with the value.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    pub(super) port: u16,
}

impl Server {
    /// Starts `command`, which is told its port by the caller, and waits until it listens, at most two minutes.
    pub(super) fn start(mut command: Command, port: u16) -> Self {
        let child = command.stdin(Stdio::null()).spawn().unwrap_or_else(|e| panic!("start {command:?}: {e}"));
        let mut server = Self { child, port };
        let until = Instant::now() + Duration::from_secs(120);
        while server.get("/health").is_none_or(|body| body.to_lowercase().contains("loading")) {
            let ended = server.child.try_wait().expect("a child can be asked");
            assert!(ended.is_none() && Instant::now() < until, "waited for the server on port {port}: {ended:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// The answer to a GET; `None` where there is none yet.
    pub(super) fn get(&self, path: &str) -> Option<String> {
        self.exchange(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    }

    /// The answer to a POST of JSON.
    pub(super) fn post(&self, path: &str, body: &str) -> Option<String> {
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json");
        self.exchange(&format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
    }

    fn exchange(&self, request: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer.split_once("\r\n\r\n")?.1.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that was free a moment ago.
pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback interface");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// The `bin` folder of a virtual environment of its own with `packages` in it.
pub(super) fn python(name: &str, packages: &[&str]) -> PathBuf {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let bin = place.join("bin");
    if !bin.join("pip").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&place));
    }
    run(Command::new(bin.join("pip")).args(["install", "--quiet", "--disable-pip-version-check"]).args(packages));
    bin
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("run {command:?}: {e}"));
    assert!(status.success(), "{command:?}: {status}");
}
