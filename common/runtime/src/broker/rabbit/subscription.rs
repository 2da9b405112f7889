//! Subscriptions to an exchange: an exclusive queue that the broker names and deletes with its connection; nothing to ack.

use std::fmt;
use std::sync::Arc;

use futures_util::StreamExt;
use lapin::options::{BasicConsumeOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use precis_proto::envelope::Envelope;

use super::connection::RabbitConnection;
use super::link::RabbitLink;
use super::properties;
use crate::broker::BrokerError;

/// A subscription to an exchange; ends with its connection, or when it is dropped.
pub struct RabbitSubscription {
    deliveries: lapin::Consumer,
    link: Arc<RabbitLink>,
}

impl RabbitConnection {
    pub(in crate::broker) async fn subscribe(
        &self,
        exchange: &str,
        key: &str,
    ) -> Result<RabbitSubscription, BrokerError> {
        let name = |text: &str| properties::short("name", text).map(Option::unwrap_or_default);
        let (exchange, key) = (name(exchange)?, name(key)?);
        let channel = self.link.consuming_channel().await?;
        let options = QueueDeclareOptions { exclusive: true, auto_delete: true, ..QueueDeclareOptions::default() };
        let declaring = channel.queue_declare("".into(), options, FieldTable::default());
        let queue = self.link.request(declaring).await?.name().clone();
        let binding =
            channel.queue_bind(queue.clone(), exchange, key, QueueBindOptions::default(), FieldTable::default());
        self.link.request(binding).await?;
        let options = BasicConsumeOptions { no_ack: true, exclusive: true, ..BasicConsumeOptions::default() };
        let consuming = channel.basic_consume(queue, "".into(), options, FieldTable::default());
        let deliveries = self.link.request(consuming).await?;
        Ok(RabbitSubscription { deliveries, link: Arc::clone(&self.link) })
    }
}

impl RabbitSubscription {
    pub(in crate::broker) async fn next(&mut self) -> Option<Envelope> {
        tokio::select! {
            // Closed first: a reader that always finds buffered messages would not see the end until it has read them all.
            biased;
            () = self.link.closed.cancelled() => None,
            delivery = self.deliveries.next() => match delivery {
                Some(Ok(delivery)) => Some(properties::read(&delivery.properties, delivery.data)),
                Some(Err(_)) | None => {
                    self.link.end();
                    None
                }
            }
        }
    }
}

impl fmt::Debug for RabbitSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitSubscription").finish_non_exhaustive()
    }
}
