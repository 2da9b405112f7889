//! Scatter and gather: keeps a window of jobs in flight and takes each answer from the cheapest source: the state, the cache, a job
//! already running, a new job.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use precis_proto::JobId;
use precis_proto::envelope::{CodecError, Envelope, Header, message_type};
use precis_proto::job::{Job, JobAnswer, JobFailure, JobKind, JobOutcome};
use precis_proto::warning::push_once;
use serde::de::IgnoredAny;
use tokio::time::{Instant, sleep, sleep_until};

use super::answers::{AnswerState, SUPERSEDED, look};
use super::content_faults::outage_of;

use super::error::Interrupt;
use super::jobs_progress::JobsProgress;
use super::lease_context::LeaseContext;
use super::replies::Waiter;
use crate::broker::{Outgoing, Route, names};
use crate::telemetry::TraceContext;

/// How often a job is published again because the store does not know it.
const REPUBLISH_LIMIT: u32 = 2;
/// Divisor of a job's time: after this share of it, a job the store does not know counts as lost.
const LOST_AFTER: u32 = 6;
/// First and longest pause between cache lookups for an answer whose reply may be lost.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// Limits of one scatter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Jobs in flight at once, if fewer than the session's window.
    pub at_once: Option<usize>,
    /// Time for all other jobs together, counted from the first answer; jobs unanswered by then fail with `timed_out`. The time before
    /// any worker took a job does not count.
    pub others_within: Option<Duration>,
}

/// Scatters `jobs` within the context's window and `pace`; returns their outcomes in the order given.
///
/// # Errors
/// The [`Interrupt`] that ended the wait; answers gathered so far stay in the context.
pub(super) async fn scatter<L: JobKind>(
    context: &Arc<LeaseContext>,
    jobs: Vec<(String, L::Body)>,
    pace: Pace,
) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
    let mut gathering = ScatterRun::<L>::new(context, jobs, pace);
    // Biased: an interrupt wins over an answer, so that a busy scatter cannot delay a hand over. Dropping `run` here is safe: every
    // accepted answer is already in the context.
    tokio::select! {
        biased;
        interrupt = context.wait_for_interrupt() => return Err(interrupt),
        () = context.stopped_early() => {}
        ended = gathering.run() => ended?,
    }
    Ok(gathering.fold())
}

/// A scatter in progress.
struct ScatterRun<'a, L: JobKind> {
    context: &'a Arc<LeaseContext>,
    /// The jobs, in the order given.
    jobs: Vec<ScatterJob<L>>,
    /// Index of the first job not started.
    next: usize,
    /// Jobs started and not answered. Sorted, so that a replayed run looks at them in the same order.
    underway: BTreeMap<JobId, PendingJob>,
    waiter: Waiter,
    progress: JobsProgress,
    window: usize,
    /// How long to wait for each job.
    timeout: Duration,
    others_within: Option<Duration>,
    /// The end of the wait for all jobs; known from the first answer on.
    all_until: Option<Instant>,
}

struct ScatterJob<L: JobKind> {
    id: JobId,
    body: L::Body,
    answer: Option<JobAnswer<L::Answer>>,
}

/// A job in flight.
struct PendingJob {
    /// Its positions in the list; the same work may be requested twice.
    places: Vec<usize>,
    /// The job is given up at this time.
    until: Instant,
    published: Option<Instant>,
    publishes: u32,
    /// The time of the next cache lookup, and the pause after it.
    look_at: Instant,
    pause: Duration,
}

impl<'a, L: JobKind> ScatterRun<'a, L> {
    fn new(context: &'a Arc<LeaseContext>, jobs: Vec<(String, L::Body)>, pace: Pace) -> Self {
        let core = &context.core;
        let window = core.settings.window.min(pace.at_once.unwrap_or(usize::MAX)).max(1);
        let progress = JobsProgress::new(jobs.len() as u64);
        let wanted = |(key, body): (String, L::Body)| {
            let id = JobId::derive(&context.session_id, context.phase.as_str(), L::NAME, &key, context.epoch);
            ScatterJob { id, body, answer: None }
        };
        Self {
            context,
            jobs: jobs.into_iter().map(wanted).collect(),
            next: 0,
            underway: BTreeMap::new(),
            waiter: core.replies.waiter(window),
            progress,
            window,
            timeout: core.settings.job_timeout.min(context.deadline.saturating_duration_since(Instant::now())),
            others_within: pace.others_within,
            all_until: None,
        }
    }

