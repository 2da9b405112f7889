//! Publishes in lanes. A lane is a channel that sends one window at a time: when it is free, it takes the queued batches, up to a
//! limit, sends them at once and waits for all their confirms. Callers thus share the cost of a confirm. One window per channel,
//! because the client library attaches a returned message to whichever confirm comes next: it must belong to the same window.
//!
//! A window in flight is completed even if its callers have stopped waiting.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future;
use lapin::message::BasicReturnMessage;
use lapin::options::BasicPublishOptions;
use lapin::types::ShortString;
use lapin::{BasicProperties, Channel, Confirmation, Connection};
use precis_proto::envelope::MAX_WIRE_BYTES;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::link::{RabbitLink, confirming_channel};
use super::{fault, properties};
use crate::broker::{BrokerError, Outgoing};

/// Batches that may be queued for a lane; further callers wait to queue theirs.
const LINE: usize = 256;
/// A window takes no further batch once it has this many messages.
const WINDOW_MESSAGES: usize = 256;
/// A window takes no further batch once it has this many bytes.
const WINDOW_BYTES: usize = 1024 * 1024;

/// Queues batches for the lanes; clones share the lanes. The lanes end with the last clone or with the connection.
#[derive(Clone)]
pub(super) struct Publisher {
    line: mpsc::Sender<Batch>,
    closed: CancellationToken,
    confirm_timeout: Duration,
    /// The user of the connection: the only `user_id` the broker accepts.
    user: Option<Arc<str>>,
}

impl Publisher {
    /// Starts one lane per channel; all channels must confirm. If the broker closes a lane's channel, the lane opens another one if
    /// `reopen`; otherwise the whole connection ends, because something else depends on that channel.
    pub(super) fn start(link: &RabbitLink, channels: Vec<Channel>, reopen: bool) -> Self {
        let (line, waiting) = mpsc::channel(LINE);
        let waiting = Arc::new(Mutex::new(waiting));
        for channel in channels {
            let connection = reopen.then(|| Arc::clone(&link.publishing));
            let lane = PublishLane { channel, connection, closed: link.closed.clone() };
            tokio::spawn(lane.run(Arc::clone(&waiting)));
        }
        let user = link.user.as_deref().map(Arc::from);
        Self { line, closed: link.closed.clone(), confirm_timeout: link.answer_timeout, user }
    }

    /// Publishes and waits for every confirm.
    ///
    /// # Errors
    /// As [`crate::broker::Broker::publish_all`]; nothing is sent if any message exceeds a limit.
    pub(super) async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        let messages = messages
            .into_iter()
            .map(|message| OutgoingMessage::new(message, self.user.as_deref()))
            .collect::<Result<Vec<_>, _>>()?;
        let handing = async {
            let (reply, outcome) = oneshot::channel();
            self.line.send(Batch { messages, reply }).await.map_err(|_| BrokerError::Closed)?;
            // A lane that ended has dropped the sender: whether the batch arrived is unknown.
            outcome.await.unwrap_or(Err(BrokerError::Closed))
        };
        // Biased: an outcome that has arrived is reported even if the connection has just ended.
        tokio::select! {
            biased;
            outcome = tokio::time::timeout(self.confirm_timeout, handing) => outcome.unwrap_or_else(|_| {
                Err(BrokerError::ConfirmTimeout(u64::try_from(self.confirm_timeout.as_millis()).unwrap_or(u64::MAX)))
            }),
            () = self.closed.cancelled() => Err(BrokerError::Closed),
        }
    }
}

/// The messages of one caller.
struct Batch {
    messages: Vec<OutgoingMessage>,
    /// Closed if the caller has stopped waiting.
    reply: oneshot::Sender<Result<(), BrokerError>>,
}

impl Batch {
    fn bytes(&self) -> usize {
        self.messages.iter().map(|m| m.body.len()).sum()
    }

    /// Returns the outcome of this batch; of several failures the most specific one.
    fn outcome(
        &self,
        confirms: &[Result<Confirmation, lapin::Error>],
        returned: &[BasicReturnMessage],
    ) -> Result<(), BrokerError> {
        let mut outcome = Ok(());
        for (message, confirm) in self.messages.iter().zip(confirms) {
            match message.outcome(confirm, returned) {
                Ok(()) => {}
                // Messages after the one that closed the channel only report that it is closed.
                Err(BrokerError::Closed) => outcome = outcome.and(Err(BrokerError::Closed)),
                Err(failure) => return Err(failure),
            }
        }
        outcome
    }
}

struct OutgoingMessage {
    exchange: ShortString,
    routing_key: ShortString,
    mandatory: bool,
    properties: BasicProperties,
    body: Bytes,
}

impl OutgoingMessage {
    fn new(Outgoing { route, envelope }: Outgoing, user: Option<&str>) -> Result<Self, BrokerError> {
        if envelope.body.len() > MAX_WIRE_BYTES {
            // The broker would close the channel, and the other messages of the window would be lost.
            let bytes = envelope.body.len();
            return Err(BrokerError::Refused(format!(
                "a message must have at most {MAX_WIRE_BYTES} bytes, got {bytes}"
            )));
        }
        let mut properties = properties::write(&envelope.header)?;
        // The broker refuses any user other than that of the connection.
        if envelope.header.user.is_some()
            && let Some(user) = properties::short("user", user.unwrap_or_default())?
        {
            properties = properties.with_user_id(user);
        }
        Ok(Self {
            exchange: properties::short("exchange name", &route.exchange)?.unwrap_or_else(|| "".into()),
            routing_key: properties::short("routing key", &route.routing_key)?.unwrap_or_else(|| "".into()),
            mandatory: route.mandatory,
            properties,
            body: envelope.body,
        })
    }

