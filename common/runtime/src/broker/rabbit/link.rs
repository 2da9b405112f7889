//! The two connections themselves, and what everything made of them shares: whether they are open, and how long to wait.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use lapin::types::ReplyCode;
use lapin::{Channel, Connection, ConnectionProperties, Event};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::fault;
use super::settings::RabbitSettings;
use crate::broker::BrokerError;

/// Limit for saying goodbye to a broker that may be gone.
const CLOSING: Duration = Duration::from_secs(2);
/// AMQP for a normal end.
pub(super) const SUCCESS: ReplyCode = 200;

pub(super) async fn open(
    settings: &RabbitSettings,
    purpose: &str,
    frame_max_bytes: u32,
) -> Result<Connection, BrokerError> {
    let name = format!("{} ({purpose})", settings.connection_name);
    let properties = ConnectionProperties::default()
        .with_connection_name(name.into())
        .with_client_property("product".into(), "Precis".into())
        .with_client_property("version".into(), crate::VERSION.into());
    let runtime = lapin::runtime::default_runtime().map_err(|e| fault::connecting(&e))?;
    let opening =
        Connection::connect_uri_with_config(settings.uri(frame_max_bytes)?, properties, settings.tls(), runtime);
    match tokio::time::timeout(settings.connect_timeout, opening).await {
        Ok(opened) => opened.map_err(|e| fault::connecting(&e)),
        Err(_) => Err(BrokerError::Unreachable(format!("no answer within {:?}", settings.connect_timeout))),
    }
}

/// What everything made of a connection shares.
pub(super) struct RabbitLink {
    pub(super) publishing: Arc<Connection>,
    consuming: Arc<Connection>,
    /// Set once, by whoever finds that a part has ended, or by `close`. From then on nothing is given out.
    pub(super) closed: CancellationToken,
    /// Set by the keeper when both connections have been closed or given up on.
    pub(super) ended: CancellationToken,
    /// Limit for whatever the broker should answer.
    pub(super) patience: Duration,
    /// The channel of single gets, opened with the first; gone after a refusal, which closes it.
    pub(super) gets: Mutex<Option<Channel>>,
    /// Who is connected, where the address says so.
    pub(super) user: Option<String>,
}

impl RabbitLink {
    pub(super) fn new(
        publishing: Connection,
        consuming: Connection,
        patience: Duration,
        user: Option<String>,
    ) -> Arc<Self> {
        let (publishing, consuming) = (Arc::new(publishing), Arc::new(consuming));
        let (closed, ended) = (CancellationToken::new(), CancellationToken::new());
        let keeper = ConnectionWatcher {
            events: stream::select(publishing.events_listener(), consuming.events_listener()).boxed(),
            connections: [Arc::clone(&publishing), Arc::clone(&consuming)],
            closed: closed.clone(),
        };
        tokio::spawn(keeper.run(ended.clone()));
        Arc::new(Self { publishing, consuming, closed, ended, patience, gets: Mutex::new(None), user })
    }

    /// Ends everything; the keeper says goodbye. Idempotent.
    pub(super) fn end(&self) {
        self.closed.cancel();
    }

    /// A channel for what is consumed.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn consuming_channel(&self) -> Result<Channel, BrokerError> {
        self.ask(self.consuming.create_channel()).await
    }

    /// A channel for one question, so that a refusal, which closes it, is nobody else's.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn channel_for_a_question(&self) -> Result<Channel, BrokerError> {
        self.ask(self.publishing.create_channel()).await
    }

    /// A channel whose publishes are confirmed.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn confirming_channel(&self) -> Result<Channel, BrokerError> {
        self.ask(confirming_channel(&self.publishing)).await
    }

    /// Asks the broker something. One that does not answer is gone: then all ends.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] with the broker's words, and [`BrokerError::Closed`].
    pub(super) async fn ask<T>(&self, question: impl Future<Output = lapin::Result<T>>) -> Result<T, BrokerError> {
        tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(BrokerError::Closed),
            answer = tokio::time::timeout(self.patience, question) => match answer {
                Ok(answer) => answer.map_err(|e| fault::asked(&e)),
                Err(_) => {
                    self.end();
                    Err(BrokerError::Closed)
                }
            }
        }
    }
}

impl Drop for RabbitLink {
    fn drop(&mut self) {
        self.end();
    }
}

/// Opens a channel on `connection` whose publishes are confirmed.
pub(super) async fn confirming_channel(connection: &Connection) -> lapin::Result<Channel> {
    let channel = connection.create_channel().await?;
    channel.confirm_select(lapin::options::ConfirmSelectOptions::default()).await?;
    Ok(channel)
}

/// Watches both connections until one ends, then ends the other.
struct ConnectionWatcher {
    events: BoxStream<'static, Event>,
    connections: [Arc<Connection>; 2],
    closed: CancellationToken,
}

impl ConnectionWatcher {
    async fn run(mut self, ended: CancellationToken) {
        // A task that never gets to its end, because the runtime goes, must not leave `close` waiting.
        let _ended = ended.drop_guard();
        tokio::select! {
            () = self.closed.clone().cancelled_owned() => {}
            () = self.watch() => {}
        }
        self.closed.cancel();
        let [publishing, consuming] = &self.connections;
        let goodbyes =
            futures_util::future::join(publishing.close(SUCCESS, "OK".into()), consuming.close(SUCCESS, "OK".into()));
        // Neither outcome matters: what cannot be told goodbye is gone.
        let _ = tokio::time::timeout(CLOSING, goodbyes).await;
    }

    /// Returns when a connection has ended.
    async fn watch(&mut self) {
        while let Some(event) = self.events.next().await {
            match event {
                // A channel that ended says so to its users and is no news here.
                Event::Error(error) if self.connections.iter().any(|c| !c.status().connected()) => {
                    tracing::warn!(%error, "the broker connection ended");
                    return;
                }
                Event::ConnectionBlocked(reason) => tracing::warn!(reason, "the broker takes no publishes for now"),
                Event::ConnectionUnblocked => tracing::info!("the broker takes publishes again"),
                _ => {}
            }
        }
    }
}
