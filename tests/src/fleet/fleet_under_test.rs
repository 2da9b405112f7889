//! What one trial has of its own: a directory with the content store, settings and logs, a model server that counts, and worker
//! processes. Processes are named, and use their name as the key to the model server, so that each call has a maker.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use precis_proto::source::ContentRef;
use precis_runtime::content::ContentStore;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::shared_servers::SharedServers;
use crate::provider::{Reply, Scripted, Seen};

/// Variable that holds the key to the scripted servers.
pub(super) const KEY: &str = "SCRIPTED_KEY";
/// What a model takes for an answer: long enough that faults meet calls under way.
pub const LATENCY: Duration = Duration::from_millis(150);
/// Longest wait for a process that was asked to end: its own grace period and some.
const ENDING: Duration = Duration::from_secs(60);

/// Directory, settings and model server of one trial.
#[derive(Debug)]
pub struct FleetUnderTest {
    dir: TempDir,
    program: PathBuf,
    /// The model server.
    pub provider: Scripted,
}

/// What the workers of a fleet are set to.
#[derive(Debug, Clone)]
pub struct FleetOptions {
    /// Whether they use Redis.
    pub with_redis: bool,
    /// What the model takes for an answer.
    pub latency: Duration,
    /// Requests a worker has at the model at once.
    pub at_once: usize,
    /// Roles the model is asked for.
    pub roles: &'static [&'static str],
    /// Further settings, one `key = value` a line.
    pub settings: String,
    /// What the model answers.
    pub mind: fn(&Seen) -> Reply,
}

impl Default for FleetOptions {
    fn default() -> Self {
        Self {
            with_redis: true,
            latency: LATENCY,
            at_once: 16,
            roles: &["summarization", "compression", "synthesis"],
            settings: "digest_policy = \"always\"\ndigest_timeout = 3600.0\n".to_owned(),
            mind: |_| Reply::Fitting,
        }
    }
}

impl FleetUnderTest {
    /// A fleet on `servers` for workers of `program`; they use Redis where `with_redis`.
    ///
    /// # Panics
    /// Where the directory cannot be written.
    pub async fn new(servers: &SharedServers, program: &Path, with_redis: bool) -> Self {
        Self::furnished(servers, program, &FleetOptions { with_redis, ..FleetOptions::default() }).await
    }

    /// A fleet on `servers` for workers of `program`, set up as told.
    ///
    /// # Panics
    /// As [`FleetUnderTest::new`].
    pub async fn furnished(servers: &SharedServers, program: &Path, furnishing: &FleetOptions) -> Self {
        let redis = furnishing.with_redis.then(|| servers.redis.address());
        Self::for_addresses(program, &servers.address_for_workers(), redis.as_deref(), furnishing).await
    }

    /// A fleet for workers of `program` on the broker at `amqp` and the store at `redis`, set up as told.
    ///
    /// # Panics
    /// As [`FleetUnderTest::new`].
    pub async fn for_addresses(program: &Path, amqp: &str, redis: Option<&str>, furnishing: &FleetOptions) -> Self {
        let provider = Scripted::slowly_answering(furnishing.latency, furnishing.mind).await;
        let dir = TempDir::new().expect("a temporary directory");
        let redis = redis.map(|address| format!("redis_url = \"{address}\"\n")).unwrap_or_default();
        let role = |role: &&str| format!("[roles.{role}]\nproviders = [\"scripted:m\"]\n");
        let settings = format!(
            "amqp_url = \"{amqp}\"\n{redis}content_url = \"{content}\"\nlog = \"info\"\n{more}\
             [providers.scripted]\nbase_url = \"{provider}\"\napi_key_env = \"{KEY}\"\n\
             max_concurrent = {at_once}\n{roles}",
            content = format_args!("file://{}", dir.path().join("content").display()),
            more = furnishing.settings,
            provider = provider.base_url(),
            at_once = furnishing.at_once,
            roles = furnishing.roles.iter().map(role).collect::<String>(),
        );
        // The home of whoever runs the fleet is this directory too.
        let own = dir.path().join(".config/precis");
        std::fs::create_dir_all(&own).expect("directories");
        std::fs::write(own.join("precis.toml"), settings).expect("writes");
        let fleet = Self { dir, program: program.to_owned(), provider };
        // As `precis topology apply` does: workers wait for it.
        ContentStore::create(&fleet.content_url()).await.expect("a content store");
        fleet
    }

    /// Address of the content store.
    #[must_use]
    pub fn content_url(&self) -> String {
        format!("file://{}", self.dir.path().join("content").display())
    }

    /// The content store.
    ///
    /// # Panics
    /// Where it cannot be opened.
    #[must_use]
    pub fn content(&self) -> ContentStore {
        ContentStore::directory(self.dir.path().join("content")).expect("the workers write to it")
    }