    fn outcome(
        &self,
        confirm: &Result<Confirmation, lapin::Error>,
        returned: &[BasicReturnMessage],
    ) -> Result<(), BrokerError> {
        match confirm {
            Err(error) => Err(fault::on_channel(error)),
            Ok(Confirmation::Nack(_)) => {
                let (exchange, routing_key) = (self.exchange.to_string(), self.routing_key.to_string());
                Err(BrokerError::Nacked { exchange, routing_key })
            }
            Ok(Confirmation::NotRequested) => Err(BrokerError::Closed),
            Ok(Confirmation::Ack(_)) if self.mandatory && returned.iter().any(|r| self.matches(r)) => {
                let (exchange, routing_key) = (self.exchange.to_string(), self.routing_key.to_string());
                Err(BrokerError::Unroutable { exchange, routing_key })
            }
            Ok(Confirmation::Ack(_)) => Ok(()),
        }
    }

    fn matches(&self, returned: &BasicReturnMessage) -> bool {
        self.exchange == returned.exchange && self.routing_key == returned.routing_key
    }
}

/// One channel and its windows.
struct PublishLane {
    channel: Channel,
    /// The connection to open another channel on; `None` if this channel cannot be replaced.
    connection: Option<Arc<Connection>>,
    closed: CancellationToken,
}

impl PublishLane {
    /// Sends windows until all publishers are dropped or the connection ends.
    async fn run(mut self, line: Arc<Mutex<mpsc::Receiver<Batch>>>) {
        let closed = self.closed.clone();
        let carrying = async {
            while let Some(window) = next_window(&line).await {
                self.carry(window).await;
            }
        };
        // Dropping `carrying` is safe: the callers of its window learn from their closed channels that the connection has ended.
        tokio::select! {
            () = carrying => {}
            () = closed.cancelled() => {}
        }
    }

    async fn carry(&mut self, mut window: Vec<Batch>) {
        // Nothing of the window was sent yet. A caller that gave up may have published again, and a late copy would only be a duplicate.
        window.retain(|batch| !batch.reply.is_closed());
        if window.is_empty() {
            return;
        }
        let outcomes = match self.ensure_open().await {
            Ok(()) => send(&self.channel, &window).await,
            Err(closed) => vec![Err(closed); window.len()],
        };
        let alone = window.len() == 1;
        let refused = !self.channel.status().connected();
        for (batch, mut outcome) in window.into_iter().zip(outcomes) {
            // The broker refused one of several batches and closed the channel; which one is unknown. Each is sent again on its own, so
            // that only the refused one fails. Batches that had arrived are duplicated, which consumers must tolerate anyway.
            if outcome.is_err() && refused && !alone {
                outcome = match self.ensure_open().await {
                    Ok(()) => send(&self.channel, std::slice::from_ref(&batch)).await.pop().unwrap_or(Ok(())),
                    Err(closed) => Err(closed),
                };
            }
            // The caller may have stopped waiting.
            let _ = batch.reply.send(outcome);
        }
    }

    async fn ensure_open(&mut self) -> Result<(), BrokerError> {
        if self.channel.status().connected() {
            return Ok(());
        }
        if let Some(connection) = &self.connection
            && let Ok(channel) = confirming_channel(connection).await
        {
            self.channel = channel;
            return Ok(());
        }
        // The lane cannot go on: everything ends, so that the supervisor opens a new connection.
        self.closed.cancel();
        Err(BrokerError::Closed)
    }
}

/// Returns the next window: the first batch in the queue and those queued behind it, up to the limits.
async fn next_window(line: &Mutex<mpsc::Receiver<Batch>>) -> Option<Vec<Batch>> {
    let mut line = line.lock().await;
    let first = line.recv().await?;
    let (mut messages, mut bytes) = (first.messages.len(), first.bytes());
    let mut window = vec![first];
    while messages < WINDOW_MESSAGES
        && bytes < WINDOW_BYTES
        && let Ok(next) = line.try_recv()
    {
        messages += next.messages.len();
        bytes += next.bytes();
        window.push(next);
    }
    Some(window)
}

/// Sends a window and waits for its confirms; returns one outcome per batch.
async fn send(channel: &Channel, window: &[Batch]) -> Vec<Result<(), BrokerError>> {
    let messages = window.iter().flat_map(|batch| &batch.messages);
    // `join_all` polls in order, and the first poll of each publish queues its frames: messages are sent in the order given.
    let sent = future::join_all(messages.map(|message| publish(channel, message))).await;
    let confirms = future::join_all(sent.into_iter().map(async |sent| sent?.await)).await;
    let mut confirms = confirms;
    let returned: Vec<BasicReturnMessage> = confirms.iter_mut().filter_map(take_returned).collect();
    let mut rest = &confirms[..];
    let mut outcomes = Vec::with_capacity(window.len());
    for batch in window {
        let (confirms_of_batch, others) = rest.split_at(batch.messages.len());
        outcomes.push(batch.outcome(confirms_of_batch, &returned));
        rest = others;
    }
    outcomes
}

async fn publish(channel: &Channel, message: &OutgoingMessage) -> lapin::Result<lapin::PublisherConfirm> {
    let options = BasicPublishOptions { mandatory: message.mandatory, immediate: false };
    let (exchange, routing_key) = (message.exchange.clone(), message.routing_key.clone());
    channel.basic_publish(exchange, routing_key, options, &message.body, message.properties.clone()).await
}

fn take_returned(confirm: &mut Result<Confirmation, lapin::Error>) -> Option<BasicReturnMessage> {
    match confirm {
        Ok(Confirmation::Ack(returned) | Confirmation::Nack(returned)) => returned.take(),
        Ok(Confirmation::NotRequested) | Err(_) => None,
    }
}
