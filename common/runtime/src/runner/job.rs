//! Holding a job's delivery: answered from the cache, from another worker's run, or by running it; then reply, then ack.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use precis_proto::JobId;
use precis_proto::envelope::{CodecError, Envelope, Header, message_type};
use precis_proto::job::{Answer, Job, JobFailure, JobOutcome};
use serde::de::IgnoredAny;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::context::{Frame, Record, Signals};
use super::handler::{Interrupt, JobError};
use super::registry::Writer;
use super::suspects;
use super::worker::Core;
use crate::broker::{BrokerError, Delivery};
use crate::store::{Entry, Lease, Store, StoreError, Work};
use crate::telemetry::metrics;

/// How long answers are kept for sessions that come back.
const ANSWER_KEPT: Duration = Duration::from_secs(24 * 3_600);
/// How long a mark outlives its worker, and how often it is renewed.
const MARK: Duration = Duration::from_secs(30);
const RENEW: Duration = Duration::from_secs(10);
/// How often another worker's run is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Code of the answer to a job whose session has moved on: whoever waits for it all the same need not.
pub(super) const SUPERSEDED: &str = "superseded";

/// A job without its body, which only its handler reads.
type Task = Job<IgnoredAny>;

/// What the cache says of a job.
pub(super) enum AnswerState {
    /// Answered: the answer's JSON, unread.
    Done(Bytes),
    /// Somebody works on it.
    Running,
    /// Unknown, or the store is away.
    Missing,
}

/// An answer as it is cached and as it travels.
pub(super) struct Written {
    job_id: JobId,
    json: Bytes,
    /// A session that tries again wants the job done, not its failure told anew.
    is_transient: bool,
}

/// What came of trying to answer a job.
enum Ran {
    Answered(Written),
    /// Answered before, or by another run.
    Found(Written),
    /// Its time is over.
    Expired,
    /// Its session has moved on.
    Superseded,
    Interrupted,
}

impl Ran {
    /// The word of this end in metrics.
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

fn answer_key(id: &JobId) -> String {
    format!("answer:{id}")
}

fn mark_key(id: &JobId) -> String {
    format!("running:{id}")
}

/// A job under way, marked. Its mark ends with its run: left, or dropped with the run when the connection is lost, since a mark
/// that nobody works under would keep others waiting.
struct Marked {
    store: Store,
    /// `None` once the mark has ended.
    work: Option<Work>,
}

impl Marked {
    fn new(core: &Core, job: &Task, owner: String) -> Self {
        let (session, mark, answer) = (job.session_id.clone(), mark_key(&job.job_id), answer_key(&job.job_id));
        Self { store: core.store.clone(), work: Some(Work { session, owner, mark, answer }) }
    }

    fn work(&self) -> &Work {
        self.work.as_ref().expect("taken only at the end")
    }

    async fn enter(&self) -> Result<Entry, StoreError> {
        self.store.enter(self.work(), MARK).await
    }

    async fn renew(&self) {
        let _ = self.store.acquire(&self.work().mark, &self.work().owner, MARK).await;
    }

    /// Ends the mark, with nothing to keep.
    async fn release(mut self) {
        let Work { mark, owner, .. } = self.work.take().expect("taken only here");
        let _ = self.store.release(&mark, &owner).await;
    }

