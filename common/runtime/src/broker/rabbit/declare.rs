//! Declares a topology, checks it, and counts waiting messages. Each check uses a channel of its own, because a refusal closes the
//! channel.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, ExchangeKind};

use super::connection::RabbitConnection;
use super::properties;
use crate::broker::topology::{self, Binding, Exchange, Queue, Topology};
use crate::broker::{BrokerError, QueueDepth};

/// Stands for no delivery limit: 3.10 has none by default, 4.x gives up after 20 unless configured otherwise, and only 4.x accepts -1.
const NO_DELIVERY_LIMIT: i64 = 1_000_000_000;

impl RabbitConnection {
    pub(in crate::broker) async fn declare(&self, topology: &Topology) -> Result<(), BrokerError> {
        let channel = self.link.request_channel().await?;
        for exchange in &topology.exchanges {
            self.declare_exchange(&channel, exchange, false)
                .await
                .map_err(|e| with_object_name("exchange", &exchange.name, e))?;
        }
        for queue in &topology.queues {
            self.declare_queue(&channel, queue, false).await.map_err(|e| with_object_name("queue", &queue.name, e))?;
        }
        for binding in &topology.bindings {
            self.bind(&channel, binding).await.map_err(|e| with_object_name("binding of queue", &binding.queue, e))?;
        }
        Ok(())
    }

    /// Returns what is missing from `topology`, differs or cannot be checked, one sentence each; declares nothing. Bindings cannot be
    /// checked.
    pub(in crate::broker) async fn check(&self, topology: &Topology) -> Result<Vec<String>, BrokerError> {
        let mut faults = Vec::new();
        for exchange in &topology.exchanges {
            collect(&mut faults, "exchange", &exchange.name, self.check_exchange(exchange).await)?;
        }
        for queue in &topology.queues {
            collect(&mut faults, "queue", &queue.name, self.check_queue(queue).await)?;
        }
        Ok(faults)
    }

    /// Checks passively first: a declaration with its kind would create a missing exchange.
    async fn check_exchange(&self, exchange: &Exchange) -> Result<(), BrokerError> {
        self.declare_exchange(&self.link.request_channel().await?, exchange, true).await?;
        let channel = self.link.request_channel().await?;
        ignore_access_refused(self.declare_exchange(&channel, exchange, false).await)
    }

    /// Checks passively first: a declaration with its arguments would create a missing queue.
    async fn check_queue(&self, queue: &Queue) -> Result<(), BrokerError> {
        self.declare_queue(&self.link.request_channel().await?, queue, true).await?;
        let channel = self.link.request_channel().await?;
        ignore_access_refused(self.declare_queue(&channel, queue, false).await)
    }

    /// Returns the number of waiting messages. The protocol does not report how many are held.
    pub(in crate::broker) async fn depth(&self, queue: &str) -> Result<QueueDepth, BrokerError> {
        let channel = self.link.request_channel().await?;
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::durable() };
        let asking = channel.queue_declare(name(queue)?, options, FieldTable::default());
        let queue = self.link.request(asking).await?;
        let (ready, consumers) = (queue.message_count().into(), queue.consumer_count().into());
        Ok(QueueDepth { ready, unacked: None, consumers })
    }

    async fn declare_exchange(&self, channel: &Channel, exchange: &Exchange, passive: bool) -> Result<(), BrokerError> {
        let kind = match exchange.kind {
            topology::ExchangeKind::Direct => ExchangeKind::Direct,
            topology::ExchangeKind::Topic => ExchangeKind::Topic,
            topology::ExchangeKind::Fanout => ExchangeKind::Fanout,
        };
        let options = ExchangeDeclareOptions { passive, durable: true, ..ExchangeDeclareOptions::default() };
        self.link.request(channel.exchange_declare(name(&exchange.name)?, kind, options, FieldTable::default())).await
    }

    async fn declare_queue(&self, channel: &Channel, queue: &Queue, passive: bool) -> Result<(), BrokerError> {
        let options = QueueDeclareOptions { passive, ..QueueDeclareOptions::durable() };
        self.link.request(channel.queue_declare(name(&queue.name)?, options, arguments(queue))).await.map(|_| ())
    }

    async fn bind(&self, channel: &Channel, binding: &Binding) -> Result<(), BrokerError> {
        let (queue, exchange, key) = (name(&binding.queue)?, name(&binding.exchange)?, name(&binding.key)?);
        let binding = channel.queue_bind(queue, exchange, key, QueueBindOptions::default(), FieldTable::default());
        self.link.request(binding).await
    }
}

