//! Sessions that are removed on demand.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::event::EventKind;
use precis_runtime::broker::names;

use super::world::{Answer, World, request, world};

async fn delete(world: &World, token: &str, session: &str) -> Answer {
    world.call(token, "DELETE", &format!("/v1/sessions/{session}"), "", &[]).await
}

#[tokio::test]
async fn a_removed_session_is_gone_from_every_route() {
    let world = world(true).await;
    let (session, other) = (world.submitted("Why?").await, world.submitted("Else?").await);
    world.log(&session, EventKind::SessionAccepted { sources: 1 }).await;
    world.end(&session).await;
    world.end(&other).await;
    // Its end is recorded when it is looked at.
    assert_eq!(world.get(&format!("/v1/sessions/{session}")).await.status, 200);
    let foreign = delete(&world, "beta", session.as_str()).await;
    assert_eq!(delete(&world, "reader", session.as_str()).await.code(), (403, "scope_missing".to_owned()));
    let removed = delete(&world, "alpha", session.as_str()).await;
    assert_eq!((removed.status, removed.body.len()), (204, 0));
    let again = delete(&world, "alpha", session.as_str()).await;
    assert_eq!(again.code(), (404, "unknown_session".to_owned()));
    assert_eq!(again.body, foreign.body, "the same words for what is gone and what is another's");
    for end in ["", "/result", "/events", "/report.md"] {
        assert_eq!(world.get(&format!("/v1/sessions/{session}{end}")).await.status, 404, "{end}");
    }
    for kind in ["sessions", "ended", "results", "requests"] {
        assert_eq!(world.content.get_named(kind, session.as_str()).await, Ok(None), "{kind}");
    }
    assert!(world.store.events().from(&session, None, 9).await.expect("in memory").is_empty());
    let rows = world.get("/v1/sessions").await.json()["data"].clone();
    assert_eq!((rows.as_array().map(Vec::len), rows[0]["id"].as_str()), (Some(1), Some(other.as_str())));
}

#[tokio::test]
async fn a_running_session_is_cancelled_and_removed_when_it_has_ended() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let mut controls = world.broker.subscribe(names::CONTROL, "").await.expect("declared");
    let worker = async {
        let envelope = controls.next().await.expect("a control");
        let control: Control = envelope.decode_within(10_000).expect("a control");
        assert_eq!(control, Control::Cancel { session_id: session.clone() });
        world.end(&session).await;
        world.door.wakeups.wake(&session);
    };
    let (removed, ()) = tokio::join!(delete(&world, "alpha", session.as_str()), worker);
    assert_eq!(removed.status, 204);
    assert_eq!(world.get(&format!("/v1/sessions/{session}")).await.status, 404);
}

#[tokio::test]
async fn an_unending_session_is_removed_by_the_next_late_request() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let begun = tokio::time::Instant::now();
    let accepted = delete(&world, "alpha", session.as_str()).await;
    assert_eq!((accepted.status, accepted.json()["status"].as_str()), (202, Some("queued")));
    assert!(accepted.headers.contains_key("retry-after") && begun.elapsed() < Duration::from_secs(5));
    world.end(&session).await;
    assert_eq!(delete(&world, "alpha", session.as_str()).await.status, 204);
}

#[tokio::test]
async fn who_submitted_may_remove_and_its_key_means_no_other_session() {
    let world = world(true).await;
    let body = request("Why?").to_string();
    let submit = async || world.call("submitter", "POST", "/v1/sessions", &body, &[("idempotency-key", "k")]).await;
    let id = submit().await.json()["id"].as_str().expect("an id").to_owned();
    world.end(&SessionId::new(id.as_str()).expect("an id")).await;
    assert_eq!(delete(&world, "submitter", &id).await.status, 204);
    let waiting = world.waiting().await;
    assert_eq!(submit().await.code(), (409, "session_removed".to_owned()));
    assert_eq!(world.waiting().await, waiting, "a request that arrives once more begins nothing");
}

#[tokio::test]
async fn a_running_session_is_not_removed_while_workers_are_unreachable() {
    let world = world(false).await;
    assert_eq!(world.post(&request("Why?"), Some("k")).await.status, 503);
    let id = world.get("/v1/sessions").await.json()["data"][0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(delete(&world, "alpha", &id).await.code(), (503, "broker_unavailable".to_owned()));
    assert_eq!(world.get(&format!("/v1/sessions/{id}")).await.status, 200);
}
