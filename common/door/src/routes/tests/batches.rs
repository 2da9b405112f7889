//! Batches: accepted whole, cut off and gone on with, and shown.

use precis_proto::SessionId;
use precis_runtime::broker::names;
use serde_json::{Value, json};

use super::world::{Answer, World, world, world_with};
use crate::limits::DoorLimits;

fn batch(questions: &[&str], max_usd: Value) -> Value {
    let sources = json!([{ "source_id": "a", "content": "SECRET TEXT" }]);
    let mut batch = json!({ "schema_version": 2, "questions": questions, "sources": sources });
    if !max_usd.is_null() {
        batch["max_usd"] = max_usd;
    }
    batch
}

async fn submit(world: &World, token: &str, body: &Value, key: Option<&str>) -> Answer {
    let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
    world.call(token, "POST", "/v1/batches", &body.to_string(), &headers).await
}

/// The questions that wait for workers, each with what its session may spend.
async fn taken(world: &World) -> Vec<(String, Option<f64>)> {
    let mut taken = Vec::new();
    while let Some(delivery) = world.broker.get(names::REQUESTS).await.expect("open") {
        let request: Value = delivery.envelope.decode_within(100_000).expect("a request");
        let query = request["query"].as_str().expect("a question").to_owned();
        taken.push((query, request["options"]["max_spend_usd"].as_f64()));
        delivery.ack().await.expect("acked");
    }
    taken
}

#[tokio::test]
async fn each_question_is_a_session_with_its_share_of_the_bound() {
    let world = world(true).await;
    let body = batch(&["Why?", "When?", "Who?"], json!(1.0));
    let answer = submit(&world, "submitter", &body, Some("k")).await;
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!((answer.status, answer.headers["location"].to_str().ok()), (202, Some(&*format!("/v1/batches/{id}"))));
    assert!(!String::from_utf8_lossy(&answer.body).contains("SECRET"));
    let asked = [("Why?", 0.333_334), ("When?", 0.333_333), ("Who?", 0.333_333)];
    assert_eq!(taken(&world).await, asked.map(|(query, usd)| (query.to_owned(), Some(usd))));
    let shown = world.get(&format!("/v1/batches/{id}")).await.json();
    assert_eq!(
        (&shown["counts"]["queued"], &shown["max_usd"], &shown["cost_usd"]),
        (&json!(3), &json!(1.0), &json!(0.0))
    );
    let session = SessionId::new(shown["session_ids"][1].as_str().expect("an id")).expect("an id");
    assert_eq!(
        (&shown["sessions"][1]["query"], world.get(&format!("/v1/sessions/{session}")).await.status),
        (&json!("When?"), 200)
    );
    world.end(&session).await;
    let shown = world.get(&format!("/v1/batches/{id}")).await.json();
    assert_eq!((&shown["counts"]["queued"], &shown["counts"]["failed"]), (&json!(2), &json!(1)));
    // The same request is the same batch; what has ended is not asked again, and what was removed stays away.
    let path = format!("/v1/sessions/{session}");
    assert_eq!(world.call("alpha", "DELETE", &path, "", &[]).await.status, 204);
    let again = submit(&world, "submitter", &body, Some("k")).await;
    assert_eq!((again.status, &again.json()["id"]), (202, &json!(id)));
    assert_eq!((&again.json()["counts"]["absent"], taken(&world).await.len()), (&json!(1), 2));
    let other = batch(&["Why?", "When?"], json!(1.0));
    assert_eq!(submit(&world, "submitter", &other, Some("k")).await.code(), (409, "idempotency_key_reused".to_owned()));
    assert_eq!(
        world.call("beta", "GET", &format!("/v1/batches/{id}"), "", &[]).await.code(),
        (404, "unknown_batch".to_owned())
    );
    assert_eq!(world.get("/v1/batches/..%2Fx").await.code(), (404, "unknown_batch".to_owned()));
}

#[tokio::test]
async fn a_lower_bound_of_the_request_stays() {
    let world = world(true).await;
    let mut body = batch(&["Why?", "When?"], json!(1.0));
    body["options"] = json!({ "max_spend_usd": 0.1 });
    assert_eq!(submit(&world, "alpha", &body, Some("k")).await.status, 202);
    assert_eq!(taken(&world).await.iter().map(|(_, usd)| *usd).collect::<Vec<_>>(), [Some(0.1), Some(0.1)]);
    assert_eq!(submit(&world, "alpha", &batch(&["Why?"], Value::Null), Some("free")).await.status, 202);
    assert_eq!(taken(&world).await, [("Why?".to_owned(), None)]);
}

