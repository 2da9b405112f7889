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

/// A change of a queue, for a broker that keeps them on disk.
#[derive(Debug)]
pub(super) enum QueueChange {
    /// A message arrived.
    Push(StoredMessage),
    /// The message of this sequence was handed to a consumer.
    Deliver(u64),
    /// The message of this sequence has left the queue.
    Remove(StoredMessage),
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

/// A message in a queue; clones share its content.
#[derive(Debug, Clone)]
pub(super) struct StoredMessage {
    pub(super) message: QueuedMessage,
    /// Its position in the queue.
    pub(super) sequence: u64,
    /// How often it was redelivered.
    pub(super) returns: u32,
    /// When the message expires, in a queue with a message TTL; unchanged by redeliveries.
    pub(super) expires: Option<Instant>,
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
    /// Changes that are not on disk yet; `None` for a queue that is in memory only.
    changes: Option<Vec<QueueChange>>,
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
            changes: None,
        }
    }

    /// Returns a queue with these messages, which are in order of `sequence`, that keeps account of its changes.
    pub(super) fn from_messages(arguments: topology::Queue, messages: Vec<StoredMessage>) -> Self {
        let next_sequence = messages.last().map_or(0, |last| last.sequence + 1);
        Self { ready: messages.into(), next_sequence, changes: Some(Vec::new()), ..Self::new(arguments) }
    }

    /// Returns the changes since the last call, in order.
    pub(super) fn take_changes(&mut self) -> Vec<QueueChange> {
        self.changes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn note(&mut self, change: impl FnOnce() -> QueueChange) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }

    /// Appends a message and delivers what can be delivered.
    pub(super) fn push(&mut self, message: QueuedMessage) {
        let expires = self.arguments.message_ttl_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let stored = StoredMessage { message, sequence, returns: 0, expires };
        self.note(|| QueueChange::Push(stored.clone()));
        self.ready.push_back(stored);
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
            MessageSettlement::Ack => {
                self.note(|| QueueChange::Remove(held.stored));
                None
            }
            MessageSettlement::Requeue => self.give_back(held.stored),
            MessageSettlement::Reject => Some(self.give_up(held.stored, DeadReason::Rejected)),
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
            let expired = self.ready.pop_front();
            given_up.extend(expired.map(|stored| self.give_up(stored, DeadReason::Expired)));
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
            self.note(|| QueueChange::Deliver(sequence));
        }
    }

    /// Delivers the first ready message to `consumer`, which is not registered with the queue.
    pub(super) fn take(&mut self, consumer: u64, connection: u64) -> Option<Arrival> {
        let stored = self.ready.pop_front()?;
        self.delivered += 1;
        let arrival = Arrival { message: stored.message.clone(), sequence: stored.sequence, returns: stored.returns };
        self.note(|| QueueChange::Deliver(arrival.sequence));
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
            return Some(self.give_up(stored, DeadReason::DeliveryLimit));
        }
        // It may be the first message again, and due before the time the timer sleeps to.
        if stored.expires.is_some() {
            self.first_changed.notify_one();
        }
        let place = self.ready.partition_point(|s| s.sequence < stored.sequence);
        self.ready.insert(place, stored);
        None
    }

    fn give_up(&mut self, stored: StoredMessage, reason: DeadReason) -> GivenUp {
        let message = stored.message.clone();
        self.note(|| QueueChange::Remove(stored));
        GivenUp { message, reason }
    }

    /// Gives up all messages that were returned more often than allowed.
    pub(super) fn give_up_returned(&mut self) -> Vec<GivenUp> {
        let limit = self.arguments.delivery_limit.unwrap_or(u32::MAX);
        let (over, kept) = std::mem::take(&mut self.ready).into_iter().partition(|stored| stored.returns > limit);
        self.ready = kept;
        let over: VecDeque<StoredMessage> = over;
        over.into_iter().map(|stored| self.give_up(stored, DeadReason::DeliveryLimit)).collect()
    }

    /// Returns all messages as a start would find them: a held one is returned once more.
    pub(super) fn as_recovered(&self) -> impl Iterator<Item = StoredMessage> {
        let held = self.held.values().map(|h| StoredMessage { returns: h.stored.returns + 1, ..h.stored.clone() });
        self.ready.iter().cloned().chain(held)
    }
}

impl Slot {
    fn has_room(&self) -> bool {
        self.holds < self.prefetch
    }
}
