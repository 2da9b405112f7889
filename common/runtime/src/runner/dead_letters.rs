//! Handles messages past the delivery limit: each gets a typed reason, its caller or session gets an answer, and it is kept in the dead
//! letter queue.
//!
//! These messages may have crashed workers. So only their headers are read; on states and jobs those were written by the fleet itself.
//! The body of a request is decompressed once, within its limit, to find its owner, and is not parsed. A message that is redelivered
//! from here is buried without a reply, and one that is still redelivered goes to a queue without consumers.

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
use super::give_back::give_back;
use super::lease_context::LeaseRecord;
use super::outbox::SendError;
use super::session_record::REQUESTS;
use super::session_record::SessionRecord;
use super::stated_failure::dead_letter_failure;
use super::webhook;
use crate::broker::{Delivery, names};
use crate::records::{AskedBy, read_accepted};
use crate::store::Revision;

/// Messages a worker holds here at once: few, because some are as large as a message may be.
pub(super) const HELD: u16 = 4;
/// Redeliveries after which no reply is sent any more: sending it may be what crashes the worker.
const MAX_REPORTED_RETURNS: u32 = 3;

/// Processes a delivery from the queue `precis.undertaker`, up to its ack.
pub(super) async fn hold(core: Arc<Core>, mut delivery: Delivery) {
    core.failpoints.hit("undertaker.received").await;
    let reason = delivery.death.as_ref().map_or(DeadReason::Rejected, |death| DeadReason::from_word(&death.reason));
    // Reported before it is buried: burying acks the delivery, and after that a crash would leave the caller or session waiting.
    if delivery.delivery_count < MAX_REPORTED_RETURNS && !report(&core, &delivery, &reason).await {
        return give_back(delivery).await;
    }
    // The dead letter must name the queue a redrive sends it to, which is not this one.
    delivery.queue = original_queue(&delivery);
    core.bury(delivery, &reason).await;
}

/// The queue a dead letter was consumed from; for a quarantine queue, the regular one of its kind.
fn original_queue(delivery: &Delivery) -> String {
    match &delivery.death {
        Some(death) if death.queue.starts_with(names::JOBS_ALONE) => death.queue.replacen("alone.", "", 1),
        Some(death) if death.queue == names::REQUESTS_ALONE => names::REQUESTS.to_owned(),
        Some(death) => death.queue.clone(),
        None => delivery.queue.clone(),
    }
}

/// Reports the failure to the session or caller that waits for it; `false` if that must be retried.
async fn report(core: &Core, delivery: &Delivery, reason: &DeadReason) -> bool {
    let header = &delivery.envelope.header;
    match header.message_type.as_str() {
        message_type::STATE => fail_session(core, header, reason).await,
        message_type::JOB => fail_job(core, header, reason).await,
        message_type::REQUEST => fail_request(core, delivery, reason).await,
        message_type::WEBHOOK => webhook::give_up(core, delivery, reason).await,
        _ => true,
    }
}

async fn fail_session(core: &Core, header: &Header, reason: &DeadReason) -> bool {
    let Ok(session) = SessionId::new(header.correlation_id.clone()) else { return true };
    let phase = &header.subject;
    let message = format!(
        "the {phase} phase was started too often and never finished (delivery limit); the state is kept as a dead letter"
    );
    let sent =
        publish_failure(core, &session, header.reply_to.as_deref(), dead_letter_failure(&session, reason, message))
            .await;
    if sent {
        // After the failure is out: from here on every other copy of the session finds its result. Of no known life, because the life is
        // in the state, which is not read here.
        let ended = Revision { session: &session, life: None, number: u64::MAX };
        let _ = core.store.fences().advance(ended, Duration::from_secs(48 * 3_600)).await;
    }
    sent
}

/// Reports the failed job to its session, which degrades by policy.
async fn fail_job(core: &Core, header: &Header, reason: &DeadReason) -> bool {
    let Ok(job) = JobId::new(header.message_id.clone()) else { return true };
    let failure =
        JobFailure::permanent(reason.as_str(), "the job was started too often and never finished (delivery limit)");
    // Kept before it is sent: a session that misses the reply finds the failure in the cache.
    let kept = answers::keep(core, EncodedAnswer::from_failure(&job, failure, LeaseRecord::default())).await;
    match &header.reply_to {
        Some(reply_to) => answers::reply(core, reply_to, kept).await.is_ok(),
        None => true,
    }
}

/// Reports the failure of a request. The session id in the headers is the caller's own claim: the failure becomes the session's result
/// only if this very request was accepted under that id. Otherwise the id may belong to another caller, and only this one gets a reply.
async fn fail_request(core: &Core, delivery: &Delivery, reason: &DeadReason) -> bool {
    let header = &delivery.envelope.header;
    let named = SessionId::new(header.message_id.clone()).or_else(|_| SessionId::new(header.correlation_id.clone()));
    let Ok(session) = named else { return true };
    let failure = dead_letter_failure(
        &session,
        reason,
        "the request was started too often and never finished (delivery limit)".to_owned(),
    );
    if was_accepted(core, delivery, &session).await {
        publish_failure(core, &session, header.reply_to.as_deref(), failure).await
    } else {
        core.send_refusal(&delivery.envelope, failure).await.is_ok()
    }
}

async fn was_accepted(core: &Core, delivery: &Delivery, session: &SessionId) -> bool {
    let content = &core.services.content;
    let taken = content.get_named(REQUESTS, session.as_str()).await.ok().flatten();
    // A door accepts a request before any worker takes it.
    let accepted = read_accepted(content, session.as_str()).await.ok().flatten();
    let accepted = accepted.filter(|record| matches!(record.asked_by, AskedBy::Http { .. }));
    if taken.is_none() && accepted.is_none() {
        return false;
    }
    let _budget = core.reading_budget(&delivery.envelope).await;
    let plain = delivery.envelope.plain_body_within(max_unfolded_bytes(delivery.envelope.body.len()));
    plain.is_ok_and(|plain| {
        let hash = sha256_hex(&plain);
        let is_accepted = accepted.is_some_and(|record| record.request_sha256 == hash);
        let repeated = SessionRecord { hash, user: core.user_of(&delivery.envelope.header) };
        is_accepted || taken.is_some_and(|kept| SessionRecord::from_bytes(&kept).admits(&repeated))
    })
}

/// Keeps the failure as the session's result and publishes it; if nothing can be kept, sends it all the same.
async fn publish_failure(core: &Core, session: &SessionId, reply_to: Option<&str>, failure: ErrorInfo) -> bool {
    match core.publish_result(session, reply_to, &Response::failure(failure.clone())).await {
        Ok(_) => true,
        Err(SendError::Content(_) | SendError::TooLarge(_)) => core.send_failure(reply_to, failure).await.is_ok(),
        Err(SendError::Broker(_)) => false,
    }
}