    /// Works through the jobs until each has an answer.
    async fn run(&mut self) -> Result<(), Interrupt> {
        let tick = LOOK_AGAIN.0.min(self.timeout);
        let mut look_again = pin!(sleep(tick));
        loop {
            self.close_when_late();
            self.begin().await?;
            if self.has_room() {
                // Some of the jobs were answered by the state or the cache.
                continue;
            }
            if self.underway.is_empty() {
                return Ok(());
            }
            tokio::select! {
                biased;
                () = look_again.as_mut() => {
                    self.look_again().await?;
                    look_again.as_mut().reset(Instant::now() + tick);
                }
                answer = self.waiter.next() => {
                    self.receive(answer.ok_or(Interrupt::Disconnected)?)?;
                    while let Some(answer) = self.waiter.next_ready() {
                        self.receive(answer)?;
                    }
                }
                () = wait_until(self.all_until) => {}
            }
        }
    }

    /// Fails all unanswered jobs once the time for all is over.
    fn close_when_late(&mut self) {
        if self.all_until.is_none_or(|until| Instant::now() < until) {
            return;
        }
        let underway: Vec<JobId> = self.underway.keys().cloned().collect();
        for id in underway {
            self.give_up(&id, "timed_out", "the time limit for all jobs has passed");
        }
        let begun = std::mem::replace(&mut self.next, self.jobs.len());
        for job in &mut self.jobs[begun..] {
            job.answer = Some(failed_answer(&job.id, "timed_out", "the time limit for all jobs has passed"));
        }
    }

    fn has_room(&self) -> bool {
        self.underway.len() < self.window && self.next < self.jobs.len()
    }

    /// Starts jobs until the window is full. Each is registered with the waiter before its lookup, so that no answer is missed in
    /// between.
    async fn begin(&mut self) -> Result<(), Interrupt> {
        let mut begun = Vec::new();
        while self.has_room() {
            let place = self.next;
            self.next += 1;
            let id = self.jobs[place].id.clone();
            if let Some(pending) = self.underway.get_mut(&id) {
                pending.places.push(place);
                continue;
            }
            self.underway.insert(id.clone(), PendingJob::new(place, self.timeout));
            match self.context.gathered_answer(&id) {
                Some(json) if self.accept(&id, &json)? => {}
                _ => {
                    self.waiter.expect(&id);
                    begun.push(id);
                }
            }
        }
        // A session that was never interrupted has no earlier answers: skipping the lookup saves a round trip, and the worker that gets
        // the job looks it up anyway.
        if self.context.is_fresh { self.publish(begun).await } else { self.look(begun).await }
    }

    /// Looks up answers in the cache whose reply may be lost, and gives up overdue jobs.
    async fn look_again(&mut self) -> Result<(), Interrupt> {
        let now = Instant::now();
        let overdue: Vec<JobId> =
            self.underway.iter().filter(|(_, pending)| pending.until <= now).map(|(id, _)| id.clone()).collect();
        for id in overdue {
            self.give_up(&id, "no_answer", "no worker answered in time");
        }
        let mut due = Vec::new();
        for (id, pending) in self.underway.iter_mut().filter(|(_, pending)| pending.look_at <= now) {
            pending.pause = (pending.pause * 2).min(LOOK_AGAIN.1);
            pending.look_at = now + pending.pause;
            due.push(id.clone());
        }
        self.look(due).await
    }

