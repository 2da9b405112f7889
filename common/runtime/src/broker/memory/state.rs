//! The state of the broker and every change of it: a few map operations each, under the lock of `shared`, never across an await.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::change::Change;
use super::queue::{Arrival, GivenUp, MemoryQueue, MessageSettlement, QueuedMessage, Slot};
use super::routing::{BoundExchange, BoundMailbox, Target};
use crate::broker::error::AckError;
use crate::broker::mailbox::Mailbox;
use crate::broker::message::Death;
use crate::broker::reply_address::{direct_address, direct_node};
use crate::broker::topology::{DeadLetter, Topology};
use crate::broker::{BrokerError, QueueDepth};

/// The number of the only node, in direct reply addresses.
const NODE: u32 = 1;

/// The broker's state.
#[derive(Default)]
pub(super) struct BrokerState {
    pub(super) exchanges: HashMap<String, BoundExchange>,
    /// Sorted, so that the returns and deliveries of an ended connection happen in the same order in every run.
    pub(super) queues: BTreeMap<Arc<str>, MemoryQueue>,
    /// Open connections.
    connections: BTreeSet<u64>,
    /// Direct reply-to addresses; an entry ends with its channel or its connection.
    replies: HashMap<String, BoundMailbox>,
    /// One timer per queue with a message TTL; ends with the server.
    pub(super) timers: HashMap<Arc<str>, AbortOnDropHandle<()>>,
    /// Dead letters whose target does not exist yet: kept until a declaration creates it, because dead-lettering is at-least-once.
    pub(super) stranded: Vec<(DeadLetter, QueuedMessage)>,
    last_id: u64,
    /// Account of what is on disk; `None` for a broker in memory only.
    pub(super) on_disk: Option<OnDisk>,
}

/// What a broker with a journal keeps account of.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    /// Everything that is declared, except queues, which say it themselves.
    pub(super) declared: Topology,
    /// Changes beside those of the queues.
    pub(super) changes: Vec<Change>,
    /// Bytes of all messages, as [`journal_bytes`](super::change::journal_bytes) counts them.
    pub(super) live_bytes: u64,
    /// The journal can no longer be written: no connection may be open.
    pub(super) has_failed: bool,
}

/// The destination of a publish, separate from its message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address<'a> {
    pub(super) exchange: &'a str,
    pub(super) mandatory: bool,
}

impl BrokerState {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn open_connection(&mut self) -> u64 {
        let id = self.next_id();
        // A connection that is not entered counts as closed: a journal that cannot be written looks to its clients like a lost broker.
        if !self.on_disk.as_ref().is_some_and(|disk| disk.has_failed) {
            self.connections.insert(id);
        }
        id
    }

    /// # Errors
    /// [`BrokerError::Closed`] if the connection has ended.
    pub(super) fn check_open(&self, connection: u64) -> Result<(), BrokerError> {
        if self.connections.contains(&connection) { Ok(()) } else { Err(BrokerError::Closed) }
    }

    /// Accepts a message.
    ///
    /// # Errors
    /// [`BrokerError::Closed`], [`BrokerError::Refused`] for an unknown exchange, and [`BrokerError::Unroutable`].
    pub(super) fn publish(
        &mut self,
        connection: u64,
        to: Address<'_>,
        message: QueuedMessage,
    ) -> Result<(), BrokerError> {
        self.check_open(connection)?;
        if to.exchange.is_empty() && is_undecodable(&message.routing_key) {
            self.end_connection(connection);
            return Err(BrokerError::Closed);
        }
        let routing_key = Arc::clone(&message.routing_key);
        let routed = self.route(to.exchange, message)?;
        if routed.is_err() && to.mandatory {
            let (exchange, routing_key) = (to.exchange.to_owned(), routing_key.to_string());
            return Err(BrokerError::Unroutable { exchange, routing_key });
        }
        Ok(())
    }

    /// Routes a message through `exchange`; returns it if it has no target.
    fn route(&mut self, exchange: &str, message: QueuedMessage) -> Result<Result<(), QueuedMessage>, BrokerError> {
        if exchange.is_empty() {
            return Ok(self.route_by_name(message));
        }
        let Some(known) = self.exchanges.get(exchange) else {
            return Err(BrokerError::Refused(format!("no exchange `{exchange}`")));
        };
        let targets = known.targets(&message.routing_key);
        if targets.is_empty() {
            return Ok(Err(message));
        }
        for target in targets {
            match target {
                Target::Queue(name) => {
                    if let Some(queue) = self.queues.get_mut(&name) {
                        queue.push(message.clone());
                    }
                }
                Target::Listener(listener) => listener.mailbox.push(Arc::clone(&message.envelope)),
            }
        }
        Ok(Ok(()))
    }

