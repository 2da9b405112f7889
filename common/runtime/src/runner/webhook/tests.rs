//! Deliveries over real HTTP to a server on loopback, which the policy allows only in these tests. Time is that of the clock.

use std::sync::Mutex;

use bytes::Bytes;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::webhook::WebhookTarget;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::broker::{MemoryBroker, Topology};
use crate::failpoints::{Failpoints, Fault};
use crate::fetch::{FetchLimits, FetchPolicy};
use crate::records::{AskedBy, keep_accepted, mark_removed};
use crate::runner::core::tests::{core, take_delivery};
use crate::secret_url::SecretUrl;
use crate::webhooks::{Endpoint, Endpoints, SigningSecret, limits};

const SECRETS: [&str; 2] = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"];

/// A request that a receiver got: its head in lower case, and its body.
type Got = (String, Vec<u8>);

/// A server that gives the answers in turn, the last one for ever. An answer `hang` is none; one that ends in `…` never ends.
struct HookReceiver {
    url: String,
    got: Arc<Mutex<Vec<Got>>>,
    _serving: AbortOnDropHandle<()>,
}

impl HookReceiver {
    async fn answering(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("bound"));
        let (got, answers): (Arc<Mutex<Vec<Got>>>, Vec<String>) =
            (Arc::default(), answers.iter().map(|answer| (*answer).to_owned()).collect());
        let kept = Arc::clone(&got);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = kept.lock().expect("not poisoned").len();
                let answer = answers[number.min(answers.len() - 1)].clone();
                tokio::spawn(serve(stream, answer, Arc::clone(&kept)));
            }
        });
        Self { url, got, _serving: AbortOnDropHandle::new(serving) }
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("not poisoned").clone()
    }
}

async fn serve(mut stream: TcpStream, answer: String, got: Arc<Mutex<Vec<Got>>>) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    got.lock().expect("not poisoned").push((head, body));
    if answer == "hang" {
        return std::future::pending().await;
    }
    let is_endless = answer.ends_with('…');
    let answer = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", answer.trim_end_matches('…'));
    stream.write_all(answer.as_bytes()).await.ok()?;
    if is_endless {
        loop {
            stream.write_all(&[b'x'; 4096]).await.ok()?;
        }
    }
    stream.shutdown().await.ok()
}

fn header(got: &Got, name: &str) -> String {
    let prefix = format!("{name}: ");
    got.0.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default().to_owned()
}

/// A worker that tells the endpoint `a` at `url`, and has not much patience.
async fn worker(url: &str) -> Arc<Core> {
    worker_on(&MemoryBroker::new(), url).await
}

async fn worker_on(broker: &MemoryBroker, url: &str) -> Arc<Core> {
    let mut core = core(broker).await;
    core.broker.declare(&Topology::standard()).await.expect("declared");
    let secrets = SECRETS.map(|text| SigningSecret::parse(text).expect("a secret")).to_vec();
    let endpoint = Endpoint { url: Some(SecretUrl::from_constant(url)), secrets, tenant: None, signs_urls: true };
    let policy = FetchPolicy::default().allow_loopback_for_tests();
    let endpoints = Endpoints::new([("a".to_owned(), endpoint)].into(), Vec::new(), policy);
    let limits = FetchLimits { total: Duration::from_millis(500), ..limits() };
    let webhooks = Webhooks::new(endpoints, None, limits).expect("a client");
    Arc::get_mut(&mut core).expect("not shared yet").settings.webhooks = Some(Arc::new(webhooks));
    core
}

