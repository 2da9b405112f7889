//! A provider that never answers, and a session that has to end all the same: the real handlers on the memory broker.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::response::{ReportData, Response};
use precis_proto::stop_reason::StopReason;
use precis_runtime::broker::Broker;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts, control};
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

/// More requests than a run makes.
const SILENCES: usize = 64;
/// How a session may end early.
const STOP: Option<u64> = None;
const DEADLINE: Option<u64> = Some(2);

/// Every role is answered by the built-in model but one, whose provider stalls.
fn settings(role: &str, base_url: &str) -> Settings {
    let mut roles = serde_json::Map::new();
    for other in ["summarization", "compression", "synthesis"] {
        let provider = if other == role { "fake:small" } else { "local:extractive" };
        roles.insert(other.to_owned(), json!({ "providers": [provider] }));
    }
    let settings = json!({
        "digest_policy": "always",
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": roles,
    });
    serde_json::from_value(settings).expect("settings")
}

async fn worker(world: &World, settings: &Settings) -> Worker {
    let models = pipeline::models(settings, world.store()).expect("a provider");
    let parser = Parser::in_process(extract_limits(settings), settings.extraction.html);
    let parts = WorkerParts {
        worker_id: "a".to_owned(),
        broker: Broker::Memory(world.broker.connect(Failpoints::none())),
        store: world.store(),
        services: Services { content: world.content.clone(), models },
        registry: pipeline::registry(settings, parser, None),
        settings: RunnerSettings::default(),
        queues: Queues::All,
        clock: world.clock.clone(),
        failpoints: Failpoints::none(),
    };
    Worker::start(parts).await.expect("starts")
}

fn request(deadline: Option<u64>) -> Value {
    let text = |n: usize| {
        let sentence =
            format!("Glacier {n} loses ice where the summer is warm. The snow of winter covers the ice again. ");
        json!({ "source_id": format!("s{n}"), "title": format!("Glacier {n}"), "content": sentence.repeat(200) })
    };
    let mut body = json!({
        "schema_version": 2, "session_id": "s", "query": "Where do glaciers lose ice?",
        "sources": (0..3).map(text).collect::<Vec<_>>(),
    });
    if let Some(seconds) = deadline {
        body["options"] = json!({ "deadline_seconds": seconds });
    }
    body
}

/// What a session comes to that ends early while the provider of `role` is silent.
async fn ended(role: &str, deadline: Option<u64>) -> ReportData {
    let provider = Scripted::start(std::iter::repeat_n(Reply::Hang, SILENCES)).await;
    let world = World::new().await;
    let worker = worker(&world, &settings(role, provider.base_url())).await;
    world.submit_body("s", &request(deadline)).await;
    provider.arrived(1).await;
    let session_id = SessionId::new("s").expect("an id");
    if deadline == STOP {
        let stop = Control::Stop { session_id: session_id.clone() };
        control::send(&world.caller(), &world.store(), &stop).await.expect("sent");
    }
    world.wait_for(1, Duration::from_secs(20)).await.expect("ends without the provider");
    drop(worker);
    let response: Response = serde_json::from_slice(&world.results()[&session_id][0]).expect("a response");
    response.data.unwrap_or_else(|| panic!("{role}: {:?}", response.error))
}

#[tokio::test]
async fn a_silent_provider_does_not_keep_a_stopped_session_from_its_report() {
    for role in ["summarization", "compression", "synthesis"] {
        let data = ended(role, STOP).await;
        assert!(data.session.incomplete, "{role}");
        assert_eq!(data.session.stop_reason, Some(StopReason::Stop), "{role}");
        assert!(data.report.contains("Glacier") && !data.citations.is_empty(), "{role}: {}", data.report);
    }
}

#[tokio::test]
async fn a_silent_provider_delays_no_report_past_its_deadline() {
    for role in ["summarization", "compression", "synthesis"] {
        let data = ended(role, DEADLINE).await;
        assert!(data.session.incomplete, "{role}");
        assert_eq!(data.session.stop_reason, Some(StopReason::Deadline), "{role}");
        assert!(data.report.contains("Glacier") && !data.citations.is_empty(), "{role}: {}", data.report);
    }
}
