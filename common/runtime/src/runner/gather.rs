//! Scatter and gather: a window of jobs under way, each answered by what is cheapest: the state, the cache, a job already
//! running, a new job.

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
use super::error::Interrupt;
use super::jobs_progress::JobsProgress;
use super::lease_context::LeaseContext;
use super::replies::Waiter;
use crate::broker::{Outgoing, Route, names};
use crate::telemetry::TraceContext;

/// Times a job is published again because nobody seems to know it.
const REPUBLISH_LIMIT: u32 = 2;
/// Part of its time after which a job that nobody knows counts as lost.
const LOST_AFTER: u32 = 6;
/// First and longest time between looks into the cache for an answer that may have been lost on its way.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// How a scatter goes about its jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Most jobs under way at once, where that is less than a session may have.
    pub at_once: Option<usize>,
    /// From the first answer on, the other jobs have so long together; what is not answered then fails with `timed_out`. The time
    /// in which no worker took any of them does not count.
    pub others_within: Option<Duration>,
}

/// Scatters `jobs` under the context's window and `pace`, and returns their outcomes in the order given.
///
/// # Errors
/// The [`Interrupt`] that ended the wait; what was gathered stays with the context.
pub(super) async fn scatter<L: JobKind>(
    context: &Arc<LeaseContext>,
    jobs: Vec<(String, L::Body)>,
    pace: Pace,
) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
    let mut gathering = ScatterRun::<L>::new(context, jobs, pace);
    tokio::select! {
        biased;
        interrupt = context.interrupted() => return Err(interrupt),
        () = context.left_out() => {}
        ended = gathering.run() => ended?,
    }
    Ok(gathering.fold())
}

/// A scatter under way.
struct ScatterRun<'a, L: JobKind> {
    context: &'a Arc<LeaseContext>,
    /// In the order given.
    jobs: Vec<ScatterJob<L>>,
    /// The first job that has not been begun.
    next: usize,
    /// Jobs begun and not answered. Sorted, so that a replayed run looks at them in the same order.
    underway: BTreeMap<JobId, PendingJob>,
    waiter: Waiter,
    progress: JobsProgress,
    window: usize,
    /// How long a job is waited for.
    timeout: Duration,
    others_within: Option<Duration>,
    /// No job is waited for after it; known from the first answer on.
    all_until: Option<Instant>,
}

struct ScatterJob<L: JobKind> {
    id: JobId,
    body: L::Body,
    answer: Option<JobAnswer<L::Answer>>,
}

