//! Callers who mean harm, on the real runner with the memory broker: one message ends no connection, speaks for nobody else, and
//! makes a stated number of deliveries at most.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::request::UNFOLDED_BYTES;
use precis_proto::response::Response;
use precis_proto::source::ContentRef;
use precis_proto::{Phase, SessionId};
use precis_runtime::broker::{MAX_DELIVERIES, Outgoing, Route, Subscription, TIERS, Topology, names};
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::{Failpoints, Fault};
use precis_runtime::runner::{RunnerSettings, SESSION_BYTES, StorageQuotas, Worker, WorkerParts};
use precis_tests::world::{Fate, REPLIES, WorkerSlot, World, expected, parts};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

mod users;

/// Messages of poison tried.
const POISONS: u64 = 300;
const LIMIT: Duration = Duration::from_secs(3_600);
/// Well formed, but of a node that is not there.
const OF_NO_NODE: &str = "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAA==.aGVsbG8gd29ybGQhISEhIQ==";

fn ingress() -> Route {
    Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true }
}

fn request(session: &str) -> Value {
    json!({ "schema_version": 2, "session_id": session, "query": "q", "sources": [{ "source_id": "a", "content": "x" }] })
}

/// Publishes `body` as a request of `session` that wants its answer at `reply_to`.
async fn ask(world: &World, session: &str, body: impl Into<Bytes>, reply_to: &str) {
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: session.to_owned(),
        correlation_id: session.to_owned(),
        reply_to: Some(reply_to.to_owned()),
        ..Header::default()
    };
    let message = Outgoing { route: ingress(), envelope: Envelope { header, body: body.into() } };
    world.caller().publish(message).await.expect("the ingress is there");
}

