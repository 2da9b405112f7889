//! A door on a broker in memory, without workers: what it answers, and what it leaves behind.

mod admission;
mod batches;
mod below;
mod collections;
mod cuts;
mod described;
mod dry_run;
mod events;
mod forms;
mod interleavings;
mod removal;
mod webhooks;
mod world;

use std::time::Duration;

use bytes::Bytes;
use precis_proto::ids::sha256_hex;
use precis_proto::{SessionId, Timestamp};
use precis_runtime::broker::names;
use precis_runtime::records::{AcceptedSession, AskedBy, keep_accepted};
use precis_runtime::runner::{RESULTS, roll};
use serde_json::{Value, json};

use world::{MAY_STORE, request, world, world_with};

use crate::limits::DoorLimits;

#[tokio::test]
async fn an_accepted_request_has_a_record_and_waits_at_the_broker() {
    let world = world(true).await;
    let answer = world.post(&request("Why?"), None).await;
    let document = answer.json();
    let id = document["id"].as_str().expect("an id");
    assert_eq!(answer.headers["location"], format!("/v1/sessions/{id}"));
    assert_eq!((document["status"].as_str(), document["query"].as_str()), (Some("queued"), Some("Why?")));
    assert!(!String::from_utf8_lossy(&answer.body).contains("SECRET"));
    assert_eq!(world.waiting().await, 1);
    let delivery = world.broker.get(names::REQUESTS).await.expect("open").expect("a request");
    assert_eq!(
        (delivery.envelope.header.message_id.as_str(), delivery.envelope.header.tenant.as_deref()),
        (id, Some("a"))
    );
    assert_eq!(world.get(&format!("/v1/sessions/{id}")).await.json(), document);
}

#[tokio::test]
async fn a_key_names_one_session_republished_until_a_worker_has_it() {
    let world = world(true).await;
    let id = world.post(&request("Why?"), Some("k")).await.json()["id"].clone();
    // Other white space, same request.
    let again = world
        .call("alpha", "POST", "/v1/sessions", &format!("{:#}", request("Why?")), &[("idempotency-key", "k")])
        .await;
    assert_eq!((again.status, &again.json()["id"], world.waiting().await), (202, &id, 2));
    assert_eq!(world.post(&request("When?"), Some("k")).await.code(), (409, "idempotency_key_reused".to_owned()));
    assert_ne!(world.post(&request("Why?"), Some("K")).await.json()["id"], id);
    assert_eq!(world.waiting().await, 3);
    let session = SessionId::new(id.as_str().expect("an id")).expect("an id");
    world.end(&session).await;
    assert_eq!(world.post(&request("Why?"), Some("k")).await.json()["status"], "failed");
    assert_eq!(world.waiting().await, 3, "nothing is published for a session that has ended");
    // Another tenant's key is another session.
    let foreign =
        world.call("gamma", "POST", "/v1/sessions", &request("Why?").to_string(), &[("idempotency-key", "k")]).await;
    assert_eq!(foreign.status, 202);
    assert_ne!(foreign.json()["id"], id);
}

