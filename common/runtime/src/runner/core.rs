//! What all tasks of a worker share. The handlers are passed separately to the tasks that run them.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::controls::Controls;
use super::events::Events;
use super::replies::ReplyRouter;
use super::settings::RunnerSettings;
use crate::broker::Broker;
use crate::clock::Clock;
use crate::content::{ContentStore, Tallies};
use crate::failpoints::Failpoints;
use crate::model::Models;
use crate::store::Store;

/// The services handlers reach through their context.
#[derive(Debug, Clone)]
pub struct Services {
    /// Texts and results.
    pub content: ContentStore,
    /// The language models, including the built-in one.
    pub models: Models,
}

impl Services {
    /// The same services, with a handle of the content store that remembers only the outages it meets itself.
    pub(super) fn with_outage_watch(&self) -> Self {
        Self { content: self.content.with_outage_watch(), models: self.models.clone() }
    }
}

/// What all tasks of a worker share.
#[derive(Debug)]
pub struct Core {
    pub(super) worker_id: String,
    pub(super) broker: Broker,
    pub(super) store: Store,
    pub(super) services: Services,
    pub(super) settings: RunnerSettings,
    pub(super) clock: Clock,
    pub(super) failpoints: Failpoints,
    pub(super) replies: ReplyRouter,
    pub(super) events: Events,
    pub(super) controls: Controls,
    /// Memory for requests being read, in KiB.
    pub(super) reading: Semaphore,
    /// What this worker stored today, for whom.
    pub(super) tallies: Tallies,
    /// Permit of the one suspect job being worked on, of whatever kind.
    pub(super) suspect: Arc<Semaphore>,
    /// Memory for sessions read from pages, in KiB.
    pub(super) carrying: Semaphore,
    /// Fires when the worker drains: sessions hand over.
    pub(super) draining: CancellationToken,
    /// Fires when the grace period is over: everything still running is aborted.
    pub(super) aborting: CancellationToken,
}

#[cfg(test)]
pub(super) mod tests {
    use precis_proto::Timestamp;
    use precis_proto::call::LayerUsage;
    use precis_proto::prior::Prior;
    use precis_proto::state::SessionState;
    use precis_proto::task::Task;
    use serde_json::{Value, json};

    use super::*;
    use crate::broker::{Delivery, MemoryBroker, Topology, names};
    use crate::model::CallPolicy;
    use crate::model::chain::{Chain, Chains};
    use crate::model::gate::{Gate, GateAttempt, GateError, GatePrice, PreparedPayload};
    use crate::store::MemoryStore;

    /// A gate for tests that call no model.
    #[derive(Debug)]
    struct ClosedGate;

    impl Gate for ClosedGate {
        fn prepare(&self, _: &Task, _: &str, _: &GateAttempt) -> Result<PreparedPayload, GateError> {
            unreachable!("no model is called")
        }
        fn read(&self, _: &Task, _: &str) -> Result<Value, String> {
            unreachable!("no model is called")
        }
        fn step_down(&self, _: &Task) -> Option<Task> {
            None
        }
        fn local(&self, _: &Task) -> Value {
            unreachable!("no model is called")
        }
        fn unread(&self, _: &Task, _: &Prior) -> Vec<LayerUsage> {
            Vec::new()
        }
        fn local_version(&self) -> &'static str {
            "1"
        }
        fn count(&self, _: &str) -> u64 {
            0
        }
        fn price(&self, _: &str) -> Option<GatePrice> {
            None
        }
    }

    /// A core on a connection to `broker`, with everything else in memory.
    pub(in crate::runner) async fn core(broker: &MemoryBroker) -> Arc<Core> {
        let broker = Broker::Memory(broker.connect(Failpoints::none()));
        let store = Store::Memory(MemoryStore::new());
        let chains = Chains::all(Chain::new(Vec::<String>::new()));
        let models = Models::new(&[], chains, store.clone(), Arc::new(ClosedGate), CallPolicy::default());
        let clock = Clock::starting_at(Timestamp(0));
        Arc::new(Core {
            worker_id: "w".to_owned(),
            replies: ReplyRouter::new(broker.replies().await.expect("in memory")),
            broker,
            store,
            services: Services { content: ContentStore::in_memory(), models: models.expect("the built-in model") },
            settings: RunnerSettings::default(),
            events: Events::new(clock.clone()).0,
            clock,
            failpoints: Failpoints::none(),
            controls: Controls::default(),
            tallies: Tallies::new(),
            reading: Semaphore::new(crate::runner::intake::READING_KIB as usize),
            suspect: Arc::new(Semaphore::new(1)),
            carrying: Semaphore::new(1),
            draining: CancellationToken::new(),
            aborting: CancellationToken::new(),
        })
    }

    /// A core on a broker that has the queue `queue` and nothing else: whatever is published elsewhere is refused.
    pub(in crate::runner) async fn core_with_one_queue(queue: &str) -> Arc<Core> {
        let standard = Topology::standard();
        let queues = standard.queues.into_iter().filter(|known| known.name == queue).collect();
        let core = core(&MemoryBroker::new()).await;
        let topology = Topology { exchanges: Vec::new(), queues, bindings: Vec::new() };
        core.broker.declare(&topology).await.expect("declared");
        core
    }

    /// The next delivery of `queue`.
    pub(in crate::runner) async fn take_delivery(core: &Core, queue: &str) -> Delivery {
        core.broker.get(queue).await.expect("open").expect("a message")
    }

    /// A session in its digest phase, at attempt `attempt`, as delivered.
    pub(in crate::runner) async fn delivered_session(core: &Core, attempt: u32) -> (SessionState, Delivery) {
        let value = json!({ "schema_version": 3, "session_id": "s", "life": "l", "revision": 1, "phase": "digest", "query": "q", "sources": [] });
        let state = precis_proto::state::read(value).expect("a state");
        core.publish_state(&state, attempt, None, None).await.expect("published");
        (state, take_delivery(core, &names::session_queue(precis_proto::Phase::Digest)).await)
    }
}
