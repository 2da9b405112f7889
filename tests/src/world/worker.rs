//! A place for a worker: it starts one, lets it die where the plan says, and starts the next.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_proto::call::LayerUsage;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_runtime::broker::{Broker, MemoryConnection};
use precis_runtime::failpoints::{Failpoints, Fault};
use precis_runtime::model::{
    CallPolicy, Chain, Chains, Gate, GateAttempt, GateError, GatePrice, Models, PreparedPayload,
};
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{World, registry};

/// What the plan says of one moment in a worker's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A fault of the failpoints; `Crash` ends this worker.
    Fault(Fault),
    /// The connection is cut; the process lives and its tasks go on until they notice.
    Cut,
}

/// A worker that is always started again. Dropping it ends it.
#[derive(Debug)]
pub struct WorkerSlot(JoinHandle<()>);

impl Drop for WorkerSlot {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl WorkerSlot {
    /// Starts a worker in `world` whose moments are decided by `plan`, called with the name of each point it reaches.
    pub fn start(world: &World, name: &str, plan: impl Fn(&'static str) -> Fate + Send + Sync + 'static) -> Self {
        Self::start_furnished(world, name, |parts| parts, plan)
    }

    /// The same for workers that `furnish` gives other handlers or models.
    pub fn start_furnished(
        world: &World,
        name: &str,
        furnish: impl Fn(WorkerParts) -> WorkerParts + Send + Sync + 'static,
        plan: impl Fn(&'static str) -> Fate + Send + Sync + 'static,
    ) -> Self {
        let (world, name, plan) = (world.clone(), name.to_owned(), Arc::new(plan));
        Self(tokio::spawn(async move {
            for life in 0_u64.. {
                live(&world, format!("{name}.{life}"), &furnish, Arc::clone(&plan)).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }))
    }
}

/// One life: until the plan ends it or its connection is gone.
async fn live<P>(world: &World, name: String, furnish: &(impl Fn(WorkerParts) -> WorkerParts + Sync), plan: Arc<P>)
where
    P: Fn(&'static str) -> Fate + Send + Sync + 'static,
{
    let died = Arc::new(Notify::new());
    let connection: Arc<Mutex<Option<MemoryConnection>>> = Arc::default();
    let failpoints = {
        let (died, connection) = (Arc::clone(&died), Arc::clone(&connection));
        Failpoints::from_plan(move |point| {
            let cut = || {
                if let Some(connection) = &*connection.lock().unwrap_or_else(PoisonError::into_inner) {
                    connection.kill();
                }
            };
            match plan(point) {
                Fate::Fault(Fault::Crash) => {
                    cut();
                    died.notify_one();
                    Fault::Crash
                }
                Fate::Fault(fault) => fault,
                Fate::Cut => {
                    cut();
                    Fault::None
                }
            }
        })
    };
    let (memory, parts) = parts(world, name, failpoints);
    let parts = furnish(parts);
    *connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
    tokio::select! {
        () = died.notified() => {}
        () = async {
            // A worker that cannot start, because its connection was cut meanwhile, has lived.
            if let Ok(mut worker) = Worker::start(parts).await {
                worker.wait_for_end().await;
            }
        } => {}
    }
}

/// What a worker in `world` is made of, and its connection.
#[must_use]
pub fn parts(world: &World, name: String, failpoints: Failpoints) -> (MemoryConnection, WorkerParts) {
    let memory = world.broker.connect(failpoints.clone());
    let store = precis_runtime::store::Store::Memory(world.store.clone().with_failpoints(failpoints.clone()));
    let chains = Chains::all(Chain::new(Vec::<String>::new()));
    let models = Models::new(&[], chains, store.clone(), Arc::new(NoGate), CallPolicy::default());
    let parts = WorkerParts {
        worker_id: name,
        broker: Broker::Memory(memory.clone()),
        store,
        services: Services { content: world.content.clone(), models: models.expect("no providers") },
        registry: registry(),
        settings: RunnerSettings {
            window: 3,
            paging: world.paging,
            emit_version: world.emit_version,
            ..RunnerSettings::default()
        },
        queues: Queues::All,
        clock: world.clock.clone(),
        failpoints,
    };
    (memory, parts)
}

/// A gate nobody goes through: the toy handlers ask no model.
#[derive(Debug)]
struct NoGate;

impl Gate for NoGate {
    fn prepare(&self, _: &Task, _: &str, _: &GateAttempt) -> Result<PreparedPayload, GateError> {
        Err(GateError::OverBudget { needed: 1, budget: 0, sum: String::new(), remedy: "none".to_owned() })
    }

    fn read(&self, _: &Task, _: &str) -> Result<serde_json::Value, String> {
        Err("none".to_owned())
    }

    fn step_down(&self, _: &Task) -> Option<Task> {
        None
    }

    fn local(&self, _: &Task) -> serde_json::Value {
        serde_json::Value::Null
    }

    fn unread(&self, _: &Task, _: &Prior) -> Vec<LayerUsage> {
        Vec::new()
    }

    fn local_version(&self) -> &'static str {
        "toy"
    }

    fn count(&self, _: &str) -> u64 {
        0
    }

    fn price(&self, _: &str) -> Option<GatePrice> {
        None
    }
}
