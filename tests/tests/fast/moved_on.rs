//! Work whose session has gone on without it ends soon, and leaves nothing behind that keeps others waiting.

use std::time::Duration;

use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::job::{CompressionJob, Extraction, ExtractionJob, Job, JobKind};
use precis_proto::source::Origin;
use precis_proto::{JobId, LifeId, Phase, SessionId, SourceId};
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, Worker};
use precis_runtime::store::{MemoryStore, Revision, Store};
use precis_tests::world::{REPLIES, World, parts};
use serde::Serialize;

/// Far less than a job may take.
const SOON: Duration = Duration::from_secs(2);

fn life() -> LifeId {
    LifeId::new("a life").expect("an id")
}

fn job<B>(world: &World, kind: &str, body: B) -> Job<B> {
    let session_id = SessionId::new("gone").expect("an id");
    let job_id = JobId::derive(&session_id, Phase::Compression.as_str(), kind, "key", 1);
    let deadline = world.clock.now().plus_ms(300_000);
    let (prior, account) = (None, precis_proto::account::Account::default());
    Job {
        job_id,
        session_id,
        life: Some(life()),
        phase: Phase::Compression,
        revision: 2,
        epoch: 1,
        deadline,
        time_left_ms: None,
        sent_at: None,
        sent_at_own: None,
        prior,
        account,
        body,
    }
}

async fn publish<B: Serialize>(world: &World, kind: &str, job: &Job<B>) {
    let header = Header {
        message_type: message_type::JOB.to_owned(),
        message_id: job.job_id.to_string(),
        correlation_id: job.session_id.to_string(),
        reply_to: Some(REPLIES.to_owned()),
        subject: kind.to_owned(),
        copy: "copy".to_owned(),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, job).expect("small");
    let message = Outgoing { route: Route::queue(names::job_queue(kind)), envelope };
    world.caller().publish(message).await.expect("published");
}

/// A worker with a store of its own, as in a fleet without Redis.
async fn worker(world: &World, name: &str, store: &MemoryStore, kind: &str) -> Worker {
    let world = World { store: store.clone(), ..world.clone() };
    let (_, mut parts) = parts(&world, name.to_owned(), Failpoints::none());
    parts.queues = Queues::Only(vec![names::job_queue(kind)]);
    Worker::start(parts).await.expect("starts")
}

#[tokio::test(start_paused = true)]
async fn a_waiting_job_learns_that_its_session_has_moved_on() {
    let world = World::new().await;
    let (ignorant, knowing) = (MemoryStore::new(), MemoryStore::new());
    let job = job(
        &world,
        "compression",
        CompressionJob {
            openings: false,
            quote_only: false,
            texts: 0,
            topic: "topic".to_owned(),
            query: String::new(),
            sources: Vec::new(),
            budget_tokens: 1,
            max_findings: 1,
            known: Default::default(),
        },
    );
    let (session, life) = (&job.session_id, life());
    let ended = Revision { session, life: Some(&life), number: u64::MAX };
    Store::Memory(knowing.clone()).fences().advance(ended, SOON * 100).await.expect("there");
    let _waiting = worker(&world, "a", &ignorant, "compression").await;
    let _telling = worker(&world, "b", &knowing, "extraction").await;
    publish(&world, "compression", &job).await;
    tokio::time::sleep(SOON).await;
    let answers = world.broker.messages(REPLIES);
    assert_eq!(answers.len(), 1, "it waits for its deadline");
    let told: serde_json::Value = serde_json::from_slice(&answers[0].plain_body().expect("plain")).expect("JSON");
    assert!(told.to_string().contains("superseded"), "{told}");
    for queue in [names::job_queue("compression"), names::job_queue("extraction"), names::DEAD.to_owned()] {
        let depth = world.caller().depth(&queue).await.expect("declared");
        assert_eq!((depth.ready, depth.unacked), (0, Some(0)), "{queue}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_mark_of_a_job_ends_with_its_run_however_that_ends() {
    let world = World::new().await;
    let content = world.content.put(bytes::Bytes::from_static(b"text")).await.expect("kept");
    let body = ExtractionJob {
        source_id: SourceId::new("s").expect("an id"),
        origin: Origin::Content(content),
        content_type: None,
        title: String::new(),
    };
    let job = job(&world, Extraction::NAME, body);
    let mark = format!("running:{}", job.job_id);
    let worker = worker(&world, "a", &world.store, Extraction::NAME).await;
    publish(&world, Extraction::NAME, &job).await;
    let under_way = async {
        while !world.store().leases().is_held(&mark).await.expect("there") {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(SOON, under_way).await.expect("the job is marked");
    drop(worker);
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert!(!world.store().leases().is_held(&mark).await.expect("there"), "nobody works under the mark");
}
