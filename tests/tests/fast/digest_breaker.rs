//! While the breaker of digests is open no new digest is made, finished ones are served, and every session has its report.

use precis_proto::digest::DigestPolicy;
use precis_proto::response::Response;
use precis_runtime::config::Settings;
use precis_runtime::store::{BreakerPolicy, BreakerState, CallOutcome};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::{Value, json};

/// The breaker's name in the store.
const DIGESTS: &str = "digest";

fn essay(about: &str) -> String {
    (0..600).map(|n| format!("In year {n} the {about} moved {} metres and the valley kept a record. ", n * 7)).collect()
}

async fn report(world: &World, session: &str, about: &str) -> Response {
    let body = json!({
        "schema_version": 2, "session_id": session, "query": "How far did it move in the valley?",
        "sources": [{ "source_id": about, "content": essay(about) }],
    });
    world.submit_body(session, &body).await;
    result_of(world, session).await
}

/// Level of the only source after the digest phase, and what its record warns of.
fn record(response: &Response) -> (String, Vec<String>) {
    let data = serde_json::to_value(response).expect("JSON")["data"].take();
    let items = data["content_fidelity"].as_object().expect("a record for each source");
    let digest = items.values().next().expect("one source")["phases"]["digest"].clone();
    let warnings = digest["warnings"].as_array().cloned().unwrap_or_default();
    let warnings = warnings.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    (digest["level"].as_str().expect("a level").to_owned(), warnings)
}

#[tokio::test]
async fn an_open_breaker_makes_no_digest_and_serves_those_that_are_made() {
    let mut settings = Settings::default();
    settings.digest.policy = DigestPolicy::Always;
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let digested = ("digest".to_owned(), vec!["digest: reduced to what is relevant to the question".to_owned()]);
    assert_eq!(record(&report(&world, "before", "glacier").await), digested);

    let policy = BreakerPolicy::default();
    let mut state = BreakerState::Closed;
    while state == BreakerState::Closed {
        state =
            world.store().breakers().report(DIGESTS, &policy, 0, CallOutcome::Failure).await.expect("reachable").state;
    }
    assert_eq!(record(&report(&world, "cached", "glacier").await), digested, "the finished one is served");
    let skipped = report(&world, "skipped", "river").await;
    assert_eq!(record(&skipped), ("raw".to_owned(), vec!["digest_failed: breaker_open".to_owned()]));
    assert!(skipped.error.is_none(), "{:?}", skipped.error);
}
