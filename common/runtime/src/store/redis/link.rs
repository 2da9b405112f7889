//! The connection to Redis: one, shared by all operations, kept by a task of its own.
//!
//! While Redis is away every operation fails at once, but for the first two seconds, so that a fleet without it runs at its own
//! speed; only the keeper waits for it. Away is whatever does not answer in time: gone, stopped, still loading its data, or a server that no longer takes writes.

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

/// First pause between two tries to connect; doubled each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause between two tries to connect: how late a Redis that is back may be noticed.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long after a loss operations wait for the next connection. A lost one is mostly made again at once, on a busy machine in a
/// second; going on without costs a paid call, and waiting costs this once. Chosen.
const RECOVERY: Duration = Duration::from_secs(2);

/// How long to wait for Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkTimeouts {
    pub(super) response: Duration,
    pub(super) connect: Duration,
}

/// What the operations know of the connection.
#[derive(Clone)]
enum LinkState {
    /// The first connection is being made: operations wait for it, as long as a connection may take.
    Starting,
    Up {
        connection: MultiplexedConnection,
        /// Which connection it is, so that the failure of an earlier one does not end it.
        number: u64,
    },
    Away {
        reason: String,
        since: Instant,
    },
}

/// A connection that is made again whenever it ends.
pub(super) struct RedisLink {
    patience: LinkTimeouts,
    /// Written by the keeper, and by an operation that finds the connection dead.
    state: Arc<watch::Sender<LinkState>>,
    /// Ends with the link.
    keeper: JoinHandle<()>,
}

impl RedisLink {
    pub(super) fn new(client: Client, patience: LinkTimeouts) -> Self {
        let state = Arc::new(watch::Sender::new(LinkState::Starting));
        let keeper = tokio::spawn(keep(client, patience, Arc::clone(&state)));
        Self { patience, state, keeper }
    }

    /// Runs one command, within the time an answer may take.
    pub(super) async fn command<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let (mut connection, number) = self.connection().await?;
        self.answer(number, command.query_async(&mut connection)).await
    }

    /// Runs one script, which is loaded where Redis does not know it yet, within the time an answer may take.
    pub(super) async fn script<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, StoreError> {
        let (mut connection, number) = self.connection().await?;
        self.answer(number, script.invoke_async(&mut connection)).await
    }

    /// Runs commands that travel together, within the time an answer may take; `None` where Redis does not know a script among them
    /// yet: then they have to travel alone once.
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
        match self.known().await {
            LinkState::Up { connection, number } => Ok((connection, number)),
            LinkState::Away { reason, since } => self.again(since + RECOVERY).await.ok_or(StoreError(reason)),
            LinkState::Starting => Err(StoreError("not connected yet".to_owned())),
        }
    }

    /// The state, once there has been a first try to connect.
    async fn known(&self) -> LinkState {
        let mut states = self.state.subscribe();
        let known = timeout(self.patience.connect, states.wait_for(|s| !matches!(s, LinkState::Starting))).await;
        known.ok().and_then(Result::ok).map_or(LinkState::Starting, |state| state.clone())
    }

    /// The connection after a loss, where it is there by `until`.
    async fn again(&self, until: Instant) -> Option<(MultiplexedConnection, u64)> {
        let mut states = self.state.subscribe();
        let up = timeout_at(until, states.wait_for(|s| matches!(s, LinkState::Up { .. }))).await;
        match &*up.ok()?.ok()? {
            LinkState::Up { connection, number } => Some((connection.clone(), *number)),
            LinkState::Starting | LinkState::Away { .. } => None,
        }
    }

    async fn answer<T>(&self, number: u64, answer: impl Future<Output = RedisResult<T>>) -> Result<T, StoreError> {
        let (reason, is_away) = match self.within_patience(answer).await {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => (told(&error), is_away(&error)),
            None => (format!("no answer within {} ms", self.patience.response.as_millis()), true),
        };
        if is_away {
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

    /// Waits in two halves: clocks run on while a process is stopped, and only a wait that began after that can say that it is
    /// the server that does not answer.
    async fn within_patience<T>(&self, answer: impl Future<Output = T>) -> Option<T> {
        let (mut answer, half) = (pin!(answer), self.patience.response / 2);
        match timeout(half, &mut answer).await {
            Ok(answer) => Some(answer),
            Err(_) => timeout(half, &mut answer).await.ok(),
        }
    }
}

impl Drop for RedisLink {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl fmt::Debug for RedisLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.state.borrow() {
            LinkState::Starting => "starting".to_owned(),
            LinkState::Up { .. } => "up".to_owned(),
            LinkState::Away { reason, .. } => format!("away: {reason}"),
        };
        f.debug_struct("Link").field("state", &state).field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// Connects, waits until the connection is found dead, connects again.
async fn keep(client: Client, patience: LinkTimeouts, state: Arc<watch::Sender<LinkState>>) {
    let mut states = state.subscribe();
    let (mut number, mut pause, mut lost) = (0, SHORTEST_PAUSE, Instant::now());
    loop {
        match connect(&client, patience).await {
            Ok(connection) => {
                number += 1;
                pause = SHORTEST_PAUSE;
                state.send_replace(LinkState::Up { connection, number });
                tracing::info!("connected to Redis");
                // The sender is ours too, so this ends only with a dead connection.
                let _ = states.wait_for(|s| matches!(s, LinkState::Away { .. })).await;
                lost = Instant::now();
                tracing::warn!(reason = away(&state), "Redis is away; going on without it");
            }
            Err(reason) => {
                if number == 0 && matches!(&*state.borrow(), LinkState::Starting) {
                    tracing::warn!(reason, "Redis is away; going on without it");
                }
                state.send_replace(LinkState::Away { reason, since: lost });
                sleep(pause.mul_f64(rand::random_range(0.75..1.25))).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// A connection that has answered.
async fn connect(client: &Client, patience: LinkTimeouts) -> Result<MultiplexedConnection, String> {
    // Every wait is bounded here, scripts of several commands included.
    let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
    let connecting = async {
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        redis::cmd("PING").exec_async(&mut connection).await?;
        Ok(connection)
    };
    match timeout(patience.connect, connecting).await {
        Ok(connected) => connected.map_err(|e| told(&e)),
        Err(_) => Err(format!("no connection within {} ms", patience.connect.as_millis())),
    }
}

fn away(state: &watch::Sender<LinkState>) -> String {
    match &*state.borrow() {
        LinkState::Away { reason, .. } => reason.clone(),
        LinkState::Starting | LinkState::Up { .. } => String::new(),
    }
}

/// Whether the connection is of no use after `error`, rather than the one operation.
fn is_away(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, ClusterDown, MasterDown, ReadOnly};
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse | ErrorKind::AuthenticationFailed => true,
        ErrorKind::Server(kind) => matches!(kind, BusyLoading | ClusterDown | MasterDown | ReadOnly),
        _ => error.is_unrecoverable_error(),
    }
}

/// What went wrong, without the address: what the system or the server says, and only the category of anything else.
fn told(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Extension | ErrorKind::Server(_) => error.to_string(),
        _ => error.category().to_owned(),
    }
}
