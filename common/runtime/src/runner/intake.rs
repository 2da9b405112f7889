//! Turns a request into a session: validates it, puts its texts into the content store, publishes revision 1.

use std::sync::Arc;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{CodecError, Envelope, Header, MAX_WIRE_BYTES};
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestSource, ResearchRequest, max_unfolded_bytes};
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::source::Origin;
use precis_proto::state::SessionState;
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;

use super::content_faults::{content_failure, content_policy, outcome_of};
use super::core::Core;
use super::give_back::give_back;
use super::limits::{check_request, inline, malformed_fault};
use super::opening::{DraftedRequest, NotOpened, draft, take_id};
use super::outbox::SendError;
use super::quarantine;
use super::request_fault::RequestFault;
use super::settle::{Settlement, settle};
use super::stated_failure::failure_info;
use crate::broker::{Delivery, Outgoing, ReplyAddressError, Route, names};
use crate::content::ContentError;
use crate::records::{AskedBy, read_accepted};
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{self, WorkedMessage};
use crate::telemetry::{TraceContext, metrics};

/// Requests a worker holds at once, including those not read yet: each may be as large as a message may be.
pub(super) const HELD: u16 = 8;
/// Memory for requests being read, in KiB: enough for the largest one, or for many small ones at once.
pub(super) const READING_KIB: u32 = 96 * 1024;

impl Core {
    /// Waits until there is memory to read `request`: its bytes, their decompressed form, and the values parsed from it.
    pub(super) async fn reading_budget(&self, request: &Envelope) -> Option<SemaphorePermit<'_>> {
        let wire = request.body.len().min(MAX_WIRE_BYTES);
        let bytes = wire + 2 * max_unfolded_bytes(wire);
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(READING_KIB).min(READING_KIB);
        self.reading.acquire_many(kib).await.ok()
    }
}

/// Processes a delivery from the request queue, up to its ack.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    let Some(mut delivery) = quarantine::requests(&core, delivery).await else { return };
    core.failpoints.hit("intake.received").await;
    // Some clients send the property without a value.
    delivery.envelope.header.reply_to = delivery.envelope.header.reply_to.take().filter(|address| !address.is_empty());
    if let Err(reason) = check_reply_address(&core, &delivery) {
        // No reply is possible: the reply address itself is invalid.
        metrics().sessions.count_refused(&FailureCode::InvalidReplyTo);
        tracing::warn!(%reason, message_id = %delivery.envelope.header.message_id, code = %FailureCode::InvalidReplyTo, "request refused");
        core.failpoints.hit("ack.before").await;
        let _ = delivery.ack().await;
        return;
    }
    let reading = core.reading_budget(&delivery.envelope).await;
    let accepted = accept(&core, &delivery).await;
    // Before the settlement, which may wait for the broker: the memory is free for the next request.
    drop(reading);
    match accepted {
        Ok(()) => {
            core.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
        Err(IntakeError::Undecodable(reason)) => {
            tracing::warn!(reason, "request body cannot be decoded and names no session; moved to the dead letters");
            core.bury(delivery, &DeadReason::Undecodable).await;
        }
        Err(IntakeError::Unavailable(error)) => {
            tracing::warn!(%error, "request not accepted yet; it will be delivered again");
            match error {
                SendError::Content(fault) => without_content(&core, delivery, &fault).await,
                SendError::Broker(_) | SendError::TooLarge(_) => give_back(delivery).await,
            }
        }
    }
}

fn check_reply_address(core: &Core, delivery: &Delivery) -> Result<(), ReplyAddressError> {
    let Some(address) = delivery.envelope.header.reply_to.as_deref() else { return Ok(()) };
    let user = core.user_of(&delivery.envelope.header);
    core.settings.reply_addresses.check_for(address, core.asker(user.as_deref())).map(|_| ())
}

