//! States on pages: the same report as when they travel whole, messages that stay small, and what becomes of a session whose page is
//! gone.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::Phase;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::source::ContentRef;
use precis_proto::state::pages::{INLINE_STATE_BYTES, MAX_PAGED_STATE_BYTES};
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Fault;
use precis_tests::fleet::same_report::{difference, essence};
use precis_tests::world::real::{real_registry, real_worker};
use precis_tests::world::{Fate, REPLIES, WorkerSlot, World};
use precis_workers::fleet;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(3_600);

fn calm(_: &'static str) -> Fate {
    Fate::Fault(Fault::None)
}

async fn report_in(world: World, body: &Value) -> Value {
    let settings = Settings::default();
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    world.submit_body("s", body).await;
    tokio::time::timeout(Duration::from_secs(60), async {
        while world.results().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("a result");
    let result = world.results().into_values().next().expect("a result");
    essence(&result[0]).expect("a response")
}

#[tokio::test]
async fn a_report_is_equal_for_whole_and_paged_states() {
    let sources: Vec<Value> = (0..12)
        .map(|n| json!({ "source_id": format!("s{n}"), "title": format!("Port {n}"), "content": format!("The harbour tax of port {n} is paid by captain {n}. Mules are fed by the town.") }))
        .collect();
    let body =
        json!({ "schema_version": 2, "session_id": "s", "query": "Who pays the harbour tax?", "sources": sources });
    let whole = report_in(World::new().await, &body).await;
    let paged = report_in(World::paged().await, &body).await;
    assert!(whole["data"]["citations"].as_array().is_some_and(|c| !c.is_empty()), "{whole}");
    assert_eq!(difference(&whole, &paged), None);
}

/// The states that wait in the queue of `phase` once no worker runs any more.
async fn waiting(world: &World, phase: Phase) -> Vec<Envelope> {
    world.broker.messages(&names::session_queue(phase))
}

#[tokio::test(start_paused = true)]
async fn small_sessions_travel_whole_and_large_ones_on_bounded_pages() {
    for (sources, is_paged) in [(3, false), (1_000, true)] {
        let world = World::new().await;
        // Nobody takes the state on: the worker stops once the request has become a session.
        let slot = WorkerSlot::start(&world, "a", |point| match point {
            "session.claimed" => Fate::Fault(Fault::Crash),
            _ => Fate::Fault(Fault::None),
        });
        world.submit("s", sources).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        drop(slot);
        tokio::time::sleep(Duration::from_secs(5)).await;
        let waiting = waiting(&world, Phase::Extraction).await;
        let plain = waiting[0].plain_body().expect("unfolds");
        let state: Value = serde_json::from_slice(&plain).expect("JSON");
        assert_eq!(state.get("pages").is_some(), is_paged, "{sources} sources");
        let limit = if is_paged { MAX_PAGED_STATE_BYTES / 8 } else { INLINE_STATE_BYTES };
        assert!(plain.len() <= limit, "{} bytes for {sources} sources", plain.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_with_a_missing_page_fails_and_keeps_its_state() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", calm);
    let page = ContentRef::from_bytes(b"gone");
    let state = json!({
        "schema_version": 3, "session_id": "s", "revision": 2, "phase": "extraction", "query": "q", "reply_to": REPLIES,
        "pages": { "sources": { "items": 1, "bytes": 4, "pages": [page] } },
    });
    let header = Header {
        message_type: message_type::STATE.to_owned(),
        message_id: "s/2".to_owned(),
        correlation_id: "s".to_owned(),
        ..Header::default()
    };
    let envelope = Envelope { header, body: Bytes::from(state.to_string()) };
    let route = Route::queue(names::session_queue(Phase::Extraction));
    world.caller().publish(Outgoing { route, envelope: envelope.clone() }).await.expect("published");
    world.wait_for(1, LIMIT).await.expect("a failure");
    let found = world.broker.messages(REPLIES)[0].decode::<Value>().expect("JSON");
    let error = &found["error"];
    assert_eq!(error["code"], "state_page_missing", "{error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains(&page.to_string()) && message.contains("sources"), "{message}");
    assert!(error["remedy"].as_str().is_some_and(|remedy| remedy.contains("redrive")), "{error}");
    let letters = world.broker.messages(names::DEAD);
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].header.dead_reason.as_deref(), Some("state_page_missing"));
    let opened = fleet::open_letter(&letters[0], &world.content).await.expect("sealed by this fleet");
    assert_eq!(opened.body, envelope.body);
}
