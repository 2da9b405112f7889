//! What the runner promises beside surviving crashes: requests answered or refused, cancellation, hand over, dead letters.

use std::time::Duration;

use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{Response, Status};
use precis_proto::source::ContentRef;
use precis_proto::{Phase, SessionId};
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::{Failpoints, Fault};
use precis_runtime::runner::{Worker, control};
use precis_tests::world::{Fate, REPLIES, WorkerSlot, World, expected, parts};
use precis_workers::fleet;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(3_600);

fn calm(_: &'static str) -> Fate {
    Fate::Fault(Fault::None)
}

async fn one_worker() -> (World, WorkerSlot) {
    let world = World::new().await;
    let slot = WorkerSlot::start(&world, "a", calm);
    (world, slot)
}

fn only_result(world: &World, session: &str) -> Response {
    let results = world.results();
    let bodies = &results[&SessionId::new(session).expect("an id")];
    serde_json::from_slice(&bodies[0]).expect("a response")
}

async fn raw(world: &World, queue: &str, header: Header, body: &str) {
    let envelope = Envelope { header, body: bytes::Bytes::from(body.to_owned()) };
    world.caller().publish(Outgoing { route: Route::queue(queue), envelope }).await.expect("published");
}

#[tokio::test(start_paused = true)]
async fn the_same_request_again_gets_the_same_bytes_again() {
    let (world, _slot) = one_worker().await;
    world.submit("s", 3).await;
    world.wait_for(1, LIMIT).await.expect("ends");
    world.submit("s", 3).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let results = world.results();
    let bodies = &results[&SessionId::new("s").expect("an id")];
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1]);
}

#[tokio::test(start_paused = true)]
async fn another_request_under_a_known_id_is_refused_and_changes_nothing() {
    let (world, _slot) = one_worker().await;
    world.submit("s", 2).await;
    world.wait_for(1, LIMIT).await.expect("ends");
    world.submit("s", 3).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let results = world.results();
    let bodies = &results[&SessionId::new("s").expect("an id")];
    let second: Value = serde_json::from_slice(&bodies[1]).expect("JSON");
    assert_eq!(second["error"]["code"], "session_id_taken");
    let report = only_result(&world, "s").data.expect("the first one's report").report;
    assert_eq!(report, expected("s", 2));
}

#[tokio::test(start_paused = true)]
async fn a_malformed_request_gets_its_code_and_place() {
    let (world, _slot) = one_worker().await;
    world.submit_body("bad", &json!({ "schema_version": 2, "session_id": "bad", "query": "", "sources": [] })).await;
    world.wait_for(1, LIMIT).await.expect("answered");
    let error = only_result(&world, "bad").error.expect("a failure");
    assert_eq!((error.code.as_str(), error.pointer.as_deref()), ("empty_query", Some("/query")));
}

#[tokio::test(start_paused = true)]
async fn a_document_that_travels_in_its_request_is_kept_as_its_bytes() {
    let (world, _slot) = one_worker().await;
    let document = json!({ "source_id": "a", "content_base64": "JVBERi0xLjcK" });
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [document] });
    world.submit_body("s", &body).await;
    world.wait_for(1, LIMIT).await.expect("answered");
    let kept = world.content.get(&ContentRef::from_bytes(b"%PDF-1.7\n")).await.expect("kept");
    assert_eq!(kept.as_ref(), b"%PDF-1.7\n");
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_message_is_dead_lettered_with_a_reason_and_delays_none() {
    let (world, _slot) = one_worker().await;
    let header = |kind: &str| Header { message_type: kind.to_owned(), ..Header::default() };
    let junk = ["", "not json", "[]", "{\"session_id\": 3}", "\u{0}"];
    let deep = "[".repeat(100_000);
    for body in junk.into_iter().chain([deep.as_str()]) {
        raw(&world, names::REQUESTS, header(message_type::REQUEST), body).await;
        raw(&world, &names::session_queue(Phase::Extraction), header(message_type::STATE), body).await;
        raw(&world, &names::job_queue("extraction"), header(message_type::JOB), body).await;
    }
    world.submit("good", 2).await;
    world.wait_for(1, Duration::from_secs(1)).await.expect("a good session is not delayed");
    tokio::time::sleep(Duration::from_secs(5)).await;
    let dead = world.broker.messages(names::DEAD);
    assert_eq!(dead.len(), 3 * (junk.len() + 1));
    assert!(dead.iter().all(|e| e.header.dead_reason.as_deref() == Some("undecodable")));
}

