//! What the broker gave up on: it gets a typed reason, whoever waits for it gets an answer, and it rests among the dead letters.
//!
//! What lies here has ended workers. So nothing but its headers is read, which we wrote ourselves on states and jobs; of a request
//! the body is unfolded once, within its limit, to learn whose it is, and is not parsed. A message that comes back from here is
//! buried without a word to anybody, and one that still comes back goes where nobody consumes.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{Header, message_type};
use precis_proto::ids::sha256_hex;
use precis_proto::job::JobFailure;
use precis_proto::request::max_unfolded_bytes;
use precis_proto::response::{ErrorInfo, Response};
use precis_proto::{JobId, SessionId};

use super::answers::{self, EncodedAnswer};
use super::core::Core;
use super::lease_context::LeaseRecord;
use super::outbox::SendError;
use super::session_record::REQUESTS;
use super::session_record::SessionRecord;
use super::stated_failure::dead_letter_failure;
use crate::broker::{Delivery, names};

/// Messages a worker holds here at once: some are as large as a message may be.
pub(super) const HELD: u16 = 4;
/// Returns after which nobody is told any more: telling may be what ends the worker.
const TELLING_RETURNS: u32 = 3;

/// Takes a delivery from the queue `precis.undertaker` to its end.
pub(super) async fn hold(core: Arc<Core>, mut delivery: Delivery) {
    core.failpoints.hit("undertaker.received").await;
    let reason = delivery.death.as_ref().map_or(DeadReason::Rejected, |death| DeadReason::from_word(&death.reason));
    if delivery.delivery_count < TELLING_RETURNS && !tell(&core, &delivery, &reason).await {
        // Not now: the broker is away, and this delivery is with another worker already.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let _ = delivery.requeue().await;
        return;
    }
    // A dead letter names the queue it goes back to when it is redriven, which is not this one.
    delivery.queue = came_from(&delivery);
    core.bury(delivery, &reason).await;
}

/// The queue a dead letter was worked on from; for one that was held alone, where its like begin.
fn came_from(delivery: &Delivery) -> String {
    match &delivery.death {
        Some(death) if death.queue.starts_with(names::JOBS_ALONE) => death.queue.replacen("alone.", "", 1),
        Some(death) if death.queue == names::REQUESTS_ALONE => names::REQUESTS.to_owned(),
        Some(death) => death.queue.clone(),
        None => delivery.queue.clone(),
    }
}

/// Tells whoever waits for the message; `false` where that must be tried again.
async fn tell(core: &Core, delivery: &Delivery, reason: &DeadReason) -> bool {
    let header = &delivery.envelope.header;
    match header.message_type.as_str() {
        message_type::STATE => tell_caller_of_state(core, header, reason).await,
        message_type::JOB => tell_session(core, header, reason).await,
        message_type::REQUEST => tell_caller_of_request(core, delivery, reason).await,
        _ => true,
    }
}

async fn tell_caller_of_state(core: &Core, header: &Header, reason: &DeadReason) -> bool {
    let Ok(session) = SessionId::new(header.correlation_id.clone()) else { return true };
    let phase = &header.subject;
    let message = format!("the {phase} phase was begun too often without an end; the state is kept as a dead letter");
    let sent = end(core, &session, header.reply_to.as_deref(), dead_letter_failure(&session, reason, message)).await;
    if sent {
        let _ = core.store.fences().advance(&session, u64::MAX, Duration::from_secs(48 * 3_600)).await;
    }
    sent
}

/// The session hears that this job will not be done, and degrades by policy.
async fn tell_session(core: &Core, header: &Header, reason: &DeadReason) -> bool {
    let Ok(job) = JobId::new(header.message_id.clone()) else { return true };
    let failure = JobFailure::permanent(reason.as_str(), "the job was begun too often without an end");
    let kept = answers::keep(core, EncodedAnswer::failed(&job, failure, LeaseRecord::default())).await;
    match &header.reply_to {
        Some(reply_to) => answers::reply(core, reply_to, kept).await.is_ok(),
        None => true,
    }
}

/// The id in the headers is what the caller wrote there. Only where this very request was accepted under it is the failure the
/// session's result; otherwise the id may be somebody else's, and the caller alone is told.
async fn tell_caller_of_request(core: &Core, delivery: &Delivery, reason: &DeadReason) -> bool {
    let header = &delivery.envelope.header;
    let named = SessionId::new(header.message_id.clone()).or_else(|_| SessionId::new(header.correlation_id.clone()));
    let Ok(session) = named else { return true };
    let failure = dead_letter_failure(&session, reason, "the request was begun too often without an end".to_owned());
    if was_accepted(core, delivery, &session).await {
        end(core, &session, header.reply_to.as_deref(), failure).await
    } else {
        core.tell_caller(header.reply_to.as_deref(), failure).await.is_ok()
    }
}

async fn was_accepted(core: &Core, delivery: &Delivery, session: &SessionId) -> bool {
    let Ok(Some(kept)) = core.services.content.get_named(REQUESTS, session.as_str()).await else { return false };
    let _budget = core.reading_budget(&delivery.envelope).await;
    let plain = delivery.envelope.plain_body_within(max_unfolded_bytes(delivery.envelope.body.len()));
    plain.is_ok_and(|plain| {
        let asked = SessionRecord { hash: sha256_hex(&plain), user: core.user_of(&delivery.envelope.header) };
        SessionRecord::from_bytes(&kept).admits(&asked)
    })
}

/// Keeps the failure as the session's result; where nothing can be kept, the caller is told all the same.
async fn end(core: &Core, session: &SessionId, reply_to: Option<&str>, failure: ErrorInfo) -> bool {
    match core.publish_result(session, reply_to, &Response::failure(failure.clone())).await {
        Ok(_) => true,
        Err(SendError::Content(_) | SendError::TooLarge(_)) => core.tell_failure(reply_to, failure).await.is_ok(),
        Err(SendError::Broker(_)) => false,
    }
}
