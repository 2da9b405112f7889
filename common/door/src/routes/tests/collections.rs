//! Collections: made, filled, shown, searched and removed, without workers.

use precis_proto::ids::sha256_hex;
use precis_proto::source::ContentRef;
use precis_proto::{CollectionId, Timestamp};
use precis_runtime::broker::names;
use precis_runtime::collections::{CollectionIndex, UnreadFile, keep_index};
use serde_json::{Value, json};

use super::world::{Answer, World, world, world_with};
use crate::limits::DoorLimits;

fn form(files: &[(&str, &str)]) -> String {
    let part = |(name, body): &(&str, &str)| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{body}\r\n")
    };
    format!("{}--edge--\r\n", files.iter().map(part).collect::<String>())
}

async fn made(world: &World, token: &str) -> String {
    let answer = world.call(token, "POST", "/v1/collections", "{\"name\": \"laws\"}", &[]).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer.json()["id"].as_str().expect("an id").to_owned()
}

async fn add(world: &World, token: &str, id: &str, files: &[(&str, &str)]) -> Answer {
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    world.call(token, "POST", &format!("/v1/collections/{id}/files"), &form(files), &headers).await
}

async fn index(world: &World, id: &str, version: u64, unread: &[&str]) -> ContentRef {
    let manifest = ContentRef::from_bytes(format!("{id} {version}").as_bytes());
    let unread = unread.iter().map(|name| UnreadFile {
        name: (*name).to_owned(),
        code: "encrypted".to_owned(),
        message: "the document needs a password".to_owned(),
    });
    let index = CollectionIndex {
        schema_version: 1,
        version,
        at: Timestamp(7),
        reading: String::new(),
        manifest: manifest.clone(),
        documents: 1,
        unread: unread.collect(),
        keeps: Vec::new(),
    };
    keep_index(&world.content, &CollectionId::new(id).expect("an id"), &index).await.expect("kept");
    manifest
}

fn asking(collections: Value) -> Value {
    json!({ "schema_version": 3, "query": "Why?", "sources": [], "options": { "research": { "collections": collections } } })
}

async fn wakes(world: &World) -> u64 {
    world.broker.depth(names::INDEXING).await.expect("declared").ready
}

#[tokio::test]
async fn a_collection_is_made_filled_and_shown() {
    let world = world(true).await;
    let answer = world.call("submitter", "POST", "/v1/collections", "{\"name\": \"laws\"}", &[]).await;
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        (answer.status, answer.headers["location"].to_str().ok()),
        (201, Some(&*format!("/v1/collections/{id}")))
    );
    assert_eq!(answer.json()["indexing"], json!({ "state": "empty" }));
    assert_eq!(wakes(&world).await, 0);
    let answer = add(&world, "submitter", &id, &[("b.md", "B text."), ("a.md", "A text.")]).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(wakes(&world).await, 1);
    let shown = world.get(&format!("/v1/collections/{id}")).await.json();
    assert_eq!(
        (&shown["name"], &shown["version"], &shown["file_count"], &shown["bytes"]),
        (&json!("laws"), &json!(1), &json!(2), &json!(14))
    );
    let indexing = &shown["indexing"];
    assert_eq!((&indexing["state"], &indexing["waiting"]), (&json!("waiting"), &json!({ "reason": "queue" })));
    assert!(indexing["since"].is_string(), "since the version was made: {indexing}");
    let sha256 = sha256_hex(b"A text.");
    assert_eq!(shown["files"][0], json!({ "name": "a.md", "bytes": 7, "sha256": sha256, "status": "waiting" }));
    index(&world, &id, 1, &["b.md"]).await;
    let shown = world.get(&format!("/v1/collections/{id}")).await.json();
    assert_eq!(shown["indexing"], json!({ "state": "indexed", "indexed_version": 1, "documents": 1 }));
    assert_eq!((&shown["files"][0]["status"], &shown["files"][1]["status"]), (&json!("indexed"), &json!("not_read")));
    assert_eq!(
        (&shown["files"][1]["code"], &shown["files"][1]["reason"]),
        (&json!("encrypted"), &json!("the document needs a password"))
    );
    // The same file once more is the same version; another text in its place is a new one.
    assert_eq!(add(&world, "alpha", &id, &[("a.md", "A text.")]).await.json()["version"], 1);
    let changed = add(&world, "alpha", &id, &[("a.md", "Another text.")]).await.json();
    assert_eq!((&changed["version"], &changed["file_count"]), (&json!(2), &json!(2)));
    assert_eq!(changed["indexing"]["indexed_version"], 1, "version 1 can be searched meanwhile");
    let file = format!("/v1/collections/{id}/files/b.md");
    assert_eq!(world.call("alpha", "DELETE", &file, "", &[]).await.status, 204);
    assert_eq!(world.call("alpha", "DELETE", &file, "", &[]).await.code(), (404, "unknown_file".to_owned()));
    let shown = world.get(&format!("/v1/collections/{id}")).await.json();
    assert_eq!((&shown["version"], &shown["file_count"]), (&json!(3), &json!(1)));
}

