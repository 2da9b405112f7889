//! The messages of one queue: their order, their holders, their redelivery counts, the next consumer.
//!
//! Plain data: no lock, no task. Messages given up are returned to the server, which routes dead letters.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::Envelope;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::broker::error::AckError;
use crate::broker::mailbox::Mailbox;
use crate::broker::message::Death;
use crate::broker::topology;

/// A message as the broker stores it; clones share the content.
#[derive(Debug, Clone)]
pub(super) struct QueuedMessage {
    pub(super) envelope: Arc<Envelope>,
    /// The key it was last published or dead-lettered with; kept if a dead-letter route names none.
    pub(super) routing_key: Arc<str>,
    /// The last time a queue gave it up.
    pub(super) death: Option<Arc<Death>>,
}

/// A message on its way to a consumer.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) message: QueuedMessage,
    /// Its position in the queue; identifies it when it is settled.
    pub(super) sequence: u64,
    /// How often it was redelivered.
    pub(super) returns: u32,
}

/// How a held message is settled.
#[derive(Debug, Clone, Copy)]
pub(super) enum MessageSettlement {
    Ack,
    Requeue,
    Reject,
}

/// A message that leaves a queue without an ack.
#[derive(Debug)]
pub(super) struct GivenUp {
    pub(super) message: QueuedMessage,
    pub(super) reason: DeadReason,
}

/// A consumer, as seen by its queue.
#[derive(Debug)]
pub(super) struct Slot {
    /// Unique in the server, never reused.
    pub(super) id: u64,
    /// The connection it ends with.
    pub(super) connection: u64,
    /// Most messages it may hold; 1 or more.
    pub(super) prefetch: u16,
    /// Messages it holds, whether taken from the mailbox or not.
    pub(super) holds: u16,
    pub(super) mailbox: Arc<Mailbox<Arrival>>,
}

#[derive(Debug)]
struct StoredMessage {
    message: QueuedMessage,
    sequence: u64,
    returns: u32,
    /// When the message expires, in a queue with a message TTL; unchanged by redeliveries.
    expires: Option<Instant>,
}

#[derive(Debug)]
struct UnackedMessage {
    stored: StoredMessage,
    consumer: u64,
    connection: u64,
}

/// A durable queue.
#[derive(Debug)]
pub(super) struct MemoryQueue {
    pub(super) arguments: topology::Queue,
    /// Wakes the queue's timer when its first message changes. Used only with a message TTL.
    pub(super) first_changed: Arc<Notify>,
    /// In order of `sequence`, the order of arrival: a returned message finds its old place by it.
    ready: VecDeque<StoredMessage>,
    /// By `sequence`. An entry ends when it is settled or its connection ends.
    held: BTreeMap<u64, UnackedMessage>,
    consumers: Vec<Slot>,
    /// Index of the consumer to try first.
    turn: usize,
    next_sequence: u64,
    /// Deliveries so far.
    pub(super) delivered: u64,
}

impl MemoryQueue {
    pub(super) fn new(arguments: topology::Queue) -> Self {
        Self {
            arguments,
            first_changed: Arc::new(Notify::new()),
            ready: VecDeque::new(),
            held: BTreeMap::new(),
            consumers: Vec::new(),
            turn: 0,
            next_sequence: 0,
            delivered: 0,
        }
    }

    /// Appends a message and delivers what can be delivered.
    pub(super) fn push(&mut self, message: QueuedMessage) {
        let expires = self.arguments.message_ttl_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.ready.push_back(StoredMessage { message, sequence, returns: 0, expires });
        // Only a new first message can be due before the time the timer sleeps to: all have the same time to live.
        if expires.is_some() && self.ready.len() == 1 {
            self.first_changed.notify_one();
        }
        self.deliver();
    }

    pub(super) fn add_consumer(&mut self, slot: Slot) {
        self.consumers.push(slot);
        self.deliver();
    }

    /// Ends one consumer. Messages it has taken stay held; the others return to the queue.
    pub(super) fn cancel(&mut self, consumer: u64) -> Vec<GivenUp> {
        let Some(index) = self.consumers.iter().position(|c| c.id == consumer) else { return Vec::new() };
        // Removed before the messages return: `deliver` must not hand them to this consumer again.
        let slot = self.remove_consumer(index);
        let untaken: Vec<u64> = slot.mailbox.close().into_iter().map(|a| a.sequence).collect();
        let given_up = self.give_back_all(untaken);
        self.deliver();
        given_up
    }

    /// Ends all consumers and holds of connections; held messages return to the queue. Delivers nothing yet: the server must first end
    /// the consumers of these connections on other queues too.
    pub(super) fn end_connections(&mut self, gone: &BTreeSet<u64>) -> Vec<GivenUp> {
        while let Some(index) = self.consumers.iter().position(|c| gone.contains(&c.connection)) {
            self.remove_consumer(index).mailbox.close();
        }
        let theirs = self.held.iter().filter(|(_, h)| gone.contains(&h.connection)).map(|(s, _)| *s).collect();
        self.give_back_all(theirs)
    }