/// Lets a worker die at `point` with the message of a webhook, whose receiver gives `answers`, and another one take over. Returns what the
/// receiver got, how many messages wait after that, and the state.
async fn died_at(point: &'static str, answers: &[&str]) -> (Vec<Got>, u64, DeliveryState) {
    let (receiver, broker) = (HookReceiver::answering(answers).await, MemoryBroker::new());
    let (reached, mut dying) = (Arc::new(tokio::sync::Notify::new()), worker_on(&broker, &receiver.url).await);
    let told = Arc::clone(&reached);
    let failpoints = Failpoints::from_plan(move |hit| {
        if hit != point {
            return Fault::None;
        }
        told.notify_one();
        Fault::Crash
    });
    end_session(&dying).await.expect("published");
    let content = dying.services.content.clone();
    let parts = Arc::get_mut(&mut dying).expect("not shared yet");
    parts.failpoints = failpoints.clone();
    parts.broker = crate::broker::Broker::Memory(broker.connect(failpoints));
    let delivery = take_delivery(&dying, names::WEBHOOKS).await;
    let running = tokio::spawn(hold(Arc::clone(&dying), delivery));
    tokio::time::timeout(Duration::from_secs(20), reached.notified()).await.expect("reached");
    running.abort();
    dying.broker.close().await;
    let mut other = worker_on(&broker, &receiver.url).await;
    Arc::get_mut(&mut other).expect("not shared yet").services.content = content;
    let again = take_delivery(&other, names::WEBHOOKS).await;
    assert!(again.redelivered);
    hold(Arc::clone(&other), again).await;
    (receiver.got(), waits(&other).await, delivery_record(&other).await.state)
}

#[tokio::test]
async fn a_worker_that_dies_at_any_point_of_an_attempt_loses_nothing() {
    use DeliveryState::{Delivered, Pending};
    let (once, never) = (&["200 OK\r\n"][..], &["500 Oh\r\n"][..]);
    for (point, answers, attempts, waiting, state) in [
        ("webhook.received", once, 1, 0, Delivered),
        ("webhook.sent", once, 2, 0, Delivered),
        ("ack.before", once, 1, 0, Delivered),
        ("webhook.received", never, 1, 1, Pending),
        ("webhook.sent", never, 2, 1, Pending),
        // The next attempt was published and not recorded: it is published once more, and the record makes one of the two a repeat.
        ("publish.confirm", never, 2, 2, Pending),
        ("ack.before", never, 1, 1, Pending),
    ] {
        let (got, waits, ended) = died_at(point, answers).await;
        assert_eq!((got.len(), waits, ended), (attempts, waiting, state), "{point} {answers:?}");
        assert!(got.iter().all(|other| header(other, "webhook-id") == header(&got[0], "webhook-id")), "{point}");
    }
}

fn session() -> SessionId {
    SessionId::new("s").expect("an id")
}

/// Keeps the record of a session whose request names the endpoint `a`, and its result.
async fn end_session(core: &Core) -> Result<Status, SendError> {
    let options = json!({ "webhook": { "endpoint": "a" } });
    let request =
        json!({ "schema_version": 2, "session_id": "s", "query": "SECRET?", "sources": [], "options": options });
    let request = serde_json::from_value(request).expect("a request");
    let record = AcceptedSession::of(&request, "hash".to_owned(), None, AskedBy::Amqp { user: None }, core.clock.now());
    keep_accepted(&core.services.content, &record).await.expect("kept");
    let failure = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "SECRET words");
    core.publish_result(&session(), None, &Response::failure(failure)).await
}

async fn delivery_record(core: &Core) -> DeliveryRecord {
    read_delivery(&core.services.content, &session()).await.expect("in memory").expect("a record")
}

/// Makes the next attempt: takes the message where it waits, at the time it waits for.
async fn attempt(core: &Arc<Core>) {
    let waiting = [names::WEBHOOKS.to_owned()].into_iter().chain(TIERS.map(names::tier));
    for queue in waiting {
        let Some(mut delivery) = core.broker.get(&queue).await.expect("open") else { continue };
        let message: WebhookDelivery = delivery.envelope.decode().expect("a delivery");
        core.clock.follow(message.not_before.unwrap_or_default().max(core.clock.now()));
        names::WEBHOOKS.clone_into(&mut delivery.queue);
        return hold(Arc::clone(core), delivery).await;
    }
    panic!("no message waits");
}