/// Handles a content store that cannot store the request: retries with a delay, for as long as the store is away or full, otherwise a few
/// times; then sends the caller a failure.
async fn without_content(core: &Core, delivery: Delivery, fault: &ContentError) {
    let header = &delivery.envelope.header;
    let policy = content_policy(fault, core.settings.policy);
    let outcome = outcome_of(&core.services.content, fault).await;
    let handled = match settle(&outcome, header.attempt, &policy) {
        Settlement::Retry { delay, attempt } => {
            let mut envelope = core.again(&delivery.envelope);
            envelope.header.attempt = attempt;
            core.broker
                .publish(Outgoing { route: Route::after_delay(delay, delivery.queue.clone()), envelope })
                .await
                .is_ok()
        }
        // The id in the headers is the caller's own, so it is good enough to address a failure to that caller.
        _ => match session_of(&delivery.envelope) {
            Some(session) => core.send_refusal(&delivery.envelope, content_failure(&session, fault)).await.is_ok(),
            None => true,
        },
    };
    // Acked only once the broker has the retry or the failure.
    if !handled {
        return give_back(delivery).await;
    }
    core.failpoints.hit("ack.before").await;
    let _ = delivery.ack().await;
}

enum IntakeError {
    /// The request cannot be read and names no session: no failure can be sent.
    Undecodable(String),
    /// The request cannot be accepted at present.
    Unavailable(SendError),
}

impl From<SendError> for IntakeError {
    fn from(error: SendError) -> Self {
        Self::Unavailable(error)
    }
}

async fn accept(core: &Core, delivery: &Delivery) -> Result<(), IntakeError> {
    // The sender chooses how far the body expands; `reading_budget` reserved memory for this limit.
    let plain = match delivery.envelope.plain_body_within(max_unfolded_bytes(delivery.envelope.body.len())) {
        Ok(plain) => plain,
        Err(error @ CodecError::TooLarge { .. }) => {
            let fault =
                RequestFault { code: FailureCode::RequestTooLarge, message: error.to_string(), pointer: String::new() };
            return refuse_unread(core, &delivery.envelope, fault).await;
        }
        Err(error) => return Err(IntakeError::Undecodable(error.to_string())),
    };
    let (hash, bytes) = (sha256_hex(&plain), plain.len() as u64);
    let read = serde_json::from_slice::<ResearchRequest>(&plain).map_err(|e| malformed_fault(&plain, &e));
    // Validation decodes inline documents: the memory budget covers the body or the documents, not both at once.
    drop(plain);
    match read.and_then(check_request) {
        Ok(request) => Box::pin(open(core, &delivery.envelope, request, hash, bytes)).await,
        Err(fault) => refuse_unread(core, &delivery.envelope, fault).await,
    }
}

/// Opens the session of a valid request of `bytes`, unless it is refused.
async fn open(
    core: &Core,
    envelope: &Envelope,
    mut request: ResearchRequest,
    hash: String,
    bytes: u64,
) -> Result<(), IntakeError> {
    let since = Instant::now();
    let (header, session) = (&envelope.header, request.session_id.clone());
    let opened = async {
        // All checks before the records: a refused request must not take the session id from a valid one.
        let DraftedRequest { mut state, prior, record } = draft(core, header, &mut request, hash).await?;
        let stored = take_id(core, header, (&request, &state), &record, bytes).await?;
        // After the record has admitted the request: a kept result must not go to another caller who only knows the session id.
        if core.repeat_result(&request.session_id, header.reply_to.as_deref()).await?.is_some() {
            return Ok(());
        }
        if let Some(stored) = stored {
            stored.keep(&core.services.content).await.map_err(SendError::from)?;
        }
        // Texts before the state that refers to them.
        put_texts(core, &mut state, request.sources, prior).await?;
        Ok(publish(core, header, &state, since).await?)
    };
    match opened.await {
        Ok(()) => Ok(()),
        Err(NotOpened::Refused(fault)) => refuse(core, envelope, &session, fault).await,
        Err(NotOpened::Unavailable(error)) => Err(error.into()),
    }
}