#[tokio::test(start_paused = true)]
async fn a_state_from_the_future_is_parked_unchanged() {
    let (world, _slot) = one_worker().await;
    let header = Header { message_type: message_type::STATE.to_owned(), ..Header::default() };
    let body = json!({ "schema_version": 99, "session_id": "later" }).to_string();
    raw(&world, &names::session_queue(Phase::Extraction), header, &body).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let parked = world.broker.messages(&names::tier(Duration::from_secs(60)));
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].body, body.as_bytes());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_session_says_so_within_a_second() {
    let (world, _slot) = one_worker().await;
    world.submit("s", 60).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    let session_id = SessionId::new("s").expect("an id");
    control::send(&world.caller(), &world.store(), &Control::Cancel { session_id }).await.expect("sent");
    world.wait_for(1, Duration::from_secs(1)).await.expect("ends at once");
    let error = only_result(&world, "s").error.expect("no report");
    assert_eq!(error.status, Status::Cancelled);
    assert!(world.leftovers().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_session_cancelled_without_a_listener_is_cancelled_when_taken_up() {
    let world = World::new().await;
    world.submit("s", 3).await;
    let session_id = SessionId::new("s").expect("an id");
    control::send(&world.caller(), &world.store(), &Control::Cancel { session_id }).await.expect("sent");
    let _slot = WorkerSlot::start(&world, "a", calm);
    world.wait_for(1, LIMIT).await.expect("ends");
    assert_eq!(only_result(&world, "s").error.map(|e| e.code), Some(FailureCode::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_draining_worker_hands_its_session_over_with_what_it_has() {
    let world = World::new().await;
    let (_, parts_of_first) = parts(&world, "first".to_owned(), Failpoints::none());
    let first = Worker::start(parts_of_first).await.expect("starts");
    world.submit("s", 30).await;
    tokio::time::sleep(Duration::from_millis(90)).await;
    assert!(first.drain(Duration::from_secs(10)).await, "drained in time");
    let waiting = world.broker.messages(&names::session_queue(Phase::Extraction));
    let state: Value = waiting[0].decode().expect("a state");
    let gathered = state["gathered"].as_object().map_or(0, serde_json::Map::len);
    assert!(gathered > 0 && gathered < 30, "{gathered} answers travel with the state");
    assert_eq!(state["revision"], 2);
    let _second = WorkerSlot::start(&world, "second", calm);
    world.wait_for(1, LIMIT).await.expect("ends");
    world.check(&[("s", 30)]).await.expect("as without the drain");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_kills_workers_fails_alone_with_a_stated_failure() {
    let world = World::new().await;
    // The poison session dies with its worker in each delivery; the other one is only ever returned.
    let slot = WorkerSlot::start(&world, "a", |point| match point {
        "session.ran" => Fate::Fault(Fault::Crash),
        _ => Fate::Fault(Fault::None),
    });
    world.submit("poison", 1).await;
    world.wait_for(1, LIMIT).await.expect("ends all the same");
    drop(slot);
    let error = only_result(&world, "poison").error.expect("a failure");
    assert_eq!(error.code, "delivery_limit");
    assert!(error.remedy.is_some_and(|remedy| remedy.contains("precis dead redrive")));
    let dead = world.broker.messages(names::DEAD);
    assert_eq!(dead[0].header.dead_reason.as_deref(), Some("delivery_limit"));
    assert!(world.broker.messages(REPLIES).len() == 1);
    // Nobody reads it without the key of the fleet; who has it puts it back as it was.
    assert!(dead[0].decode::<Value>().is_err());
    let redriven = fleet::redriven(&dead[0], &world.content).await.expect("opens");
    assert_eq!(redriven.queue, dead[0].header.subject);
    assert_eq!(redriven.envelope.decode::<Value>().expect("a state")["query"], "q");
    assert!(fleet::redriven(&dead[0], &ContentStore::in_memory()).await.is_err(), "another deployment");
}

/// The report of a session of `sources` sources that is ended `after` so much time by `end`, and how many texts it has.
async fn ended_early(sources: usize, after: Duration, end: &Value) -> (Response, usize) {
    let (world, _slot) = one_worker().await;
    let texts: Vec<Value> =
        (0..sources).map(|n| json!({ "source_id": format!("s-s{n}"), "content": format!("text {n}") })).collect();
    let mut body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": texts });
    body["options"] = end.clone();
    world.submit_body("s", &body).await;
    tokio::time::sleep(after).await;
    if end == &json!({}) {
        let session_id = SessionId::new("s").expect("an id");
        control::send(&world.caller(), &world.store(), &Control::Stop { session_id }).await.expect("sent");
    }
    world.wait_for(1, Duration::from_secs(60)).await.expect("ends soon");
    assert!(world.leftovers().await.is_empty());
    let response = only_result(&world, "s");
    let report = response.data.as_ref().map(|data| data.report.clone()).unwrap_or_default();
    let read = report.split(',').filter(|text| !text.contains("=0")).count();
    (response, read)
}

#[tokio::test(start_paused = true)]
async fn a_stopped_session_ends_with_a_report_of_what_it_has() {
    // 60 sources, three at a time, 20 ms each: 400 ms in extraction, then as long in compression.
    let (response, read) = ended_early(60, Duration::from_millis(110), &json!({})).await;
    assert!(response.data.expect("a report").session.incomplete);
    assert!(read > 3 && read < 60, "{read} texts were read before the stop");
    let (response, read) = ended_early(60, Duration::from_millis(500), &json!({})).await;
    let data = response.data.expect("a report");
    assert!(data.session.incomplete && data.report.ends_with("nested 60"), "a later phase is what the end needs");
    assert_eq!(read, 60);
}

#[tokio::test(start_paused = true)]
async fn a_session_past_its_deadline_reports_what_it_has() {
    for (sources, phase) in [(300, "extraction"), (90, "compression")] {
        let (response, read) = ended_early(sources, Duration::ZERO, &json!({ "deadline_seconds": 1 })).await;
        assert!(response.data.expect("a report").session.incomplete, "in {phase}");
        assert_eq!(read < sources, phase == "extraction", "{read} of {sources} texts in {phase}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusing_content_store_ends_the_session_as_stated() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let mut world = World::new().await;
    world.content = precis_runtime::content::ContentStore::directory(dir.path()).expect("opens");
    let _slot = WorkerSlot::start(&world, "a", calm);
    world.submit("s", 30).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    // Results have nowhere to go from now on: not even root can write below a file.
    for entry in std::fs::read_dir(dir.path()).expect("is there").flatten() {
        if entry.path().join("results").exists() || entry.path().join("requests").exists() {
            std::fs::remove_dir_all(entry.path()).expect("removed");
            std::fs::write(entry.path(), "").expect("in its place");
        }
    }
    world.wait_for(1, LIMIT).await.expect("ends all the same");
    let error = only_result(&world, "s").error.expect("a failure");
    assert_eq!(error.code, "content_store_unavailable");
    assert!(error.remedy.is_some_and(|remedy| remedy.contains("content_url")));
    assert!(world.leftovers().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn sessions_wait_for_a_content_directory_that_is_away() {
    let home = tempfile::TempDir::new().expect("a directory");
    let (dir, aside) = (home.path().join("content"), home.path().join("aside"));
    let mut world = World::new().await;
    world.content = ContentStore::create(&format!("file://{}", dir.display())).await.expect("made");
    let _slots = ["a", "b"].map(|name| WorkerSlot::start(&world, name, calm));
    let names: Vec<String> = (0..20).map(|n| format!("s{n}")).collect();
    for name in &names[..12] {
        world.submit(name, 5).await;
    }
    tokio::time::sleep(Duration::from_millis(30)).await;
    std::fs::rename(&dir, &aside).and_then(|()| std::fs::create_dir(&dir)).expect("unmounted");
    let ended = world.results().len();
    for name in &names[12..] {
        world.submit(name, 5).await;
    }
    // Longer than any number of attempts lasts.
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert!(ended < 12 && world.results().len() <= ended + 1, "sessions end while there is nowhere to keep results");
    assert_eq!(std::fs::read_dir(&dir).expect("the mount point").count(), 0, "something was created in it");
    std::fs::remove_dir(&dir).and_then(|()| std::fs::rename(&aside, &dir)).expect("mounted again");
    world.wait_for(20, LIMIT).await.expect("all end");
    let expected: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 5)).collect();
    world.check(&expected).await.expect("as if it had never been away");
}

#[tokio::test(start_paused = true)]
async fn two_copies_of_a_job_at_one_worker_both_finish() {
    let world = World::new().await;
    // Every publish arrives twice, and nothing tells the copies of each other.
    world.store.set_available(false);
    let _slot = WorkerSlot::start(&world, "a", |point| match point {
        "publish.confirm" => Fate::Fault(Fault::Repeat),
        _ => Fate::Fault(Fault::None),
    });
    world.submit("s", 3).await;
    world.wait_for(1, Duration::from_secs(10)).await.expect("ends");
    let dead = world.broker.messages(names::DEAD);
    assert_eq!(dead.len(), 0, "a job was given back until it was given up on: {dead:?}");
    world.check(&[("s", 3)]).await.expect("as without the copies");
}