#[tokio::test]
async fn documents_stored_before_are_added_with_their_proof() {
    let world = world(true).await;
    let id = made(&world, "alpha").await;
    let put = format!("/v1/content/{}", sha256_hex(b"A text."));
    let stored = world.call("alpha", "PUT", &put, "A text.", &[]).await.json();
    let theirs = world.call("gamma", "PUT", &put, "A text.", &[]).await.json();
    let add = async |name: &str, content: &Value, proof: &Value| {
        let body = json!({ "files": [{ "name": name, "content_ref": content, "content_proof": proof }] });
        let path = format!("/v1/collections/{id}/files");
        world.call("alpha", "POST", &path, &body.to_string(), &[("content-type", "application/json")]).await
    };
    let (content, proof) = (&stored["content_ref"], &stored["content_proof"]);
    let foreign = add("a.md", content, &theirs["content_proof"]).await;
    assert_eq!(
        (foreign.code(), foreign.json()["pointer"].clone()),
        ((422, "content_not_proved".to_owned()), json!("/files/0/content_proof"))
    );
    assert_eq!(add("../a", content, proof).await.code(), (422, "invalid_file_name".to_owned()));
    let added = add("a.md", content, proof).await;
    assert_eq!((added.status, added.json()["bytes"].as_u64()), (200, Some(7)));
    let never: ContentRef = ContentRef::from_bytes(b"never put");
    let proof = json!(world.content.proof("a", &never).await.expect("a proof"));
    assert_eq!(add("b.md", &json!(never), &proof).await.code(), (422, "unknown_content".to_owned()));
}

#[tokio::test]
async fn a_wrong_body_is_refused_with_its_code_and_changes_nothing() {
    let world = world(true).await;
    let id = made(&world, "alpha").await;
    let path = format!("/v1/collections/{id}/files");
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    let fine = form(&[("a.md", "A text.")]);
    for (body, status, code) in [
        (form(&[]), 422, "malformed_request"),
        (form(&[("a.md", "A text."), ("../x", "A text.")]), 422, "invalid_file_name"),
        (fine.replace("; filename=\"a.md\"", ""), 422, "invalid_file_name"),
        (fine[..fine.len() - 20].to_owned(), 400, "incomplete_body"),
        (form(&[("a.md", &"x".repeat(10_001))]), 413, "request_too_large"),
    ] {
        let answer = world.call("alpha", "POST", &path, &body, &headers).await;
        assert_eq!(answer.code(), (status, code.to_owned()));
    }
    for (body, status) in [("{", 400), ("{}", 422), ("{\"files\": []}", 422), ("{\"files\": 5}", 422), ("[]", 422)] {
        let answer = world.call("alpha", "POST", &path, body, &[("content-type", "application/json")]).await;
        assert_eq!(answer.code(), (status, "malformed_request".to_owned()), "{body}");
    }
    let plain = world.call("alpha", "POST", &path, "x", &[("content-type", "text/plain")]).await;
    assert_eq!(plain.code(), (415, "unsupported_media_type".to_owned()));
    assert_eq!(world.call("alpha", "POST", "/v1/collections", "{\"colour\": 1}", &[]).await.status, 422);
    assert_eq!(world.get(&format!("/v1/collections/{id}")).await.json()["version"], 0);
    assert_eq!(world.get("/v1/collections?limit=0").await.code(), (400, "invalid_limit".to_owned()));
    assert_eq!(world.get("/v1/collections?cursor=x").await.code(), (400, "invalid_cursor".to_owned()));
    assert_eq!(world.get("/v1/collections?colour=red").await.code(), (400, "unknown_parameter".to_owned()));
    assert_eq!(wakes(&world).await, 0);
}

