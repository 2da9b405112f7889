//! Submissions as forms with files.

use precis_proto::ids::sha256_hex;
use precis_runtime::broker::names;
use serde_json::{Value, json};

use super::world::{Answer, World, world, world_with};
use crate::limits::DoorLimits;

const REQUEST: &str = "{\"schema_version\": 2, \"query\": \"Why?\", \"sources\": []}";

fn part(head: &str, body: &str) -> String {
    format!("--edge\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n")
}

fn form(parts: &[String]) -> String {
    format!("{}--edge--\r\n", parts.concat())
}

fn file(name: &str, body: &str) -> String {
    part(&format!("name=\"file\"; filename=\"{name}\""), body)
}

fn asking() -> String {
    part("name=\"request\"", REQUEST)
}

async fn submit(world: &World, token: &str, body: &str, key: Option<&str>) -> Answer {
    let mut headers = vec![("content-type", "multipart/form-data; boundary=edge")];
    headers.extend(key.map(|key| ("idempotency-key", key)));
    world.call(token, "POST", "/v1/sessions", body, &headers).await
}

#[tokio::test]
async fn files_become_sources_by_their_hash() {
    let world = world(true).await;
    let text = format!("Content-Type: text/plain\r\n\r\n{}", "");
    let typed =
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.txt\"\r\n{}B text.\r\n", text);
    let body = form(&[asking(), file("a.md", "A text."), typed]);
    let answer = submit(&world, "submitter", &body, Some("k")).await;
    assert_eq!((answer.status, answer.json()["sources"].as_u64()), (202, Some(2)), "{:?}", answer.body);
    let delivery = world.broker.get(names::REQUESTS).await.expect("open").expect("a request");
    let request: Value = delivery.envelope.decode_within(100_000).expect("a request");
    for (place, name, text, kind) in [(0, "a.md", "A text.", None), (1, "b.txt", "B text.", Some("text/plain"))] {
        let source = &request["sources"][place];
        assert_eq!((source["source_id"].as_str(), source["title"].as_str()), (Some(name), Some(name)));
        assert_eq!(source["content_ref"], format!("sha256:{}", sha256_hex(text.as_bytes())));
        assert_eq!(source["content_type"].as_str(), kind);
        let stored = source["content_ref"].as_str().expect("a name").parse().expect("a name");
        assert_eq!(world.content.get(&stored).await.expect("stored"), text);
    }
    assert_eq!(submit(&world, "submitter", &body, Some("k")).await.json()["id"], answer.json()["id"]);
    let other = form(&[asking(), file("a.md", "Another text.")]);
    assert_eq!(submit(&world, "submitter", &other, Some("k")).await.code(), (409, "idempotency_key_reused".to_owned()));
}

#[tokio::test]
async fn a_wrong_form_is_refused_with_its_code_and_begins_nothing() {
    let world = world(true).await;
    let fine = form(&[asking(), file("a.md", "A text.")]);
    let bad = part("name=\"request\"", "{\"schema_version\": 2, \"query\": \"Why?\", \"sources\": [], \"colour\": 1}");
    for (body, status, code) in [
        (form(&[asking(), file("../x", "A text.")]), 422, "invalid_file_name"),
        (form(&[asking(), file("/etc/passwd", "A text.")]), 422, "invalid_file_name"),
        (form(&[asking(), part("name=\"file\"", "A text.")]), 422, "invalid_file_name"),
        (form(&[file("a.md", "A text."), asking()]), 422, "malformed_request"),
        (form(&[]), 422, "malformed_request"),
        (form(&[bad, file("a.md", "A text.")]), 422, "malformed_request"),
        (form(&[part("name=\"request\"", "{"), file("a.md", "A text.")]), 400, "malformed_request"),
        (form(&[asking()]), 422, "no_sources"),
        (form(&[asking(), file("a.md", "A text."), file("a.md", "B text.")]), 422, "duplicate_source_id"),
        (fine[..fine.len() - 20].to_owned(), 400, "incomplete_body"),
        ("no form".to_owned(), 400, "incomplete_body"),
        (form(&[asking(), file("a.md", &"x".repeat(10_001))]), 413, "request_too_large"),
    ] {
        let shown: String = body.chars().take(200).collect();
        assert_eq!(submit(&world, "alpha", &body, None).await.code(), (status, code.to_owned()), "{shown}");
    }
    let headers = [("content-type", "multipart/form-data")];
    let without = world.call("alpha", "POST", "/v1/sessions", &fine, &headers).await;
    assert_eq!(without.code(), (400, "malformed_form".to_owned()));
    assert_eq!(submit(&world, "reader", &fine, None).await.status, 403);
    assert_eq!(world.waiting().await, 0);
    assert_eq!(world.get("/v1/sessions").await.json()["data"], json!([]));
}

#[tokio::test]
async fn a_form_is_read_up_to_the_size_of_a_body() {
    let body = form(&[asking(), file("a.md", "A text.")]);
    for (less, status) in [(0, 202), (1, 413)] {
        let limits = DoorLimits { request_bytes: body.len() - less, ..DoorLimits::default() };
        let world = world_with(true, limits).await;
        assert_eq!(submit(&world, "alpha", &body, None).await.status, status, "{less}");
    }
}

#[tokio::test]
async fn files_count_for_what_a_tenant_may_store() {
    let world = world(true).await;
    let body = form(&[asking(), file("a.md", &"x".repeat(usize::try_from(super::MAY_STORE).expect("few") + 1))]);
    assert_eq!(submit(&world, "beta", &body, None).await.code(), (429, "storage_quota_reached".to_owned()));
}
