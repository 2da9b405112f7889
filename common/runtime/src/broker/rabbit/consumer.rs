//! Deliveries: one channel per consumer, because prefetch and acks belong to the channel; and single gets for operators.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use lapin::Channel;
use lapin::options::{BasicCancelOptions, BasicConsumeOptions, BasicGetOptions, BasicNackOptions, BasicQosOptions};
use lapin::types::FieldTable;

use super::connection::RabbitConnection;
use super::link::RabbitLink;
use super::properties;
use super::tag::RabbitTag;
use crate::broker::BrokerError;
use crate::broker::delivery::{Delivery, Tag};

/// Time limit for returning what a dropped consumer had not taken.
const GIVING_BACK: Duration = Duration::from_secs(10);

/// A consumer of one queue. Dropping it stops deliveries: those not taken go back to the queue, those taken stay held.
pub struct RabbitConsumer {
    queue: String,
    channel: Channel,
    deliveries: lapin::Consumer,
    link: Arc<RabbitLink>,
}

impl RabbitConnection {
    pub(in crate::broker) async fn consume(&self, queue: &str, prefetch: u16) -> Result<RabbitConsumer, BrokerError> {
        let name = properties::short("queue name", queue)?.unwrap_or_default();
        let channel = self.link.consuming_channel().await?;
        // Without a limit the client library would buffer the whole queue; 0 means no limit.
        let limit = channel.basic_qos(prefetch.max(1), BasicQosOptions::default());
        self.link.request(limit).await?;
        let consuming = channel.basic_consume(name, "".into(), BasicConsumeOptions::default(), FieldTable::default());
        let deliveries = self.link.request(consuming).await?;
        Ok(RabbitConsumer { queue: queue.to_owned(), channel, deliveries, link: Arc::clone(&self.link) })
    }

    /// Takes one message of `queue`. All messages got are held by one channel, which a refused get closes.
    pub(in crate::broker) async fn get(&self, queue: &str) -> Result<Option<Delivery>, BrokerError> {
        let name = properties::short("queue name", queue)?.unwrap_or_default();
        let mut gets = self.link.gets.lock().await;
        // Taken out while it is in use: after a refusal, which closes it, and after a cancelled get the next one opens a new channel.
        let channel = match gets.take() {
            Some(open) => open,
            None => self.link.consuming_channel().await?,
        };
        let got = self.link.request(channel.basic_get(name, BasicGetOptions::default())).await?;
        *gets = Some(channel.clone());
        Ok(got.map(|message| new_delivery(&self.link, &channel, queue, message.delivery)))
    }
}

impl RabbitConsumer {
    pub(in crate::broker) async fn next(&mut self) -> Option<Delivery> {
        tokio::select! {
            // Closed first: deliveries still buffered are back in the queue by then, and their acks would fail.
            biased;
            () = self.link.closed.cancelled() => None,
            delivery = self.deliveries.next() => match delivery {
                Some(Ok(delivery)) => Some(new_delivery(&self.link, &self.channel, &self.queue, delivery)),
                // Only the broker ends a consumer that is still in use: its queue was deleted, or a delivery exceeded the consumer
                // timeout.
                Some(Err(_)) | None => {
                    tracing::warn!(queue = self.queue, "the broker ended a consumer; closing the connection");
                    self.link.end();
                    None
                }
            }
        }
    }
}

impl Drop for RabbitConsumer {
    fn drop(&mut self) {
        // Without a runtime the process is ending, and the connection with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.link.closed.is_cancelled() {
            // Spawned, because a drop cannot wait. Nobody waits for the task: `GIVING_BACK` and the end of the connection limit it.
            runtime.spawn(give_back(self.channel.clone(), self.deliveries.clone()));
        }
    }
}

impl fmt::Debug for RabbitConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitConsumer").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// Stops deliveries, then returns those that arrived and were not taken. If that fails, they are returned when the channel ends.
async fn give_back(channel: Channel, mut deliveries: lapin::Consumer) {
    let giving_back = async {
        channel.basic_cancel(deliveries.tag(), BasicCancelOptions::default()).await?;
        // The stream ends once the broker has confirmed the cancel: until then further deliveries may arrive.
        while let Some(Ok(delivery)) = deliveries.next().await {
            delivery.nack(BasicNackOptions { multiple: false, requeue: true }).await?;
        }
        Ok::<(), lapin::Error>(())
    };
    // Best effort, within the time limit.
    let _ = tokio::time::timeout(GIVING_BACK, giving_back).await;
}

fn new_delivery(
    link: &Arc<RabbitLink>,
    channel: &Channel,
    queue: &str,
    delivery: lapin::message::Delivery,
) -> Delivery {
    Delivery {
        queue: queue.to_owned(),
        redelivered: delivery.redelivered,
        delivery_count: properties::delivery_count(&delivery.properties),
        death: properties::death(&delivery.properties),
        tag: Tag::Rabbit(RabbitTag { acker: delivery.acker, _channel: channel.clone(), link: Arc::clone(link) }),
        envelope: properties::read(&delivery.properties, delivery.data),
    }
}
