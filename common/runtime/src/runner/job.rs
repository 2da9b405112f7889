//! Holding a job's delivery: answered from the cache, from another worker's run, or by running it; then reply, then ack.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use precis_proto::JobId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::job::{Answer, Job, JobFailure, JobOutcome};
use serde_json::Value;

use super::context::{Frame, Record, Signals};
use super::handler::{Interrupt, JobError};
use super::worker::Core;
use crate::broker::Delivery;
use crate::store::Lease;

/// How long answers are kept for sessions that come back.
const ANSWER_KEPT: Duration = Duration::from_secs(24 * 3_600);
/// How long a mark outlives its worker, and how often it is renewed.
const MARK: Duration = Duration::from_secs(30);
const RENEW: Duration = Duration::from_secs(10);
/// How often another worker's run is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// What the cache says of a job.
pub(super) enum AnswerState {
    /// Answered.
    Done(Box<Answer<Value>>),
    /// Somebody works on it.
    Running,
    /// Unknown, or the store is away.
    Missing,
}

/// What came of trying to answer a job.
enum Ran {
    Answered(Box<Answer<Value>>),
    /// Nobody waits for it any more.
    Expired,
    Interrupted,
}

fn answer_key(id: &JobId) -> String {
    format!("answer:{id}")
}

fn mark_key(id: &JobId) -> String {
    format!("running:{id}")
}

/// Looks a job up: its answer, then the mark of a run. A store that is away is a miss.
pub(super) async fn look(core: &Core, id: &JobId) -> AnswerState {
    match core.store.get(&answer_key(id)).await {
        Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
            Ok(answer) => return AnswerState::Done(Box::new(answer)),
            Err(_) => return AnswerState::Missing,
        },
        Ok(None) => {}
        Err(_) => return AnswerState::Missing,
    }
    match core.store.is_held(&mark_key(id)).await {
        Ok(true) => AnswerState::Running,
        Ok(false) | Err(_) => AnswerState::Missing,
    }
}

/// Takes a delivery from a job queue to its end.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    let job = match delivery.envelope.decode::<Job<Value>>() {
        Ok(job) => job,
        Err(error) => {
            tracing::warn!(%error, queue = %delivery.queue, "undecodable job");
            return core.bury(delivery, "undecodable").await;
        }
    };
    core.failpoints.hit("job.received").await;
    if core.clock.until(job.deadline).is_zero() || has_moved_on(&core, &job).await {
        return settle(&core, delivery).await;
    }
    let answer = match answer(&core, &delivery, &job).await {
        Ran::Answered(answer) => answer,
        Ran::Expired => return settle(&core, delivery).await,
        Ran::Interrupted => {
            // Another worker begins anew; what was paid is in the memo.
            let _ = delivery.requeue().await;
            return;
        }
    };
    core.failpoints.hit("job.answered").await;
    if let Some(reply_to) = &delivery.envelope.header.reply_to {
        let _ = reply(&core, reply_to, &answer).await;
    }
    core.failpoints.hit("job.replied").await;
    settle(&core, delivery).await;
}

async fn settle(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    // An ack that comes too late means that the job comes again and finds its answer.
    let _ = delivery.ack().await;
}

/// Whether the session has been published since this job was scattered; with the store away nobody knows, and the job runs.
async fn has_moved_on(core: &Core, job: &Job<Value>) -> bool {
    matches!(core.store.latest(&job.session_id).await, Ok(Some(latest)) if latest > job.revision)
}

/// The answer of a job, from wherever it is cheapest.
async fn answer(core: &Arc<Core>, delivery: &Delivery, job: &Job<Value>) -> Ran {
    let owner = format!("{}/{}", core.worker_id, delivery.envelope.header.message_id);
    loop {
        if let AnswerState::Done(answer) = look(core, &job.job_id).await {
            return Ran::Answered(answer);
        }
        match core.store.acquire(&mark_key(&job.job_id), &owner, MARK).await {
            Ok(Lease::Mine) | Err(_) => break,
            Ok(Lease::Held(_)) => tokio::time::sleep(LOOK).await,
        }
        if core.clock.until(job.deadline).is_zero() || has_moved_on(core, job).await {
            return Ran::Expired;
        }
    }
    let answer = work(core, delivery, job, &owner).await;
    let ran = match answer {
        Some(answer) => Ran::Answered(Box::new(keep(core, &answer).await)),
        None => Ran::Interrupted,
    };
    let _ = core.store.release(&mark_key(&job.job_id), &owner).await;
    ran
}

