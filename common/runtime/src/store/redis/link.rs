//! The connection to Redis: one, shared by all operations, maintained by its own task.
//!
//! While Redis is unavailable every operation fails at once, except during the first two seconds, so that a fleet without Redis runs at
//! its own speed; only the maintenance task waits for it. Unavailable means that it does not answer in time: it is down, stopped,
//! loading its data, or no longer accepts writes.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult};
use redis::{ScriptInvocation, ServerErrorKind};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::store::StoreError;

/// First pause between two connection attempts; doubled each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause between two connection attempts: how late a recovery may be noticed.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long after a loss operations wait for the next connection. Most lost connections are restored at once, or within a second on a
/// busy machine; going on without Redis costs a paid call, and waiting costs this time once. Chosen.
const RECOVERY: Duration = Duration::from_secs(2);

/// How long to wait for Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkTimeouts {
    pub(super) response: Duration,
    pub(super) connect: Duration,
}

/// The state of the connection, as seen by operations.
#[derive(Clone)]
enum LinkState {
    /// The first connection is being opened: operations wait for it, up to the connect timeout.
    Starting,
    Up {
        connection: MultiplexedConnection,
        /// Number of the connection, so that a late failure of an earlier one does not end it.
        number: u64,
    },
    Away {
        reason: String,
        since: Instant,
    },
}

/// A connection that is reopened whenever it ends.
pub(super) struct RedisLink {
    timeouts: LinkTimeouts,
    /// Written by the maintenance task, and by an operation that finds the connection dead.
    state: Arc<watch::Sender<LinkState>>,
    /// Ends with the link.
    maintenance: JoinHandle<()>,
}

impl RedisLink {
    pub(super) fn new(client: Client, timeouts: LinkTimeouts) -> Self {
        let state = Arc::new(watch::Sender::new(LinkState::Starting));
        let maintenance = tokio::spawn(maintain(client, timeouts, Arc::clone(&state)));
        Self { timeouts, state, maintenance }
    }