    /// Takes the cached answers of these jobs, and publishes the jobs the store does not know.
    ///
    /// A job that the store still does not know a while after its publish was lost, with its answer. It is published again under the
    /// same id, so that the work is not done twice if it was not lost after all.
    async fn look(&mut self, ids: Vec<JobId>) -> Result<(), Interrupt> {
        let core = &self.context.core;
        let found = join_all(ids.iter().map(|id| look(&core.store, id))).await;
        let mut missing = Vec::new();
        for (id, found) in ids.into_iter().zip(found) {
            match found {
                AnswerState::Done(json) if self.accept(&id, &json)? => {}
                AnswerState::Running => {}
                AnswerState::Done(_) | AnswerState::Missing => missing.push(id),
            }
        }
        let lost_after = self.timeout / LOST_AFTER;
        missing.retain(|id| self.underway.get(id).is_some_and(|pending| pending.is_due(lost_after)));
        self.publish(missing).await
    }

    /// Publishes jobs as one window.
    async fn publish(&mut self, ids: Vec<JobId>) -> Result<(), Interrupt> {
        let mut messages = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(pending) = self.underway.get_mut(&id) else { continue };
            pending.published = Some(Instant::now());
            pending.publishes += 1;
            let left = pending.until.saturating_duration_since(Instant::now());
            match job_envelope::<L>(self.context, &id, &self.jobs[pending.places[0]].body, left) {
                Ok(envelope) => messages.push(Outgoing { route: Route::queue(names::job_queue(L::NAME)), envelope }),
                Err(error) => self.give_up(&id, "too_large", &error.to_string()),
            }
        }
        if messages.is_empty() {
            return Ok(());
        }
        self.context.core.replies.publish(messages).await.map_err(|error| {
            tracing::warn!(%error, session_id = %self.context.session_id, kind = L::NAME, "cannot publish jobs");
            Interrupt::Disconnected
        })
    }

    fn receive(&mut self, envelope: Envelope) -> Result<(), Interrupt> {
        let id = JobId::new(envelope.header.correlation_id.as_str());
        if let (Ok(id), Ok(json)) = (id, envelope.plain_body()) {
            self.accept(&id, &json)?;
        }
        Ok(())
    }

    /// Takes an answer and keeps it for a hand over. Returns false, and changes nothing, if it is not an answer to the job.
    fn accept(&mut self, id: &JobId, json: &Bytes) -> Result<bool, Interrupt> {
        let Some(answer) = read::<L>(json).filter(|answer| &answer.job_id == id) else { return Ok(false) };
        // Reported to this run only if it still waits for the job: an answer left over from an earlier copy must not end a live one.
        if matches!(&answer.outcome, JobOutcome::Failed(failure) if failure.code == SUPERSEDED) {
            return if self.underway.contains_key(id) { Err(Interrupt::Superseded) } else { Ok(false) };
        }
        // Not an outcome of the job: another run may find what this one did not.
        if let JobOutcome::Failed(failure) = &answer.outcome
            && let Some(fault) = outage_of(failure)
        {
            if !self.underway.contains_key(id) {
                return Ok(false);
            }
            self.context.services.content.meet(fault);
            return Err(Interrupt::WithoutContent);
        }
        self.context.keep(id.clone(), json.clone());
        self.answer(id, answer);
        Ok(true)
    }

    fn give_up(&mut self, id: &JobId, code: &str, message: &str) {
        let answer = failed_answer(id, code, message);
        if let Ok(json) = serde_json::to_vec(&answer) {
            self.context.keep(id.clone(), Bytes::from(json));
        }
        self.answer(id, answer);
    }

    fn answer(&mut self, id: &JobId, answer: JobAnswer<L::Answer>) {
        let Some(pending) = self.underway.remove(id) else { return };
        self.waiter.forget(id);
        let within = self.others_within;
        self.all_until = self.all_until.or_else(|| within.map(|within| Instant::now() + within));
        for warning in &answer.warnings {
            self.context.announce_warning(warning);
        }
        self.progress.add(self.context, pending.places.len() as u64);
        let (first, others) = pending.places.split_first().expect("a pending job has at least one place");
        for place in others {
            self.jobs[*place].answer = Some(answer.clone());
        }
        self.jobs[*first].answer = Some(answer);
    }

    /// Returns the outcomes. Calls, usage and warnings are recorded in job order, not in order of arrival, so that a repeat records the
    /// same.
    fn fold(self) -> Vec<JobOutcome<L::Answer>> {
        let context = self.context;
        let outcome = |job: ScatterJob<L>| {
            let known = || context.gathered_answer(&job.id).and_then(|json| read::<L>(&json));
            let stopped = || failed_answer(&job.id, "stopped", "the session ended early");
            let answer = job.answer.or_else(known).unwrap_or_else(stopped);
            context.record(|record| {
                record.calls.extend(answer.calls);
                record.usage.extend(answer.usage);
                for warning in answer.warnings {
                    push_once(&mut record.warnings, warning);
                }
            });
            answer.outcome
        };
        self.jobs.into_iter().map(outcome).collect()
    }
}