    /// Takes a text out of the content store; returns where it was and where it is now.
    ///
    /// # Panics
    /// Where it is not there.
    #[must_use]
    pub fn hide_content(&self, content: &ContentRef) -> (PathBuf, PathBuf) {
        let found = files(&self.dir.path().join("content"))
            .into_iter()
            .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(content.hex())));
        let (from, to) = (found.expect("the text is there"), self.dir.path().join("hidden"));
        std::fs::rename(&from, &to).expect("moves");
        (from, to)
    }

    /// Puts back what [`FleetUnderTest::hide_content`] took.
    ///
    /// # Panics
    /// Where it cannot be moved.
    pub fn show_content(&self, (from, to): (PathBuf, PathBuf)) {
        std::fs::rename(to, from).expect("moves");
    }

    /// Unmounts the content store: an empty directory is in its place.
    ///
    /// # Panics
    /// Where it cannot be moved.
    pub fn unmount_content(&self) {
        let (dir, aside) = (self.dir.path().join("content"), self.dir.path().join("unmounted"));
        std::fs::rename(&dir, aside).and_then(|()| std::fs::create_dir(&dir)).expect("moves");
    }

    /// Mounts the content store again; returns how many things lay in its empty place.
    ///
    /// # Panics
    /// Where it cannot be moved.
    #[must_use]
    pub fn mount_content(&self) -> usize {
        let (dir, aside) = (self.dir.path().join("content"), self.dir.path().join("unmounted"));
        let strange = std::fs::read_dir(&dir).expect("the mount point").count();
        std::fs::remove_dir_all(&dir).and_then(|()| std::fs::rename(aside, &dir)).expect("moves");
        strange
    }

    /// `precis` with `arguments` and the fleet's settings, in an environment of its own.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.dir.path()).env_clear();
        command.env("HOME", self.dir.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env(KEY, "nobody").stdin(Stdio::null());
        command
    }

    /// Starts a worker called `name`, which no worker of this fleet was called before.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn worker(&self, name: &str, environment: &[(&str, &str)]) -> WorkerProcess {
        let log = File::create(self.log_of(name)).expect("a log");
        let mut command = self.command(&["worker"]);
        command.env(KEY, name).envs(environment.iter().copied()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().expect("the program starts");
        WorkerProcess { name: name.to_owned(), child, peak_kib: 0 }
    }

    /// Lines of the workers' logs that hold `text`, each with the worker's name, at most `most`; for whoever asks why.
    #[must_use]
    pub fn log_lines(&self, text: &str, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for file in std::fs::read_dir(self.dir.path()).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if let Some(worker) = name.strip_suffix(".log") {
                let log = std::fs::read_to_string(file.path()).unwrap_or_default();
                let found = log.lines().filter(|line| line.contains(text));
                lines.extend(found.map(|line| format!("{worker}: {line}")));
            }
        }
        lines.sort();
        lines.truncate(most);
        lines
    }

    /// The directory of the trial.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn log_of(&self, name: &str) -> PathBuf {
        self.dir.path().join(format!("{name}.log"))
    }
}

/// A process of `precis worker`. Dropping it kills it.
#[derive(Debug)]
pub struct WorkerProcess {
    name: String,
    child: Child,
    peak_kib: u64,
}

impl WorkerProcess {
    /// What it was called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SIGKILL; returns when it is gone, with the time of its death.
    pub fn kill(&mut self) -> Instant {
        self.note_peak();
        // Fails only where it has ended.
        let _ = self.child.kill();
        let died = Instant::now();
        let _ = self.child.wait();
        died
    }

    /// SIGSTOP: it keeps its connections and does nothing.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// SIGCONT.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGTERM, and waits for its end.
    ///
    /// # Errors
    /// How it ended, where it was not by exit code 0 in time.
    pub async fn drain(&mut self) -> Result<(), String> {
        self.note_peak();
        self.signal(Signal::TERM);
        let until = Instant::now() + ENDING;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("{} drained with {status}", self.name)),
                Ok(None) if Instant::now() < until => tokio::time::sleep(Duration::from_millis(20)).await,
                Ok(None) => return Err(format!("{} did not drain within {ENDING:?}", self.name)),
                Err(error) => return Err(format!("{}: {error}", self.name)),
            }
        }
    }

    /// Whether it still runs. Nothing but a fault ends a worker.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Most resident memory seen so far, in KiB.
    pub fn peak_kib(&mut self) -> u64 {
        self.note_peak();
        self.peak_kib
    }

    /// Resident memory now, in KiB.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        status_of(self.child.id(), "VmRSS:").unwrap_or_default()
    }

    fn note_peak(&mut self) {
        self.peak_kib = self.peak_kib.max(status_of(self.child.id(), "VmHWM:").unwrap_or_default());
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        // It may have ended by itself, which `is_alive` tells.
        let _ = kill_process(pid, signal);
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] }).collect()
}

/// A size the kernel tells of a process, in KiB.
fn status_of(pid: u32, name: &str) -> io::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    Ok(line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or_default())
}
