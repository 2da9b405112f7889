//! Direct reply-to: the broker delivers replies on the channel that published the request. A few lanes therefore publish *and* consume,
//! and their replies go into one mailbox. A reply for a channel that has ended is lost, as [`crate::broker`] states.

use std::fmt;
use std::sync::Arc;

use futures_util::StreamExt;
use lapin::Consumer;
use lapin::options::BasicConsumeOptions;
use lapin::types::FieldTable;
use precis_proto::envelope::Envelope;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::connection::RabbitConnection;
use super::link::RabbitLink;
use super::properties;
use super::publisher::Publisher;
use crate::broker::mailbox::Mailbox;
use crate::broker::{BrokerError, Outgoing};

/// The broker replaces this with the address of the publishing channel.
const ADDRESS: &str = "amq.rabbitmq.reply-to";
/// Channels that publish requests in parallel. Chosen, not measured.
const LANES: usize = 2;

/// Channels that receive direct replies to their messages; their addresses end with them.
pub struct RabbitReplies {
    publisher: Publisher,
    /// Filled by one task per lane; closed with the connection.
    answers: Arc<Mailbox<Envelope>>,
    /// Ends these tasks when this is dropped.
    _listening: DropGuard,
    _link: Arc<RabbitLink>,
}

impl RabbitConnection {
    pub(in crate::broker) async fn replies(&self) -> Result<RabbitReplies, BrokerError> {
        let answers = Arc::new(Mailbox::new());
        let listening = CancellationToken::new();
        // Before the first task is started: if this is dropped at one of the awaits below, the tasks started by then end too.
        let ends_with_this = listening.clone().drop_guard();
        let mut lanes = Vec::new();
        for _ in 0..LANES {
            let channel = self.link.confirming_channel().await?;
            let options = BasicConsumeOptions { no_ack: true, ..BasicConsumeOptions::default() };
            let consuming = channel.basic_consume(ADDRESS.into(), "".into(), options, FieldTable::default());
            let listener = ReplyListener {
                deliveries: self.link.request(consuming).await?,
                answers: Arc::clone(&answers),
                closed: self.link.closed.clone(),
            };
            tokio::spawn(listener.run(listening.clone()));
            lanes.push(channel);
        }
        let publisher = Publisher::start(&self.link, lanes, false);
        Ok(RabbitReplies { publisher, answers, _listening: ends_with_this, _link: Arc::clone(&self.link) })
    }
}

impl RabbitReplies {
    pub(in crate::broker) fn address(&self) -> &str {
        ADDRESS
    }

    pub(in crate::broker) async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        self.publisher.publish_all(messages).await
    }

    pub(in crate::broker) async fn next(&self) -> Option<Envelope> {
        self.answers.next().await
    }
}

impl fmt::Debug for RabbitReplies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitReplies").finish_non_exhaustive()
    }
}

/// The reply consumer of one lane.
struct ReplyListener {
    deliveries: Consumer,
    answers: Arc<Mailbox<Envelope>>,
    closed: CancellationToken,
}

impl ReplyListener {
    async fn run(mut self, listening: CancellationToken) {
        tokio::select! {
            // Replies dropped: nobody reads them any more, and the channel ends with its consumer.
            () = listening.cancelled() => return,
            () = self.closed.cancelled() => {}
            () = forward(&mut self.deliveries, &self.answers) => {}
        }
        // No further reply can arrive: wake the readers instead of letting them wait.
        self.answers.close();
        self.closed.cancel();
    }
}

async fn forward(deliveries: &mut Consumer, answers: &Mailbox<Envelope>) {
    while let Some(Ok(delivery)) = deliveries.next().await {
        answers.push(properties::read(&delivery.properties, delivery.data));
    }
}