#[tokio::test]
async fn another_tenants_collection_is_as_one_that_is_not_there() {
    let world = world(true).await;
    let id = made(&world, "alpha").await;
    for (token, scope) in [("beta", 404), ("alpha", 200)] {
        assert_eq!(world.call(token, "GET", &format!("/v1/collections/{id}"), "", &[]).await.status, scope, "{token}");
    }
    let absent = world.call("beta", "GET", "/v1/collections/00000000000000000000000000000000", "", &[]).await;
    for (method, path) in [
        ("GET", format!("/v1/collections/{id}")),
        ("DELETE", format!("/v1/collections/{id}")),
        ("GET", "/v1/collections/..%2F..%2Fx".to_owned()),
        ("DELETE", format!("/v1/collections/{id}/files/a.md")),
    ] {
        let answer = world.call("beta", method, &path, "", &[]).await;
        assert_eq!(answer.body, absent.body, "{method} {path}");
    }
    assert_eq!(add(&world, "beta", &id, &[("a.md", "A text.")]).await.body, absent.body);
    let answer = world.call("beta", "POST", "/v1/sessions", &asking(json!([{ "id": id }])).to_string(), &[]).await;
    assert_eq!(answer.code(), (422, "unknown_collection".to_owned()));
    assert_eq!(world.call("beta", "GET", "/v1/collections", "", &[]).await.json()["data"], json!([]));
    assert_eq!(world.get("/v1/collections").await.json()["data"][0]["id"], json!(id));
    assert_eq!(
        world.call("reader", "POST", "/v1/collections", "{}", &[]).await.code(),
        (403, "scope_missing".to_owned())
    );
    assert_eq!(
        world.call("submitter", "DELETE", &format!("/v1/collections/{id}"), "", &[]).await.status,
        403,
        "alpha's"
    );
    assert_eq!(world.call("alpha", "DELETE", &format!("/v1/collections/{id}"), "", &[]).await.status, 204);
    assert_eq!(world.get(&format!("/v1/collections/{id}")).await.code(), (404, "unknown_collection".to_owned()));
    assert_eq!(world.get("/v1/collections").await.json()["data"], json!([]));
}

#[tokio::test]
async fn a_session_searches_the_version_it_was_accepted_with() {
    let world = world(true).await;
    let id = made(&world, "alpha").await;
    let ask = async |collections: Value, key: &str| world.post(&asking(collections), Some(key)).await;
    let newest = json!([{ "id": id }]);
    let empty = ask(newest.clone(), "k").await;
    assert_eq!(
        (empty.code(), empty.json()["pointer"].clone()),
        ((422, "collection_not_indexed".to_owned()), json!("/options/research/collections/0/id"))
    );
    add(&world, "alpha", &id, &[("a.md", "A text.")]).await;
    let waiting = ask(newest.clone(), "k").await;
    assert_eq!(
        (waiting.code(), waiting.headers["retry-after"].to_str().ok()),
        ((422, "collection_not_indexed".to_owned()), Some("5"))
    );
    index(&world, &id, 1, &[]).await;
    let accepted = ask(newest.clone(), "k").await;
    assert_eq!(accepted.status, 202, "{:?}", accepted.body);
    // The collection goes on; the same request with the same key is the same session, with the version it had.
    add(&world, "alpha", &id, &[("b.md", "B text.")]).await;
    assert_eq!(ask(newest.clone(), "other").await.status, 422);
    index(&world, &id, 2, &[]).await;
    let again = ask(newest.clone(), "k").await;
    assert_eq!((again.status, &again.json()["id"]), (202, &accepted.json()["id"]));
    assert_eq!(ask(json!([{ "id": id, "version": 2 }]), "k").await.code(), (409, "idempotency_key_reused".to_owned()));
    assert_eq!(ask(newest.clone(), "new").await.status, 202);
    assert_eq!(ask(json!([{ "id": id, "version": 9 }]), "x").await.code(), (422, "unknown_collection".to_owned()));
    assert_eq!(world.call("alpha", "DELETE", &format!("/v1/collections/{id}"), "", &[]).await.status, 204);
    assert_eq!(ask(newest.clone(), "k").await.json()["id"], accepted.json()["id"], "it goes on");
    assert_eq!(ask(newest, "late").await.code(), (422, "unknown_collection".to_owned()));
    let mut versions = Vec::new();
    while let Some(delivery) = world.broker.get(names::REQUESTS).await.expect("open") {
        let request: Value = delivery.envelope.decode_within(100_000).expect("a request");
        versions.push(request["options"]["research"]["collections"][0]["version"].as_u64());
        assert!(request["options"]["research"].get("corpus").is_none(), "workers look it up by themselves");
        delivery.ack().await.expect("acked");
    }
    assert_eq!(versions, [Some(1), Some(1), Some(2), Some(1)]);
}

