//! The pool: lends each child to one request at a time, and replaces children that are old, large or dead.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::error::{ChildDeath, SandboxError};
use super::frame::FrameError;
use super::process::ChildProcess;
use super::settings::SandboxSettings;
use super::spawner::Spawner;
use super::walls::Walls;

/// A pool of children. Dropping it kills them.
#[derive(Debug)]
pub struct Sandbox {
    settings: SandboxSettings,
    /// One permit per child that may exist; held while a request runs.
    turns: Semaphore,
    /// Children not in use; a child in use is owned by its request, and is killed if the request is dropped.
    idle: Mutex<Vec<ChildProcess>>,
    spawner: Spawner,
}

impl Sandbox {
    /// Returns a pool that starts its children when they are needed.
    #[must_use]
    pub fn new(settings: SandboxSettings) -> Self {
        let turns = Semaphore::new(settings.pool_size());
        let spawner = Spawner::new(settings.clone());
        Self { settings, turns, idle: Mutex::default(), spawner }
    }

    /// Sends a request to a child and returns its answer. Waits for a free child; the caller limits that wait. Dropping the future
    /// kills the child it uses.
    ///
    /// If a child that had answered other requests dies, the request is repeated once in a fresh child: what earlier documents left
    /// behind must not decide about this one.
    ///
    /// # Errors
    /// Permanent for this input: [`SandboxError::Died`], [`SandboxError::TimedOut`], [`SandboxError::TooLarge`]. Transient:
    /// [`SandboxError::Unavailable`]. Permanent here: [`SandboxError::Unconfined`].
    pub async fn run(&self, header: Vec<u8>, body: Bytes) -> Result<(Vec<u8>, Bytes), SandboxError> {
        let (bytes, limit) = (header.len().saturating_add(body.len()), self.settings.max_request_bytes);
        if bytes > limit {
            return Err(SandboxError::TooLarge { bytes, limit });
        }
        let closed = |_| SandboxError::Unavailable("the pool is closed".to_owned());
        let _turn = self.turns.acquire().await.map_err(closed)?;
        if let Some(used) = self.take_idle() {
            match self.ask(used, &header, &body).await {
                Err(SandboxError::Died { how }) => {
                    tracing::debug!(%how, "a used child died; repeating the request in a fresh one")
                }
                settled => return settled,
            }
        }
        let fresh = ChildProcess::start(&self.spawner).await?;
        // Only fresh ones are checked: a child becomes idle only after this check.
        if self.settings.is_required && !fresh.walls.filter {
            return Err(SandboxError::Unconfined);
        }
        self.ask(fresh, &header, &body).await
    }

    /// Starts a child and returns the restrictions it reports.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`].
    pub async fn walls(&self) -> Result<Walls, SandboxError> {
        Ok(ChildProcess::start(&self.spawner).await?.walls)
    }

    async fn ask(&self, mut child: ChildProcess, header: &[u8], body: &[u8]) -> Result<(Vec<u8>, Bytes), SandboxError> {
        let limit = self.settings.wall;
        // On a timeout the child is dropped, and so killed: it may still be working, and its late answer would be taken for the next
        // request's.
        let answer = timeout(limit, child.ask(header, body, self.settings.max_response_bytes)).await;
        match answer.map_err(|_| SandboxError::TimedOut { limit })? {
            Ok((header, body)) => {
                self.give_back(child);
                Ok((header, Bytes::from(body)))
            }
            Err(FrameError::Ended) => Err(SandboxError::Died { how: child.end().await }),
            Err(FrameError::Malformed(what)) => Err(SandboxError::Died { how: ChildDeath::Malformed(what) }),
        }
    }

    /// Returns the child used last, if it is alive: the others age less that way.
    fn take_idle(&self) -> Option<ChildProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut child) = idle.pop() {
            if child.is_alive() {
                return Some(child);
            }
        }
        None
    }

    fn give_back(&self, child: ChildProcess) {
        let is_old = child.served >= self.settings.recycle_after.max(1);
        if !is_old && child.memory_bytes() <= self.settings.recycle_memory_bytes() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(child);
        }
    }
}