async fn waits(core: &Core) -> u64 {
    let mut waiting = 0;
    for queue in [names::WEBHOOKS.to_owned()].into_iter().chain(TIERS.map(names::tier)) {
        waiting += core.broker.depth(&queue).await.expect("declared").ready;
    }
    waiting
}

#[tokio::test]
async fn a_session_end_is_delivered_once_under_one_id() {
    let receiver = HookReceiver::answering(&["500 Oh\r\n", "503 Oh\r\n", "204 Fine\r\n"]).await;
    let core = worker(&receiver.url).await;
    end_session(&core).await.expect("published");
    for (number, state) in [(1, DeliveryState::Pending), (2, DeliveryState::Pending), (3, DeliveryState::Delivered)] {
        attempt(&core).await;
        let record = delivery_record(&core).await;
        assert_eq!((record.state, record.attempts), (state, number));
        assert_eq!(record.next_at.is_some(), state == DeliveryState::Pending);
    }
    assert_eq!(waits(&core).await, 0);
    let got = receiver.got();
    assert_eq!(got.len(), 3);
    assert!(
        got.iter().all(|other| other.1 == got[0].1 && header(other, "webhook-id") == header(&got[0], "webhook-id"))
    );
    assert_ne!(header(&got[0], "webhook-timestamp"), header(&got[2], "webhook-timestamp"));
    let body: Value = serde_json::from_slice(&got[0].1).expect("JSON");
    assert_eq!(
        (&body["type"], &body["data"]),
        (&json!("session.finished"), &json!({ "session_id": "s", "status": "failed" }))
    );
    assert!(!String::from_utf8_lossy(&got[0].1).contains("SECRET"));
}

#[tokio::test]
async fn a_request_in_another_users_name_becomes_no_session() {
    let core = worker("http://127.0.0.1:1/").await;
    let targets = [
        (json!({ "endpoint": "a" }), 1),
        (json!({ "endpoint": "nobody" }), 0),
        (json!({ "url": "http://127.0.0.1:1/" }), 0),
        (json!({ "url": "https://example.org/" }), 0),
    ];
    let mut sessions = 0;
    for (number, (target, accepted)) in targets.into_iter().enumerate() {
        let body = json!({
            "schema_version": 2, "session_id": format!("s{number}"), "query": "q", "options": { "webhook": target },
            "sources": [{ "source_id": "a", "content": "A text." }],
        });
        let header = Header { message_type: message_type::REQUEST.to_owned(), ..Header::default() };
        let envelope = Envelope { header, body: Bytes::from(body.to_string()) };
        core.broker.publish(Outgoing { route: Route::queue(names::REQUESTS), envelope }).await.expect("published");
        crate::runner::intake::hold(Arc::clone(&core), take_delivery(&core, names::REQUESTS).await).await;
        sessions += accepted;
        let first = names::session_queue(precis_proto::Phase::first(false));
        assert_eq!(core.broker.depth(&first).await.expect("declared").ready, sessions, "{target}");
    }
}

#[tokio::test]
async fn each_of_two_secrets_signs() {
    let receiver = HookReceiver::answering(&["200 OK\r\n"]).await;
    let core = worker(&receiver.url).await;
    end_session(&core).await.expect("published");
    attempt(&core).await;
    // As sent: the head of the receiver is in lower case.
    let got = &receiver.got()[0];
    let seconds = header(got, "webhook-timestamp").parse().expect("seconds");
    let id = header(got, "webhook-id");
    let signed = SECRETS.map(|text| SigningSecret::parse(text).expect("a secret").signature(&id, seconds, &got.1));
    assert_eq!(header(got, "webhook-signature"), signed.join(" ").to_ascii_lowercase());
}

