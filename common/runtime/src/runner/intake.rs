//! Turns a request into a session: validates it, puts its texts into the content store, publishes revision 1.

use std::sync::Arc;

use bytes::Bytes;
use precis_proto::account::Account;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{CodecError, Envelope, MAX_WIRE_BYTES};
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestOptions, ResearchRequest, max_unfolded_bytes};
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::source::Origin;
use precis_proto::state::{RESEARCH_VERSION, SessionState, VISITS_VERSION};
use precis_proto::{LifeId, SessionId, TenantId};
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;

use super::content_faults::{content_failure, content_policy, outcome_of};
use super::core::Core;
use super::drafted_session::{drafted, prior};
use super::give_back::give_back;
use super::limits::{checked, cut_titles, inline, malformed};
use super::outbox::SendError;
use super::quarantine;
use super::quotas::{self, SESSION_BYTES};
use super::removal::is_gone;
use super::request_fault::RequestFault;
use super::request_references::{bind_collections, missing_proof, not_told};
use super::session_record::{REQUESTS, SessionRecord};
use super::settle::{Settlement, settle};
use super::stated_failure::stated;
use crate::broker::{Delivery, Outgoing, ReplyAddressError, Route, names};
use crate::content::{ContentError, Reserved};
use crate::records::{AcceptedSession, AskedBy, keep_accepted, read_accepted};
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
        metrics().sessions.refused(&FailureCode::InvalidReplyTo);
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
                .publish(Outgoing { route: Route::delayed(delay, delivery.queue.clone()), envelope })
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
    let read = serde_json::from_slice::<ResearchRequest>(&plain).map_err(|e| malformed(&plain, &e));
    // Validation decodes inline documents: the memory budget covers the body or the documents, not both at once.
    drop(plain);
    match read.and_then(checked) {
        Ok(request) => Box::pin(open(core, &delivery.envelope, request, hash, bytes)).await,
        Err(fault) => refuse_unread(core, &delivery.envelope, fault).await,
    }
}

