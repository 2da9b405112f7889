//! What a broker on disk keeps account of: what changed since it was last written, and what is live.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::{Change, journal_bytes};
use super::queue::{MemoryQueue, QueueChange, QueuedMessage};
use super::replay::{change_of, placed_message};
use super::routing::{BoundExchange, Target};
use super::state::{BrokerState, OnDisk};
use crate::broker::topology::{DeadLetter, Topology};
use crate::clock::Clock;

impl BrokerState {
    /// A broker with these queues; `declared` are its exchanges and bindings.
    pub(super) fn from_queues(
        queues: BTreeMap<Arc<str>, MemoryQueue>,
        declared: Topology,
        stranded: Vec<(DeadLetter, QueuedMessage)>,
    ) -> Self {
        let mut state = Self::default();
        (state.queues, state.stranded) = (queues, stranded);
        for exchange in &declared.exchanges {
            state.exchanges.insert(exchange.name.clone(), BoundExchange::new(exchange.kind));
        }
        for binding in &declared.bindings {
            if let Some(exchange) = state.exchanges.get_mut(&binding.exchange) {
                exchange.bind(&binding.key, Target::Queue(binding.queue.as_str().into()));
            }
        }
        let messages = state.queues.values().flat_map(MemoryQueue::as_recovered);
        let live_bytes = messages.map(|stored| journal_bytes(&stored.message)).sum();
        state.on_disk = Some(OnDisk { declared, live_bytes, ..OnDisk::default() });
        state
    }

    /// Gives up the messages that were returned more often than their queue allows.
    pub(super) fn give_up_returned(&mut self) {
        let names: Vec<Arc<str>> = self.queues.keys().cloned().collect();
        for name in names {
            let given_up = self.queues.get_mut(&name).map(MemoryQueue::give_up_returned).unwrap_or_default();
            self.bury(&name, given_up);
        }
    }

    /// Returns what changed since the last call, in order; empty for a broker in memory only.
    pub(super) fn take_changes(&mut self, clock: &Clock) -> Vec<Change> {
        let Some(disk) = &mut self.on_disk else { return Vec::new() };
        let mut changes = std::mem::take(&mut disk.changes);
        for (name, queue) in &mut self.queues {
            for change in queue.take_changes() {
                match &change {
                    QueueChange::Push(stored) => disk.live_bytes += journal_bytes(&stored.message),
                    QueueChange::Deliver(_) => {}
                    QueueChange::Remove(stored) => {
                        disk.live_bytes = disk.live_bytes.saturating_sub(journal_bytes(&stored.message));
                    }
                }
                changes.push(change_of(name, change, clock));
            }
        }
        changes
    }

    /// Bytes of all messages in a journal, about.
    pub(super) fn live_bytes(&self) -> u64 {
        self.on_disk.as_ref().map_or(0, |disk| disk.live_bytes)
    }

    /// Everything that a start must find, as changes of an empty broker.
    pub(super) fn live(&self, clock: &Clock) -> Vec<Change> {
        let mut declared = self.on_disk.as_ref().map(|disk| disk.declared.clone()).unwrap_or_default();
        declared.queues = self.queues.values().map(|queue| queue.arguments.clone()).collect();
        let mut live = vec![Change::Declare(declared)];
        for (name, queue) in &self.queues {
            live.extend(queue.as_recovered().map(|stored| Change::Push(placed_message(name, stored, clock))));
        }
        live.extend(self.stranded.iter().map(|(route, message)| Change::Strand(route.clone(), message.clone())));
        live
    }

    /// Ends all connections for good: the journal can no longer be written.
    pub(super) fn fail(&mut self) {
        if let Some(disk) = &mut self.on_disk {
            disk.has_failed = true;
        }
        self.end_all_connections();
    }
}
