//! The thread that starts children.
//!
//! A child asks the kernel to kill it when its parent dies, and for the kernel the parent is the *thread* that started it. Threads of
//! an async runtime come and go; this one lives exactly as long as the pool.

use std::process::Stdio;
use std::sync::mpsc;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::error::SandboxError;
use super::limits::{ChildLimits, VARIABLE};
use super::settings::SandboxSettings;

type SpawnResult = Result<Child, SandboxError>;

struct SpawnOrder {
    /// The runtime whose reactor watches the child's streams.
    runtime: Handle,
    answer: oneshot::Sender<SpawnResult>,
}

/// Starts children until it is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    /// The thread, and its children, end when this is dropped.
    orders: mpsc::Sender<SpawnOrder>,
}

impl Spawner {
    pub(super) fn new(settings: SandboxSettings) -> Self {
        let (orders, inbox) = mpsc::channel::<SpawnOrder>();
        let work = move || {
            for order in inbox {
                let _inside = order.runtime.enter();
                // If the requester is gone, the child is dropped here, which kills it.
                let _ = order.answer.send(start(&settings));
            }
        };
        // If no thread can be started, the receiver is dropped and each order fails.
        let _ = std::thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(work);
        Self { orders }
    }

    pub(super) async fn start(&self) -> SpawnResult {
        let gone = || SandboxError::Unavailable("the thread that starts children has ended".to_owned());
        let (answer, started) = oneshot::channel();
        self.orders.send(SpawnOrder { runtime: Handle::current(), answer }).map_err(|_| gone())?;
        started.await.map_err(|_| gone())?
    }
}

fn start(settings: &SandboxSettings) -> SpawnResult {
    let unavailable = |e: std::io::Error| SandboxError::Unavailable(format!("cannot start a child: {e}"));
    // A program without the hidden subcommand would run normally in each child, and start children itself.
    if std::env::var_os(VARIABLE).is_some() {
        return Err(SandboxError::Unavailable(
            "a child must not start children; check that its hidden subcommand exists".to_owned(),
        ));
    }
    let executable = match &settings.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe().map_err(unavailable)?,
    };
    Command::new(executable)
        .args(&settings.args)
        // Without our environment, which holds every key: the child parses what others wrote.
        .env_clear()
        .env(VARIABLE, ChildLimits::from_settings(settings).to_variable())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(unavailable)
}
