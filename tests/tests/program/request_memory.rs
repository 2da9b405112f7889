//! What reading a request costs: ten kilobytes of any request take at most ten megabytes of a worker, measured by the kernel.
//!
//! The peak of a process only grows, so each request is read by a process of its own: this test, started by itself.

use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header, ZSTD, message_type};
use precis_proto::request::UNFOLDED_BYTES;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::Worker;
use precis_tests::world::{REPLIES, World, parts};
use serde_json::{Value, json};

/// The file with the body that is read; set in the process that reads it, which never held more of it.
const BODY: &str = "PRECIS_TEST_REQUEST_BODY";
/// Most bytes of a request on the wire.
const WIRE_BYTES: usize = 10_000;
/// Most that its worker may grow by, in KiB.
const MOST_KIB: u64 = 10_000;

/// Requests that are small on the wire and large behind it, by name.
fn kinds() -> Vec<(&'static str, Value)> {
    // What any small request may unfold to, less what stands around.
    let most = UNFOLDED_BYTES - 100_000;
    let request = |sources: Value, options: Value| json!({ "schema_version": 3, "session_id": "s", "query": "q", "sources": sources, "options": options });
    let source = |name: &str, value: String| {
        let mut source = json!({ "source_id": "a", "content": "x" });
        source[name] = value.into();
        request(json!([source]), json!({}))
    };
    let many = |value: Value| vec![value.clone(); most / (value.to_string().len() + 1)];
    let options = |options: Value| request(json!([{ "source_id": "a", "content": "x" }]), options);
    let others: Vec<Value> =
        (0..400).map(|n| json!({ "source_id": format!("s{n}"), "content": "x".repeat(4_000) })).collect();
    vec![
        ("sources", request(many(json!({ "source_id": "a" })).into(), json!({}))),
        ("other sources", request(others.into(), json!({}))),
        ("numbers", request(many(json!(0)).into(), json!({}))),
        ("lists", request(many(json!([])).into(), json!({}))),
        ("one text", source("content", "x".repeat(most))),
        ("escapes", source("content", "\u{1}".repeat(most / 6))),
        ("title", source("title", "x".repeat(most))),
        ("document", source("content_base64", "AAAA".repeat(most / 4))),
        ("history", options(json!({ "history": many(json!({ "role": "user", "content": "x" })) }))),
        ("prior context", options(json!({ "prior_context": many(json!({ "title": "t", "text": "x" })) }))),
        ("background", options(json!({ "project_context": "x".repeat(1_000_000) }))),
        ("corpora", options(json!({ "research": { "corpus": many(json!({ "manifest": "x" })) } }))),
        ("domains", options(json!({ "research": { "allow_domains": many(json!("a")) } }))),
        ("plan", options(json!({ "research": { "plan": { "brief": {}, "plan": many(json!({ "id": "a" })) } } }))),
        ("rounds", options(json!({ "research": { "fork": { "rounds": many(json!([])) } } }))),
        ("unknown", options(json!({ "nobody": many(json!(0)) }))),
        ("no request", many(json!({ "a": {} })).into()),
    ]
}

/// `request` on the wire.
fn body(request: &Value) -> Bytes {
    let envelope = Envelope::encode(Header::default(), request).expect("within the limits of the wire");
    assert_eq!(envelope.header.content_encoding.as_deref(), Some(ZSTD));
    envelope.body
}

/// By how much, in KiB, a process of its own grows that runs `test` on `body`.
fn growth_of(test: &str, body: &Bytes) -> u64 {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), body).expect("is written");
    let ended = Command::new(std::env::current_exe().expect("a path"))
        .args([&format!("request_memory::{test}"), "--exact", "--nocapture"])
        .env(BODY, file.path())
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    let kib = said.split("grown by ").nth(1).and_then(|rest| rest.split(' ').next()).and_then(|n| n.parse().ok());
    kib.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&ended.stderr)))
}

/// The body that this process is to read, where it is the one that reads.
fn given() -> Option<Bytes> {
    let path = std::env::var_os(BODY)?;
    Some(std::fs::read(path).expect("was written").into())
}

