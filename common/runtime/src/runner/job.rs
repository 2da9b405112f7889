//! Processes job deliveries: takes the answer from the cache, from another worker's run, or by running the job; then replies, then
//! acks.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use precis_proto::JobId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::CodecError;
use precis_proto::job::JobFailure;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::answers::{EncodedAnswer, SUPERSEDED, is_answer, reply};
use super::content_faults::outage;
use super::core::Core;
use super::error::{Interrupt, JobError};
use super::give_back::give_back;
use super::job_mark::JobMark;
use super::job_time::{BodilessJob, LONGEST_JOB, time_left};
use super::lease_context::{LeaseContext, LeaseRecord};
use super::quarantine;
use super::registry::{AnswerWriter, Registry};
use crate::broker::{Delivery, names};
use crate::clock::Clock;
use crate::model::Unanswered;
use crate::store::Lease;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{self, WorkedMessage};
use crate::telemetry::{TraceContext, metrics};

/// How often the mark is renewed.
const RENEW: Duration = Duration::from_secs(10);
/// How often to look for the result of another worker's run.
const LOOK: Duration = Duration::from_secs(1);

/// A job as it was received.
struct ReceivedJob {
    /// The job as JSON.
    plain: Bytes,
    /// Its fields without the body, which only the handler parses.
    job: BodilessJob,
    /// It must not be worked on after this time. Fixed on arrival, so that no clock matters afterwards.
    until: Instant,
}

/// How an attempt to answer a job ended.
enum JobRun {
    Answered(EncodedAnswer),
    /// Answered before, or by another worker's run.
    Found(EncodedAnswer),
    /// The deadline of the job has passed.
    Expired,
    /// A later revision of its session has been published.
    Superseded,
    Interrupted,
}

