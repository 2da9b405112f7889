//! Whom a request may have told, and how far that is.

use precis_proto::response::Status;
use precis_proto::webhook::{WebhookDelivery, WebhookEvent, WebhookPayload, WebhookTarget};
use precis_proto::{SessionId, Timestamp};
use precis_runtime::broker::names;
use precis_runtime::webhooks::{DeliveryAttempt, DeliveryRecord, DeliveryState, keep_delivery};
use serde_json::{Value, json};

use super::world::{World, request, world};

fn naming(target: &Value) -> Value {
    let mut request = request("Why?");
    request["options"] = json!({ "webhook": target });
    request
}

#[tokio::test]
async fn a_request_can_name_only_an_endpoint_of_its_tenant() {
    let world = world(true).await;
    let answer = world.post(&naming(&json!({ "endpoint": "all" })), None).await;
    assert_eq!(answer.status, 202, "{:?}", answer.body);
    for (target, pointer, code) in [
        (json!({ "endpoint": "of-c" }), "/options/webhook/endpoint", "webhook_not_allowed"),
        (json!({ "endpoint": "nobody" }), "/options/webhook/endpoint", "webhook_not_allowed"),
        (json!({ "endpoint": "x".repeat(300) }), "/options/webhook/endpoint", "webhook_not_allowed"),
        (json!({ "url": "https://hooks.example/?SECRET" }), "/options/webhook/url", "webhook_not_allowed"),
        (json!({ "url": "http://127.0.0.1/" }), "/options/webhook/url", "webhook_not_allowed"),
        (json!({ "port": 1 }), "/options/webhook", "malformed_request"),
    ] {
        let refused = world.post(&naming(&target), None).await;
        assert_eq!(refused.code(), (422, code.to_owned()), "{target}");
        let given = refused.json()["pointer"].as_str().expect("a pointer").to_owned();
        assert!(given.starts_with(pointer), "{target}: {given}");
        assert!(!String::from_utf8_lossy(&refused.body).contains("SECRET"));
    }
    let of_b =
        world.call("gamma", "POST", "/v1/sessions", &naming(&json!({ "endpoint": "of-c" })).to_string(), &[]).await;
    assert_eq!(of_b.status, 202, "{:?}", of_b.body);
}

/// Keeps the record of a delivery for `session` that was given up.
async fn given_up(world: &World, session: &SessionId) {
    let event =
        WebhookEvent::SessionFinished { session_id: session.clone(), status: Status::Failed, stop_reason: None };
    let delivery = WebhookDelivery {
        session_id: session.clone(),
        webhook_id: "msg_1".to_owned(),
        target: WebhookTarget::Url("https://hooks.example/?key=SECRET".to_owned()),
        tenant: Some("a".to_owned()),
        payload: WebhookPayload { event, timestamp: Timestamp(5) },
        round: 0,
        since: Timestamp(5),
        not_before: None,
    };
    let last = DeliveryAttempt { at: Timestamp(9), reason: Some("http_status: it answered 410".to_owned()) };
    let record = DeliveryRecord::after(&delivery, DeliveryState::Failed, 3, last);
    keep_delivery(&world.content, &record).await.expect("kept");
}

#[tokio::test]
async fn a_delivery_is_shown_and_sent_once_more() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let path = format!("/v1/sessions/{session}/webhook");
    for method in ["GET", "POST"] {
        assert_eq!(world.call("alpha", method, &path, "", &[]).await.code(), (404, "no_webhook".to_owned()));
        assert_eq!(world.call("beta", method, &path, "", &[]).await.code(), (404, "unknown_session".to_owned()));
    }
    given_up(&world, &session).await;
    let shown = world.get(&path).await;
    assert_eq!((shown.status, shown.json()["state"].as_str()), (200, Some("failed")));
    assert!(!String::from_utf8_lossy(&shown.body).contains("SECRET"), "{:?}", shown.body);
    assert_eq!(world.call("reader", "POST", &path, "", &[]).await.code(), (403, "scope_missing".to_owned()));
    assert_eq!(world.call("alpha", "POST", &path, "", &[]).await.status, 202);
    let message = world.broker.get(names::WEBHOOKS).await.expect("declared").expect("a message");
    let delivery: WebhookDelivery = message.envelope.decode().expect("a delivery");
    assert_eq!((delivery.round, delivery.webhook_id.as_str()), (1, "msg_1"));
    assert!(delivery.since > Timestamp(9));
}