    /// Settles a held message.
    ///
    /// # Errors
    /// [`AckError`] if `consumer` no longer holds it.
    pub(super) fn settle(
        &mut self,
        sequence: u64,
        consumer: u64,
        how: MessageSettlement,
    ) -> Result<Option<GivenUp>, AckError> {
        if self.held.get(&sequence).is_none_or(|h| h.consumer != consumer) {
            return Err(AckError);
        }
        let held = self.held.remove(&sequence).ok_or(AckError)?;
        if let Some(slot) = self.consumers.iter_mut().find(|c| c.id == consumer) {
            slot.holds -= 1;
        }
        let given_up = match how {
            MessageSettlement::Ack => None,
            MessageSettlement::Requeue => self.give_back(held.stored),
            MessageSettlement::Reject => Some(GivenUp { message: held.stored.message, reason: DeadReason::Rejected }),
        };
        self.deliver();
        Ok(given_up)
    }

    /// Removes the messages expired at `now`, and returns when the next one expires. As on RabbitMQ, only the head is checked.
    pub(super) fn expire(&mut self, now: Instant) -> (Vec<GivenUp>, Option<Instant>) {
        let mut given_up = Vec::new();
        while let Some(first) = self.ready.front() {
            match first.expires {
                Some(at) if at <= now => {}
                later => return (given_up, later),
            }
            given_up
                .extend(self.ready.pop_front().map(|s| GivenUp { message: s.message, reason: DeadReason::Expired }));
        }
        (given_up, None)
    }

    /// Delivers ready messages to consumers with room, round robin.
    pub(super) fn deliver(&mut self) {
        while !self.ready.is_empty() {
            let count = self.consumers.len();
            let with_room = (0..count).map(|i| (self.turn + i) % count).find(|&i| self.consumers[i].has_room());
            let Some(index) = with_room else { return };
            let Some(stored) = self.ready.pop_front() else { return };
            self.turn = (index + 1) % count;
            let slot = &mut self.consumers[index];
            slot.holds += 1;
            self.delivered += 1;
            let StoredMessage { sequence, returns, .. } = stored;
            slot.mailbox.push(Arrival { message: stored.message.clone(), sequence, returns });
            self.held.insert(sequence, UnackedMessage { stored, consumer: slot.id, connection: slot.connection });
        }
    }

    /// Delivers the first ready message to `consumer`, which is not registered with the queue.
    pub(super) fn take(&mut self, consumer: u64, connection: u64) -> Option<Arrival> {
        let stored = self.ready.pop_front()?;
        self.delivered += 1;
        let arrival = Arrival { message: stored.message.clone(), sequence: stored.sequence, returns: stored.returns };
        self.held.insert(stored.sequence, UnackedMessage { stored, consumer, connection });
        Some(arrival)
    }

    /// Returns the number of waiting and of held messages.
    pub(super) fn depth(&self) -> (usize, usize) {
        (self.ready.len(), self.held.len())
    }

    /// Returns the number of consumers.
    pub(super) fn consumers(&self) -> usize {
        self.consumers.len()
    }

    /// Returns all messages, waiting or held, in order of arrival.
    pub(super) fn messages(&self) -> Vec<Arc<Envelope>> {
        let mut all: Vec<&StoredMessage> = self.ready.iter().chain(self.held.values().map(|h| &h.stored)).collect();
        all.sort_by_key(|s| s.sequence);
        all.into_iter().map(|s| Arc::clone(&s.message.envelope)).collect()
    }

    fn remove_consumer(&mut self, index: usize) -> Slot {
        if index < self.turn {
            self.turn -= 1;
        }
        self.consumers.remove(index)
    }

    fn give_back_all(&mut self, sequences: Vec<u64>) -> Vec<GivenUp> {
        let returned: Vec<UnackedMessage> = sequences.into_iter().filter_map(|s| self.held.remove(&s)).collect();
        returned.into_iter().filter_map(|h| self.give_back(h.stored)).collect()
    }

    /// Returns a message to its old place with one more redelivery, or gives it up if that exceeds the limit.
    fn give_back(&mut self, mut stored: StoredMessage) -> Option<GivenUp> {
        stored.returns += 1;
        if self.arguments.delivery_limit.is_some_and(|limit| stored.returns > limit) {
            return Some(GivenUp { message: stored.message, reason: DeadReason::DeliveryLimit });
        }
        // It may be the first message again, and due before the time the timer sleeps to.
        if stored.expires.is_some() {
            self.first_changed.notify_one();
        }
        let place = self.ready.partition_point(|s| s.sequence < stored.sequence);
        self.ready.insert(place, stored);
        None
    }
}

impl Slot {
    fn has_room(&self) -> bool {
        self.holds < self.prefetch
    }
}