impl JobRun {
    /// The name of this end in metrics.
    fn word(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Found(_) => "cached",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Processes a delivery from a job queue, up to its ack.
pub(super) async fn hold(core: Arc<Core>, registry: Arc<Registry>, delivery: Delivery) {
    let Some((delivery, alone)) = quarantine::jobs(&core, delivery).await else { return };
    let received = match read(&core.clock, &delivery) {
        Ok(received) => received,
        Err(error) => {
            tracing::warn!(%error, queue = %delivery.queue, "job cannot be decoded; moved to the dead letters");
            drop(alone);
            return core.bury(delivery, &DeadReason::Undecodable).await;
        }
    };
    core.failpoints.hit("job.received").await;
    let counted = metrics().jobs.hold();
    let since = Instant::now();
    let ran = answer(&core, &registry, &delivery, &received).await;
    // Before the ack: as soon as it is acked, the next suspect job may be delivered.
    drop(alone);
    let kind = registry.known_kind(&delivery.envelope.header.subject);
    metrics().jobs.record_end(kind, ran.word(), since.elapsed().as_secs_f64());
    spans::record(delivery.envelope.header.traceparent.as_deref().and_then(TraceContext::parse), |context| {
        let (header, job) = (&delivery.envelope.header, &received.job);
        let message = WorkedMessage {
            system: core.broker.system(),
            queue: &names::job_queue(kind),
            id: job.job_id.as_str(),
            attempt: header.attempt.max(1),
            outcome: ran.word(),
            took: since.elapsed(),
        };
        conventions::job(context, &job.session_id, job.phase, job.revision, &message)
    });
    drop(counted);
    let answer = match ran {
        JobRun::Answered(answer) | JobRun::Found(answer) => answer,
        JobRun::Expired => return settle(&core, delivery).await,
        JobRun::Superseded => {
            EncodedAnswer::from_failure(&received.job.job_id, superseded_failure(), LeaseRecord::default())
        }
        JobRun::Interrupted => {
            // Another worker starts over; paid model calls are in the memo.
            return give_back(delivery).await;
        }
    };
    // The answer is in the cache before it is sent, and sent before the ack: after a crash in between the redelivered job finds it.
    core.failpoints.hit("job.answered").await;
    if let Some(reply_to) = &delivery.envelope.header.reply_to {
        let _ = reply(&core, reply_to, answer).await;
    }
    core.failpoints.hit("job.replied").await;
    settle(&core, delivery).await;
}

/// Returns the job as JSON, the fields of it that the runner reads, and how long it may take.
fn read(clock: &Clock, delivery: &Delivery) -> Result<ReceivedJob, CodecError> {
    let plain = delivery.envelope.plain_body()?;
    let job = serde_json::from_slice(&plain);
    let job = job.map_err(|e| CodecError::Json(precis_proto::envelope::json_fault(&e)))?;
    let until = Instant::now() + time_left(&job, clock).min(LONGEST_JOB);
    Ok(ReceivedJob { plain, job, until })
}

async fn settle(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    // If the ack is lost, the job is redelivered and finds its answer in the cache.
    let _ = delivery.ack().await;
}

/// Whether a later revision of the session has been published; false if the store is unavailable, so that the job runs.
async fn has_moved_on(core: &Core, job: &BodilessJob) -> bool {
    matches!(core.store.fences().latest(&job.session_id, job.life.as_ref()).await, Ok(Some(latest)) if latest > job.revision)
}

/// The failure that ends the wait of an outdated copy of a session, and the run of a job for one.
fn superseded_failure() -> JobFailure {
    JobFailure::transient(SUPERSEDED, "a later revision of the session has been published")
}

/// Returns the answer of a job from the cheapest source: the cache, another worker's run, its own run.
async fn answer(core: &Arc<Core>, registry: &Registry, delivery: &Delivery, received: &ReceivedJob) -> JobRun {
    let job = &received.job;
    let mark = JobMark::new(&core.store, job, owner(core, delivery));
    let patience = patience(Instant::now(), received.until);
    loop {
        if received.until <= Instant::now() {
            return JobRun::Expired;
        }
        // Without the store nothing is known of other runs, and the job runs here.
        let Ok(entry) = mark.enter().await else { break };
        if entry.latest.is_some_and(|latest| latest > job.revision) {
            mark.release().await;
            return JobRun::Superseded;
        }
        if let Some(json) = entry.answer.filter(|json| is_answer(json, &job.job_id)) {
            mark.release().await;
            return JobRun::Found(EncodedAnswer { job_id: job.job_id.clone(), json, is_transient: false });
        }
        match entry.lease {
            Lease::Mine => break,
            // A run that takes so long has died with its mark, or its mark is somebody else's.
            Lease::Held(_) if patience <= Instant::now() => break,
            Lease::Held(_) => tokio::time::sleep(LOOK).await,
        }
    }
    match work(core, registry, delivery, received, &mark).await {
        Ok(answer) if answer.is_transient => {
            mark.release().await;
            JobRun::Answered(answer)
        }
        Ok(answer) => JobRun::Answered(mark.leave(answer).await),
        Err(interrupt) => {
            mark.release().await;
            if interrupt == Interrupt::Superseded { JobRun::Superseded } else { JobRun::Interrupted }
        }
    }
}

/// Until when a job waits for another run of it: half of its time is left for its own run, which is work done twice at worst.
fn patience(now: Instant, until: Instant) -> Instant {
    now + until.saturating_duration_since(now) / 2
}

/// The owner of the mark: the copy, not the worker. A redelivered copy has no other holder, so it continues at once after its holder
/// died; another copy of the same job waits.
fn owner(core: &Core, delivery: &Delivery) -> String {
    let header = &delivery.envelope.header;
    match header.copy.as_str() {
        "" => core.next_copy(),
        copy => copy.to_owned(),
    }
}

/// Runs the handler and renews the mark meanwhile.
///
/// # Errors
/// The [`Interrupt`] that ended the run.
async fn work(
    core: &Arc<Core>,
    registry: &Registry,
    delivery: &Delivery,
    received: &ReceivedJob,
    mark: &JobMark,
) -> Result<EncodedAnswer, Interrupt> {
    let job = &received.job;
    let context = Arc::new(context(core, delivery, received));
    core.controls.attach(&context.session_id, &context.signals);
    let renewal = async {
        loop {
            tokio::time::sleep(RENEW).await;
            mark.renew().await;
            if has_moved_on(core, job).await {
                return;
            }
        }
    };
    // Biased, handler first: an answer that is ready is kept even if a cancellation arrives at the same moment.
    let outcome = tokio::select! {
        biased;
        outcome = run(registry, delivery, received, &context) => outcome,
        () = context.signals.cancelled.cancelled() => Err(Interrupt::Cancelled),
        () = renewal => Err(Interrupt::Superseded),
    };
    let record = context.lease_record();
    let without_content = context.services.content.outage();
    match outcome {
        // Whatever was answered: what the job did not find, it may have looked for in vain.
        Ok(_) | Err(Interrupt::WithoutContent) if let Some(fault) = without_content => {
            Ok(EncodedAnswer::from_failure(&job.job_id, outage(&fault), record))
        }
        Ok(Ok(write)) => Ok(encode_answer(&job.job_id, write, record)),
        Ok(Err(failure)) => Ok(EncodedAnswer::from_failure(&job.job_id, failure, record)),
        Err(Interrupt::Cancelled) => {
            let failure = JobFailure::permanent("cancelled", "the session was cancelled");
            Ok(EncodedAnswer::from_failure(&job.job_id, failure, record))
        }
        Err(interrupt) => Err(interrupt),
    }
}

/// Builds the context of the handler of a job.
fn context(core: &Arc<Core>, delivery: &Delivery, received: &ReceivedJob) -> LeaseContext {
    let job = &received.job;
    LeaseContext {
        core: Arc::clone(core),
        services: core.services.with_outage_watch(),
        session_id: job.session_id.clone(),
        life: job.life.clone(),
        account: job.account.clone(),
        prior: job.prior.clone(),
        read_prior: OnceCell::new(),
        phase: job.phase,
        revision: job.revision,
        epoch: job.epoch,
        traceparent: delivery.envelope.header.traceparent.clone(),
        deadline: received.until,
        lease_until: None,
        is_fresh: !delivery.redelivered,
        signals: Arc::default(),
        gathered: Mutex::default(),
        record: Mutex::default(),
        announced: Mutex::default(),
        unanswered: Unanswered::default(),
        no_vectors: OnceLock::new(),
    }
}

async fn run(
    registry: &Registry,
    delivery: &Delivery,
    received: &ReceivedJob,
    context: &Arc<LeaseContext>,
) -> Result<Result<AnswerWriter, JobFailure>, Interrupt> {
    let kind = delivery.envelope.header.subject.as_str();
    let Some(handler) = registry.job_handler(kind) else {
        return Ok(Err(JobFailure::transient("unknown_kind", "this worker has no handler for the job")));
    };
    let run = AssertUnwindSafe(handler.run(received.plain.clone(), Arc::clone(context))).catch_unwind();
    Ok(match tokio::time::timeout_at(received.until, run).await {
        Ok(Ok(Ok(write))) => Ok(write),
        Ok(Ok(Err(JobError::Transient { code, message }))) => Err(JobFailure::transient(code, message)),
        Ok(Ok(Err(JobError::Permanent { code, message }))) => Err(JobFailure::permanent(code, message)),
        Ok(Ok(Err(JobError::Interrupted(interrupt)))) => return Err(interrupt),
        Ok(Err(_)) => Err(JobFailure::permanent("panicked", "the handler panicked")),
        Err(_) => Err(JobFailure::transient("timeout", "the job outlasted its deadline")),
    })
}

/// Encodes an answer with what was recorded during its run; an answer that cannot be encoded becomes a failure.
fn encode_answer(id: &JobId, write: AnswerWriter, record: LeaseRecord) -> EncodedAnswer {
    match write(id, &record) {
        Ok(json) => EncodedAnswer { job_id: id.clone(), json: Bytes::from(json), is_transient: false },
        Err(error) => EncodedAnswer::from_failure(id, JobFailure::permanent("unencodable", error.to_string()), record),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;
    use precis_proto::envelope::{Envelope, Header};
    use precis_proto::job::JobKind;
    use serde_json::{Value, json};

    use super::*;
    use crate::broker::{Outgoing, Route};
    use crate::runner::context::JobContext;
    use crate::runner::core::tests::{core_with_one_queue, take_delivery};
    use crate::runner::handler::JobHandler;

    #[test]
    fn a_job_waits_half_of_its_time_for_another_run_of_it() {
        let now = Instant::now();
        for (left_s, waits_s) in [(0, 0), (2, 1), (300, 150)] {
            let until = patience(now, now + Duration::from_secs(left_s));
            assert_eq!(until, now + Duration::from_secs(waits_s), "{left_s}");
        }
    }

    struct Cut;

    impl JobKind for Cut {
        const NAME: &'static str = "digest";
        const RANK: u8 = 1;
        type Body = Value;
        type Answer = Value;
    }

    impl JobHandler for Cut {
        type Kind = Self;

        async fn run(&self, _: Value, _: &JobContext<Self>) -> Result<Value, JobError> {
            Err(Interrupt::Disconnected.into())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_with_refused_sub_jobs_is_returned_after_a_pause() {
        let queue = names::job_queue("digest");
        let core = core_with_one_queue(&queue).await;
        let body = json!({
            "job_id": "0".repeat(64), "session_id": "s", "phase": "digest", "revision": 1, "deadline": Timestamp(60_000), "body": {},
        });
        let header = Header { subject: "digest".to_owned(), ..Header::default() };
        let envelope = Envelope { header, body: Bytes::from(body.to_string()) };
        core.broker.publish(Outgoing { route: Route::queue(queue.clone()), envelope }).await.expect("published");
        let since = Instant::now();
        let delivery = take_delivery(&core, &queue).await;
        hold(Arc::clone(&core), Arc::new(Registry::default().job(Cut)), delivery).await;
        assert_eq!(since.elapsed(), Duration::from_secs(1));
        assert_eq!(core.broker.depth(&queue).await.expect("declared").ready, 1);
    }
}