/// Opens the session of a valid request of `bytes`, unless its account, its proofs, its id or its size are refused.
async fn open(
    core: &Core,
    envelope: &Envelope,
    mut request: ResearchRequest,
    hash: String,
    bytes: u64,
) -> Result<(), IntakeError> {
    let since = Instant::now();
    let header = &envelope.header;
    let reply_to = header.reply_to.as_deref();
    let session = request.session_id.clone();
    let user = core.user_of(header);
    // All checks before the record is kept: a refused request must not take the session id from a valid one.
    if let Some(fault) = unverified(core, user.as_deref()) {
        return refuse(core, envelope, &session, fault).await;
    }
    let account = match account(core, &request.options, user.as_deref(), header.tenant.as_deref()) {
        Ok(account) => account,
        Err(fault) => return refuse(core, envelope, &session, fault).await,
    };
    if let Some(fault) = missing_proof(core, &request, &account, header.tenant.as_deref()).await? {
        return refuse(core, envelope, &session, fault).await;
    }
    if let Err(fault) = bind_collections(core, &mut request, &account, header.tenant.as_deref()).await? {
        return refuse(core, envelope, &session, fault).await;
    }
    if let Err(fault) = fit_to_version(core.settings.emit_version, &mut request.options) {
        return refuse(core, envelope, &session, fault).await;
    }
    let mut cut = cut_titles(&mut request);
    let prior = prior(&mut request.options);
    let life = LifeId::new(format!("{:032x}", rand::random::<u128>())).ok();
    let mut state = SessionState { account, life, ..drafted(core.clock.now(), &request, &prior, &hash, reply_to) };
    state.warnings.append(&mut cut);
    if let Err(error) = core.check_state(&state) {
        let fault = RequestFault {
            code: FailureCode::StateTooLarge,
            message: error.to_string(),
            pointer: "/sources".to_owned(),
        };
        return refuse(core, envelope, &session, fault).await;
    }
    if let Some(fault) = not_told(core, &request, header.tenant.as_deref(), state.account.tenant.as_ref()) {
        return refuse(core, envelope, &session, fault).await;
    }
    let record = SessionRecord { hash, user };
    let earlier = core.services.content.get_named(REQUESTS, session.as_str()).await.map_err(SendError::from)?;
    if earlier.as_ref().is_some_and(|kept| !SessionRecord::from_bytes(kept).admits(&record)) {
        return refuse(core, envelope, &session, id_taken(&session)).await;
    }
    if earlier.is_none() && is_gone(&core.services.content, &session).await.map_err(SendError::from)? {
        // Delivered or sent once more after its caller took it back.
        return refuse(core, envelope, &session, id_removed(&session)).await;
    }
    let tenant = state.account.tenant.as_ref();
    let stored = match stored(core, earlier.is_some(), tenant, record.user.as_deref(), bytes).await? {
        Ok(stored) => stored,
        Err(fault) => return refuse(core, envelope, &session, fault).await,
    };
    // The records before anything else is kept: of two requests under one id, the later one is refused here. Put-if-absent, so that the
    // redelivery of an accepted request is admitted and continues. First the one that a door writes before it publishes the request: an id
    // that it gave out is not for a request that came over the broker.
    let named = header.tenant.clone().filter(|name| !name.is_empty()).or_else(|| tenant.map(ToString::to_string));
    let asked_by = AskedBy::Amqp { user: record.user.clone() };
    let accepted = AcceptedSession::of(&request, record.hash.clone(), named, asked_by, core.clock.now());
    let is_ours = keep_accepted(&core.services.content, &accepted).await.map_err(SendError::from)?.admits(&accepted);
    if !is_ours || !is_kept(core, &session, &record).await? {
        return refuse(core, envelope, &session, id_taken(&session)).await;
    }
    // After the record has admitted the request: a kept result must not go to another caller who only knows the session id.
    if core.repeat_result(&session, reply_to).await?.is_some() {
        return Ok(());
    }
    if let Some(stored) = stored {
        stored.keep(&core.services.content).await.map_err(SendError::from)?;
    }
    // Texts before the state that refers to them.
    put_texts(core, &mut state, request, prior).await?;
    // A redelivery after a crash, and a caller that asks again, publish revision 1 again, as another life: it waits for the first one, and at
    // the latest finds its result.
    let caller = header.traceparent.as_deref().and_then(TraceContext::parse);
    let trace = caller.unwrap_or_else(TraceContext::start);
    core.publish_state(&state, 1, None, Some(&trace.to_string())).await?;
    metrics().sessions.accepted();
    spans::record(Some(trace), |trace| {
        let message = WorkedMessage {
            system: core.broker.system(),
            queue: names::REQUESTS,
            id: session.as_str(),
            attempt: header.attempt.max(1),
            outcome: "accepted",
            took: since.elapsed(),
        };
        conventions::accepted(trace, caller.map(TraceContext::span), &session, &message)
    });
    core.events.send(&session, EventKind::SessionAccepted { sources: state.sources.len() as u64 });
    Ok(())
}

/// Keeps `record` unless the session has one; returns whether the one that is kept admits this request.
async fn is_kept(core: &Core, session: &SessionId, record: &SessionRecord) -> Result<bool, SendError> {
    let kept = core.services.content.put_named_if_absent(REQUESTS, session.as_str(), record.to_bytes()).await?;
    Ok(SessionRecord::from_bytes(&kept).admits(record))
}

fn id_removed(session: &SessionId) -> RequestFault {
    let message =
        format!("session id `{session}` is that of a session that was removed: submit under another session id");
    RequestFault { code: FailureCode::SessionIdTaken, message, pointer: "/session_id".to_owned() }
}

fn id_taken(session: &SessionId) -> RequestFault {
    let message = format!(
        "session id `{session}` is already used by another request or another user: submit under another session id"
    );
    RequestFault { code: FailureCode::SessionIdTaken, message, pointer: "/session_id".to_owned() }
}

