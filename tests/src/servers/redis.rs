//! A private Redis: started on a free port, stopped, continued, killed and flushed at will. It writes nothing to disk, so a
//! restart comes back empty.

use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use precis_runtime::store::{RedisSettings, RedisStore};
use rustix::process::{Pid, Signal, kill_process};
use secrecy::SecretString;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::ports::free_ports;

const PROGRAM: &str = "redis-server";
/// Longest wait for a server to answer; a loaded machine needs seconds.
const READY: Duration = Duration::from_secs(30);
/// Tries to start on a port that was free a moment ago.
const TRIES: u32 = 5;

/// A Redis server of one test. Ends with the value.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    arguments: Vec<String>,
    process: Child,
    dir: TempDir,
}

impl RedisServer {
    /// A server that answers; `None`, and a word on standard error, where Redis is not installed.
    pub async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    /// The same with more arguments, such as `--requirepass` and a password.
    pub async fn start_with(arguments: &[&str]) -> Option<Self> {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        for _ in 0..TRIES {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let [port] = free_ports().expect("a free port");
            let process = match launch(&dir, port, &arguments) {
                Ok(process) => process,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    eprintln!("SKIPPED: {PROGRAM} is not installed, so nothing here was tested on Redis");
                    return None;
                }
                Err(error) => panic!("start {PROGRAM}: {error}"),
            };
            let mut server = Self { port, arguments: arguments.clone(), process, dir };
            if server.is_ready().await {
                return Some(server);
            }
        }
        panic!("{PROGRAM} found no free port in {TRIES} tries")
    }

    /// Where it is.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `redis://127.0.0.1:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A store on it with `settings` changed as wanted.
    #[must_use]
    pub fn store_with(&self, change: impl FnOnce(RedisSettings) -> RedisSettings) -> RedisStore {
        let settings = RedisSettings::from_address(SecretString::from(self.address()));
        RedisStore::connect(&change(settings)).expect("good settings")
    }

    /// A store on it that waits longer for an answer than a loaded machine takes.
    #[must_use]
    pub fn store(&self) -> RedisStore {
        self.store_with(|s| RedisSettings {
            response_timeout: Duration::from_secs(3),
            connect_timeout: Duration::from_secs(3),
            ..s
        })
    }

    /// Stops it where it is (`SIGSTOP`): it keeps its connections and answers nothing.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on (`SIGCONT`).
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Ends it at once (`SIGKILL`); its connections end with it.
    pub fn kill(&mut self) {
        // Fails only where it has ended.
        let _ = self.process.kill();
        self.process.wait().expect("our own child");
    }

    /// Starts it again on its port, empty. Call after [`RedisServer::kill`].
    pub async fn restart(&mut self) {
        self.process = launch(&self.dir, self.port, &self.arguments).expect("has started before");
        assert!(self.is_ready().await, "{PROGRAM} did not come back on port {}", self.port);
    }

    /// Forgets everything (`FLUSHALL`).
    pub async fn flush(&self) {
        assert_eq!(self.ask("FLUSHALL").await.expect("reachable"), "+OK");
    }

    /// Its clock, in milliseconds since the Unix epoch.
    pub async fn clock_ms(&self) -> u64 {
        let script = "local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)";
        let answer = self.ask(&format!("EVAL \"{script}\" 0")).await.expect("reachable");
        answer.trim_start_matches(':').parse().expect("a number")
    }

    /// The first line of its answer to a command in one line, over a connection of its own.
    ///
    /// # Errors
    /// Where it cannot be reached.
    pub async fn ask(&self, command: &str) -> io::Result<String> {
        let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", self.port)).await?);
        stream.write_all(format!("{command}\r\n").as_bytes()).await?;
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        Ok(line.trim_end().to_owned())
    }

    /// Waits until it answers; `false` where it has ended instead.
    async fn is_ready(&mut self) -> bool {
        let until = Instant::now() + READY;
        while Instant::now() < until {
            if self.process.try_wait().expect("our own child").is_some() {
                return false;
            }
            // An answer that refuses (no password given) is one too.
            if let Ok(Ok(answer)) = timeout(READY, self.ask("PING")).await
                && (answer == "+PONG" || answer.starts_with("-NOAUTH"))
            {
                return true;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("waited {READY:?} for {PROGRAM} to answer");
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("our own child");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn launch(dir: &TempDir, port: u16, arguments: &[String]) -> io::Result<Child> {
    Command::new(PROGRAM)
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .args(["--daemonize", "no", "--logfile", "redis.log", "--dir"])
        .arg(dir.path())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
