//! A private RabbitMQ with an `epmd` of its own. It can be killed, stopped and started again on the same data.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use precis_runtime::secret_url::SecretUrl;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::ports::free_ports;

/// The server itself: the wrapper on the path changes user and directory.
const PROGRAM: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const CONTROL: &str = "/usr/lib/rabbitmq/bin/rabbitmqctl";
/// Limit for a start: 4 s on a quiet machine, 43 s seen on a loaded one.
const STARTING: Duration = Duration::from_secs(120);
/// Between two looks whether it is ready.
const LOOK: Duration = Duration::from_millis(100);
/// Longest wait for a stopped broker to stand still.
const STOPPING: Duration = Duration::from_secs(10);
/// What a client says first; a broker that is ready answers.
const GREETING: &[u8] = b"AMQP\0\0\x09\x01";

/// A running broker; ends with the value.
pub struct RabbitServer {
    dir: TempDir,
    node: String,
    port: u16,
    dist_port: u16,
    epmd_port: u16,
    epmd: Mutex<Child>,
    /// `None` between a kill and the next start.
    broker: Mutex<Option<Child>>,
}

impl RabbitServer {
    /// Starts a broker; `None`, said aloud on standard error, where RabbitMQ is not installed.
    ///
    /// # Panics
    /// Where it is installed and does not start.
    pub async fn start() -> Option<Self> {
        Self::start_with("").await
    }

    /// The same with lines of `rabbitmq.conf`.
    ///
    /// # Panics
    /// As [`RabbitServer::start`].
    pub async fn start_with(settings: &str) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            eprintln!("SKIPPED: RabbitMQ is not installed ({PROGRAM} is missing); nothing was tested against it");
            return None;
        }
        let [port, dist_port, epmd_port] = free_ports().expect("free ports");
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join("enabled_plugins"), "[].\n").expect("writes");
        std::fs::write(dir.path().join("rabbitmq.conf"), settings).expect("writes");
        std::fs::write(dir.path().join("rabbitmq-env.conf"), "").expect("writes");
        let mut epmd = Command::new("epmd");
        epmd.args(["-address", "127.0.0.1", "-port", &epmd_port.to_string()]);
        let epmd = quiet(&mut epmd).spawn().expect("epmd starts");
        let node = format!("test{port}@localhost");
        let (epmd, broker) = (Mutex::new(epmd), Mutex::new(None));
        let server = Self { dir, node, port, dist_port, epmd_port, epmd, broker };
        server.start_again().await;
        Some(server)
    }

    /// Address of the default virtual host.
    #[must_use]
    pub fn address(&self) -> SecretUrl {
        self.address_of("/")
    }

    /// The port AMQP is spoken on, of 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty virtual host; takes a second or two.
    ///
    /// # Panics
    /// Where the broker does not do it.
    pub async fn virtual_host(&self) -> SecretUrl {
        let name = format!("host-{:08x}", rand::random::<u32>());
        let make = format!(
            "ok = rabbit_vhost:add(<<\"{name}\">>, <<\"test\">>), rabbit_auth_backend_internal:set_permissions(<<\"guest\">>, \
             <<\"{name}\">>, <<\".*\">>, <<\".*\">>, <<\".*\">>, <<\"test\">>)."
        );
        let done = self.control(&["eval", &make]).await;
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        self.address_of(&name)
    }

    /// Runs `rabbitmqctl` on this broker.
    ///
    /// # Panics
    /// Where it cannot be run.
    pub async fn control(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(CONTROL);
        command.args(["-n", &self.node]).args(arguments);
        let run = tokio::task::spawn_blocking(move || command.stdin(Stdio::null()).output());
        run.await.expect("no panic").expect("rabbitmqctl runs")
    }

    /// SIGKILL. Its data stays.
    pub fn kill(&self) {
        if let Some(broker) = lock(&self.broker).take() {
            end(broker);
        }
    }

    /// Starts it on the same data, where it does not run, and waits until it answers.
    ///
    /// # Panics
    /// Where it does not answer in time; its log is part of the message.
    pub async fn start_again(&self) {
        if lock(&self.broker).is_none() {
            let broker = quiet(&mut self.command(PROGRAM)).spawn().expect("the broker starts");
            *lock(&self.broker) = Some(broker);
        }
        let ready = async {
            while !self.answers().await {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(STARTING, ready).await.is_err() {
            panic!("RabbitMQ does not answer after {STARTING:?}; its log:\n{}", self.log());
        }
    }

    /// SIGSTOP: it keeps its connections and says nothing. Returns when the last of its threads stands still.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
        let id = lock(&self.broker).as_ref().map(Child::id);
        let until = Instant::now() + STOPPING;
        while id.is_some_and(is_running) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// SIGCONT.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        if let Some(broker) = lock(&self.broker).as_ref() {
            let id = Pid::from_raw(broker.id().cast_signed()).expect("a process id");
            kill_process(id, signal).expect("our own child");
        }
    }

    fn address_of(&self, host: &str) -> SecretUrl {
        let host = host.replace('/', "%2f");
        let text = format!("amqp://guest:guest@127.0.0.1:{}/{host}", self.port);
        serde_json::from_value(text.into()).expect("an address")
    }

    async fn answers(&self) -> bool {
        let greeting = async {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await?;
            stream.write_all(GREETING).await?;
            stream.read_u8().await
        };
        matches!(tokio::time::timeout(LOOK * 20, greeting).await, Ok(Ok(_)))
    }

    /// A program of RabbitMQ's with everything that it would keep elsewhere inside our directory.
    fn command(&self, program: &str) -> Command {
        let path = |name: &str| self.dir.path().join(name);
        let mut command = Command::new(program);
        command
            // Without a shell in between: the child is the broker.
            .env("RUNNING_UNDER_SYSTEMD", "true")
            .env("HOME", self.dir.path())
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODENAME", &self.node)
            .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODE_PORT", self.port.to_string())
            .env("RABBITMQ_DIST_PORT", self.dist_port.to_string())
            .env("RABBITMQ_MNESIA_BASE", path("mnesia"))
            .env("RABBITMQ_LOG_BASE", self.logs())
            .env("RABBITMQ_PID_FILE", path("pid"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", path("enabled_plugins"))
            .env("RABBITMQ_CONFIG_FILE", path("rabbitmq.conf"))
            .env("RABBITMQ_CONF_ENV_FILE", path("rabbitmq-env.conf"))
            .env("RABBITMQ_GENERATED_CONFIG_DIR", path("generated"));
        command
    }

    fn logs(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    fn log(&self) -> String {
        let files = std::fs::read_dir(self.logs()).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
    }
}

/// Whether a thread of process `id` does not stand still; never, where `/proc` does not tell.
fn is_running(id: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let states = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    // "ID (NAME) STATE ...", where a name may hold anything.
    states.into_iter().any(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['T', 'Z'])))
}

impl Drop for RabbitServer {
    fn drop(&mut self) {
        self.kill();
        let mut epmd = lock(&self.epmd);
        // It may have ended by itself; either way it is gone then.
        let _ = epmd.kill();
        let _ = epmd.wait();
    }
}

impl fmt::Debug for RabbitServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitServer").field("node", &self.node).field("port", &self.port).finish_non_exhaustive()
    }
}

fn end(mut process: Child) {
    // It may have ended by itself; either way it is gone then.
    let _ = process.kill();
    let _ = process.wait();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}