#[tokio::test]
async fn a_final_answer_ends_it_and_inner_redirects_are_not_followed() {
    let inside = HookReceiver::answering(&["200 OK\r\n"]).await;
    let redirect = format!("307 Elsewhere\r\nlocation: {}\r\n", inside.url);
    for (answer, reason) in
        [("410 Gone\r\n", "410"), ("400 Bad\r\n", "400"), ("404 No\r\n", "404"), (redirect.as_str(), "307")]
    {
        let receiver = HookReceiver::answering(&[answer]).await;
        let core = worker(&receiver.url).await;
        end_session(&core).await.expect("published");
        attempt(&core).await;
        let record = delivery_record(&core).await;
        assert_eq!(record.state, DeliveryState::Failed, "{answer}");
        let given = record.last.expect("an attempt").reason.expect("a reason");
        assert!(given.contains(reason) && waits(&core).await == 0, "{given}");
    }
    assert!(inside.got().is_empty());
}

#[tokio::test]
async fn a_receiver_is_asked_again_when_it_wants_and_not_before() {
    let receiver = HookReceiver::answering(&["429 Slow\r\nretry-after: 77\r\n", "200 OK\r\n"]).await;
    let core = worker(&receiver.url).await;
    end_session(&core).await.expect("published");
    attempt(&core).await;
    let record = delivery_record(&core).await;
    let next = record.next_at.expect("another attempt").0 - record.last.expect("an attempt").at.0;
    assert!((76_900..=77_100).contains(&next), "{next}");
    // The message comes back from its tier after a minute: it is put off until its time, and nobody is asked.
    let early = core.broker.get(&names::tier(TIERS[2])).await.expect("open").expect("waits there");
    hold(Arc::clone(&core), early).await;
    assert_eq!((receiver.got().len(), waits(&core).await), (1, 1));
    attempt(&core).await;
    assert_eq!((receiver.got().len(), delivery_record(&core).await.state), (2, DeliveryState::Delivered));
}

