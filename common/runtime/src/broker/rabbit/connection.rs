//! The two connections of a worker: one publishes, one consumes, so that acks still reach a broker that has stopped reading from
//! publishers. They are opened and ended together: whichever part notices an end ends the whole.

use std::fmt;
use std::sync::Arc;

use precis_proto::envelope::Envelope;

use super::answering::AnswerConnection;
use super::link::{RabbitLink, open};
use super::publisher::Publisher;
use super::settings::{CONSUMED_FRAME_BYTES, PUBLISHED_FRAME_BYTES, RabbitSettings};
use crate::broker::{BrokerError, Outgoing, Route};

/// Channels that publish in parallel; further callers queue and share a lane's next window. Chosen, not measured.
const LANES: usize = 4;

/// One worker's connection; clones are the same connection. It ends by `close`, by the broker, or when everything opened on it is
/// dropped.
#[derive(Clone)]
pub struct RabbitConnection {
    pub(super) link: Arc<RabbitLink>,
    publisher: Publisher,
    answering: Arc<AnswerConnection>,
    name: Arc<str>,
}

impl RabbitConnection {
    /// Opens both connections.
    ///
    /// # Errors
    /// [`BrokerError::Unreachable`] if no broker answers in time, [`BrokerError::Refused`] for wrong credentials, a missing virtual
    /// host or an invalid address.
    pub async fn connect(settings: &RabbitSettings) -> Result<Self, BrokerError> {
        let (publishing, consuming) = tokio::try_join!(
            open(settings, "publishing", PUBLISHED_FRAME_BYTES),
            open(settings, "consuming", CONSUMED_FRAME_BYTES)
        )?;
        let link = RabbitLink::new(publishing, consuming, settings.confirm_timeout, settings.user());
        let mut lanes = Vec::new();
        // From here on the link owns both connections: if a lane cannot be opened, dropping the link closes them.
        for _ in 0..LANES {
            lanes.push(link.confirming_channel().await?);
        }
        let publisher = Publisher::start(&link, lanes, true);
        let answering = Arc::new(AnswerConnection::new(settings.clone()));
        Ok(Self { link, publisher, answering, name: settings.connection_name.as_str().into() })
    }

    /// The connection name from its settings.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(in crate::broker) fn user(&self) -> Option<&str> {
        self.link.user.as_deref()
    }

    pub(in crate::broker) async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        self.publisher.publish_all(messages).await
    }

    pub(in crate::broker) async fn reply(&self, reply_to: &str, envelope: Envelope) -> Result<(), BrokerError> {
        // Not mandatory: the broker does not count a reply address as a queue and would return the message; a lost requester is not an
        // error.
        let route = Route { exchange: String::new(), routing_key: reply_to.to_owned(), mandatory: false };
        self.publish_all(vec![Outgoing { route, envelope }]).await
    }

    pub(in crate::broker) async fn answer_caller(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        if self.link.closed.is_cancelled() {
            return Err(BrokerError::Closed);
        }
        self.answering.answer(address, envelope).await
    }

    pub(in crate::broker) async fn wait_until_blocked(&self) -> String {
        let mut blocked = self.link.blocked.subscribe();
        match blocked.wait_for(Option::is_some).await.map(|reason| reason.clone()) {
            Ok(Some(reason)) => reason,
            // The link owns the sender, so the wait cannot fail.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    pub(in crate::broker) async fn wait_until_unblocked(&self) {
        // As above.
        let _ = self.link.blocked.subscribe().wait_for(Option::is_none).await;
    }

    pub(in crate::broker) async fn close(&self) {
        self.answering.close().await;
        self.link.end();
        self.link.ended.cancelled().await;
    }
}

impl fmt::Debug for RabbitConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitConnection")
            .field("name", &self.name)
            .field("open", &!self.link.closed.is_cancelled())
            .finish_non_exhaustive()
    }
}