#[tokio::test(start_paused = true)]
async fn no_reply_address_ends_a_connection() {
    let world = World::new().await;
    let (_memory, parts) = parts(&world, "a".to_owned(), Failpoints::none());
    let worker = Worker::start(parts).await.expect("starts");
    let addresses = [
        "amq.rabbitmq.reply-to.g1h2AAAA.x",
        "amq.rabbitmq.reply-to.",
        "amq.rabbitmq.reply-to",
        "amq.rabbitmq.reply-to.g2gCZAAQcmFiYml0.AAAA==",
        OF_NO_NODE,
        "\u{202e}",
        "nobody.declared.this",
    ];
    for (number, address) in addresses.into_iter().enumerate() {
        let good = format!("good-{number}");
        ask(&world, &good, request(&good).to_string(), address).await;
        ask(&world, &format!("bad-{number}"), "{}", address).await;
    }
    world.submit("honest", 3).await;
    world.wait_for(1, LIMIT).await.expect("an honest session ends");
    world.check(&[("honest", 3)]).await.expect("as if nobody else had asked");
    let ended = tokio::time::timeout(Duration::from_secs(1), worker.wait_for_disconnect()).await;
    assert!(ended.is_err(), "the connection ended");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_published_into_a_fleet_queue_for_a_caller() {
    let world = World::new().await;
    let (_memory, parts) = parts(&world, "a".to_owned(), Failpoints::none());
    let _worker = Worker::start(parts).await.expect("starts");
    let queues: Vec<String> = Topology::standard().queues.into_iter().map(|queue| queue.name).collect();
    for (number, queue) in queues.iter().enumerate() {
        let session = format!("s-{number}");
        ask(&world, &session, request(&session).to_string(), queue).await;
        ask(&world, &format!("bad-{number}"), "{\"bad\":1}", queue).await;
    }
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    for queue in queues {
        let left = world.broker.messages(&queue);
        assert!(left.is_empty(), "{queue}: {:?}", left.iter().map(|e| &e.header.message_id).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_asks_over_direct_reply_to_is_answered() {
    let world = World::new().await;
    let (_memory, parts) = parts(&world, "a".to_owned(), Failpoints::none());
    let _worker = Worker::start(parts).await.expect("starts");
    let caller = world.caller();
    let replies = caller.replies().await.expect("a reply channel");
    ask(&world, "s", request("s").to_string(), replies.address()).await;
    let answer = tokio::time::timeout(LIMIT, replies.next()).await.expect("in time").expect("an answer");
    let report = answer.decode::<Value>().expect("JSON")["data"]["report"].clone();
    assert_eq!(report.as_str().map(|r| r.is_empty()), Some(false));
}

/// All messages in queues that nobody works on, by queue and reason.
fn buried(world: &World) -> Vec<(&'static str, Option<String>)> {
    [names::DEAD, names::LAST]
        .into_iter()
        .flat_map(|queue| world.broker.messages(queue).into_iter().map(move |e| (queue, e.header.dead_reason)))
        .collect()
}

/// One message of poison in its queue.
fn poison(rng: &mut StdRng, number: u64) -> Outgoing {
    let kinds = [message_type::REQUEST, message_type::STATE, message_type::JOB, "nobody.knows", ""];
    let pick = |rng: &mut StdRng, texts: &[&str]| texts[rng.random_range(0..texts.len())].to_owned();
    let addresses = ["", OF_NO_NODE, "amq.rabbitmq.reply-to.x", "precis.undertaker", REPLIES, "nobody", "\u{202e}"];
    let subjects = ["", "extraction", "digest", "\u{0}", "precis.dead"];
    let ids = ["", "s", "a\nb", "\u{202e}", "poison"];
    let header = Header {
        message_type: pick(rng, &kinds),
        message_id: pick(rng, &ids),
        correlation_id: pick(rng, &ids),
        reply_to: Some(pick(rng, &addresses)),
        content_encoding: Some(pick(rng, &["", "zstd", "gzip"])),
        revision: rng.random_range(0..3),
        attempt: rng.random_range(0..9),
        subject: pick(rng, &subjects),
        tenant: Some(pick(rng, &["", "t", "a\u{0}b"])),
        ..Header::default()
    };
    let bodies = [
        String::new(),
        "{}".to_owned(),
        "[".repeat(50_000),
        request(&format!("poison-{number}")).to_string(),
        json!({ "schema_version": 2, "session_id": "s", "revision": 1, "phase": "extraction" }).to_string(),
        json!({ "session_id": number }).to_string(),
    ];
    let mut body = bodies[rng.random_range(0..bodies.len())].clone().into_bytes();
    for _ in 0..rng.random_range(0..3) {
        if !body.is_empty() {
            let place = rng.random_range(0..body.len());
            body[place] = rng.random();
        }
    }
    let route = match rng.random_range(0..10) {
        0 => Route::queue(names::session_queue(Phase::Extraction)),
        1 => Route::queue(names::job_queue("extraction")),
        2 => Route::queue(names::jobs_alone("extraction")),
        3 => Route::queue(names::SESSIONS_ALONE),
        4 => Route::queue(names::REQUESTS_ALONE),
        5 => Route::queue(names::UNDERTAKER),
        6 => Route::after_delay(TIERS[0], names::job_queue("extraction")),
        _ => ingress(),
    };
    Outgoing { route, envelope: Envelope { header, body: body.into() } }
}

/// Where a worker notices that it holds a message.
const POINTS: [&str; 4] = ["intake.received", "session.claimed", "job.received", "undertaker.received"];

/// Publishes one message and lets the fleet do with it what it can, for a day; returns the deliveries it made.
async fn deliveries_of(message: Outgoing, ends_connections: bool) -> (u64, World) {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", move |point| match POINTS.contains(&point) {
        true if ends_connections => Fate::Cut,
        _ => Fate::Fault(Fault::None),
    });
    world.caller().publish(message).await.expect("there is a queue");
    tokio::time::sleep(Duration::from_secs(24 * 3_600)).await;
    (world.broker.deliveries(), world)
}

#[test]
fn no_poison_makes_more_than_the_stated_number_of_deliveries() {
    for seed in 0..POISONS {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let mut rng = StdRng::seed_from_u64(seed);
            let message = poison(&mut rng, seed);
            let (deliveries, world) = deliveries_of(message.clone(), true).await;
            assert!(deliveries <= u64::from(MAX_DELIVERIES), "seed {seed}: {deliveries} deliveries of {message:?}");
            assert_eq!(buried(&world).len(), 1, "seed {seed}: {message:?} is nowhere, or twice");
            let leftovers = world.leftovers().await;
            assert!(leftovers.iter().all(|(queue, _)| queue.starts_with(names::DEAD)), "seed {seed}: {leftovers:?}");
        });
    }
}

