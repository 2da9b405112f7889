//! Rebuilds the state of a broker from its journal, and says what of it is live.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use precis_proto::Timestamp;
use tokio::time::Instant;

use super::change::{Change, Place, PlacedMessage};
use super::queue::{MemoryQueue, QueueChange, QueuedMessage, StoredMessage};
use super::state::BrokerState;
use crate::broker::topology::{DeadLetter, Queue, Topology};
use crate::clock::Clock;
use crate::journal::UnknownEntry;

/// A broker while its journal is read.
#[derive(Default)]
pub(super) struct Replay {
    topology: Topology,
    /// Messages by queue and place.
    messages: HashMap<String, BTreeMap<u64, PlacedMessage>>,
    stranded: Vec<(DeadLetter, QueuedMessage)>,
}

impl Replay {
    /// Applies one entry.
    ///
    /// # Errors
    /// [`UnknownEntry`].
    pub(super) fn apply(&mut self, entry: &[u8]) -> Result<(), UnknownEntry> {
        for change in Change::decode_all(entry)? {
            match change {
                Change::Declare(parts) => {
                    self.topology.exchanges.extend(parts.exchanges);
                    self.topology.queues.extend(parts.queues);
                    self.topology.bindings.extend(parts.bindings);
                }
                Change::Push(placed) => {
                    let Place { queue, sequence } = placed.place.clone();
                    self.messages.entry(queue).or_default().insert(sequence, placed);
                }
                Change::Deliver(Place { queue, sequence }) => {
                    if let Some(placed) = self.messages.get_mut(&queue).and_then(|queue| queue.get_mut(&sequence)) {
                        // Whoever it was handed to is gone, and it was not removed.
                        placed.returns = placed.returns.saturating_add(1);
                    }
                }
                Change::Remove(Place { queue, sequence }) => {
                    if let Some(queue) = self.messages.get_mut(&queue) {
                        queue.remove(&sequence);
                    }
                }
                Change::Strand(route, message) => self.stranded.push((route, message)),
                Change::ClearStranded => self.stranded.clear(),
            }
        }
        Ok(())
    }

    /// The broker as it was. What is in `topology` is declared as stated there, whatever the journal says: arguments of queues belong to
    /// the program. Messages over the delivery limit are given up.
    pub(super) fn finish(mut self, topology: Topology, clock: &Clock) -> BrokerState {
        let own = self.topology;
        let queues: HashMap<&str, &Queue> =
            own.queues.iter().chain(&topology.queues).map(|queue| (queue.name.as_str(), queue)).collect();
        let mut recovered = BTreeMap::new();
        for (name, arguments) in queues {
            let placed = self.messages.remove(name).unwrap_or_default();
            let stored = placed.into_values().map(|placed| stored_message(placed, arguments, clock)).collect();
            recovered.insert(Arc::from(name), MemoryQueue::from_messages(arguments.clone(), stored));
        }
        let mut exchanges: HashMap<String, _> = HashMap::new();
        for exchange in own.exchanges.iter().chain(&topology.exchanges) {
            exchanges.insert(exchange.name.clone(), exchange.clone());
        }
        let mut bindings = own.bindings;
        bindings.extend(
            topology.bindings.iter().filter(|binding| !bindings.contains(binding)).cloned().collect::<Vec<_>>(),
        );
        let declared = Topology { exchanges: exchanges.into_values().collect(), queues: Vec::new(), bindings };
        let mut state = BrokerState::from_queues(recovered, declared, self.stranded);
        state.give_up_returned();
        // All of it is in the snapshot that the journal begins with.
        state.take_changes(clock);
        state
    }
}

fn stored_message(placed: PlacedMessage, arguments: &Queue, clock: &Clock) -> StoredMessage {
    let PlacedMessage { place, message, returns, expires } = placed;
    let expires = arguments.message_ttl_ms.map(|ttl_ms| {
        let ttl = Duration::from_millis(ttl_ms);
        // A clock that was set back makes nobody wait for longer than the whole time.
        let left = expires.map_or(ttl, |at| until(clock, at).min(ttl));
        Instant::now() + left
    });
    StoredMessage { message, sequence: place.sequence, returns, expires }
}

fn until(clock: &Clock, at: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(at.0.saturating_sub(clock.own().0)).unwrap_or(0))
}

/// A change of `queue` as the journal holds it.
pub(super) fn change_of(queue: &str, change: QueueChange, clock: &Clock) -> Change {
    let place = |sequence| Place { queue: queue.to_owned(), sequence };
    match change {
        QueueChange::Push(stored) => Change::Push(placed_message(queue, stored, clock)),
        QueueChange::Deliver(sequence) => Change::Deliver(place(sequence)),
        QueueChange::Remove(stored) => Change::Remove(place(stored.sequence)),
    }
}

/// A message of `queue` as the journal holds it.
pub(super) fn placed_message(queue: &str, stored: StoredMessage, clock: &Clock) -> PlacedMessage {
    let StoredMessage { message, sequence, returns, expires } = stored;
    let left =
        |at: Instant| u64::try_from(at.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u64::MAX);
    let expires = expires.map(|at| clock.own().plus_ms(i64::try_from(left(at)).unwrap_or(i64::MAX)));
    PlacedMessage { place: Place { queue: queue.to_owned(), sequence }, message, returns, expires }
}