#[tokio::test]
async fn a_silent_receiver_times_out_and_an_endless_reply_counts_as_delivered() {
    let silent = HookReceiver::answering(&["hang"]).await;
    let core = worker(&silent.url).await;
    end_session(&core).await.expect("published");
    attempt(&core).await;
    let record = delivery_record(&core).await;
    assert_eq!(record.state, DeliveryState::Pending);
    let reason = record.last.expect("an attempt").reason.expect("a reason");
    assert!(reason.starts_with("timed_out"), "{reason}");
    let endless = HookReceiver::answering(&["200 OK\r\n…"]).await;
    let core = worker(&endless.url).await;
    end_session(&core).await.expect("published");
    attempt(&core).await;
    assert_eq!(delivery_record(&core).await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn unrequestable_jobs_keep_the_session_and_a_repeat_requests_once() {
    let receiver = HookReceiver::answering(&["200 OK\r\n"]).await;
    let mut core = worker(&receiver.url).await;
    // A broker without the queue: as if this worker died between the result and the webhook.
    let standard = Topology::standard();
    let queues = standard.queues.iter().filter(|queue| queue.name != names::WEBHOOKS).cloned().collect();
    let broker = MemoryBroker::new();
    let poor = crate::broker::Broker::Memory(broker.connect(crate::failpoints::Failpoints::none()));
    poor.declare(&Topology { queues, bindings: Vec::new(), ..standard.clone() }).await.expect("declared");
    Arc::get_mut(&mut core).expect("not shared").broker = poor;
    assert!(matches!(end_session(&core).await, Err(SendError::Broker(_))), "the session is not acked");
    core.broker.declare(&Topology::standard()).await.expect("declared");
    for _ in 0..2 {
        assert_eq!(core.repeat_result(&session(), None).await, Ok(Some(Status::Failed)));
    }
    // Two repeats before an attempt are two messages, and one of them has nothing left to do.
    attempt(&core).await;
    attempt(&core).await;
    assert_eq!(core.repeat_result(&session(), None).await, Ok(Some(Status::Failed)));
    assert_eq!((receiver.got().len(), waits(&core).await), (1, 0));
}

#[tokio::test]
async fn a_removed_session_is_not_reported() {
    let receiver = HookReceiver::answering(&["200 OK\r\n"]).await;
    let core = worker(&receiver.url).await;
    end_session(&core).await.expect("published");
    mark_removed(&core.services.content, &session()).await.expect("marked");
    attempt(&core).await;
    assert_eq!((receiver.got().len(), waits(&core).await), (0, 0));
}

#[tokio::test]
async fn an_unknown_endpoint_is_left_to_others_for_a_day() {
    let receiver = HookReceiver::answering(&["200 OK\r\n"]).await;
    let core = worker(&receiver.url).await;
    let message = WebhookDelivery {
        target: WebhookTarget::Endpoint("other".to_owned()),
        ..delivery_of(accepted_session(), &ended_session()).expect("a delivery")
    };
    core.broker.publish(webhook_message(&message, 1)).await.expect("published");
    while waits(&core).await > 0 {
        attempt(&core).await;
    }
    let day = crate::webhooks::GIVEN_UP_AFTER.as_millis() as i64;
    assert!((day / 2..=day).contains(&(core.clock.now().0 - message.since.0)));
    let record = delivery_record(&core).await;
    assert_eq!((record.state, waits(&core).await, receiver.got().len()), (DeliveryState::Failed, 0, 0));
    assert!(record.last.expect("an attempt").reason.expect("a reason").starts_with("not_configured"));
    // Sent again on demand: a later round.
    let again = WebhookDelivery {
        round: 1,
        target: WebhookTarget::Endpoint("a".to_owned()),
        since: core.clock.now(),
        ..message
    };
    core.broker.publish(webhook_message(&again, 1)).await.expect("published");
    attempt(&core).await;
    let record = delivery_record(&core).await;
    assert_eq!((record.state, record.delivery.round, receiver.got().len()), (DeliveryState::Delivered, 1, 1));
}

#[tokio::test]
async fn a_foreign_message_is_buried_and_a_lethal_delivery_recorded_failed() {
    let core = worker("http://127.0.0.1:1/").await;
    let header = Header { message_type: message_type::WEBHOOK.to_owned(), ..Header::default() };
    let envelope = Envelope { header, body: Bytes::from_static(b"{") };
    core.broker.publish(Outgoing { route: Route::queue(names::WEBHOOKS), envelope }).await.expect("published");
    hold(Arc::clone(&core), take_delivery(&core, names::WEBHOOKS).await).await;
    assert_eq!(core.broker.depth(names::DEAD).await.expect("declared").ready, 1);
    let message = delivery_of(accepted_session(), &ended_session()).expect("a delivery");
    core.broker.publish(webhook_message(&message, 1)).await.expect("published");
    let delivery = take_delivery(&core, names::WEBHOOKS).await;
    assert!(give_up(&core, &delivery, &DeadReason::DeliveryLimit).await);
    let record = delivery_record(&core).await;
    assert_eq!(record.state, DeliveryState::Failed);
    assert!(record.last.expect("an attempt").reason.expect("a reason").starts_with("delivery_limit"));
}

#[test]
fn a_wait_is_made_of_tiers_and_never_too_short() {
    let seconds = |left: i64| tier_for(left).map(|tier| tier.as_secs());
    for (left, expected) in [
        (-5, None),
        (0, None),
        (1, Some(2)),
        (1_999, Some(2)),
        (2_000, Some(2)),
        (14_999, Some(2)),
        (15_000, Some(15)),
        (59_999, Some(15)),
        (28_800_000, Some(1_800)),
        (i64::MAX, Some(1_800)),
    ] {
        assert_eq!(seconds(left), expected, "{left}");
    }
}

fn accepted_session() -> AcceptedSession {
    let options = json!({ "webhook": { "endpoint": "a" } });
    let request = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [], "options": options });
    let request = serde_json::from_value(request).expect("a request");
    AcceptedSession::of(&request, "hash".to_owned(), None, AskedBy::Amqp { user: None }, precis_proto::Timestamp(7))
}

fn ended_session() -> EndedSession {
    let failure = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "words");
    EndedSession::of(&Response::failure(failure), b"", Status::Failed, precis_proto::Timestamp(9))
}
