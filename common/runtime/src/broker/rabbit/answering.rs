//! Replies to callers over direct reply-to, on a separate connection.
//!
//! RabbitMQ closes the connection that publishes to a direct reply address whose node it does not know: a node that left the cluster,
//! or one that a caller invented. That must not end deliveries, so this connection consumes nothing; and only one reply is in flight at
//! a time, so that a bad address cannot take another reply down with it.

use lapin::options::BasicPublishOptions;
use lapin::{Channel, Connection};
use precis_proto::envelope::Envelope;
use tokio::sync::Mutex;

use super::link::{SUCCESS, confirming_channel, open};
use super::settings::{PUBLISHED_FRAME_BYTES, RabbitSettings};
use super::{fault, properties};
use crate::broker::BrokerError;

/// Opened with the first reply, and again after an address has ended it.
pub(super) struct AnswerConnection {
    settings: RabbitSettings,
    /// Locked while a reply is in flight.
    open: Mutex<Option<(Connection, Channel)>>,
}

impl AnswerConnection {
    pub(super) fn new(settings: RabbitSettings) -> Self {
        Self { settings, open: Mutex::default() }
    }

    /// Publishes `envelope` to `address` and waits for the confirm. If the address ends the connection, it has no requester, and that
    /// is not an error.
    ///
    /// # Errors
    /// As connecting; [`BrokerError::Refused`] for an address longer than AMQP allows.
    pub(super) async fn answer(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        let routing_key = properties::short("reply address", address)?.unwrap_or_default();
        let properties = properties::write(&envelope.header)?;
        let mut slot = self.open.lock().await;
        // Taken out while it is in use: a reply that is cancelled at an await leaves the slot empty, and the next one opens a new
        // connection instead of publishing behind an unfinished reply.
        let (connection, channel) = match slot.take().filter(|(_, channel)| channel.status().connected()) {
            Some(open) => open,
            None => {
                let connection = open(&self.settings, "answering", PUBLISHED_FRAME_BYTES).await?;
                let channel = confirming_channel(&connection).await.map_err(|e| fault::on_channel(&e))?;
                (connection, channel)
            }
        };
        let options = BasicPublishOptions { mandatory: false, immediate: false };
        let publishing =
            async { channel.basic_publish("".into(), routing_key, options, &envelope.body, properties).await?.await };
        match tokio::time::timeout(self.settings.confirm_timeout, publishing).await {
            // Put back only after a confirm: after an error or a timeout the connection is dropped, and the next reply opens a new one.
            Ok(Ok(_)) => *slot = Some((connection, channel)),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the broker rejected the direct reply address of a caller; no reply sent")
            }
            Err(_) => tracing::warn!("the broker did not confirm a direct reply to a caller"),
        }
        Ok(())
    }

    pub(super) async fn close(&self) {
        if let Some((connection, _)) = self.open.lock().await.take() {
            // Best effort: the connection may already be lost.
            let goodbye = connection.close(SUCCESS, "OK".into());
            let _ = tokio::time::timeout(std::time::Duration::from_secs(2), goodbye).await;
        }
    }
}
