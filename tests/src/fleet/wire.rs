//! Everything that passes a broker, as somebody sees who listens to all of it: bodies unpacked, properties as text. RabbitMQ's
//! firehose copies each message that is published and each that is delivered.

use std::time::Duration;

use bytes::Bytes;
use lapin::options::{BasicGetOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, Connection, ConnectionProperties};
use precis_proto::envelope::{Envelope, Header, ZSTD};

use super::shared_servers::SharedServers;

/// Where RabbitMQ puts the copies.
const FIREHOSE: &str = "amq.rabbitmq.trace";
/// How long nothing more may come until all has come.
const QUIET: Duration = Duration::from_millis(500);
/// What zstd begins with.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A message as it passed.
#[derive(Debug, Clone)]
pub struct Passed {
    /// Exchange it was published to; empty for the default one, and for a delivery.
    pub exchange: String,
    /// Properties, headers and routing, one `name=value` a line.
    pub properties: String,
    /// The body, unpacked.
    pub body: String,
}

/// A tap on the broker of shared servers. Ends with the value.
#[derive(Debug)]
pub struct Wire {
    channel: Channel,
    queue: ShortString,
    _connection: Connection,
}

impl Wire {
    /// Taps the broker; what passed before is not heard.
    ///
    /// # Panics
    /// Where the broker does not allow it.
    pub async fn tap(servers: &SharedServers) -> Self {
        Self::tap_routes(servers, "#").await
    }

    /// The same for what has one of these `routes`, a pattern of topic exchanges: `publish.EXCHANGE`, `deliver.QUEUE`.
    ///
    /// # Panics
    /// As [`Wire::tap`].
    pub async fn tap_routes(servers: &SharedServers, routes: &str) -> Self {
        let told = servers.rabbit.control(&["trace_on"]).await;
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let address = servers.rabbit.address();
        let connection = Connection::connect(address.expose(), ConnectionProperties::default()).await;
        let connection = connection.expect("the broker answers");
        let channel = connection.create_channel().await.expect("a channel");
        let (none, own) = (FieldTable::default(), QueueDeclareOptions { exclusive: true, ..<_>::default() });
        let queue = channel.queue_declare("".into(), own, none.clone()).await.expect("a queue").name().clone();
        let options = QueueBindOptions::default();
        let bound = channel.queue_bind(queue.clone(), FIREHOSE.into(), routes.into(), options, none).await;
        bound.expect("a binding");
        Self { channel, queue, _connection: connection }
    }

    /// What has passed since the last look, in order; waits until nothing more comes.
    ///
    /// # Panics
    /// Where the broker has gone.
    pub async fn passed(&self) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut was_quiet = false;
        loop {
            let options = BasicGetOptions { no_ack: true };
            match self.channel.basic_get(self.queue.clone(), options).await.expect("the broker answers") {
                Some(message) => {
                    was_quiet = false;
                    passed.push(read(&message.delivery.properties, message.delivery.data));
                }
                None if was_quiet => return passed,
                None => {
                    was_quiet = true;
                    tokio::time::sleep(QUIET).await;
                }
            }
        }
    }
}

fn read(properties: &lapin::BasicProperties, data: Vec<u8>) -> Passed {
    let exchange = properties.headers().as_ref().and_then(|headers| match headers.inner().get("exchange_name") {
        Some(AMQPValue::LongString(name)) => Some(name.to_string()),
        _ => None,
    });
    let packed = data.starts_with(&ZSTD_MAGIC);
    let header = Header { content_encoding: packed.then(|| ZSTD.to_owned()), ..Header::default() };
    let body = Envelope { header, body: Bytes::from(data) };
    let plain = body.plain_body().unwrap_or_else(|_| body.body.clone());
    Passed {
        exchange: exchange.unwrap_or_default(),
        properties: properties.headers().as_ref().map(table).unwrap_or_default(),
        body: String::from_utf8_lossy(&plain).into_owned(),
    }
}

fn table(fields: &FieldTable) -> String {
    let field = |(name, value): (_, &AMQPValue)| format!("{name}={}", text(value));
    fields.inner().iter().map(field).collect::<Vec<_>>().join("\n")
}

fn text(value: &AMQPValue) -> String {
    match value {
        AMQPValue::LongString(text) => text.to_string(),
        AMQPValue::ShortString(text) => text.to_string(),
        AMQPValue::FieldTable(fields) => table(fields),
        AMQPValue::FieldArray(values) => values.as_slice().iter().map(text).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}