/// Publishes revision 1. A redelivery after a crash, and a caller that asks again, publish it again, as another life: it waits for the first
/// one, and at the latest finds its result.
async fn publish(core: &Core, header: &Header, state: &SessionState, since: Instant) -> Result<(), SendError> {
    let caller = header.traceparent.as_deref().and_then(TraceContext::parse);
    let trace = caller.unwrap_or_else(TraceContext::start);
    let session = &state.session_id;
    // Before whoever takes the state up can tell of its first phase.
    core.events.send(session, EventKind::SessionAccepted { sources: state.sources.len() as u64 });
    core.publish_state(state, 1, None, Some(&trace.to_string())).await?;
    metrics().sessions.count_accepted();
    spans::record(Some(trace), |trace| {
        let message = WorkedMessage {
            system: core.broker.system(),
            queue: names::REQUESTS,
            id: session.as_str(),
            attempt: header.attempt.max(1),
            outcome: "accepted",
            took: since.elapsed(),
        };
        conventions::accepted_span(trace, caller.map(TraceContext::span), session, &message)
    });
    Ok(())
}

/// The session id the caller put into the headers; the body is not read.
fn session_of(envelope: &Envelope) -> Option<SessionId> {
    let header = &envelope.header;
    SessionId::new(header.correlation_id.clone()).or_else(|_| SessionId::new(header.message_id.clone())).ok()
}

/// Refuses a request whose body, and so its session id, could not be read.
async fn refuse_unread(core: &Core, envelope: &Envelope, fault: RequestFault) -> Result<(), IntakeError> {
    let Some(session) = session_of(envelope) else { return Err(IntakeError::Undecodable(fault.message)) };
    refuse(core, envelope, &session, fault).await
}

/// Sends the refusal to the caller only: the id may belong to another session, whose listeners would mistake the refusal for its
/// result.
async fn refuse(core: &Core, request: &Envelope, session: &SessionId, fault: RequestFault) -> Result<(), IntakeError> {
    metrics().sessions.count_refused(&fault.code);
    tracing::info!(session_id = %session, code = %fault.code, pointer = %fault.pointer, "request refused");
    let info =
        ErrorInfo { pointer: Some(fault.pointer), ..failure_info(session, Status::Failed, fault.code, fault.message) };
    if is_accepted_elsewhere(core, request, session).await? {
        core.publish_result(session, request.header.reply_to.as_deref(), &Response::failure(info)).await?;
        return Ok(());
    }
    Ok(core.send_refusal(request, info).await?)
}

/// Whether a door accepted this very request under this id: then its caller waits for a result, and the refusal is that result.
async fn is_accepted_elsewhere(core: &Core, request: &Envelope, session: &SessionId) -> Result<bool, SendError> {
    let Some(accepted) = read_accepted(&core.services.content, session.as_str()).await? else { return Ok(false) };
    let AskedBy::Http { .. } = accepted.asked_by else { return Ok(false) };
    let plain = request.plain_body_within(max_unfolded_bytes(request.body.len()));
    Ok(plain.is_ok_and(|plain| sha256_hex(&plain) == accepted.request_sha256))
}

/// Puts the texts and documents of a request into the content store and refers to them from the state, which keeps the state small.
async fn put_texts(
    core: &Core,
    state: &mut SessionState,
    sources: Vec<RequestSource>,
    prior: Prior,
) -> Result<(), SendError> {
    let content = &core.services.content;
    if state.prior.is_some() {
        let json = serde_json::to_vec(&prior).expect("texts are plain data");
        state.prior = Some(content.put(Bytes::from(json)).await?);
    }
    for (source, given) in state.sources.iter_mut().zip(sources) {
        // Invalid Base64 was refused by `checked`.
        let inline = given.content_base64.as_deref().and_then(|text| inline(text).ok());
        if let Some(bytes) = given.content.map(Bytes::from).or(inline.map(Bytes::from)) {
            source.origin = Origin::Content(content.put(bytes).await?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
