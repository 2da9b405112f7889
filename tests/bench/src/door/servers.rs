//! The program as door and worker, on a private RabbitMQ and a private Redis.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;
use tempfile::TempDir;

use super::process::{Running, free_address};
use super::sessions::until_ready;

/// Servers, a folder, and the program.
#[derive(Debug)]
pub struct DoorServers {
    /// The broker.
    pub rabbit: RabbitServer,
    redis: RedisServer,
    dir: TempDir,
    precis: PathBuf,
}

impl DoorServers {
    /// Starts them; `None`, said aloud, where one is not installed.
    ///
    /// # Errors
    /// If the topology cannot be applied.
    pub async fn open(precis: &Path) -> Result<Option<Self>, String> {
        let (Some(rabbit), Some(redis)) = (RabbitServer::start().await, RedisServer::start().await) else {
            return Ok(None);
        };
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let servers = Self { rabbit, redis, dir, precis: precis.to_owned() };
        let applied = servers.command(&["topology", "apply"]).output().map_err(|e| e.to_string())?;
        match applied.status.success() {
            true => Ok(Some(servers)),
            false => Err(String::from_utf8_lossy(&applied.stderr).into_owned()),
        }
    }

    /// Another program on the same servers and folder.
    pub fn use_program(&mut self, precis: &Path) {
        precis.clone_into(&mut self.precis);
    }

    /// Where the content store is.
    #[must_use]
    pub fn content(&self) -> PathBuf {
        self.dir.path().join("content")
    }

    /// The program with these servers.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.precis);
        command.args(args).current_dir(self.dir.path()).env_clear().env("HOME", self.dir.path());
        command.env("PRECIS_AMQP_URL", self.rabbit.address().expose()).env("PRECIS_REDIS_URL", self.redis.address());
        command.env("PRECIS_CONTENT_URL", format!("file://{}", self.content().display()));
        // Limits of single callers are not what is measured.
        command.env("PRECIS_DOOR_ACTIVE_SESSIONS", "100000").env("PRECIS_DOOR_QUEUE_DEPTH", "1000000");
        command.env("PRECIS_DOOR_SUBMISSIONS_PER_MINUTE", "1000000");
        command
    }

    /// Starts a door, and waits until it is ready.
    ///
    /// # Errors
    /// If it does not become ready.
    pub async fn door(&self) -> Result<(Running, SocketAddr), String> {
        let address = free_address()?;
        let door = Running::start(self.command(&["serve", "--listen", &address.to_string()]))?;
        until_ready(address).await.map(|()| (door, address))
    }

    /// Starts a worker that works on `sessions` at once.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn worker(&self, sessions: usize) -> Result<Running, String> {
        Running::start(self.command(&["worker", "--set", &format!("worker_sessions={sessions}")]))
    }
}
