//! The thread that starts children.
//!
//! A child asks the kernel to be killed when its parent dies, and the kernel takes the *thread* that started it for its
//! parent. The threads of an async runtime come and go; this one lives as long as the pool, and no longer.

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
    /// Whose reactor watches the child's streams.
    runtime: Handle,
    answer: oneshot::Sender<SpawnResult>,
}

/// Starts children until it is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    /// The thread ends when this does, and its children with it.
    orders: mpsc::Sender<SpawnOrder>,
}

impl Spawner {
    pub(super) fn new(settings: SandboxSettings) -> Self {
        let (orders, inbox) = mpsc::channel::<SpawnOrder>();
        let work = move || {
            for order in inbox {
                let _inside = order.runtime.enter();
                // An asker that has gone away drops the child here, which kills it.
                let _ = order.answer.send(start(&settings));
            }
        };
        // Where no thread can be had, the inbox is gone and each order fails.
        let _ = std::thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(work);
        Self { orders }
    }

    pub(super) async fn start(&self) -> SpawnResult {
        let gone = || SandboxError::Unavailable("the thread that starts children is gone".to_owned());
        let (answer, started) = oneshot::channel();
        self.orders.send(SpawnOrder { runtime: Handle::current(), answer }).map_err(|_| gone())?;
        started.await.map_err(|_| gone())?
    }
}

fn start(settings: &SandboxSettings) -> SpawnResult {
    let unavailable = |e: std::io::Error| SandboxError::Unavailable(format!("start a child: {e}"));
    // A program that does not know the hidden subcommand would run as a whole in each child, and start children in turn.
    if std::env::var_os(VARIABLE).is_some() {
        return Err(SandboxError::Unavailable("a child must not have children: is its subcommand missing?".to_owned()));
    }
    let executable = match &settings.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe().map_err(unavailable)?,
    };
    Command::new(executable)
        .args(&settings.args)
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