#[test]
fn ten_kilobytes_of_any_request_cost_at_most_ten_megabytes() {
    if let Some(body) = given() {
        return println!("grown by {} KiB", growth(body));
    }
    let mut grown = Vec::new();
    for (kind, request) in kinds() {
        let body = body(&request);
        assert!(body.len() <= WIRE_BYTES, "{kind} has {} bytes on the wire", body.len());
        grown.push((kind, growth_of("ten_kilobytes_of_any_request_cost_at_most_ten_megabytes", &body)));
    }
    println!("{grown:?}");
    assert!(grown.iter().all(|(_, kib)| *kib <= MOST_KIB), "KiB, at most {MOST_KIB} expected: {grown:?}");
}

/// Requests that come at once.
const AT_ONCE: usize = 8;
/// Most that a worker may grow by while it reads them, in KiB: the budget, what they are on the wire, what a body is read into, and what the
/// allocator keeps for eight threads, which differs by a few megabytes from run to run (up to 171,668 KiB seen).
const MOST_AT_ONCE_KIB: u64 = 180_000;

#[test]
fn requests_are_read_under_one_budget_of_bytes() {
    if let Some(body) = given() {
        return println!("grown by {} KiB", growth_at_once(body));
    }
    let mut seed = 17_u64;
    let letters = (0..900_000).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + (seed >> 59) as u8)
    });
    let noise: String = letters.collect();
    // Two sources of one id: nothing is kept of them.
    let source = json!({ "source_id": "a", "content": noise.repeat(15_500_000 / noise.len()) });
    let request = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [source, source] });
    let kib = growth_of("requests_are_read_under_one_budget_of_bytes", &body(&request));
    println!("{AT_ONCE} requests at once: {kib} KiB");
    assert!(kib <= MOST_AT_ONCE_KIB, "{kib} KiB, at most {MOST_AT_ONCE_KIB} expected");
}

/// By how much the peak grows while as many requests as a worker holds are read, each as large as it may be, on a thread each.
fn growth_at_once(body: Bytes) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(AT_ONCE).enable_time().build();
    runtime.expect("a runtime").block_on(async {
        let world = World::new().await;
        let (_memory, parts) = parts(&world, "a".to_owned(), Failpoints::none());
        for number in 0..AT_ONCE {
            let header = Header {
                message_type: message_type::REQUEST.to_owned(),
                message_id: format!("s-{number}"),
                correlation_id: format!("s-{number}"),
                reply_to: Some(REPLIES.to_owned()),
                content_encoding: Some(ZSTD.to_owned()),
                ..Header::default()
            };
            let route = Route {
                exchange: names::INGRESS.to_owned(),
                routing_key: names::REQUEST_KEY.to_owned(),
                mandatory: true,
            };
            let envelope = Envelope { header, body: body.clone() };
            world.caller().publish(Outgoing { route, envelope }).await.expect("the ingress is there");
        }
        let before = peak_kib();
        let _worker = Worker::start(parts).await.expect("starts");
        while world.broker.messages(REPLIES).len() < AT_ONCE {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for answer in world.broker.messages(REPLIES) {
            let code = answer.decode::<Value>().expect("JSON")["error"]["code"].clone();
            assert_eq!(code, "duplicate_source_id", "it was to be read whole");
        }
        peak_kib() - before
    })
}

/// By how much the peak of this process grows while a worker reads `body`, after a request that is as others are.
fn growth(body: Bytes) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let world = World::new().await;
        let (_memory, parts) = parts(&world, "a".to_owned(), Failpoints::none());
        let _worker = Worker::start(parts).await.expect("starts");
        world.submit("ordinary", 3).await;
        world.wait_for(1, Duration::from_secs(3_600)).await.expect("ends");
        let header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: "s".to_owned(),
            correlation_id: "s".to_owned(),
            reply_to: Some(REPLIES.to_owned()),
            content_encoding: Some(ZSTD.to_owned()),
            ..Header::default()
        };
        let route =
            Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
        let before = peak_kib();
        let message = Outgoing { route, envelope: Envelope { header, body } };
        world.caller().publish(message).await.expect("the ingress is there");
        // Its session, where it is one, is not what reading it costs.
        while world.broker.messages(REPLIES).len() < 2
            && world.broker.messages(names::DEAD).is_empty()
            && !is_taken(&world).await
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        peak_kib() - before
    })
}

async fn is_taken(world: &World) -> bool {
    let session = precis_proto::SessionId::new("s").expect("an id");
    let taken = world.content.get_named("requests", session.as_str()).await;
    taken.is_ok_and(|found| found.is_some())
}

/// The most memory this process has had, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