#[tokio::test]
async fn a_wrong_batch_is_refused_with_its_code_and_begins_nothing() {
    let world = world(true).await;
    let with = |name: &str, value: Value| {
        let mut body = batch(&["Why?", "When?"], Value::Null);
        body[name] = value;
        body
    };
    for (body, code, pointer) in [
        (with("questions", json!([])), "invalid_question_count", Some("/questions")),
        (with("questions", json!(["Why?", " "])), "empty_query", Some("/questions/1")),
        (with("questions", json!("Why?")), "malformed_request", Some("/questions")),
        (with("max_usd", json!(-1)), "invalid_ceiling", Some("/max_usd")),
        (with("sources", json!([])), "no_sources", Some("/sources")),
        (with("schema_version", json!(99)), "unsupported_version", Some("/schema_version")),
        (with("colour", json!("red")), "malformed_request", Some("/colour")),
    ] {
        let answer = submit(&world, "alpha", &body, Some("k")).await;
        assert_eq!(answer.code(), (422, code.to_owned()), "{body}");
        assert_eq!(answer.json()["pointer"].as_str(), pointer, "{body}");
    }
    let fine = batch(&["Why?"], Value::Null);
    assert_eq!(submit(&world, "alpha", &fine, None).await.code(), (400, "idempotency_key_missing".to_owned()));
    assert_eq!(submit(&world, "reader", &fine, Some("k")).await.status, 403);
    assert_eq!((taken(&world).await.len(), world.get("/v1/sessions").await.json()["data"].clone()), (0, json!([])));
    assert_eq!(submit(&world, "alpha", &fine, Some("k")).await.status, 202, "the key is free still");
}

#[tokio::test]
async fn a_batch_has_so_many_questions_and_bytes_and_no_more() {
    for (questions, status) in [(2, 202), (3, 202), (4, 422)] {
        let world = world_with(true, DoorLimits { batch_questions: 3, ..DoorLimits::default() }).await;
        let body = batch(&vec!["Why?"; questions], Value::Null);
        assert_eq!(submit(&world, "alpha", &body, Some("k")).await.status, status, "{questions}");
    }
    let body = batch(&["Why?"], Value::Null);
    let bytes = body.to_string().len();
    for (limit, status) in [(bytes - 1, 413), (bytes, 202), (bytes + 1, 202)] {
        let world = world_with(true, DoorLimits { batch_bytes: limit, ..DoorLimits::default() }).await;
        assert_eq!(submit(&world, "alpha", &body, Some("k")).await.status, status, "{limit}");
    }
}

#[tokio::test]
async fn a_batch_that_was_cut_off_goes_on_with_its_key() {
    let world = world_with(true, DoorLimits { active_sessions: 2, ..DoorLimits::default() }).await;
    let body = batch(&["Why?", "When?", "Who?"], Value::Null);
    assert_eq!(submit(&world, "alpha", &body, Some("k")).await.code(), (429, "too_many_sessions".to_owned()));
    let queries = async || taken(&world).await.into_iter().map(|(query, _)| query).collect::<Vec<_>>();
    assert_eq!(queries().await, ["Why?", "When?"]);
    let first = world.get("/v1/sessions").await.json()["data"][1]["id"].as_str().expect("an id").to_owned();
    let first = SessionId::new(first).expect("an id");
    world.end(&first).await;
    let answer = submit(&world, "alpha", &body, Some("k")).await;
    assert_eq!((answer.status, &answer.json()["counts"]["queued"]), (202, &json!(2)), "{:?}", answer.body);
    // What no worker has taken yet is published once more: workers know it by its record.
    assert!(queries().await.contains(&"Who?".to_owned()));
    assert!(answer.json()["session_ids"].as_array().is_some_and(|ids| ids.contains(&json!(first))));
}

#[tokio::test]
async fn batches_are_listed_newest_first_to_their_tenant() {
    let world = world(true).await;
    let mut ids = Vec::new();
    for key in ["one", "two", "three"] {
        let answer = submit(&world, "alpha", &batch(&["Why?", "When?"], json!(0.5)), Some(key)).await;
        ids.push(answer.json()["id"].as_str().expect("an id").to_owned());
    }
    let listed = async |path: &str| world.get(path).await.json();
    let page = listed("/v1/batches").await;
    let of = |page: &Value| -> Vec<String> {
        page["data"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
    };
    // Those of one millisecond come in the order of their ids.
    let listed_ids = of(&page);
    ids.sort_unstable();
    let mut sorted = listed_ids.clone();
    sorted.sort_unstable();
    assert_eq!((&sorted, &page["next"]), (&ids, &Value::Null));
    assert_eq!((&page["data"][0]["questions"], &page["data"][0]["max_usd"]), (&json!(2), &json!(0.5)));
    let first = listed("/v1/batches?limit=2").await;
    let next = first["next"].as_str().expect("a cursor");
    let second = listed(&format!("/v1/batches?limit=2&cursor={next}")).await;
    assert_eq!(
        (of(&first), of(&second), &second["next"]),
        (listed_ids[..2].to_vec(), listed_ids[2..].to_vec(), &Value::Null)
    );
    let other = world.call("beta", "GET", &format!("/v1/batches?cursor={next}"), "", &[]).await;
    assert_eq!((other.status, other.json()["data"].clone()), (200, json!([])));
    for (query, code) in [
        ("limit=0", "invalid_limit"),
        ("limit=101", "invalid_limit"),
        ("cursor=..", "invalid_cursor"),
        ("status=failed", "unknown_parameter"),
    ] {
        assert_eq!(world.get(&format!("/v1/batches?{query}")).await.code(), (400, code.to_owned()));
    }
    assert_eq!(world.call("submitter", "GET", "/v1/batches", "", &[]).await.code(), (403, "scope_missing".to_owned()));
}