/// The same where only some of the places that notice it end the connection: it wanders through more queues, and no further.
#[test]
fn no_poison_that_some_handlers_survive_makes_more_either() {
    for seed in 0..POISONS {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let mut rng = StdRng::seed_from_u64(seed);
            let message = poison(&mut rng, seed);
            let deadly: Vec<&str> = POINTS.into_iter().filter(|_| rng.random()).collect();
            let world = World::new().await;
            let dies = deadly.clone();
            let _slot = WorkerSlot::start(&world, "a", move |point| match dies.contains(&point) {
                true => Fate::Cut,
                false => Fate::Fault(Fault::None),
            });
            world.caller().publish(message.clone()).await.expect("there is a queue");
            tokio::time::sleep(Duration::from_secs(24 * 3_600)).await;
            // A request that is one becomes a session, whose state is a message of its own; here it has one source, so one job too.
            let messages = if world.broker.messages(REPLIES).is_empty() && world.results().is_empty() { 1 } else { 3 };
            let (deliveries, most) = (world.broker.deliveries(), messages * u64::from(MAX_DELIVERIES));
            assert!(deliveries <= most, "seed {seed}: {deliveries} of at most {most}, {deadly:?} {message:?}");
            let leftovers = world.leftovers().await;
            assert!(leftovers.iter().all(|(queue, _)| queue.starts_with(names::DEAD)), "seed {seed}: {leftovers:?}");
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_ends_connections_rests_in_an_unconsumed_queue() {
    let header =
        Header { message_type: message_type::REQUEST.to_owned(), message_id: "s".to_owned(), ..Header::default() };
    let envelope = Envelope { header, body: Bytes::from(request("s").to_string()) };
    let (deliveries, world) = deliveries_of(Outgoing { route: ingress(), envelope }, true).await;
    assert_eq!(buried(&world), [(names::LAST, None)], "after {deliveries} deliveries");
}

#[tokio::test(start_paused = true)]
async fn innocent_jobs_survive_a_request_that_ends_connections() {
    let world = World::new().await;
    let guilty = AtomicU32::new(0);
    // The first request is the guilty one: it ends the connection whenever it is received, and nothing else is a request.
    let _slot = WorkerSlot::start(&world, "a", move |point| match point {
        "intake.received" if guilty.fetch_add(1, Ordering::Relaxed) > 0 => Fate::Cut,
        "undertaker.received" => Fate::Cut,
        _ => Fate::Fault(Fault::None),
    });
    world.submit("honest", 12).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    ask(&world, "guilty", request("guilty").to_string(), "").await;
    world.wait_for(1, LIMIT).await.expect("the honest session ends");
    let results = world.results();
    let body: Value = serde_json::from_slice(&results.values().next().expect("one")[0]).expect("JSON");
    assert_eq!(body["data"]["report"], expected("honest", 12));
    tokio::time::sleep(LIMIT).await;
    assert_eq!(buried(&world), [(names::LAST, None)]);
}

/// What comes to the topic of results, of all sessions.
async fn heard(world: &World) -> Subscription {
    world.caller().subscribe(names::RESULTS, "#").await.expect("the exchange is there")
}

async fn all_of(subscription: &mut Subscription) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    while let Ok(Some(envelope)) = tokio::time::timeout(Duration::from_secs(60), subscription.next()).await {
        let response: Response = envelope.decode().expect("a response");
        all.push((envelope.header.correlation_id, response.success));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_its_sender_and_no_session_listener() {
    let (world, caller) = (World::new().await, World::caller);
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let mut results = heard(&world).await;
    let attacker = caller(&world).replies().await.expect("a reply channel");
    for body in ["{}", "{\"schema_version\": 9}", "not json"] {
        ask(&world, "victim", body, attacker.address()).await;
    }
    world.submit("victim", 3).await;
    let mut other = request("victim");
    other["query"] = json!("another");
    tokio::time::sleep(Duration::from_secs(1)).await;
    ask(&world, "victim", other.to_string(), attacker.address()).await;
    world.wait_for(1, LIMIT).await.expect("ends");
    assert_eq!(all_of(&mut results).await, [("victim".to_owned(), true)]);
    let mut codes = Vec::new();
    while let Ok(Some(refusal)) = tokio::time::timeout(Duration::from_secs(60), attacker.next()).await {
        codes.push(refusal.decode::<Value>().expect("JSON")["error"]["code"].as_str().expect("a code").to_owned());
    }
    assert_eq!(codes, ["malformed_request", "malformed_request", "malformed_request", "session_id_taken"]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_differs_from_a_result_and_names_its_request() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let replies = world.caller().replies().await.expect("a reply channel");
    let (own, wrong) = (request("s").to_string(), "{}");
    ask(&world, "s", wrong, replies.address()).await;
    ask(&world, "s", own, replies.address()).await;
    let mut told = Vec::new();
    while let Ok(Some(answer)) = tokio::time::timeout(Duration::from_secs(60), replies.next()).await {
        let hash = answer.decode::<Value>().expect("JSON")["error"]["request_sha256"].clone();
        told.push((answer.header.message_type, hash));
    }
    let of_wrong = precis_proto::ids::sha256_hex(wrong.as_bytes());
    let expected =
        [(message_type::REFUSAL.to_owned(), json!(of_wrong)), (message_type::RESULT.to_owned(), Value::Null)];
    assert_eq!(told, expected);
}

/// The same as [`ask`], by a user that the broker has verified.
async fn ask_as(world: &World, user: Option<&str>, session: &str, body: &Value) {
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: session.to_owned(),
        correlation_id: session.to_owned(),
        reply_to: Some(REPLIES.to_owned()),
        user: user.map(str::to_owned),
        // Not to be believed of a caller.
        first_user: Some("alice".to_owned()),
        ..Header::default()
    };
    let message = Outgoing { route: ingress(), envelope: Envelope::encode(header, body).expect("small") };
    world.caller().publish(message).await.expect("the ingress is there");
}

#[tokio::test(start_paused = true)]
async fn a_session_belongs_to_its_user_even_if_others_know_its_id() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let body = request("s");
    for user in [Some("alice"), Some("bob"), None, Some("alice")] {
        ask_as(&world, user, "s", &body).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    let answers: Vec<Value> = world
        .broker
        .messages(REPLIES)
        .iter()
        .map(|e| e.decode::<Value>().expect("JSON")["error"]["code"].clone())
        .collect();
    assert_eq!(answers, [Value::Null, json!("session_id_taken"), json!("session_id_taken"), Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn a_users_named_queue_receives_nothing_from_others() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    // The id and the queue are alice's.
    for body in [json!({}), request("s"), json!({ "schema_version": 99, "session_id": "s" })] {
        ask_as(&world, Some("mallory"), "s", &body).await;
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.broker.messages(REPLIES).len(), 0);
    ask_as(&world, Some("alice"), "s", &request("s")).await;
    world.wait_for(1, LIMIT).await.expect("ends");
    let answer = world.broker.messages(REPLIES).pop().expect("ended").decode::<Value>().expect("JSON");
    assert_eq!(answer["success"], true, "mallory has taken neither the queue nor the id: {answer}");
}

#[tokio::test(start_paused = true)]
async fn another_user_can_neither_cancel_nor_stop_a_session() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let sources: Vec<Value> = (0..60).map(|n| json!({ "source_id": format!("{n}"), "content": "x" })).collect();
    let table = [
        ("s", Some("alice"), "bob", "completed"),
        ("t", Some("alice"), "alice", "cancelled"),
        // Whose it is nobody knows: it is not everybody's.
        ("u", None, "bob", "completed"),
    ];
    for (session, owner, user, status) in table {
        let mut body = request(session);
        body["sources"] = json!(sources);
        ask_as(&world, owner, session, &body).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let control = Control::Cancel { session_id: SessionId::new(session).expect("an id") };
        let header =
            Header { message_type: message_type::CONTROL.to_owned(), user: Some(user.to_owned()), ..Header::default() };
        let envelope = Envelope::encode(header, &control).expect("small");
        let message = Outgoing { route: Route::broadcast(names::CONTROL, ""), envelope };
        world.caller().publish(message).await.expect("published");
        tokio::time::sleep(LIMIT).await;
        let answer = world.broker.messages(REPLIES).pop().expect("ended").decode::<Value>().expect("JSON");
        let found = answer["error"]["status"].as_str().unwrap_or("completed").to_owned();
        assert_eq!(found, status, "{session}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_cannot_be_ended_before_it_was_asked_for() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let control = Control::Cancel { session_id: SessionId::new("s").expect("an id") };
    let user = Some("bob".to_owned());
    let header = Header { message_type: message_type::CONTROL.to_owned(), user, ..Header::default() };
    let envelope = Envelope::encode(header, &control).expect("small");
    world
        .caller()
        .publish(Outgoing { route: Route::broadcast(names::CONTROL, ""), envelope })
        .await
        .expect("published");
    tokio::time::sleep(Duration::from_secs(1)).await;
    ask_as(&world, Some("alice"), "s", &request("s")).await;
    tokio::time::sleep(LIMIT).await;
    let answer = world.broker.messages(REPLIES).pop().expect("ended").decode::<Value>().expect("JSON");
    assert_eq!(answer["success"], true, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_request_with_the_most_sources_is_carried_and_older_fleets_refuse() {
    for (emit_version, sources, code) in [(3, 5_000, None), (2, 300, None), (2, 301, Some("state_too_large"))] {
        let world = World { emit_version, ..World::new().await };
        let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
        let given: Vec<Value> = (0..sources)
            .map(|n| json!({ "source_id": format!("{n}"), "title": "x".repeat(200), "content": "x" }))
            .collect();
        let mut body = request("s");
        body["sources"] = json!(given);
        world.submit_body("s", &body).await;
        world.wait_for(1, Duration::from_secs(600)).await.expect("it ends");
        let found = world.broker.messages(REPLIES)[0].decode::<Value>().expect("JSON");
        assert_eq!(
            found["error"]["code"].as_str(),
            code,
            "version {emit_version}, {sources} sources: {}",
            found["error"]
        );
        if code.is_some() {
            assert_eq!(found["error"]["pointer"], json!("/sources"));
            assert_eq!(world.broker.deliveries(), 1, "it was begun");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_unfolds_to_too_much_is_refused_unread() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let source = "{\"source_id\":\"a\"},";
    let plain = format!("{{\"sources\":[{}{{}}]}}", source.repeat(UNFOLDED_BYTES / source.len() + 1));
    world.submit_body("s", &serde_json::from_str(&plain).expect("JSON")).await;
    world.wait_for(1, Duration::from_secs(2)).await.expect("refused at once");
    let refused = world.broker.messages(REPLIES)[0].decode::<Value>().expect("JSON");
    assert_eq!(refused["error"]["code"], "request_too_large");
}