/// Runs the handler, renewing the mark meanwhile; `None` where it was interrupted.
async fn work(core: &Arc<Core>, delivery: &Delivery, job: &Job<Value>, owner: &str) -> Option<Answer<Value>> {
    let frame = Arc::new(Frame {
        core: Arc::clone(core),
        session_id: job.session_id.clone(),
        phase: job.phase,
        revision: job.revision,
        epoch: job.epoch,
        deadline: job.deadline,
        lease_until: None,
        signals: Signals::default(),
        gathered: Mutex::default(),
        record: Mutex::default(),
    });
    core.controls.attach(&frame);
    let renewal = async {
        loop {
            tokio::time::sleep(RENEW).await;
            let _ = core.store.acquire(&mark_key(&job.job_id), owner, MARK).await;
        }
    };
    let outcome = tokio::select! {
        biased;
        outcome = run(core, delivery, job, &frame) => outcome,
        () = frame.signals.cancelled.cancelled() => Err(Interrupt::Cancelled),
        () = renewal => unreachable!("renewing has no end"),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(Interrupt::Cancelled) => failed(JobFailure::permanent("cancelled", "the session was cancelled")),
        Err(Interrupt::HandOver | Interrupt::Disconnected) => return None,
    };
    let Record { calls, warnings, .. } = frame.taken();
    Some(Answer { job_id: job.job_id.clone(), outcome, calls, warnings })
}

async fn run(
    core: &Core,
    delivery: &Delivery,
    job: &Job<Value>,
    frame: &Arc<Frame>,
) -> Result<JobOutcome<Value>, Interrupt> {
    let kind = delivery.envelope.header.subject.as_str();
    let Some(handler) = core.registry.job_handler(kind) else {
        return Ok(failed(JobFailure::transient("unknown_kind", "this worker has no handler for the job")));
    };
    let run = AssertUnwindSafe(handler.run(job.body.clone(), Arc::clone(frame))).catch_unwind();
    match tokio::time::timeout(core.clock.until(job.deadline), run).await {
        Ok(Ok(Ok(value))) => Ok(JobOutcome::Done(value)),
        Ok(Ok(Err(JobError::Transient { code, message }))) => Ok(failed(JobFailure::transient(code, message))),
        Ok(Ok(Err(JobError::Permanent { code, message }))) => Ok(failed(JobFailure::permanent(code, message))),
        Ok(Ok(Err(JobError::Interrupted(interrupt)))) => Err(interrupt),
        Ok(Err(_)) => Ok(failed(JobFailure::permanent("panicked", "the handler panicked"))),
        Err(_) => Ok(failed(JobFailure::transient("timeout", "the job outlasted its deadline"))),
    }
}

fn failed(failure: JobFailure) -> JobOutcome<Value> {
    JobOutcome::Failed(failure)
}

/// Caches an answer, first writer wins; returns what stands there. With the store away, the answer itself.
///
/// A transient failure is not kept: a session that tries again wants the job done, not its failure told anew.
pub(super) async fn keep(core: &Core, answer: &Answer<Value>) -> Answer<Value> {
    if matches!(&answer.outcome, JobOutcome::Failed(failure) if failure.is_transient) {
        return answer.clone();
    }
    let Ok(bytes) = serde_json::to_vec(answer) else { return answer.clone() };
    match core.store.put_if_absent(&answer_key(&answer.job_id), Bytes::from(bytes), ANSWER_KEPT).await {
        Ok(kept) => serde_json::from_slice(&kept).unwrap_or_else(|_| answer.clone()),
        Err(_) => answer.clone(),
    }
}

/// Sends an answer to whoever asked, if they are still there.
pub(super) async fn reply(
    core: &Core,
    reply_to: &str,
    answer: &Answer<Value>,
) -> Result<(), crate::broker::BrokerError> {
    let header = Header {
        message_type: message_type::ANSWER.to_owned(),
        message_id: answer.job_id.to_string(),
        correlation_id: answer.job_id.to_string(),
        ..Header::default()
    };
    match Envelope::encode(header, answer) {
        Ok(envelope) => core.broker.reply(reply_to, envelope).await,
        // Too large to travel: the asker finds it in the cache or gives up at the deadline.
        Err(_) => Ok(()),
    }
}