impl PendingJob {
    fn new(place: usize, timeout: Duration) -> Self {
        let now = Instant::now();
        Self {
            places: vec![place],
            until: now + timeout,
            published: None,
            publishes: 0,
            look_at: now + LOOK_AGAIN.0,
            pause: LOOK_AGAIN.0,
        }
    }

    /// Whether a job the store does not know should be published now.
    fn is_due(&self, lost_after: Duration) -> bool {
        self.publishes <= REPUBLISH_LIMIT && self.published.is_none_or(|at| at.elapsed() >= lost_after)
    }
}

/// Waits until `at`; for ever if it is `None`.
async fn wait_until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Decodes an answer. If its value has an unexpected shape, returns a failure that keeps the calls and warnings.
fn read<L: JobKind>(json: &[u8]) -> Option<JobAnswer<L::Answer>> {
    if let Ok(answer) = serde_json::from_slice(json) {
        return Some(answer);
    }
    let JobAnswer { job_id, outcome: _, calls, warnings, usage } =
        serde_json::from_slice::<JobAnswer<IgnoredAny>>(json).ok()?;
    let message = format!("the answer of the {} job has an unexpected shape", L::NAME);
    let outcome = JobOutcome::Failed(JobFailure::permanent("undecodable", message));
    Some(JobAnswer { job_id, outcome, calls, warnings, usage })
}

fn job_envelope<L: JobKind>(
    context: &LeaseContext,
    id: &JobId,
    body: &L::Body,
    timeout: Duration,
) -> Result<Envelope, CodecError> {
    let core = &context.core;
    let time_left_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    let deadline = core.clock.now().plus_ms(i64::try_from(time_left_ms).unwrap_or(i64::MAX));
    let job = Job {
        job_id: id.clone(),
        session_id: context.session_id.clone(),
        life: context.life.clone(),
        phase: context.phase,
        revision: context.revision,
        epoch: context.epoch,
        deadline,
        time_left_ms: Some(time_left_ms),
        sent_at: core.clock.shared_time(),
        sent_at_own: Some(core.clock.own()),
        prior: context.prior.clone(),
        account: context.account.clone(),
        body,
    };
    let header = Header {
        message_type: message_type::JOB.to_owned(),
        message_id: id.to_string(),
        correlation_id: context.session_id.to_string(),
        reply_to: Some(core.replies.address().to_owned()),
        revision: context.revision,
        copy: core.next_copy(),
        deadline: Some(deadline),
        subject: L::NAME.to_owned(),
        traceparent: Some(TraceContext::follow(context.traceparent.as_deref()).to_string()),
        ..Header::default()
    };
    Envelope::encode(header, &job)
}

fn failed_answer<A>(id: &JobId, code: &str, message: &str) -> JobAnswer<A> {
    let outcome = JobOutcome::Failed(JobFailure::transient(code, message));
    JobAnswer { job_id: id.clone(), outcome, calls: Vec::new(), warnings: Vec::new(), usage: Vec::new() }
}
