//! The real handlers on the memory broker, with models as the settings name them.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::response::Response;
use precis_runtime::broker::Broker;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, Registry, RunnerSettings, Services, Worker, WorkerParts};
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::options::{account, extract_limits};

use super::World;
use crate::finished;

/// Longest wait for a result.
const LIMIT: Duration = Duration::from_secs(30);

/// Every handler of the program, parsing in this process.
#[must_use]
pub fn real_registry(settings: &Settings) -> Registry {
    let parser = Parser::in_process(extract_limits(settings), settings.extraction.html);
    pipeline::registry(settings, parser, None)
}

/// A worker with `registry` and the settings' models.
///
/// # Panics
/// Where the settings make no models.
pub async fn real_worker(world: &World, settings: &Settings, registry: Registry) -> Worker {
    let models = pipeline::models(settings, world.store()).expect("models");
    let parts = WorkerParts {
        worker_id: "a".to_owned(),
        broker: Broker::Memory(world.broker.connect(Failpoints::none())),
        store: world.store(),
        services: Services { content: world.content.clone(), models },
        registry,
        settings: RunnerSettings { account: account(settings), paging: world.paging, ..RunnerSettings::default() },
        queues: Queues::All,
        clock: world.clock.clone(),
        failpoints: Failpoints::none(),
    };
    Worker::start(parts).await.expect("starts")
}

/// The result of `session`, once there is one. Its report must hold: see [`crate::finished`].
///
/// # Panics
/// Where there is none in time, or its report does not hold.
pub async fn result_of(world: &World, session: &str) -> Response {
    let id = SessionId::new(session).expect("an id");
    let waiting = async {
        while !world.results().contains_key(&id) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.expect("waited for a result");
    let body = &world.results()[&id][0];
    let held = finished::check_result(body, &world.content).await;
    held.unwrap_or_else(|said| panic!("the report of {session} does not hold: {said}"));
    serde_json::from_slice(body).expect("a response")
}
