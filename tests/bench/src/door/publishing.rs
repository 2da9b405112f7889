//! The requests of a door, published over AMQP as its callers would without it.

use precis_proto::envelope::{Envelope, Header, message_type};
use precis_runtime::broker::{Broker, Outgoing, RabbitConnection, RabbitSettings, Route, names};
use precis_tests::servers::rabbit::RabbitServer;

use super::sessions::request;

/// A connection that publishes as the program does.
///
/// # Errors
/// If the broker is not there.
pub async fn connect(rabbit: &RabbitServer) -> Result<Broker, String> {
    let connected = RabbitConnection::connect(&RabbitSettings::new(rabbit.address())).await;
    connected.map(Broker::Rabbit).map_err(|e| e.to_string())
}

/// Publishes a request of `sources` for a new session, and waits until the broker has stored it.
///
/// # Errors
/// If it does not take it.
pub async fn publish(broker: &Broker, sources: usize) -> Result<(), String> {
    let mut body: serde_json::Value = serde_json::from_str(&request(sources)).map_err(|e| e.to_string())?;
    let id = format!("bench-{:032x}", rand::random::<u128>());
    body["session_id"] = id.clone().into();
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: id.clone(),
        correlation_id: id,
        ..Header::default()
    };
    let envelope = Envelope::encode(header, &body).map_err(|e| e.to_string())?;
    let route =
        Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
    broker.publish(Outgoing { route, envelope }).await.map_err(|e| e.to_string())
}