/// Returns the fault of a request whose user is not known, where it must be.
fn unverified(core: &Core, user: Option<&str>) -> Option<RequestFault> {
    let is_refused = core.settings.requires_user && user.is_none();
    is_refused.then(|| RequestFault {
        code: FailureCode::UserNotVerified,
        message: "this fleet takes requests of verified users only (`require_verified_user`), and the message does not say whose it is; \
                  expected the user of the connection as `user_id`"
            .to_owned(),
        pointer: String::new(),
    })
}

/// Reserves what a request of `bytes` stores, beside what was stored today for whom it counts. `None` for a request that a worker has taken
/// before: it counted then. A crash right after the record leaves a request uncounted.
async fn stored<'a>(
    core: &'a Core,
    is_known: bool,
    tenant: Option<&TenantId>,
    user: Option<&str>,
    bytes: u64,
) -> Result<Result<Option<Reserved<'a>>, RequestFault>, SendError> {
    let content = &core.services.content;
    let Some(quotas) = core.settings.quotas.as_ref().filter(|_| !is_known) else { return Ok(Ok(None)) };
    let (payer, limit) = quotas.of(tenant, user);
    let bytes = bytes.saturating_add(SESSION_BYTES);
    let reserved = core.tallies.reserve(content, &payer, bytes, limit, core.clock.now()).await?;
    Ok(reserved.map(Some).map_err(|reached| quotas::refusal(&payer, reached)))
}

/// Removes from `options` what states of `emit_version` cannot express.
///
/// # Errors
/// If they cannot express research at all.
fn fit_to_version(emit_version: u32, options: &mut RequestOptions) -> Result<(), RequestFault> {
    if options.research.is_some() && emit_version < RESEARCH_VERSION {
        let message = format!(
            "research needs emit_version {RESEARCH_VERSION} or later, got {emit_version}: set `emit_version` on all workers"
        );
        return Err(RequestFault {
            code: FailureCode::ResearchNotEnabled,
            message,
            pointer: "/options/research".to_owned(),
        });
    }
    if emit_version < VISITS_VERSION
        && let Some(research) = options.research.as_mut()
    {
        // Workers that write an older version would mistake two passes of a session for one.
        research.max_refinements = Some(0);
    }
    Ok(())
}

/// Returns the account that is charged: the tenant of the user or the one the message names, with the lower of the configured and the
/// requested ceilings.
fn account(
    core: &Core,
    options: &RequestOptions,
    user: Option<&str>,
    tenant: Option<&str>,
) -> Result<Account, RequestFault> {
    let configured = &core.settings.account;
    let tenant = tenant.filter(|t| !t.is_empty()).map(TenantId::new).transpose().map_err(|e| RequestFault {
        code: FailureCode::InvalidTenant,
        message: format!("invalid tenant in the message: {e}"),
        pointer: String::new(),
    })?;
    let tenant = core.settings.tenants.tenant(user, tenant).map_err(|refusal| RequestFault {
        code: FailureCode::TenantNotAllowed,
        message: refusal.to_string(),
        pointer: String::new(),
    })?;
    Ok(Account {
        tenant,
        max_spend_usd: lower(options.max_spend_usd, configured.max_spend_usd, f64::min),
        max_spend_tokens: lower(options.max_spend_tokens, configured.max_spend_tokens, u64::min),
        ..Account::default()
    })
}

fn lower<T>(asked: Option<T>, allowed: Option<T>, min: impl Fn(T, T) -> T) -> Option<T> {
    match (asked, allowed) {
        (Some(asked), Some(allowed)) => Some(min(asked, allowed)),
        (asked, allowed) => asked.or(allowed),
    }
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
    metrics().sessions.refused(&fault.code);
    tracing::info!(session_id = %session, code = %fault.code, pointer = %fault.pointer, "request refused");
    let info = ErrorInfo { pointer: Some(fault.pointer), ..stated(session, Status::Failed, fault.code, fault.message) };
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
    request: ResearchRequest,
    prior: Prior,
) -> Result<(), SendError> {
    let content = &core.services.content;
    if state.prior.is_some() {
        let json = serde_json::to_vec(&prior).expect("texts are plain data");
        state.prior = Some(content.put(Bytes::from(json)).await?);
    }
    for (source, given) in state.sources.iter_mut().zip(request.sources) {
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