/// A job that was begun.
struct PendingJob {
    /// Who wants it; the same work may be asked for twice.
    places: Vec<usize>,
    /// It is given up on then.
    until: Instant,
    published: Option<Instant>,
    publishes: u32,
    /// When the cache is looked into again, and how long after that.
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
            timeout: core.settings.job_timeout.min(core.clock.until(context.deadline)),
            others_within: pace.others_within,
            all_until: None,
        }
    }

    /// Asks until each job has an answer.
    async fn run(&mut self) -> Result<(), Interrupt> {
        let tick = LOOK_AGAIN.0.min(self.timeout);
        let mut look_again = pin!(sleep(tick));
        loop {
            self.close_when_late();
            self.begin().await?;
            if self.has_room() {
                // The state or the cache answered some of them.
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
                    self.hear(answer.ok_or(Interrupt::Disconnected)?)?;
                    while let Some(answer) = self.waiter.next_ready() {
                        self.hear(answer)?;
                    }
                }
                () = reached(self.all_until) => {}
            }
        }
    }

    /// Fails what is left when the time for all is over.
    fn close_when_late(&mut self) {
        if self.all_until.is_none_or(|until| Instant::now() < until) {
            return;
        }
        let underway: Vec<JobId> = self.underway.keys().cloned().collect();
        for id in underway {
            self.give_up(&id, "timed_out", "the time for all of them is over");
        }
        let begun = std::mem::replace(&mut self.next, self.jobs.len());
        for job in &mut self.jobs[begun..] {
            job.answer = Some(unanswered(&job.id, "timed_out", "the time for all of them is over"));
        }
    }

    fn has_room(&self) -> bool {
        self.underway.len() < self.window && self.next < self.jobs.len()
    }

    /// Begins jobs until the window is full. Registered before looking, so that no answer slips between.
    async fn begin(&mut self) -> Result<(), Interrupt> {
        let mut begun = Vec::new();
        while self.has_room() {
            let place = self.next;
            self.next += 1;
            let id = self.jobs[place].id.clone();
            if let Some(asked) = self.underway.get_mut(&id) {
                asked.places.push(place);
                continue;
            }
            self.underway.insert(id.clone(), PendingJob::new(place, self.timeout));
            match self.context.known(&id) {
                Some(json) if self.accept(&id, &json)? => {}
                _ => {
                    self.waiter.expect(&id);
                    begun.push(id);
                }
            }
        }
        // Of a session that was never interrupted nothing is known: what a look would find, the worker finds that gets the job.
        if self.context.is_fresh { self.publish(begun).await } else { self.look(begun).await }
    }

    /// Looks into the cache for answers that may have been lost on their way, and gives up on what took too long.
    async fn look_again(&mut self) -> Result<(), Interrupt> {
        let now = Instant::now();
        let overdue: Vec<JobId> =
            self.underway.iter().filter(|(_, asked)| asked.until <= now).map(|(id, _)| id.clone()).collect();
        for id in overdue {
            self.give_up(&id, "no_answer", "no worker answered in time");
        }
        let mut due = Vec::new();
        for (id, asked) in self.underway.iter_mut().filter(|(_, asked)| asked.look_at <= now) {
            asked.pause = (asked.pause * 2).min(LOOK_AGAIN.1);
            asked.look_at = now + asked.pause;
            due.push(id.clone());
        }
        self.look(due).await
    }

    /// Takes what the cache knows of these jobs, and publishes those that nobody knows.
    ///
    /// A job that the store knows nothing of a while after its publish was lost with its answer: it is published again, under
    /// the same id, so that the work is not done twice where it was not lost after all.
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
        missing.retain(|id| self.underway.get(id).is_some_and(|asked| asked.is_due(lost_after)));
        self.publish(missing).await
    }

    /// Publishes jobs as one window.
    async fn publish(&mut self, ids: Vec<JobId>) -> Result<(), Interrupt> {
        let mut messages = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(asked) = self.underway.get_mut(&id) else { continue };
            asked.published = Some(Instant::now());
            asked.publishes += 1;
            let left = asked.until.saturating_duration_since(Instant::now());
            match job_envelope::<L>(self.context, &id, &self.jobs[asked.places[0]].body, left) {
                Ok(envelope) => messages.push(Outgoing { route: Route::queue(names::job_queue(L::NAME)), envelope }),
                Err(error) => self.give_up(&id, "too_large", &error.to_string()),
            }
        }
        if messages.is_empty() {
            return Ok(());
        }
        self.context.core.replies.publish(messages).await.map_err(|error| {
            tracing::warn!(%error, session_id = %self.context.session_id, kind = L::NAME, "cannot scatter");
            Interrupt::Disconnected
        })
    }

    fn hear(&mut self, envelope: Envelope) -> Result<(), Interrupt> {
        let id = JobId::new(envelope.header.correlation_id.as_str());
        if let (Ok(id), Ok(json)) = (id, envelope.plain_body()) {
            self.accept(&id, &json)?;
        }
        Ok(())
    }

    /// Takes an answer, and keeps it for a hand over. Says whether it is one: what is no answer to the job changes nothing.
    fn accept(&mut self, id: &JobId, json: &Bytes) -> Result<bool, Interrupt> {
        let Some(answer) = read::<L>(json).filter(|answer| &answer.job_id == id) else { return Ok(false) };
        if matches!(&answer.outcome, JobOutcome::Failed(failure) if failure.code == SUPERSEDED) {
            return if self.underway.contains_key(id) { Err(Interrupt::Superseded) } else { Ok(false) };
        }
        self.context.keep(id.clone(), json.clone());
        self.answer(id, answer);
        Ok(true)
    }

    fn give_up(&mut self, id: &JobId, code: &str, message: &str) {
        let answer = unanswered(id, code, message);
        if let Ok(json) = serde_json::to_vec(&answer) {
            self.context.keep(id.clone(), Bytes::from(json));
        }
        self.answer(id, answer);
    }

    fn answer(&mut self, id: &JobId, answer: JobAnswer<L::Answer>) {
        let Some(asked) = self.underway.remove(id) else { return };
        self.waiter.forget(id);
        let within = self.others_within;
        self.all_until = self.all_until.or_else(|| within.map(|within| Instant::now() + within));
        for warning in &answer.warnings {
            self.context.tell(warning);
        }
        self.progress.add(self.context, asked.places.len() as u64);
        let (first, others) = asked.places.split_first().expect("somebody asked");
        for place in others {
            self.jobs[*place].answer = Some(answer.clone());
        }
        self.jobs[*first].answer = Some(answer);
    }

    /// The outcomes, with what else the answers say recorded in job order, not in order of arrival: a repeat records the same.
    fn fold(self) -> Vec<JobOutcome<L::Answer>> {
        let context = self.context;
        let outcome = |job: ScatterJob<L>| {
            let known = || context.known(&job.id).and_then(|json| read::<L>(&json));
            let stopped = || unanswered(&job.id, "stopped", "the session ended early");
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

    /// Whether a job that nobody knows is to be published now.
    fn is_due(&self, lost_after: Duration) -> bool {
        self.publishes <= REPUBLISH_LIMIT && self.published.is_none_or(|at| at.elapsed() >= lost_after)
    }
}

/// Waits until `at`; for ever where there is no such time.
async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// The answer in `json`; one whose value has another shape is a failure that keeps its calls and warnings.
fn read<L: JobKind>(json: &[u8]) -> Option<JobAnswer<L::Answer>> {
    if let Ok(answer) = serde_json::from_slice(json) {
        return Some(answer);
    }
    let JobAnswer { job_id, outcome: _, calls, warnings, usage } =
        serde_json::from_slice::<JobAnswer<IgnoredAny>>(json).ok()?;
    let message = format!("the answer of a {} job has another shape", L::NAME);
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
    let deadline = core.clock.now().plus_ms(i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX));
    let job = Job {
        job_id: id.clone(),
        session_id: context.session_id.clone(),
        phase: context.phase,
        revision: context.revision,
        epoch: context.epoch,
        deadline,
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

fn unanswered<A>(id: &JobId, code: &str, message: &str) -> JobAnswer<A> {
    let outcome = JobOutcome::Failed(JobFailure::transient(code, message));
    JobAnswer { job_id: id.clone(), outcome, calls: Vec::new(), warnings: Vec::new(), usage: Vec::new() }
}
