//! The two connections themselves, and what everything opened on them shares: whether they are open, and the time limits.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use lapin::tcp::AsyncTcpStream;
use lapin::types::ReplyCode;
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties, Event};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::settings::RabbitSettings;
use super::{fault, transport};
use crate::broker::BrokerError;

/// Time limit for closing connections to a broker that may be gone.
const CLOSING: Duration = Duration::from_secs(2);
/// The AMQP reply code of a normal close.
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
    let uri = settings.uri(frame_max_bytes)?;
    let tls = transport::connector(&uri, &settings.tls)?;
    let connect = async move |uri: AMQPUri, _runtime| {
        let stream = transport::connect(&uri, tls.as_ref()).await?;
        // "Plain" for the client library, which adds no TLS of its own.
        Ok(AsyncTcpStream::Plain(stream))
    };
    let opening = Connection::connector(uri, transport::current_runtime(), connect, properties);
    match tokio::time::timeout(settings.connect_timeout, opening).await {
        Ok(opened) => opened.map_err(|e| fault::on_connect(&e)),
        Err(_) => Err(BrokerError::Unreachable(format!("no answer within {:?}", settings.connect_timeout))),
    }
}

/// What everything opened on a connection shares.
pub(super) struct RabbitLink {
    pub(super) publishing: Arc<Connection>,
    consuming: Arc<Connection>,
    /// Set once, by the first part that has ended, or by `close`. After that nothing new is opened.
    pub(super) closed: CancellationToken,
    /// Set by the watcher when both connections are closed or given up.
    pub(super) ended: CancellationToken,
    /// Time limit for any answer of the broker.
    pub(super) answer_timeout: Duration,
    /// The channel of single gets, opened with the first one; dropped after a refusal, which closes it.
    pub(super) gets: Mutex<Option<Channel>>,
    /// Why the broker accepts no messages at present, in its words; written by the watcher.
    pub(super) blocked: Arc<watch::Sender<Option<String>>>,
    /// The user of the connection, if the address names it.
    pub(super) user: Option<String>,
}

impl RabbitLink {
    pub(super) fn new(
        publishing: Connection,
        consuming: Connection,
        answer_timeout: Duration,
        user: Option<String>,
    ) -> Arc<Self> {
        let (publishing, consuming) = (Arc::new(publishing), Arc::new(consuming));
        let blocked = Arc::new(watch::Sender::new(None));
        let (closed, ended) = (CancellationToken::new(), CancellationToken::new());
        let watcher = ConnectionWatcher {
            events: stream::select(publishing.events_listener(), consuming.events_listener()).boxed(),
            connections: [Arc::clone(&publishing), Arc::clone(&consuming)],
            closed: closed.clone(),
            blocked: Arc::clone(&blocked),
        };
        // Not joined: `close` waits for `ended`, which the watcher sets at its end.
        tokio::spawn(watcher.run(ended.clone()));
        Arc::new(Self { publishing, consuming, closed, ended, answer_timeout, gets: Mutex::new(None), blocked, user })
    }

    /// Ends everything; the watcher closes both connections. Idempotent.
    pub(super) fn end(&self) {
        self.closed.cancel();
    }

    /// Opens a channel for consuming.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn consuming_channel(&self) -> Result<Channel, BrokerError> {
        self.request(self.consuming.create_channel()).await
    }

    /// Opens a channel for one request: a refusal closes the channel, and must not affect other users of it.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn request_channel(&self) -> Result<Channel, BrokerError> {
        self.request(self.publishing.create_channel()).await
    }

    /// Opens a channel whose publishes are confirmed.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub(super) async fn confirming_channel(&self) -> Result<Channel, BrokerError> {
        self.request(confirming_channel(&self.publishing)).await
    }

    /// Awaits a request to the broker. If it does not answer in time, the connection counts as lost, and everything ends.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] with the broker's message, and [`BrokerError::Closed`].
    pub(super) async fn request<T>(&self, request: impl Future<Output = lapin::Result<T>>) -> Result<T, BrokerError> {
        tokio::select! {
            // Closed first: requests are sent when they are first polled, and nothing may be sent on a connection that has ended.
            biased;
            () = self.closed.cancelled() => Err(BrokerError::Closed),
            answer = tokio::time::timeout(self.answer_timeout, request) => match answer {
                Ok(answer) => answer.map_err(|e| fault::on_channel(&e)),
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
    blocked: Arc<watch::Sender<Option<String>>>,
}

impl ConnectionWatcher {
    async fn run(mut self, ended: CancellationToken) {
        // Dropped if the runtime shuts down before this task ends, so that `close` does not wait for ever.
        let _ended = ended.drop_guard();
        tokio::select! {
            () = self.closed.clone().cancelled_owned() => {}
            () = self.watch() => {}
        }
        // Before closing, which may take as long as `CLOSING`: everything that waits for the broker ends at once.
        self.closed.cancel();
        let [publishing, consuming] = &self.connections;
        let closing =
            futures_util::future::join(publishing.close(SUCCESS, "OK".into()), consuming.close(SUCCESS, "OK".into()));
        // Best effort: a connection may already be lost.
        let _ = tokio::time::timeout(CLOSING, closing).await;
    }

    /// Waits until one of the connections has ended.
    async fn watch(&mut self) {
        while let Some(event) = self.events.next().await {
            match event {
                // The end of a single channel is reported to its users and is ignored here.
                Event::Error(error) if self.connections.iter().any(|c| !c.status().connected()) => {
                    tracing::warn!(%error, "the broker connection ended");
                    return;
                }
                Event::ConnectionBlocked(reason) => {
                    tracing::warn!(reason, "the broker blocked publishing");
                    self.blocked.send_replace(Some(reason));
                }
                Event::ConnectionUnblocked => {
                    tracing::info!("the broker accepts publishes again");
                    self.blocked.send_replace(None);
                }
                _ => {}
            }
        }
    }
}