    /// Runs one command within the response timeout.
    pub(super) async fn command<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let (mut connection, number) = self.connection().await?;
        self.answer(number, command.query_async(&mut connection)).await
    }

    /// Runs one script within the response timeout; loads it first if Redis does not know it.
    pub(super) async fn script<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, StoreError> {
        let (mut connection, number) = self.connection().await?;
        self.answer(number, script.invoke_async(&mut connection)).await
    }

    /// Runs a pipeline of commands within the response timeout. `None` if Redis does not know one of its scripts: then the commands
    /// must be run singly once, which loads it.
    pub(super) async fn pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<Option<T>, StoreError> {
        let (mut connection, number) = self.connection().await?;
        let answer = async {
            match commands.query_async(&mut connection).await {
                Ok(answer) => Ok(Some(answer)),
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.answer(number, answer).await
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), StoreError> {
        match self.wait_for_start().await {
            LinkState::Up { connection, number } => Ok((connection, number)),
            LinkState::Away { reason, since } => {
                self.wait_for_restore(since + RECOVERY).await.ok_or(StoreError(reason))
            }
            LinkState::Starting => Err(StoreError("not connected yet".to_owned())),
        }
    }

    /// The state, once the first connection attempt has ended.
    async fn wait_for_start(&self) -> LinkState {
        let mut states = self.state.subscribe();
        let started = timeout(self.timeouts.connect, states.wait_for(|s| !matches!(s, LinkState::Starting))).await;
        started.ok().and_then(Result::ok).map_or(LinkState::Starting, |state| state.clone())
    }

    /// The connection after a loss, if it is restored by `until`.
    async fn wait_for_restore(&self, until: Instant) -> Option<(MultiplexedConnection, u64)> {
        let mut states = self.state.subscribe();
        let up = timeout_at(until, states.wait_for(|s| matches!(s, LinkState::Up { .. }))).await;
        match &*up.ok()?.ok()? {
            LinkState::Up { connection, number } => Some((connection.clone(), *number)),
            LinkState::Starting | LinkState::Away { .. } => None,
        }
    }

    async fn answer<T>(&self, number: u64, answer: impl Future<Output = RedisResult<T>>) -> Result<T, StoreError> {
        let (reason, is_away) = match self.within_timeout(answer).await {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => (describe(&error), is_away(&error)),
            None => (format!("no answer within {} ms", self.timeouts.response.as_millis()), true),
        };
        if is_away {
            // Compared by number: this failure may be of an earlier connection, and must not take down one that works.
            self.state.send_if_modified(|state| {
                let is_ours = matches!(state, LinkState::Up { number: n, .. } if *n == number);
                if is_ours {
                    *state = LinkState::Away { reason: reason.clone(), since: Instant::now() };
                }
                is_ours
            });
        }
        Err(StoreError(reason))
    }

    /// Waits in two halves: clocks keep running while a process is suspended, so an expired first half may be our own pause. Only a
    /// wait that began after it shows that the server does not answer.
    async fn within_timeout<T>(&self, answer: impl Future<Output = T>) -> Option<T> {
        let (mut answer, half) = (pin!(answer), self.timeouts.response / 2);
        match timeout(half, &mut answer).await {
            Ok(answer) => Some(answer),
            Err(_) => timeout(half, &mut answer).await.ok(),
        }
    }
}

impl Drop for RedisLink {
    fn drop(&mut self) {
        self.maintenance.abort();
    }
}

impl fmt::Debug for RedisLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.state.borrow() {
            LinkState::Starting => "starting".to_owned(),
            LinkState::Up { .. } => "up".to_owned(),
            LinkState::Away { reason, .. } => format!("away: {reason}"),
        };
        f.debug_struct("Link").field("state", &state).field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// Connects, waits until the connection is found dead, connects again.
async fn maintain(client: Client, timeouts: LinkTimeouts, state: Arc<watch::Sender<LinkState>>) {
    let mut states = state.subscribe();
    let (mut number, mut pause, mut lost) = (0, SHORTEST_PAUSE, Instant::now());
    loop {
        match connect(&client, timeouts).await {
            Ok(connection) => {
                number += 1;
                pause = SHORTEST_PAUSE;
                state.send_replace(LinkState::Up { connection, number });
                tracing::info!("connected to Redis");
                // This task holds a sender too, so the wait ends only with a dead connection.
                let _ = states.wait_for(|s| matches!(s, LinkState::Away { .. })).await;
                lost = Instant::now();
                tracing::warn!(reason = away_reason(&state), "Redis is unavailable; continuing without it");
            }
            Err(reason) => {
                if number == 0 && matches!(&*state.borrow(), LinkState::Starting) {
                    tracing::warn!(reason, "Redis is unavailable; continuing without it");
                }
                state.send_replace(LinkState::Away { reason, since: lost });
                // At random, so that the workers of a fleet do not reconnect at the same moment.
                sleep(pause.mul_f64(rand::random_range(0.75..1.25))).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Opens a connection and waits until it answers.
async fn connect(client: &Client, timeouts: LinkTimeouts) -> Result<MultiplexedConnection, String> {
    // No timeouts of the library: every wait is bounded by the caller, which includes scripts of several commands.
    let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
    let connecting = async {
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        redis::cmd("PING").exec_async(&mut connection).await?;
        Ok(connection)
    };
    match timeout(timeouts.connect, connecting).await {
        Ok(connected) => connected.map_err(|e| describe(&e)),
        Err(_) => Err(format!("no connection within {} ms", timeouts.connect.as_millis())),
    }
}

fn away_reason(state: &watch::Sender<LinkState>) -> String {
    match &*state.borrow() {
        LinkState::Away { reason, .. } => reason.clone(),
        LinkState::Starting | LinkState::Up { .. } => String::new(),
    }
}

/// Whether `error` means that the connection is unusable, not just this operation.
fn is_away(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, ClusterDown, MasterDown, ReadOnly};
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse | ErrorKind::AuthenticationFailed => true,
        ErrorKind::Server(kind) => matches!(kind, BusyLoading | ClusterDown | MasterDown | ReadOnly),
        _ => error.is_unrecoverable_error(),
    }
}

/// Describes an error without the address: the message of the system or the server; for anything else only its category.
fn describe(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Extension | ErrorKind::Server(_) => error.to_string(),
        _ => error.category().to_owned(),
    }
}
