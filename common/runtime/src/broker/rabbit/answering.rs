//! Answers to callers over direct reply-to, on a connection of its own.
//!
//! RabbitMQ ends the connection that publishes to a direct reply address whose node it does not know: a node that has left the
//! cluster, or one that a caller made up. Such an end must not take deliveries with it, so nothing is consumed here, and one answer
//! is under way at a time, so that none is lost with another's address.

use lapin::options::BasicPublishOptions;
use lapin::{Channel, Connection};
use precis_proto::envelope::Envelope;
use tokio::sync::Mutex;

use super::link::{SUCCESS, confirming_channel, open};
use super::settings::{PUBLISHED_FRAME_BYTES, RabbitSettings};
use super::{fault, properties};
use crate::broker::BrokerError;

/// Opened with the first answer, and again after an address has ended it.
pub(super) struct AnswerConnection {
    settings: RabbitSettings,
    /// Held while an answer is under way.
    open: Mutex<Option<(Connection, Channel)>>,
}

impl AnswerConnection {
    pub(super) fn new(settings: RabbitSettings) -> Self {
        Self { settings, open: Mutex::default() }
    }

    /// Publishes `envelope` to `address` and waits for the confirm. An address that ends the connection has nobody behind it.
    ///
    /// # Errors
    /// As connecting; [`BrokerError::Refused`] for an address longer than AMQP carries.
    pub(super) async fn answer(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        let routing_key = properties::short("reply address", address)?.unwrap_or_default();
        let properties = properties::write(&envelope.header)?;
        let mut place = self.open.lock().await;
        let (connection, channel) = match place.take().filter(|(_, channel)| channel.status().connected()) {
            Some(open) => open,
            None => {
                let connection = open(&self.settings, "answering", PUBLISHED_FRAME_BYTES).await?;
                let channel = confirming_channel(&connection).await.map_err(|e| fault::asked(&e))?;
                (connection, channel)
            }
        };
        let options = BasicPublishOptions { mandatory: false, immediate: false };
        let publishing =
            async { channel.basic_publish("".into(), routing_key, options, &envelope.body, properties).await?.await };
        match tokio::time::timeout(self.settings.confirm_timeout, publishing).await {
            Ok(Ok(_)) => *place = Some((connection, channel)),
            Ok(Err(error)) => tracing::warn!(%error, "the broker could not use a caller's direct reply address"),
            Err(_) => tracing::warn!("the broker did not confirm an answer to a caller's direct reply address"),
        }
        Ok(())
    }

    pub(super) async fn close(&self) {
        if let Some((connection, _)) = self.open.lock().await.take() {
            // What cannot be told goodbye is gone.
            let goodbye = connection.close(SUCCESS, "OK".into());
            let _ = tokio::time::timeout(std::time::Duration::from_secs(2), goodbye).await;
        }
    }
}
