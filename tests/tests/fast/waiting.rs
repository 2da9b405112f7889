//! A model that does not answer: whoever listens is told what is waited for, again and again while it lasts. The real handlers on the
//! memory broker, in paused time: nobody waits for the silent server but the clock.

use std::time::Duration;

use precis_proto::Phase;
use precis_proto::event::{Event, EventKind};
use precis_proto::task::Role;
use precis_runtime::broker::names;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker};
use serde_json::json;

/// More than a session waits for a silent provider.
const LONG: Duration = Duration::from_secs(1_800);

/// What was told of waiting in a session whose findings are asked of a server that plays `script`: phase, role and seconds.
async fn told(script: Vec<Reply>) -> Vec<(Phase, Role, u64)> {
    let server = Scripted::start(script).await;
    let settings = json!({
        "digest_policy": "off",
        "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
        "roles": { "compression": { "providers": ["fake:m"] } },
    });
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let world = World::new().await;
    let caller = world.caller();
    let mut events = caller.subscribe(names::EVENTS, "#").await.expect("anybody may listen");
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = json!({ "source_id": "a", "content": "The glacier lost a third of its ice in the last decade." });
    let body =
        json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did it lose?", "sources": [source] });
    world.submit_body("s", &body).await;
    let mut told = Vec::new();
    loop {
        let next = tokio::time::timeout(LONG, events.next()).await.expect("a session tells of its end");
        let event: Event = next.expect("the broker stays").decode().expect("an event");
        match event.kind {
            EventKind::Waiting { phase, role, seconds } => told.push((phase, role, seconds)),
            EventKind::SessionFinished { .. } => break,
            _ => {}
        }
    }
    assert!(server.calls() > 0, "somebody was asked");
    told
}

#[tokio::test(start_paused = true)]
async fn listeners_learn_every_fifteen_seconds_what_is_waited_for() {
    let told = told(vec![Reply::Hang; 9]).await;
    let expected: Vec<_> = (1..=told.len() as u64).map(|n| (Phase::Compression, Role::Compression, 15 * n)).collect();
    assert!(told.len() >= 3, "{told:?}");
    assert_eq!(told, expected);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_is_not_reported() {
    assert_eq!(told(Vec::new()).await, []);
}