#[tokio::test]
async fn there_are_as_many_as_the_limits_say_and_no_more() {
    let limits = DoorLimits { collections: 2, collection_files: 3, added_files: 2, ..DoorLimits::default() };
    let world = world_with(true, limits).await;
    let id = made(&world, "alpha").await;
    made(&world, "alpha").await;
    let third = world.call("alpha", "POST", "/v1/collections", "{}", &[]).await;
    assert_eq!(
        (third.code(), third.headers["ratelimit-policy"].to_str().ok()),
        ((429, "too_many_collections".to_owned()), Some("\"collections\";q=2"))
    );
    made(&world, "gamma").await;
    let files = |names: &[&'static str]| names.iter().map(|name| (*name, "A text.")).collect::<Vec<_>>();
    assert_eq!(add(&world, "alpha", &id, &files(&["a", "b", "c"])).await.code(), (422, "too_many_files".to_owned()));
    for (names, status) in [(&["a"][..], 200), (&["b", "c"], 200), (&["d"], 422), (&["a", "c"], 200)] {
        assert_eq!(add(&world, "alpha", &id, &files(names)).await.status, status, "{names:?}");
    }
    assert_eq!(world.get(&format!("/v1/collections/{id}")).await.json()["file_count"], 3);
}

#[tokio::test]
async fn a_repeated_key_is_the_same_collection() {
    let world = world(true).await;
    let make = async |name: &str| {
        let body = json!({ "name": name }).to_string();
        world.call("alpha", "POST", "/v1/collections", &body, &[("idempotency-key", "k")]).await
    };
    let first = make("laws").await;
    assert_eq!((first.status, make("laws").await.json()["id"].clone()), (201, first.json()["id"].clone()));
    assert_eq!(make("other").await.code(), (409, "idempotency_key_reused".to_owned()));
    let path = format!("/v1/collections/{}", first.json()["id"].as_str().expect("an id"));
    assert_eq!(world.call("alpha", "DELETE", &path, "", &[]).await.status, 204);
    assert_eq!(make("laws").await.code(), (409, "collection_removed".to_owned()));
}

#[tokio::test]
async fn what_is_added_counts_for_what_a_tenant_may_store() {
    let world = world(true).await;
    let id = made(&world, "beta").await;
    let long = "x".repeat(usize::try_from(super::MAY_STORE).expect("few"));
    assert_eq!(add(&world, "beta", &id, &[("a.md", &long)]).await.code(), (429, "storage_quota_reached".to_owned()));
}

#[tokio::test]
async fn a_change_no_worker_received_is_sent_on_repetition() {
    let away = world(false).await;
    let answer = away.call("alpha", "POST", "/v1/collections", "{}", &[]).await;
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(add(&away, "alpha", &id, &[("a.md", "A text.")]).await.code(), (503, "broker_unavailable".to_owned()));
    let shown = away.get(&format!("/v1/collections/{id}")).await.json();
    assert_eq!(
        (&shown["version"], &shown["indexing"]["state"]),
        (&json!(1), &json!("waiting")),
        "it is kept all the same"
    );
    let here = world(true).await;
    let id = made(&here, "alpha").await;
    for n in 1..=2 {
        assert_eq!(add(&here, "alpha", &id, &[("a.md", "A text.")]).await.json()["version"], 1);
        assert_eq!(wakes(&here).await, n);
    }
}