#[tokio::test]
async fn a_door_without_its_broker_reports_it_and_keeps_keyed_requests() {
    let world = world(false).await;
    let refused = world.post(&request("Why?"), None).await;
    assert_eq!(refused.code(), (503, "broker_unavailable".to_owned()));
    assert!(refused.headers.contains_key("retry-after"));
    assert!(!String::from_utf8_lossy(&refused.body).contains("secret"));
    assert_eq!(world.get("/v1/sessions").await.json()["data"], json!([]));
    assert_eq!(world.post(&request("Why?"), Some("k")).await.status, 503);
    assert_eq!(world.get("/v1/sessions").await.json()["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(world.get("/readyz").await.code(), (503, "broker_unavailable".to_owned()));
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn whatever_is_not_the_callers_own_is_not_there() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let own = world.get(&format!("/v1/sessions/{session}")).await;
    assert_eq!(own.status, 200);
    let mut answers = Vec::new();
    for (token, id) in [
        ("beta", session.as_str()),
        ("alpha", "not-there"),
        ("alpha", "..%2f..%2fetc%2fpasswd"),
        ("alpha", "%2E%2E"),
        ("alpha", "%00"),
        ("alpha", "%ff"),
        ("alpha", "%25-0a0a"),
        ("alpha", &"x".repeat(9_000)),
        ("alpha", &sha256_hex(b"x")),
    ] {
        for (method, end) in [
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("GET", "/result"),
            ("POST", "/stop"),
            ("POST", "/cancel"),
        ] {
            let answer = world.call(token, method, &format!("/v1/sessions/{id}{end}"), "", &[]).await;
            assert_eq!(answer.code(), (404, "unknown_session".to_owned()), "{id} {end}");
            answers.push(answer.body);
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "the same words for all");
    let list = world.call("beta", "GET", "/v1/sessions", "", &[]).await;
    assert_eq!(list.json(), json!({ "data": [], "next": null }));
}

#[tokio::test]
async fn each_scope_opens_its_routes_and_no_others() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let own = world.call("submitter", "POST", "/v1/sessions", &request("Mine?").to_string(), &[]).await;
    let own = own.json()["id"].as_str().expect("an id").to_owned();
    let at = |end: &str| format!("/v1/sessions/{session}{end}");
    for (token, method, path, status) in [
        ("reader", "POST", "/v1/sessions".to_owned(), 403),
        ("reader", "GET", at(""), 200),
        ("reader", "GET", "/v1/sessions".to_owned(), 200),
        ("reader", "POST", at("/cancel"), 403),
        ("submitter", "GET", at(""), 403),
        ("submitter", "GET", at("/result"), 403),
        ("submitter", "GET", at("/events"), 403),
        ("submitter", "GET", "/v1/sessions".to_owned(), 403),
        ("submitter", "POST", at("/stop"), 403),
        ("submitter", "DELETE", at(""), 403),
        ("reader", "DELETE", at(""), 403),
        ("submitter", "POST", format!("/v1/sessions/{own}/stop"), 202),
        ("alpha", "POST", at("/cancel"), 202),
        ("nobody", "GET", at(""), 401),
        ("nobody", "POST", "/v1/sessions".to_owned(), 401),
        ("nobody", "GET", "/openapi.json".to_owned(), 200),
    ] {
        let answer = world.call(token, method, &path, &request("Why?").to_string(), &[]).await;
        assert_eq!(answer.status, status, "{token} {method} {path}");
    }
}

#[tokio::test]
async fn wrong_requests_are_refused_with_their_codes() {
    let world = world(true).await;
    let sessions = "/v1/sessions";
    let fine = request("Why?").to_string();
    let large = format!("{{\"query\":\"{}\"}}", "x".repeat(10_000));
    for (method, path, body, headers, status, code) in [
        ("POST", sessions, "{", vec![], 400, "malformed_request"),
        ("POST", sessions, "{}", vec![], 422, "malformed_request"),
        ("POST", sessions, &large, vec![], 413, "request_too_large"),
        ("POST", sessions, &fine, vec![("content-length", "99999999999")], 413, "request_too_large"),
        ("POST", sessions, &fine, vec![("content-type", "text/html")], 415, "unsupported_media_type"),
        ("POST", sessions, &fine, vec![("idempotency-key", "")], 400, "invalid_idempotency_key"),
        ("POST", "/v1/sessions?colour=red", &fine, vec![], 400, "unknown_parameter"),
        ("GET", "/v1/sessions?limit=0", "", vec![], 400, "invalid_limit"),
        ("GET", "/v1/sessions?limit=101", "", vec![], 400, "invalid_limit"),
        ("GET", "/v1/sessions?cursor=abc", "", vec![], 400, "invalid_cursor"),
        ("GET", "/v1/sessions?status=done", "", vec![], 400, "invalid_status"),
        ("GET", "/v1/sessions?phase=x&limit=5", "", vec![], 400, "invalid_phase"),
        ("GET", "/v1/sessions?since=yesterday", "", vec![], 400, "invalid_time"),
        ("GET", "/v1/sessions?query=", "", vec![], 400, "invalid_query"),
        ("PUT", sessions, "", vec![], 405, "method_not_allowed"),
        ("DELETE", "/healthz", "", vec![], 405, "method_not_allowed"),
        ("GET", "/", "", vec![], 404, "unknown_address"),
        ("GET", "/v1/../etc/passwd", "", vec![], 404, "unknown_address"),
        ("GET", "/v1/sessions/", "", vec![], 404, "unknown_address"),
    ] {
        let answer = world.call("alpha", method, path, body, &headers).await;
        assert_eq!(answer.code(), (status, code.to_owned()), "{method} {path} {headers:?}");
    }
    assert_eq!(world.call("alpha", "PUT", sessions, "", &[]).await.headers["allow"], "GET, POST");
    assert_eq!(world.waiting().await, 0);
}

#[tokio::test]
async fn json_of_a_hundred_thousand_levels_is_refused_at_every_route() {
    let world = world_with(true, DoorLimits::default()).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let made = world.call("alpha", "POST", "/v1/collections", "{}", &[]).await.json();
    let files = format!("/v1/collections/{}/files", made["id"].as_str().expect("an id"));
    let within = format!("{{\"query\": \"Why?\", \"options\": {{\"research\": {{\"plan\": {deep}}}}}}}");
    for body in [&deep, &within] {
        for (path, refusal) in [
            ("/v1/sessions", (422, "malformed_request")),
            ("/v1/sessions?dry_run", (422, "malformed_request")),
            ("/v1/batches", (422, "malformed_request")),
            // Its body is a name.
            ("/v1/collections", (413, "request_too_large")),
            (&files, (422, "malformed_request")),
        ] {
            let answer = world.call("alpha", "POST", path, body, &[("idempotency-key", "deep")]).await;
            assert_eq!(answer.code(), (refusal.0, refusal.1.to_owned()), "{path}");
        }
    }
    assert_eq!(world.waiting().await, 0);
}

#[tokio::test]
async fn the_list_is_newest_first_by_pages() {
    let world = world(true).await;
    let mut sessions = Vec::new();
    for n in 0..5 {
        sessions.push(world.submitted(&format!("question {n}")).await.to_string());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    sessions.reverse();
    let (mut listed, mut path, mut pages) = (Vec::new(), "/v1/sessions?limit=2".to_owned(), 0);
    loop {
        let page = world.get(&path).await.json();
        pages += 1;
        listed.extend(
            page["data"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id").to_owned()),
        );
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/sessions?limit=2&cursor={next}");
    }
    assert_eq!((listed, pages), (sessions, 3));
}

#[tokio::test]
async fn the_list_is_filtered_by_what_is_kept_of_sessions() {
    let world = world(true).await;
    let mut sessions = Vec::new();
    for query in ["Who pays the tax?", "Why?", "Which TAX is it?"] {
        sessions.push(world.submitted(query).await);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    world.end(&sessions[0]).await;
    let listed = async |token: &str, filter: &str| {
        let page = world.call(token, "GET", &format!("/v1/sessions?{filter}"), "", &[]).await;
        assert_eq!(page.status, 200, "{filter}: {:?}", page.body);
        let ids = page.json()["data"].as_array().expect("rows").iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
        ids.iter().filter_map(|id| sessions.iter().position(|session| session.as_str() == id)).collect::<Vec<_>>()
    };
    for (filter, expected) in [
        ("query=tax", vec![2, 0]),
        ("query=the%20tax&limit=5", vec![0]),
        ("status=queued", vec![2, 1]),
        ("status=failed", vec![0]),
        ("status=failed&query=why", vec![]),
        ("phase=digest", vec![]),
        ("since=1h", vec![2, 1, 0]),
        ("until=1h", vec![]),
        ("since=2099-01-01", vec![]),
        ("tenant=a", vec![2, 1, 0]),
        ("tenant=b", vec![]),
    ] {
        assert_eq!(listed("alpha", filter).await, expected, "{filter}");
    }
    assert_eq!(listed("beta", "tenant=a").await, [0; 0], "a token sees its tenant, whatever it asks for");
    let refused = world.call("reader", "GET", "/v1/sessions?tenant=a", "", &[]).await;
    assert_eq!(refused.code(), (403, "scope_missing".to_owned()));
}

#[tokio::test]
async fn workers_are_shown_to_operators_as_they_tell_of_themselves() {
    let world = world(true).await;
    assert_eq!(world.get("/v1/workers").await.json(), json!({ "data": [] }));
    let entry = json!({
        "worker": "w-1", "version": "0.1.0", "host": "h", "queues": ["all"], "sessions_held": 1, "jobs_held": 2, "is_draining": false,
        "memory_bytes": 7, "told_at": world.door.parts.clock.now(),
    });
    roll::tell(&world.store, &serde_json::from_value(entry.clone()).expect("an entry")).await.expect("in memory");
    assert_eq!(world.get("/v1/workers").await.json(), json!({ "data": [entry] }));
    assert_eq!(world.call("reader", "GET", "/v1/workers", "", &[]).await.code(), (403, "scope_missing".to_owned()));
    assert_eq!(world.get("/v1/workers?limit=1").await.code(), (400, "unknown_parameter".to_owned()));
    if let precis_runtime::store::Store::Memory(store) = &world.store {
        store.set_available(false);
    }
    assert_eq!(world.get("/v1/workers").await.json(), json!({ "data": null }), "what is not known is said");
}

#[tokio::test]
async fn a_running_session_says_what_it_waits_for() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    world.content.put_named_if_absent("requests", session.as_str(), Bytes::from_static(b"x")).await.expect("kept");
    let shown = async || world.get(&format!("/v1/sessions/{session}")).await.json()["progress"].clone();
    assert_eq!(shown().await, json!({ "phase": null }), "no worker has begun with it, or the cache was wiped");
    for (waiting, expected) in [
        (json!(null), json!(null)),
        (json!({ "reason": "queue" }), json!({ "reason": "queue" })),
        (json!({ "reason": "retry", "until": Timestamp(9) }), json!({ "reason": "retry", "until": Timestamp(9) })),
    ] {
        let view = json!({
            "phase": "digest", "revision": 2, "attempt": 1, "worker": "w", "since": Timestamp(7), "waiting": waiting,
        });
        let (key, day) = (format!("session:{session}"), Duration::from_secs(86_400));
        world.store.values().put(&key, Bytes::from(view.to_string()), day).await.expect("in memory");
        assert_eq!(shown().await["waiting"], expected);
    }
}

#[tokio::test]
async fn a_result_is_its_bytes_with_their_hash() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let path = format!("/v1/sessions/{session}/result");
    assert_eq!(world.get(&path).await.code(), (409, "not_ended".to_owned()));
    let kept = world.end(&session).await;
    let answer = world.get(&path).await;
    let tag = format!("\"{}\"", sha256_hex(&kept));
    assert_eq!((answer.status, &answer.body, answer.headers["etag"].to_str().ok()), (200, &kept, Some(tag.as_str())));
    let known = world.call("alpha", "GET", &path, "", &[("if-none-match", &tag)]).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    let document = world.get(&format!("/v1/sessions/{session}")).await.json();
    assert_eq!(
        (document["status"].as_str(), document["ended"]["error_code"].as_str()),
        (Some("failed"), Some("over_budget"))
    );
    assert_eq!(document["ended"]["result_sha256"], sha256_hex(&kept));
    // Ended: nothing to end.
    assert_eq!(world.call("alpha", "POST", &format!("/v1/sessions/{session}/cancel"), "{}", &[]).await.status, 200);
}

#[tokio::test]
async fn a_report_is_shown_with_only_the_texts_it_names() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let at = |end: &str| format!("/v1/sessions/{session}{end}");
    let (text, other) = (Bytes::from_static(b"A text."), Bytes::from_static(b"Another text."));
    let named = world.content.put(text.clone()).await.expect("kept");
    let foreign = world.content.put(other).await.expect("kept");
    let ends = [("GET", "/report.md"), ("GET", "/report.html"), ("GET", "/archive.zip"), ("POST", "/verify")];
    for (method, end) in ends {
        assert_eq!(world.call("alpha", method, &at(end), "", &[]).await.code(), (409, "not_ended".to_owned()), "{end}");
    }
    let data = json!({
        "query": "Why?", "report": "", "citations": [], "content_fidelity_schema_version": "v1", "content_fidelity": {},
        "dropped_content_ids": [], "content_archive_hashes": {}, "warning_details": [], "ledger": [], "spend": [],
        "sources": [{ "source_id": "a", "title": "A", "url": null, "chars": 7, "tokens": 2, "source_text_hash": named.to_string() }],
        "session": { "id": session, "status": "completed", "incomplete": false, "phases": [] },
    });
    let kept = json!({ "success": true, "data": data, "meta": { "version": "response-v2" } }).to_string();
    world.content.put_named_if_absent(RESULTS, session.as_str(), Bytes::from(kept)).await.expect("kept");
    for (end, kind, expected) in [
        ("/report.md", "text/markdown; charset=utf-8", "Markdown of Why?"),
        ("/report.html", "text/html; charset=utf-8", "Html of Why?"),
        (&format!("/archive/{}", named.hex()), "text/plain; charset=utf-8", "A text."),
    ] {
        let answer = world.get(&at(end)).await;
        assert_eq!((answer.status, &answer.body[..]), (200, expected.as_bytes()), "{end}");
        assert_eq!(answer.headers["content-type"], kind);
        assert!(answer.headers["content-security-policy"].to_str().expect("text").contains("default-src 'none'"));
    }
    assert_eq!(world.call("alpha", "POST", &at("/verify"), "", &[]).await.json()["holds"], true);
    let zip = world.get(&at("/archive.zip")).await;
    assert_eq!((zip.status, &zip.body[..]), (200, &b"zip of Why?"[..]));
    assert_eq!(zip.headers["content-type"], "application/zip");
    assert_eq!(zip.headers["etag"], format!("\"{}\"", sha256_hex(b"zip of Why?")));
    for unknown in [foreign.hex(), &"0".repeat(64), "..", "%2e%2e%2f", named.to_string().as_str()] {
        let answer = world.get(&at(&format!("/archive/{unknown}"))).await;
        assert_eq!(answer.code(), (404, "unknown_text".to_owned()), "{unknown}");
    }
    for (method, end) in ends {
        assert_eq!(world.call("beta", method, &at(end), "", &[]).await.status, 404);
        assert_eq!(world.call("submitter", method, &at(end), "", &[]).await.status, 403);
    }
    let links = world.get(&at("")).await.json()["links"].clone();
    assert_eq!(links["report.md"], at("/report.md"));
    let failed = world.submitted("Else?").await;
    world.end(&failed).await;
    let answer = world.get(&format!("/v1/sessions/{failed}/report.md")).await;
    assert_eq!(answer.code(), (409, "no_report".to_owned()));
}

#[tokio::test]
async fn a_document_is_stored_by_hash_within_limits_and_needs_proof() {
    let world = world(true).await;
    let put = async |token: &str, hash: &str, body: &str| {
        world.call(token, "PUT", &format!("/v1/content/{hash}"), body, &[]).await
    };
    let hash = sha256_hex(b"A document.");
    let stored = put("submitter", &hash, "A document.").await;
    assert_eq!((stored.status, stored.json()["bytes"].as_u64()), (201, Some(11)));
    for (token, hash, body, status, code) in [
        ("submitter", hash.as_str(), "Another one.", 422, "hash_mismatch"),
        ("submitter", "0a", "A document.", 400, "invalid_hash"),
        ("submitter", &hash.to_uppercase(), "A document.", 400, "invalid_hash"),
        ("submitter", &format!("{}%2f", &hash[..63]), "A document.", 400, "invalid_hash"),
        ("reader", &hash, "A document.", 403, "scope_missing"),
        ("submitter", &hash, &"x".repeat(10_001), 413, "request_too_large"),
    ] {
        assert_eq!(put(token, hash, body).await.code(), (status, code.to_owned()), "{hash}");
    }
    let by_reference = |proof: &Value| {
        let source = json!({ "source_id": "a", "content_ref": stored.json()["content_ref"], "content_proof": proof });
        json!({ "schema_version": 2, "query": "Why?", "sources": [source] })
    };
    assert_eq!(world.post(&by_reference(&stored.json()["content_proof"]), None).await.status, 202);
    for forged in [json!(null), json!("0".repeat(64))] {
        let refused = world.post(&by_reference(&forged), None).await;
        assert_eq!(refused.code(), (422, "content_not_proved".to_owned()));
        assert_eq!(refused.json()["pointer"], "/sources/0/content_proof");
    }
    for (bytes, status) in [(MAY_STORE - 1, 201), (1, 201), (1, 429)] {
        let body = "x".repeat(usize::try_from(bytes).expect("few"));
        assert_eq!(put("beta", &sha256_hex(body.as_bytes()), &body).await.status, status, "{bytes}");
    }
    let refused = world.call("beta", "POST", "/v1/sessions", &request("Why?").to_string(), &[]).await;
    assert_eq!(refused.code(), (429, "storage_quota_reached".to_owned()));
}

#[tokio::test]
async fn a_session_that_came_over_the_broker_is_shown_to_its_tenant() {
    let world = world(true).await;
    let mut submitted = request("Why?");
    submitted["session_id"] = json!("over/amqp");
    let submitted = serde_json::from_value(submitted).expect("a request");
    let asked_by = AskedBy::Amqp { user: Some("guest".to_owned()) };
    let record = AcceptedSession::of(&submitted, "hash".to_owned(), Some("a".to_owned()), asked_by, Timestamp(1));
    keep_accepted(&world.content, &record).await.expect("kept");
    let document = world.get("/v1/sessions/over%2Famqp").await.json();
    assert_eq!(document["links"]["self"], "/v1/sessions/over%2Famqp");
    assert_eq!(world.call("beta", "GET", "/v1/sessions/over%2Famqp", "", &[]).await.status, 404);
    assert_eq!(world.get("/v1/sessions").await.json()["data"][0]["id"], "over/amqp");
}