    /// Routes through the default exchange. A direct reply-to address receives its message but does not count as a queue: a mandatory
    /// publish to it is both delivered and returned, as on RabbitMQ.
    fn route_by_name(&mut self, message: QueuedMessage) -> Result<(), QueuedMessage> {
        if let Some(queue) = self.queues.get_mut(&message.routing_key) {
            queue.push(message);
            return Ok(());
        }
        if let Some(asker) = self.replies.get(&*message.routing_key) {
            asker.mailbox.push(Arc::clone(&message.envelope));
        }
        Err(message)
    }

    /// Adds a consumer to `queue`; returns its id and its mailbox.
    pub(super) fn consume(
        &mut self,
        connection: u64,
        queue: &str,
        prefetch: u16,
    ) -> Result<ConsumerStart, BrokerError> {
        self.check_open(connection)?;
        let id = self.next_id();
        let Some((name, _)) = self.queues.get_key_value(queue) else { return Err(no_queue(queue)) };
        let name = Arc::clone(name);
        let mailbox = Arc::new(Mailbox::new());
        // In AMQP a prefetch of 0 means no limit; here every consumer has one.
        let slot = Slot { id, connection, prefetch: prefetch.max(1), holds: 0, mailbox: Arc::clone(&mailbox) };
        if let Some(queue) = self.queues.get_mut(&name) {
            queue.add_consumer(slot);
        }
        Ok(ConsumerStart { id, queue: name, mailbox })
    }

    /// Takes the next message of `queue` for a new consumer, which holds only this message and ends with it.
    pub(super) fn get(&mut self, connection: u64, queue: &str) -> Result<Option<SingleMessage>, BrokerError> {
        self.check_open(connection)?;
        let consumer = self.next_id();
        let Some((name, _)) = self.queues.get_key_value(queue) else { return Err(no_queue(queue)) };
        let name = Arc::clone(name);
        let arrival = self.queues.get_mut(&name).and_then(|queue| queue.take(consumer, connection));
        Ok(arrival.map(|arrival| (name, consumer, arrival)))
    }

    pub(super) fn cancel(&mut self, queue: &str, consumer: u64) {
        let Some(known) = self.queues.get_mut(queue) else { return };
        let given_up = known.cancel(consumer);
        self.bury(queue, given_up);
    }

    /// Settles a delivery.
    ///
    /// # Errors
    /// [`AckError`] if the consumer no longer holds it.
    pub(super) fn settle(
        &mut self,
        queue: &str,
        sequence: u64,
        consumer: u64,
        how: MessageSettlement,
    ) -> Result<(), AckError> {
        let given_up = self.queues.get_mut(queue).ok_or(AckError)?.settle(sequence, consumer, how)?;
        self.bury(queue, given_up);
        Ok(())
    }

    /// Opens a direct reply-to address that ends with `connection`.
    pub(super) fn open_replies(&mut self, connection: u64) -> Result<(String, BoundMailbox), BrokerError> {
        self.check_open(connection)?;
        let listener = BoundMailbox { id: self.next_id(), connection, mailbox: Arc::new(Mailbox::new()) };
        let address = direct_address(NODE, listener.id);
        self.replies.insert(address.clone(), listener.clone());
        Ok((address, listener))
    }

    pub(super) fn close_replies(&mut self, address: &str) {
        if let Some(listener) = self.replies.remove(address) {
            listener.mailbox.close();
        }
    }

    /// Binds a new subscription that ends with `connection`.
    pub(super) fn subscribe(
        &mut self,
        connection: u64,
        exchange: &str,
        key: &str,
    ) -> Result<BoundMailbox, BrokerError> {
        self.check_open(connection)?;
        let listener = BoundMailbox { id: self.next_id(), connection, mailbox: Arc::new(Mailbox::new()) };
        let Some(known) = self.exchanges.get_mut(exchange) else {
            return Err(BrokerError::Refused(format!("no exchange `{exchange}`")));
        };
        known.bind(key, Target::Listener(listener.clone()));
        Ok(listener)
    }

    pub(super) fn unsubscribe(&mut self, exchange: &str, listener: u64) {
        if let Some(exchange) = self.exchanges.get_mut(exchange) {
            exchange.unbind_listeners(|l| l.id == listener);
        }
    }

