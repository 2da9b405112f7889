//! The runner and the memory broker on one core: a current-thread runtime, one worker, the real clock.
//!
//! Requests are published before the watch starts; it stops when the last result is acked. The raw broker carries a message of
//! a job's size through the same queue in windows of the same size, so that the runner's share of a round trip is a ratio
//! within one run.

use std::time::Duration;

use precis_proto::envelope::{Envelope, Header, message_type};
use precis_runtime::broker::{Consumer, Outgoing, Route, names};
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_tests::world::{REPLIES, World};
use precis_workers::assembly::pipeline;
use serde::Serialize;
use serde_json::json;

use crate::noop;
use crate::sample::{Rate, Sample, Watch};

/// Jobs a session has under way at once, and messages the raw broker has.
const WINDOW: u16 = 64;
/// Windows the bare broker carries: 192,000 messages, so that a sample lasts much longer than the scheduler's turns.
const WINDOWS: u16 = 3_000;
/// How long a bench waits for one result. Long enough for a session whose jobs all wait their turn.
const PATIENCE: Duration = Duration::from_secs(300);

/// How much work.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Load {
    /// Sessions with jobs.
    pub sessions: usize,
    /// Jobs of each.
    pub jobs: usize,
    /// Sessions without jobs, of the other measurement.
    pub empty_sessions: usize,
    /// Times each is measured.
    pub repeats: usize,
}

/// What the runner and the broker do per second.
#[derive(Debug, Serialize)]
pub struct FleetFigures {
    /// The work they were given.
    pub load: Load,
    /// Job round trips: asked for, published, run, answered, acked.
    pub round_trips: Rate,
    /// Sessions with those jobs.
    pub sessions_with_jobs: Rate,
    /// Sessions of three phases without jobs, from request to result.
    pub empty_sessions: Rate,
    /// Messages through the bare broker: published, delivered, acked.
    pub broker_messages: Rate,
    /// Bytes of such a message's body.
    pub message_bytes: usize,
    /// Part of a round trip's time that is not one message through the bare broker, from 0 to 1.
    pub runner_share: f64,
}

/// Measures all of it.
///
/// # Errors
/// What kept a session from its result.
pub fn measure(load: Load) -> Result<FleetFigures, String> {
    let repeat = |sessions, jobs| -> Result<Vec<Sample>, String> {
        (0..load.repeats).map(|_| alone(run_sessions(sessions, jobs))).collect()
    };
    let with_jobs = repeat(load.sessions, load.jobs)?;
    let empty = repeat(load.empty_sessions, 0)?;
    let message = job_sized()?;
    let raw = (0..load.repeats).map(|_| alone(pass_messages(&message))).collect::<Result<Vec<_>, _>>()?;
    let trips: Vec<Sample> = with_jobs.iter().map(|s| Sample { units: s.units * load.jobs as u64, ..*s }).collect();
    let (round_trips, broker_messages) = (Rate::from_samples(&trips), Rate::from_samples(&raw));
    Ok(FleetFigures {
        load,
        round_trips,
        sessions_with_jobs: Rate::from_samples(&with_jobs),
        empty_sessions: Rate::from_samples(&empty),
        broker_messages,
        message_bytes: message.body.len(),
        runner_share: 1.0 - round_trips.per_second / broker_messages.per_second,
    })
}

/// Runs `work` on a runtime of its own that has this thread and no other.
fn alone<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| format!("start a runtime: {e}"))?.block_on(work)
}

/// Lets one worker answer `sessions` sessions of `jobs` jobs each; the units are sessions.
async fn run_sessions(sessions: usize, jobs: usize) -> Result<Sample, String> {
    let world = World::new().await;
    for n in 0..sessions {
        world.submit(&format!("bench-{n}"), 1).await;
    }
    let caller = world.caller();
    let mut replies = caller.consume(REPLIES, WINDOW).await.map_err(|e| e.to_string())?;
    let parts = worker_parts(&world, jobs)?;
    let watch = Watch::start();
    let worker = Worker::start(parts).await.map_err(|e| e.to_string())?;
    for n in 0..sessions {
        let body = take(&mut replies).await.map_err(|e| format!("result {n} of {sessions}: {e}"))?;
        if body.get("success") != Some(&true.into()) {
            return Err(format!("a session of the bench failed: {body}"));
        }
    }
    let sample = watch.stop(sessions as u64);
    worker.drain(Duration::from_secs(5)).await;
    Ok(sample)
}

fn worker_parts(world: &World, jobs: usize) -> Result<WorkerParts, String> {
    let models = pipeline::models(&Settings::default(), world.store()).map_err(|e| e.to_string())?;
    Ok(WorkerParts {
        worker_id: "bench".to_owned(),
        broker: world.caller(),
        store: world.store(),
        services: Services { content: world.content.clone(), models },
        registry: noop::registry(jobs),
        settings: RunnerSettings { window: WINDOW.into(), ..RunnerSettings::default() },
        queues: Queues::All,
        clock: world.clock.clone(),
        failpoints: Failpoints::none(),
    })
}

/// The next message as JSON, acked.
async fn take(consumer: &mut Consumer) -> Result<serde_json::Value, String> {
    let delivery = tokio::time::timeout(PATIENCE, consumer.next()).await;
    let delivery =
        delivery.map_err(|_| format!("nothing for {} s", PATIENCE.as_secs()))?.ok_or("the connection ended")?;
    let body = delivery.envelope.decode().map_err(|e| e.to_string())?;
    delivery.ack().await.map_err(|e| e.to_string())?;
    Ok(body)
}

/// A message with a body as long as that of a job that does nothing.
fn job_sized() -> Result<Envelope, String> {
    let hash = "0".repeat(64);
    let body = json!({
        "job_id": hash, "session_id": "bench-100", "phase": "extraction", "revision": 1, "epoch": 0,
        "deadline": "2026-01-01T00:00:00.000Z",
        "body": { "source_id": "bench-100-s0", "origin": { "content": format!("sha256:{hash}") }, "title": "" },
    });
    let header = Header { message_type: message_type::JOB.to_owned(), message_id: hash, ..Header::default() };
    Envelope::encode(header, &body).map_err(|e| e.to_string())
}

/// Publishes copies of `message` one by one, a window of them at a time, and takes and acks each.
async fn pass_messages(message: &Envelope) -> Result<Sample, String> {
    let broker = World::new().await.caller();
    let queue = names::job_queue("extraction");
    let mut consumer = broker.consume(&queue, WINDOW).await.map_err(|e| e.to_string())?;
    let watch = Watch::start();
    for _ in 0..WINDOWS {
        for _ in 0..WINDOW {
            let outgoing = Outgoing { route: Route::queue(queue.clone()), envelope: message.clone() };
            broker.publish(outgoing).await.map_err(|e| e.to_string())?;
        }
        for _ in 0..WINDOW {
            let delivery = consumer.next().await.ok_or("the connection ended")?;
            delivery.ack().await.map_err(|e| e.to_string())?;
        }
    }
    Ok(watch.stop(u64::from(WINDOWS) * u64::from(WINDOW)))
}
