//! Declarations: creates what is missing, refuses what differs, and starts the timers of queues with a message TTL.

use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use super::change::Change;
use super::expiry;
use super::queue::MemoryQueue;
use super::routing::{BoundExchange, Target};
use super::shared::SharedServer;
use super::state::BrokerState;
use crate::broker::BrokerError;
use crate::broker::topology::Topology;

impl BrokerState {
    /// Declares what is missing; declares nothing if any part is refused.
    pub(super) fn declare(&mut self, topology: &Topology) -> Result<(), BrokerError> {
        self.check_declaration(topology)?;
        let is_on_disk = self.on_disk.is_some();
        let mut new = Topology::default();
        for exchange in &topology.exchanges {
            self.exchanges.entry(exchange.name.clone()).or_insert_with(|| {
                new.exchanges.push(exchange.clone());
                BoundExchange::new(exchange.kind)
            });
        }
        for queue in &topology.queues {
            self.queues.entry(queue.name.as_str().into()).or_insert_with(|| {
                new.queues.push(queue.clone());
                if is_on_disk {
                    MemoryQueue::from_messages(queue.clone(), Vec::new())
                } else {
                    MemoryQueue::new(queue.clone())
                }
            });
        }
        for binding in &topology.bindings {
            if let Some(exchange) = self.exchanges.get_mut(&binding.exchange)
                && exchange.bind(&binding.key, Target::Queue(binding.queue.as_str().into()))
            {
                new.bindings.push(binding.clone());
            }
        }
        self.note_declared(new);
        // After the bindings, which may have given them a target. Taken out, because those still without one are stranded again.
        for (route, message) in std::mem::take(&mut self.stranded) {
            self.send_dead_letter(route, message);
        }
        Ok(())
    }

    fn note_declared(&mut self, new: Topology) {
        let has_stranded = !self.stranded.is_empty();
        let Some(disk) = self.on_disk.as_mut() else { return };
        if has_stranded {
            disk.changes.push(Change::ClearStranded);
        }
        if new != Topology::default() {
            disk.declared.exchanges.extend(new.exchanges.iter().cloned());
            disk.declared.bindings.extend(new.bindings.iter().cloned());
            disk.changes.push(Change::Declare(new));
        }
    }

    fn check_declaration(&self, topology: &Topology) -> Result<(), BrokerError> {
        if let Some(fault) = self.differences(topology).into_iter().next() {
            return Err(BrokerError::Refused(fault));
        }
        for b in &topology.bindings {
            let exchange =
                self.exchanges.contains_key(&b.exchange) || topology.exchanges.iter().any(|e| e.name == b.exchange);
            let queue = self.queues.contains_key(b.queue.as_str()) || topology.queues.iter().any(|q| q.name == b.queue);
            if !exchange || !queue {
                let which = format!("binding of queue `{}` to exchange `{}`", b.queue, b.exchange);
                return Err(BrokerError::Refused(format!("{which}: the queue or the exchange does not exist")));
            }
        }
        Ok(())
    }

    /// Returns what exists but differs from `topology`, one sentence each.
    fn differences(&self, topology: &Topology) -> Vec<String> {
        let mut faults = Vec::new();
        for exchange in &topology.exchanges {
            if self.exchanges.get(&exchange.name).is_some_and(|known| known.kind != exchange.kind) {
                faults.push(format!("exchange `{}` exists with a different kind", exchange.name));
            }
        }
        for queue in &topology.queues {
            if self.queues.get(queue.name.as_str()).is_some_and(|known| known.arguments != *queue) {
                faults.push(format!("queue `{}` exists with different arguments", queue.name));
            }
        }
        faults
    }

    /// Returns what is missing or differs from `topology`, one sentence each.
    pub(super) fn faults(&self, topology: &Topology) -> Vec<String> {
        let missing = |what: &str, name: &str| format!("{what} `{name}` does not exist");
        let exchanges = topology.exchanges.iter().filter(|e| !self.exchanges.contains_key(&e.name));
        let queues = topology.queues.iter().filter(|q| !self.queues.contains_key(q.name.as_str()));
        let mut faults: Vec<String> = exchanges.map(|e| missing("exchange", &e.name)).collect();
        faults.extend(queues.map(|q| missing("queue", &q.name)));
        faults.extend(self.differences(topology));
        faults
    }

    /// Starts a timer for each queue with a message TTL that has none. Needs a tokio runtime.
    pub(super) fn start_timers(shared: &Arc<SharedServer>) {
        let mut server = shared.lock();
        let expiring = server.queues.iter().filter(|(_, q)| q.arguments.message_ttl_ms.is_some());
        let names: Vec<Arc<str>> = expiring.map(|(name, _)| Arc::clone(name)).collect();
        for name in names {
            // A timer has finished if the runtime it was started on is gone.
            if server.timers.get(&name).is_none_or(AbortOnDropHandle::is_finished) {
                let timer = tokio::spawn(expiry::run(Arc::downgrade(shared), Arc::clone(&name)));
                server.timers.insert(name, AbortOnDropHandle::new(timer));
            }
        }
    }
}