    /// # Errors
    /// [`BrokerError::Refused`] if there is no such queue.
    pub(super) fn depth(&self, queue: &str) -> Result<QueueDepth, BrokerError> {
        let queue = self.queues.get(queue).ok_or_else(|| no_queue(queue))?;
        let (ready, unacked) = queue.depth();
        Ok(QueueDepth { ready: ready as u64, unacked: Some(unacked as u64), consumers: queue.consumers() as u64 })
    }

    /// Ends a connection: its consumers, subscriptions and reply addresses end, held messages return to their queues. Idempotent.
    pub(super) fn end_connection(&mut self, connection: u64) {
        if self.connections.remove(&connection) {
            self.end_connections(&BTreeSet::from([connection]));
        }
    }

    pub(super) fn end_all_connections(&mut self) {
        let all = std::mem::take(&mut self.connections);
        self.end_connections(&all);
    }

    /// Ends everything of the connections in `gone` before anything is delivered again: a returned message or dead letter must not go
    /// to a consumer that is about to end, which would count a delivery that nobody received.
    fn end_connections(&mut self, gone: &BTreeSet<u64>) {
        for exchange in self.exchanges.values_mut() {
            for listener in exchange.unbind_listeners(|l| gone.contains(&l.connection)) {
                listener.mailbox.close();
            }
        }
        for (_, listener) in self.replies.extract_if(|_, listener| gone.contains(&listener.connection)) {
            listener.mailbox.close();
        }
        let names: Vec<Arc<str>> = self.queues.keys().cloned().collect();
        let ended = |queue: &mut MemoryQueue| queue.end_connections(gone);
        let given_up: Vec<Vec<GivenUp>> = self.queues.values_mut().map(ended).collect();
        for (name, theirs) in names.iter().zip(given_up) {
            self.bury(name, theirs);
        }
        self.queues.values_mut().for_each(MemoryQueue::deliver);
    }

    /// Expires due messages of `queue`; returns when the next one expires, and the signal that announces an earlier one. `None` if
    /// there is no such queue.
    pub(super) fn expire(&mut self, queue: &str, now: Instant) -> Option<(Option<Instant>, Arc<Notify>)> {
        let known = self.queues.get_mut(queue)?;
        let (expired, next) = known.expire(now);
        let first_changed = Arc::clone(&known.first_changed);
        self.bury(queue, expired);
        Some((next, first_changed))
    }

    /// Sends messages given up by `queue` along its dead-letter route; without a route they are dropped.
    pub(super) fn bury(&mut self, queue: &str, given_up: impl IntoIterator<Item = GivenUp>) {
        for GivenUp { message, reason } in given_up {
            let Some(route) = self.queues.get(queue).and_then(|q| q.arguments.dead_letter.clone()) else { return };
            let death = Arc::new(Death { reason: reason.to_string(), queue: queue.to_owned() });
            let routing_key = route.routing_key.as_deref().map_or(message.routing_key, Arc::from);
            self.send_dead_letter(route, QueuedMessage { routing_key, death: Some(death), ..message });
        }
    }

    pub(super) fn send_dead_letter(&mut self, route: DeadLetter, message: QueuedMessage) {
        let kept = message.clone();
        if !matches!(self.route(&route.exchange, message), Ok(Ok(()))) {
            // In the journal too: it has left its queue there, and a restart must not lose it.
            if let Some(disk) = &mut self.on_disk {
                disk.changes.push(Change::Strand(route.clone(), kept.clone()));
            }
            self.stranded.push((route, kept));
        }
    }
}

/// A message got singly: its queue, its consumer id, and the message.
pub(super) type SingleMessage = (Arc<str>, u64, Arrival);

/// What a new consumer receives.
#[derive(Debug)]
pub(super) struct ConsumerStart {
    pub(super) id: u64,
    pub(super) queue: Arc<str>,
    pub(super) mailbox: Arc<Mailbox<Arrival>>,
}

/// Whether a routing key is a direct reply address that this broker cannot decode or whose node it does not know. RabbitMQ 3.10 to 4.1
/// close the connection that publishes to one.
fn is_undecodable(routing_key: &str) -> bool {
    routing_key.starts_with("amq.rabbitmq.reply-to.") && direct_node(routing_key) != Some(NODE)
}

fn no_queue(queue: &str) -> BrokerError {
    BrokerError::Refused(format!("no queue `{queue}`"))
}
