//! Job answers as they are cached and sent.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::JobId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::job::{JobAnswer, JobFailure, JobOutcome};
use serde::de::IgnoredAny;

use super::core::Core;
use super::lease_context::LeaseRecord;
use crate::broker::BrokerError;
use crate::store::Store;

/// How long answers are kept for sessions that resume.
pub(super) const ANSWER_KEPT: Duration = Duration::from_secs(24 * 3_600);
/// Failure code of a job whose session has a later revision: nobody needs the answer.
pub(super) const SUPERSEDED: &str = "superseded";

/// The state of a job in the store.
pub(super) enum AnswerState {
    /// Answered: the answer as JSON, not parsed.
    Done(Bytes),
    /// A worker is running it.
    Running,
    /// Unknown, or the store is unavailable.
    Missing,
}

/// An answer as it is cached and sent.
pub(super) struct EncodedAnswer {
    pub(super) job_id: JobId,
    pub(super) json: Bytes,
    /// Not cached: a session that tries again needs the job done, not its old failure.
    pub(super) is_transient: bool,
}

pub(super) fn answer_key(id: &JobId) -> String {
    format!("answer:{id}")
}

pub(super) fn mark_key(id: &JobId) -> String {
    format!("running:{id}")
}

/// Looks a job up: first its answer, then the mark of a run. An unavailable store counts as a miss.
pub(super) async fn look(store: &Store, id: &JobId) -> AnswerState {
    match store.values().get(&answer_key(id)).await {
        Ok(Some(json)) => return AnswerState::Done(json),
        Ok(None) => {}
        Err(_) => return AnswerState::Missing,
    }
    // An answer kept between the two lookups is missed here. The job is then published again, and that run finds the answer.
    match store.leases().is_held(&mark_key(id)).await {
        Ok(true) => AnswerState::Running,
        Ok(false) | Err(_) => AnswerState::Missing,
    }
}

impl EncodedAnswer {
    /// Encodes a failure, with the calls and warnings recorded before it.
    pub(super) fn from_failure(id: &JobId, failure: JobFailure, record: LeaseRecord) -> Self {
        let is_transient = failure.is_transient;
        let outcome = JobOutcome::<()>::Failed(failure);
        let LeaseRecord { calls, warnings, usage } = record;
        let answer = JobAnswer { job_id: id.clone(), outcome, calls, warnings, usage };
        let json = serde_json::to_vec(&answer).expect("a failure is plain data");
        Self { job_id: id.clone(), json: Bytes::from(json), is_transient }
    }
}

pub(super) fn is_answer(json: &[u8], id: &JobId) -> bool {
    serde_json::from_slice::<JobAnswer<IgnoredAny>>(json).is_ok_and(|answer| &answer.job_id == id)
}

/// Caches an answer; the first writer wins. Returns the cached answer, or `answer` itself if the store is unavailable.
///
/// A transient failure is not cached.
pub(super) async fn keep(core: &Core, answer: EncodedAnswer) -> EncodedAnswer {
    if answer.is_transient {
        return answer;
    }
    match core.store.values().put_if_absent(&answer_key(&answer.job_id), answer.json.clone(), ANSWER_KEPT).await {
        Ok(kept) if kept != answer.json && is_answer(&kept, &answer.job_id) => EncodedAnswer { json: kept, ..answer },
        Ok(_) | Err(_) => answer,
    }
}

/// Sends an answer to `reply_to`; a receiver that is gone is not an error.
pub(super) async fn reply(core: &Core, reply_to: &str, answer: EncodedAnswer) -> Result<(), BrokerError> {
    let header = Header {
        message_type: message_type::ANSWER.to_owned(),
        message_id: answer.job_id.to_string(),
        correlation_id: answer.job_id.to_string(),
        ..Header::default()
    };
    match Envelope::from_json(header, answer.json) {
        // A foreign message could name any queue here, so addresses outside the allowed ones are ignored.
        Ok(_) if core.settings.reply_addresses.check(reply_to).is_err() => Ok(()),
        Ok(envelope) => core.broker.reply(reply_to, envelope).await,
        // Too large to send: the session finds it in the cache or gives up at the deadline.
        Err(_) => Ok(()),
    }
}