/// The arguments a queue is declared with. Few, because they cannot be changed later.
fn arguments(queue: &Queue) -> FieldTable {
    let mut table = FieldTable::default();
    let mut text = |name: &str, value: &str| {
        table.insert(name.into(), AMQPValue::LongString(value.into()));
    };
    text("x-queue-type", "quorum");
    if let Some(route) = &queue.dead_letter {
        text("x-dead-letter-exchange", &route.exchange);
        if let Some(key) = &route.routing_key {
            text("x-dead-letter-routing-key", key);
        }
        // A dead letter is kept until its target has confirmed it; the broker offers that only for queues that reject publishes when
        // full.
        text("x-dead-letter-strategy", "at-least-once");
        text("x-overflow", "reject-publish");
    }
    let limit = queue.delivery_limit.map_or(NO_DELIVERY_LIMIT, i64::from);
    table.insert("x-delivery-limit".into(), AMQPValue::LongLongInt(limit));
    if let Some(ms) = queue.message_ttl_ms {
        table.insert("x-message-ttl".into(), AMQPValue::LongLongInt(i64::try_from(ms).unwrap_or(i64::MAX)));
    }
    table
}

fn name(text: &str) -> Result<ShortString, BrokerError> {
    properties::short("name", text).map(Option::unwrap_or_default)
}

/// Adds the name of the object to a refusal.
fn with_object_name(what: &str, name: &str, error: BrokerError) -> BrokerError {
    match error {
        BrokerError::Refused(reason) => BrokerError::Refused(format!("{what} `{name}`: {reason}")),
        other => other,
    }
}

/// Treats a missing permission as success: only users who may declare an object may check its arguments; for others it is enough that
/// it exists.
fn ignore_access_refused(result: Result<(), BrokerError>) -> Result<(), BrokerError> {
    match result {
        Err(BrokerError::Refused(reason)) if reason.starts_with("ACCESS_REFUSED") => Ok(()),
        result => result,
    }
}

fn collect(
    faults: &mut Vec<String>,
    what: &str,
    name: &str,
    result: Result<(), BrokerError>,
) -> Result<(), BrokerError> {
    match result.map_err(|e| with_object_name(what, name, e)) {
        Err(BrokerError::Refused(reason)) => faults.push(reason),
        result => result?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::DeadLetter;

    #[test]
    fn every_queue_is_a_limited_quorum_queue_with_confirmed_dead_letters() {
        for queue in Topology::standard().queues {
            let table = arguments(&queue);
            assert_eq!(table.inner().get("x-queue-type"), Some(&AMQPValue::LongString("quorum".into())));
            assert!(table.contains_key("x-delivery-limit"), "{}", queue.name);
            let safely = table.contains_key("x-dead-letter-strategy") && table.contains_key("x-overflow");
            assert_eq!(safely, queue.dead_letter.is_some(), "{}", queue.name);
        }
    }

    #[test]
    fn a_dead_letter_route_without_a_key_keeps_the_messages_own() {
        let dead_letter = Some(DeadLetter { exchange: String::new(), routing_key: None });
        let queue = Queue { name: "q".into(), delivery_limit: None, dead_letter, message_ttl_ms: Some(2_000) };
        let table = arguments(&queue);
        assert!(!table.contains_key("x-dead-letter-routing-key"));
        assert_eq!(table.inner().get("x-message-ttl"), Some(&AMQPValue::LongLongInt(2_000)));
    }
}
