//! Direct reply-to: the broker answers on the channel that asked. So a few lanes publish *and* listen, and their answers meet in
//! one mailbox. An answer for a channel that has ended is lost, which is what the seam promises.

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

/// What the broker replaces by the address of the channel that published.
const ADDRESS: &str = "amq.rabbitmq.reply-to";
/// Channels that ask side by side. Chosen, not measured.
const LANES: usize = 2;

/// Channels whose messages can be answered directly; their addresses end with it.
pub struct RabbitReplies {
    publisher: Publisher,
    /// Filled by one task per lane; closed with the connection.
    answers: Arc<Mailbox<Envelope>>,
    /// Ends these tasks when the replies are dropped.
    _listening: DropGuard,
    _link: Arc<RabbitLink>,
}

impl RabbitConnection {
    pub(in crate::broker) async fn replies(&self) -> Result<RabbitReplies, BrokerError> {
        let answers = Arc::new(Mailbox::new());
        let listening = CancellationToken::new();
        let mut lanes = Vec::new();
        for _ in 0..LANES {
            let channel = self.link.confirming_channel().await?;
            let options = BasicConsumeOptions { no_ack: true, ..BasicConsumeOptions::default() };
            let consuming = channel.basic_consume(ADDRESS.into(), "".into(), options, FieldTable::default());
            let listener = ReplyListener {
                deliveries: self.link.ask(consuming).await?,
                answers: Arc::clone(&answers),
                closed: self.link.closed.clone(),
            };
            tokio::spawn(listener.run(listening.clone()));
            lanes.push(channel);
        }
        let publisher = Publisher::start(&self.link, lanes, false);
        Ok(RabbitReplies { publisher, answers, _listening: listening.drop_guard(), _link: Arc::clone(&self.link) })
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

/// The answers of one lane.
struct ReplyListener {
    deliveries: Consumer,
    answers: Arc<Mailbox<Envelope>>,
    closed: CancellationToken,
}

impl ReplyListener {
    async fn run(mut self, listening: CancellationToken) {
        tokio::select! {
            // Dropped: nobody listens any more, and the channel ends with its consumer.
            () = listening.cancelled() => return,
            () = self.closed.cancelled() => {}
            () = forward(&mut self.deliveries, &self.answers) => {}
        }
        // Answers that will never come must not be waited for.
        self.answers.close();
        self.closed.cancel();
    }
}

async fn forward(deliveries: &mut Consumer, answers: &Mailbox<Envelope>) {
    while let Some(Ok(delivery)) = deliveries.next().await {
        answers.push(properties::read(&delivery.properties, delivery.data));
    }
}
