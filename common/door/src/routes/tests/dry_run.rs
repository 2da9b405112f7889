//! Dry runs over HTTP: what is answered, and that nothing is left behind.

use precis_runtime::broker::names;
use serde_json::json;

use super::world::{request, world};
use crate::limits::DRY_RUNS;

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test(start_paused = true)]
async fn a_dry_run_answers_what_a_session_would_cost_and_accepts_none() {
    let world = world(true).await;
    let body = request("Why?").to_string();
    for asks in ["?dry_run", "?dry_run=true"] {
        let answer = world.call("alpha", "POST", &format!("/v1/sessions{asks}"), &body, &[JSON]).await;
        assert_eq!((answer.status, answer.json()["unread_sources"].as_u64()), (200, Some(1)), "{:?}", answer.body);
    }
    assert_eq!(world.waiting().await, 0);
    assert_eq!(world.get("/v1/sessions").await.json()["data"], json!([]), "no record");
    let accepted = world.call("alpha", "POST", "/v1/sessions?dry_run=false", &body, &[JSON]).await;
    assert_eq!((accepted.status, world.waiting().await), (202, 1));
    assert!(world.broker.get(names::REQUESTS).await.expect("open").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_is_refused_as_its_request_would_be() {
    let world = world(true).await;
    let asked = async |token: &str, path: &str, body: &str, kind: &str| {
        world.call(token, "POST", path, body, &[("content-type", kind)]).await.code()
    };
    let fine = request("Why?").to_string();
    let dry = "/v1/sessions?dry_run";
    for (token, path, body, kind, want) in [
        ("reader", dry, &fine[..], "application/json", (403, "scope_missing")),
        ("alpha", "/v1/sessions?dry_run=1", &fine, "application/json", (400, "invalid_parameter")),
        ("alpha", dry, &request("  ").to_string(), "application/json", (422, "empty_query")),
        ("alpha", dry, "{", "application/json", (400, "malformed_request")),
        ("alpha", dry, &fine, "text/plain", (415, "unsupported_media_type")),
        ("alpha", dry, &fine, "multipart/form-data; boundary=x", (415, "unsupported_media_type")),
    ] {
        assert_eq!(asked(token, path, body, kind).await, (want.0, want.1.to_owned()), "{path} {kind}");
    }
    let others = world.door.dry_runs.acquire_many(u32::try_from(DRY_RUNS).expect("few")).await.expect("open");
    let busy = world.call("alpha", "POST", dry, &fine, &[JSON]).await;
    assert_eq!(busy.code(), (503, "busy".to_owned()));
    assert_eq!(busy.headers["retry-after"], "5");
    drop(others);
    assert_eq!(world.call("alpha", "POST", dry, &fine, &[JSON]).await.status, 200);
}