    /// Ends the mark and caches an answer, first writer wins; returns what stands there. With the store away, the answer itself.
    async fn leave(mut self, answer: Written) -> Written {
        let work = self.work.take().expect("taken only here");
        match self.store.leave(&work, answer.json.clone(), ANSWER_KEPT).await {
            Ok(kept) if kept != answer.json && is_answer(&kept, &answer.job_id) => Written { json: kept, ..answer },
            Ok(_) | Err(_) => answer,
        }
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        if let (Some(work), Ok(runtime)) = (self.work.take(), tokio::runtime::Handle::try_current()) {
            let store = self.store.clone();
            runtime.spawn(async move { store.release(&work.mark, &work.owner).await });
        }
    }
}

/// Looks a job up: its answer, then the mark of a run. A store that is away is a miss.
pub(super) async fn look(core: &Core, id: &JobId) -> AnswerState {
    match core.store.get(&answer_key(id)).await {
        Ok(Some(json)) => return AnswerState::Done(json),
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
    let Some((delivery, alone)) = suspects::jobs(&core, delivery).await else { return };
    let (plain, job) = match read(&delivery) {
        Ok(read) => read,
        Err(error) => {
            tracing::warn!(%error, queue = %delivery.queue, "undecodable job");
            drop(alone);
            return core.bury(delivery, "undecodable").await;
        }
    };
    core.failpoints.hit("job.received").await;
    let counted = metrics().jobs.hold();
    let since = Instant::now();
    let ran = answer(&core, &delivery, plain, &job).await;
    // Before the ack, after which the next suspect may be here at once.
    drop(alone);
    let kind = core.registry.known_kind(&delivery.envelope.header.subject);
    metrics().jobs.ended(kind, ran.word(), since.elapsed().as_secs_f64());
    drop(counted);
    let answer = match ran {
        Ran::Answered(answer) | Ran::Found(answer) => answer,
        Ran::Expired => return settle(&core, delivery).await,
        Ran::Superseded => Written::failed(&job.job_id, superseded(), Record::default()),
        Ran::Interrupted => {
            // Another worker begins anew; what was paid is in the memo.
            let _ = delivery.requeue().await;
            return;
        }
    };
    core.failpoints.hit("job.answered").await;
    if let Some(reply_to) = &delivery.envelope.header.reply_to {
        let _ = reply(&core, reply_to, answer).await;
    }
    core.failpoints.hit("job.replied").await;
    settle(&core, delivery).await;
}

/// The job's JSON, and what the runner reads of it.
fn read(delivery: &Delivery) -> Result<(Bytes, Task), CodecError> {
    let plain = delivery.envelope.plain_body()?;
    let job = serde_json::from_slice(&plain);
    let job = job.map_err(|e| CodecError::Json(precis_proto::envelope::json_fault(&e)))?;
    Ok((plain, job))
}

async fn settle(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    // An ack that comes too late means that the job comes again and finds its answer.
    let _ = delivery.ack().await;
}

/// Whether the session has been published since this job was scattered; with the store away nobody knows, and the job runs.
async fn has_moved_on(core: &Core, job: &Task) -> bool {
    matches!(core.store.latest(&job.session_id).await, Ok(Some(latest)) if latest > job.revision)
}

/// What tells a waiting copy of a session, or a job of one, that it waits in vain.
fn superseded() -> JobFailure {
    JobFailure::transient(SUPERSEDED, "the session has moved on")
}

/// The answer of a job, from wherever it is cheapest.
async fn answer(core: &Arc<Core>, delivery: &Delivery, plain: Bytes, job: &Task) -> Ran {
    let marked = Marked::new(core, job, owner(core, delivery));
    loop {
        if core.clock.until(job.deadline).is_zero() {
            return Ran::Expired;
        }
        // With the store away nobody knows, and the job runs.
        let Ok(entry) = marked.enter().await else { break };
        if entry.latest.is_some_and(|latest| latest > job.revision) {
            marked.release().await;
            return Ran::Superseded;
        }
        if let Some(json) = entry.answer.filter(|json| is_answer(json, &job.job_id)) {
            marked.release().await;
            return Ran::Found(Written { job_id: job.job_id.clone(), json, is_transient: false });
        }
        match entry.lease {
            Lease::Mine => break,
            Lease::Held(_) => tokio::time::sleep(LOOK).await,
        }
    }
    match work(core, delivery, plain, job, &marked).await {
        Ok(answer) if answer.is_transient => {
            marked.release().await;
            Ran::Answered(answer)
        }
        Ok(answer) => Ran::Answered(marked.leave(answer).await),
        Err(interrupt) => {
            marked.release().await;
            if interrupt == Interrupt::Superseded { Ran::Superseded } else { Ran::Interrupted }
        }
    }
}

fn is_answer(json: &[u8], id: &JobId) -> bool {
    serde_json::from_slice::<Answer<IgnoredAny>>(json).is_ok_and(|answer| &answer.job_id == id)
}

/// Whose mark it is: the copy's, not the worker's. A copy that comes again has no other holder, and goes on at once where its
/// last one died; another copy of the same job waits.
fn owner(core: &Core, delivery: &Delivery) -> String {
    let header = &delivery.envelope.header;
    match header.copy.as_str() {
        "" => core.next_copy(),
        copy => copy.to_owned(),
    }
}

/// Runs the handler, renewing the mark meanwhile.
///
/// # Errors
/// Why it was interrupted.
async fn work(
    core: &Arc<Core>,
    delivery: &Delivery,
    plain: Bytes,
    job: &Task,
    marked: &Marked,
) -> Result<Written, Interrupt> {
    let frame = Arc::new(Frame {
        core: Arc::clone(core),
        session_id: job.session_id.clone(),
        account: job.account.clone(),
        prior: job.prior.clone(),
        read_prior: OnceCell::new(),
        phase: job.phase,
        revision: job.revision,
        epoch: job.epoch,
        traceparent: delivery.envelope.header.traceparent.clone(),
        deadline: job.deadline,
        lease_until: None,
        is_fresh: !delivery.redelivered,
        signals: Signals::default(),
        gathered: Mutex::default(),
        record: Mutex::default(),
        told: Mutex::default(),
    });
    core.controls.attach(&frame);
    let renewal = async {
        loop {
            tokio::time::sleep(RENEW).await;
            marked.renew().await;
            if has_moved_on(core, job).await {
                return;
            }
        }
    };
    let outcome = tokio::select! {
        biased;
        outcome = run(core, delivery, plain, job, &frame) => outcome,
        () = frame.signals.cancelled.cancelled() => Err(Interrupt::Cancelled),
        () = renewal => Err(Interrupt::Superseded),
    };
    let record = frame.taken();
    match outcome {
        Ok(Ok(write)) => Ok(Written::done(&job.job_id, write, record)),
        Ok(Err(failure)) => Ok(Written::failed(&job.job_id, failure, record)),
        Err(Interrupt::Cancelled) => {
            let failure = JobFailure::permanent("cancelled", "the session was cancelled");
            Ok(Written::failed(&job.job_id, failure, record))
        }
        Err(interrupt) => Err(interrupt),
    }
}

async fn run(
    core: &Core,
    delivery: &Delivery,
    plain: Bytes,
    job: &Task,
    frame: &Arc<Frame>,
) -> Result<Result<Writer, JobFailure>, Interrupt> {
    let kind = delivery.envelope.header.subject.as_str();
    let Some(handler) = core.registry.job_handler(kind) else {
        return Ok(Err(JobFailure::transient("unknown_kind", "this worker has no handler for the job")));
    };
    let run = AssertUnwindSafe(handler.run(plain, Arc::clone(frame))).catch_unwind();
    Ok(match tokio::time::timeout(core.clock.until(job.deadline), run).await {
        Ok(Ok(Ok(write))) => Ok(write),
        Ok(Ok(Err(JobError::Transient { code, message }))) => Err(JobFailure::transient(code, message)),
        Ok(Ok(Err(JobError::Permanent { code, message }))) => Err(JobFailure::permanent(code, message)),
        Ok(Ok(Err(JobError::Interrupted(interrupt)))) => return Err(interrupt),
        Ok(Err(_)) => Err(JobFailure::permanent("panicked", "the handler panicked")),
        Err(_) => Err(JobFailure::transient("timeout", "the job outlasted its deadline")),
    })
}

impl Written {
    fn done(id: &JobId, write: Writer, record: Record) -> Self {
        match write(id, &record) {
            Ok(json) => Self { job_id: id.clone(), json: Bytes::from(json), is_transient: false },
            Err(error) => Self::failed(id, JobFailure::permanent("unencodable", error.to_string()), record),
        }
    }

    /// A failure as an answer, with what was paid and warned on the way to it.
    pub(super) fn failed(id: &JobId, failure: JobFailure, record: Record) -> Self {
        let is_transient = failure.is_transient;
        let outcome = JobOutcome::<()>::Failed(failure);
        let Record { calls, warnings, usage } = record;
        let answer = Answer { job_id: id.clone(), outcome, calls, warnings, usage };
        let json = serde_json::to_vec(&answer).expect("a failure is plain data");
        Self { job_id: id.clone(), json: Bytes::from(json), is_transient }
    }
}

/// Caches an answer, first writer wins; returns what stands there. With the store away, the answer itself.
///
/// A transient failure is not kept.
pub(super) async fn keep(core: &Core, answer: Written) -> Written {
    if answer.is_transient {
        return answer;
    }
    match core.store.put_if_absent(&answer_key(&answer.job_id), answer.json.clone(), ANSWER_KEPT).await {
        Ok(kept) if kept != answer.json && is_answer(&kept, &answer.job_id) => Written { json: kept, ..answer },
        Ok(_) | Err(_) => answer,
    }
}

/// Sends an answer to whoever asked, if they are still there.
pub(super) async fn reply(core: &Core, reply_to: &str, answer: Written) -> Result<(), BrokerError> {
    let header = Header {
        message_type: message_type::ANSWER.to_owned(),
        message_id: answer.job_id.to_string(),
        correlation_id: answer.job_id.to_string(),
        ..Header::default()
    };
    match Envelope::from_json(header, answer.json) {
        // Jobs are ours, and so is the address in them; a message of anybody else's has none that counts.
        Ok(_) if core.settings.reply_addresses.check(reply_to).is_err() => Ok(()),
        Ok(envelope) => core.broker.reply(reply_to, envelope).await,
        // Too large to travel: the asker finds it in the cache or gives up at the deadline.
        Err(_) => Ok(()),
    }
}
