//! Declaring: what is missing is made, what is there must be the same, and queues whose messages expire get their timer.

use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use super::expiry;
use super::queue::Queue;
use super::routing::{Exchange, Target};
use super::server::Shared;
use super::state::Server;
use crate::broker::BrokerError;
use crate::broker::topology::Topology;

impl Server {
    /// Declares what is missing; refuses everything where one part is refused.
    pub(super) fn declare(&mut self, topology: &Topology) -> Result<(), BrokerError> {
        self.check_declaration(topology)?;
        for exchange in &topology.exchanges {
            self.exchanges.entry(exchange.name.clone()).or_insert_with(|| Exchange::new(exchange.kind));
        }
        for queue in &topology.queues {
            self.queues.entry(queue.name.as_str().into()).or_insert_with(|| Queue::new(queue.clone()));
        }
        for binding in &topology.bindings {
            if let Some(exchange) = self.exchanges.get_mut(&binding.exchange) {
                exchange.bind(&binding.key, Target::Queue(binding.queue.as_str().into()));
            }
        }
        for (route, message) in std::mem::take(&mut self.stranded) {
            self.send_dead_letter(route, message);
        }
        Ok(())
    }

    fn check_declaration(&self, topology: &Topology) -> Result<(), BrokerError> {
        let refuse = |what: String| Err(BrokerError::Refused(what));
        for exchange in &topology.exchanges {
            if self.exchanges.get(&exchange.name).is_some_and(|known| known.kind != exchange.kind) {
                return refuse(format!("exchange `{}` exists with another kind", exchange.name));
            }
        }
        for queue in &topology.queues {
            if self.queues.get(queue.name.as_str()).is_some_and(|known| known.arguments != *queue) {
                return refuse(format!("queue `{}` exists with other arguments", queue.name));
            }
        }
        for b in &topology.bindings {
            let exchange =
                self.exchanges.contains_key(&b.exchange) || topology.exchanges.iter().any(|e| e.name == b.exchange);
            let queue = self.queues.contains_key(b.queue.as_str()) || topology.queues.iter().any(|q| q.name == b.queue);
            if !exchange || !queue {
                return refuse(format!(
                    "binding of queue `{}` to exchange `{}`: one does not exist",
                    b.queue, b.exchange
                ));
            }
        }
        Ok(())
    }

    /// Sees to it that each queue whose messages expire has a living timer. Needs a runtime.
    pub(super) fn start_timers(shared: &Arc<Shared>) {
        let mut server = shared.lock();
        let expiring = server.queues.iter().filter(|(_, q)| q.arguments.message_ttl_ms.is_some());
        let names: Vec<Arc<str>> = expiring.map(|(name, _)| Arc::clone(name)).collect();
        for name in names {
            // A timer is finished where the runtime it was started on is gone.
            if server.timers.get(&name).is_none_or(AbortOnDropHandle::is_finished) {
                let timer = tokio::spawn(expiry::run(Arc::downgrade(shared), Arc::clone(&name)));
                server.timers.insert(name, AbortOnDropHandle::new(timer));
            }
        }
    }
}
