//! Scatter and gather: a window of jobs under way, each answered by what is cheapest: the state, the cache, a job already
//! running, a new job.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use precis_proto::JobId;
use precis_proto::envelope::{CodecError, Envelope, Header, message_type};
use precis_proto::event::EventKind;
use precis_proto::job::{Answer, Job, JobFailure, JobKind, JobOutcome};
use precis_proto::warning::push_once;
use serde_json::Value;
use tokio::time::Instant;

use super::context::Frame;
use super::handler::Interrupt;
use super::job::{AnswerState, look};
use crate::broker::{Outgoing, Route, names};

/// Times a job is published again because nobody seems to know it.
const REPUBLISH_LIMIT: u32 = 2;
/// Part of its time after which a job that nobody knows counts as lost.
const LOST_AFTER: u32 = 6;
/// First and longest time between looks into the cache for an answer that may have been lost on its way.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// Scatters `jobs` under the frame's window and returns their outcomes in the order given.
///
/// # Errors
/// The [`Interrupt`] that ended the wait; what was gathered stays with the frame.
pub(super) async fn scatter<L: JobKind>(
    frame: &Arc<Frame>,
    jobs: Vec<(String, L::Body)>,
) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
    let total = jobs.len() as u64;
    let done = AtomicU64::new(0);
    let window = frame.core.settings.window.max(1);
    let mut answers: Vec<(usize, Answer<Value>)> = stream::iter(jobs.into_iter().enumerate())
        .map(|(place, (key, body))| {
            let done = &done;
            async move {
                let answer = obtain::<L>(frame, &key, &body).await?;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                let progress = EventKind::JobsProgress { phase: frame.phase, done, total };
                frame.core.events.send(&frame.session_id, progress);
                Ok::<_, Interrupt>((place, answer))
            }
        })
        .buffer_unordered(window)
        .try_collect()
        .await?;
    // Folded in job order, not in order of arrival, so that a repeat records the same.
    answers.sort_by_key(|(place, _)| *place);
    Ok(answers.into_iter().map(|(_, answer)| fold::<L>(frame, answer)).collect())
}

fn fold<L: JobKind>(frame: &Frame, answer: Answer<Value>) -> JobOutcome<L::Answer> {
    frame.record(|r| {
        r.calls.extend(answer.calls);
        for warning in answer.warnings {
            push_once(&mut r.warnings, warning);
        }
    });
    match answer.outcome {
        JobOutcome::Done(value) => match serde_json::from_value(value) {
            Ok(typed) => JobOutcome::Done(typed),
            Err(_) => {
                let message = format!("the answer of a {} job has another shape", L::NAME);
                JobOutcome::Failed(JobFailure::permanent("undecodable", message))
            }
        },
        JobOutcome::Failed(failure) => JobOutcome::Failed(failure),
    }
}

async fn obtain<L: JobKind>(frame: &Arc<Frame>, key: &str, body: &L::Body) -> Result<Answer<Value>, Interrupt> {
    let id = JobId::derive(&frame.session_id, frame.phase.as_str(), L::NAME, key, frame.epoch);
    if let Some(value) = frame.known(&id)
        && let Ok(answer) = serde_json::from_value(value)
    {
        return Ok(answer);
    }
    let answer = tokio::select! {
        biased;
        interrupt = frame.interrupted() => return Err(interrupt),
        () = frame.signals.stopped.cancelled() => return Ok(unanswered(&id, "stopped", "the session ended early")),
        answer = ask::<L>(frame, &id, body) => answer?,
    };
    if let Ok(value) = serde_json::to_value(&answer) {
        frame.keep(id, value);
    }
    Ok(answer)
}

/// Asks for one answer until there is one. Registered before looking, so that no answer slips between.
///
/// A job that the store knows nothing of a while after its publish was lost with its answer: it is published again, under the
/// same id, so that the work is not done twice where it was not lost after all.
async fn ask<L: JobKind>(frame: &Arc<Frame>, id: &JobId, body: &L::Body) -> Result<Answer<Value>, Interrupt> {
    let core = &frame.core;
    let mut waiter = core.replies.expect(id);
    let timeout = core.settings.job_timeout.min(core.clock.until(frame.deadline));
    let until = Instant::now() + timeout;
    let mut published: Option<Instant> = None;
    let mut publishes = 0;
    let mut pause = LOOK_AGAIN.0;
    loop {
        match look(core, id).await {
            AnswerState::Done(answer) => return Ok(*answer),
            AnswerState::Running => {}
            AnswerState::Missing => {
                let is_due = published.is_none_or(|at| at.elapsed() >= timeout / LOST_AFTER);
                if is_due && publishes <= REPUBLISH_LIMIT {
                    match job_envelope::<L>(frame, id, body, until.saturating_duration_since(Instant::now())) {
                        Ok(envelope) => publish(frame, L::NAME, envelope).await?,
                        Err(error) => return Ok(unanswered(id, "too_large", &error.to_string())),
                    }
                    published = Some(Instant::now());
                    publishes += 1;
                }
            }
        }
        let wake = (Instant::now() + pause).min(until);
        tokio::select! {
            biased;
            reply = waiter.next() => match reply {
                Some(envelope) => if let Ok(answer) = envelope.decode::<Answer<Value>>() && &answer.job_id == id {
                    return Ok(answer);
                },
                None => return Err(Interrupt::Disconnected),
            },
            () = tokio::time::sleep_until(wake) => pause = (pause * 2).min(LOOK_AGAIN.1),
        }
        if Instant::now() >= until {
            return Ok(unanswered(id, "no_answer", "no worker answered in time"));
        }
    }
}

fn job_envelope<L: JobKind>(
    frame: &Frame,
    id: &JobId,
    body: &L::Body,
    timeout: Duration,
) -> Result<Envelope, CodecError> {
    let core = &frame.core;
    let deadline = core.clock.now().plus_ms(i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX));
    let job = Job {
        job_id: id.clone(),
        session_id: frame.session_id.clone(),
        phase: frame.phase,
        revision: frame.revision,
        epoch: frame.epoch,
        deadline,
        body,
    };
    let header = Header {
        message_type: message_type::JOB.to_owned(),
        message_id: id.to_string(),
        correlation_id: frame.session_id.to_string(),
        reply_to: Some(core.replies.address().to_owned()),
        revision: frame.revision,
        deadline: Some(deadline),
        subject: L::NAME.to_owned(),
        ..Header::default()
    };
    Envelope::encode(header, &job)
}

async fn publish(frame: &Frame, kind: &str, envelope: Envelope) -> Result<(), Interrupt> {
    let message = Outgoing { route: Route::queue(names::job_queue(kind)), envelope };
    frame.core.replies.publish(message).await.map_err(|error| {
        tracing::warn!(%error, session_id = %frame.session_id, kind, "cannot scatter");
        Interrupt::Disconnected
    })
}

fn unanswered(id: &JobId, code: &str, message: &str) -> Answer<Value> {
    let failure = JobFailure::transient(code, message);
    Answer { job_id: id.clone(), outcome: JobOutcome::Failed(failure), calls: Vec::new(), warnings: Vec::new() }
}
