//! A request becomes a session: checked, its texts put into the content store, published as revision 1.

use std::sync::Arc;

use bytes::Bytes;
use precis_proto::account::Account;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{CodecError, Envelope, Header, MAX_WIRE_BYTES};
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestOptions, ResearchRequest, max_unfolded_bytes};
use precis_proto::response::{ErrorInfo, Status};
use precis_proto::source::ContentRef;
use precis_proto::source::Origin;
use precis_proto::state::{RESEARCH_VERSION, SessionState, VISITS_VERSION};
use precis_proto::{SessionId, TenantId};
use tokio::sync::SemaphorePermit;

use super::content_faults::{content_failure, content_policy, content_word};
use super::core::Core;
use super::drafted_session::{drafted, prior};
use super::limits::{checked, inline, malformed};
use super::outbox::SendError;
use super::quarantine;
use super::request_fault::RequestFault;
use super::session_record::{REQUESTS, SessionRecord};
use super::settle::{DeliveryOutcome, Settlement, settle};
use super::stated_failure::stated;
use crate::broker::{Delivery, Outgoing, ReplyAddressError, Route};
use crate::content::ContentError;
use crate::telemetry::metrics;

/// Requests a worker holds at once, read or not: each may be as large as a message may be.
pub(super) const HELD: u16 = 8;
/// Memory for requests that are being read, in KiB: room for the largest one, and for many small ones beside each other.
pub(super) const READING_KIB: u32 = 96 * 1024;

impl Core {
    /// Waits until there is room to read `request`: for its bytes, what they unfold to, and what is made of that.
    pub(super) async fn reading_budget(&self, request: &Envelope) -> Option<SemaphorePermit<'_>> {
        let wire = request.body.len().min(MAX_WIRE_BYTES);
        let bytes = wire + 2 * max_unfolded_bytes(wire);
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(READING_KIB).min(READING_KIB);
        self.reading.acquire_many(kib).await.ok()
    }
}

/// Takes a delivery from the queue of requests to its end.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    let Some(mut delivery) = quarantine::requests(&core, delivery).await else { return };
    core.failpoints.hit("intake.received").await;
    // Some clients send the property without a value.
    delivery.envelope.header.reply_to = delivery.envelope.header.reply_to.take().filter(|address| !address.is_empty());
    if let Err(reason) = check_reply_address(&core, &delivery) {
        // There is nobody to tell: the address is what is wrong.
        metrics().sessions.refused(&FailureCode::InvalidReplyTo);
        tracing::warn!(%reason, message_id = %delivery.envelope.header.message_id, code = %FailureCode::InvalidReplyTo, "request refused");
        core.failpoints.hit("ack.before").await;
        let _ = delivery.ack().await;
        return;
    }
    let reading = core.reading_budget(&delivery.envelope).await;
    let accepted = accept(&core, &delivery).await;
    drop(reading);
    match accepted {
        Ok(()) => {
            core.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
        Err(IntakeError::Undecodable(reason)) => {
            tracing::warn!(reason, "undecodable request without a session id");
            core.bury(delivery, &DeadReason::Undecodable).await;
        }
        Err(IntakeError::Unavailable(error)) => {
            tracing::warn!(%error, "request not taken yet");
            match error {
                SendError::Content(fault) => without_content(&core, delivery, &fault).await,
                SendError::Broker(_) | SendError::TooLarge(_) => drop(delivery.requeue().await),
            }
        }
    }
}

fn check_reply_address(core: &Core, delivery: &Delivery) -> Result<(), ReplyAddressError> {
    let address = delivery.envelope.header.reply_to.as_deref();
    address.map_or(Ok(()), |address| core.settings.reply_addresses.check(address).map(|_| ()))
}

/// The content store takes nothing: the request comes again later, a few times. Then its caller is told.
async fn without_content(core: &Core, delivery: Delivery, fault: &ContentError) {
    let header = &delivery.envelope.header;
    let policy = content_policy(fault, core.settings.policy);
    let told = match settle(&DeliveryOutcome::Transient(content_word(fault)), header.attempt, &policy) {
        Settlement::Retry { delay, attempt } => {
            let mut envelope = core.again(&delivery.envelope);
            envelope.header.attempt = attempt;
            core.broker
                .publish(Outgoing { route: Route::delayed(delay, delivery.queue.clone()), envelope })
                .await
                .is_ok()
        }
        // The id in the headers is what the caller wrote there, and good enough to tell the caller by.
        _ => match session_of(&delivery.envelope) {
            Some(session) => {
                core.tell_caller(header.reply_to.as_deref(), content_failure(&session, fault)).await.is_ok()
            }
            None => true,
        },
    };
    core.failpoints.hit("ack.before").await;
    let _ = if told { delivery.ack().await } else { delivery.requeue().await };
}

enum IntakeError {
    /// Nobody can be told.
    Undecodable(String),
    /// Not now.
    Unavailable(SendError),
}

impl From<SendError> for IntakeError {
    fn from(error: SendError) -> Self {
        Self::Unavailable(error)
    }
}

async fn accept(core: &Core, delivery: &Delivery) -> Result<(), IntakeError> {
    let header = &delivery.envelope.header;
    let plain = match delivery.envelope.plain_body_within(max_unfolded_bytes(delivery.envelope.body.len())) {
        Ok(plain) => plain,
        Err(error @ CodecError::TooLarge { .. }) => {
            let fault =
                RequestFault { code: FailureCode::RequestTooLarge, message: error.to_string(), pointer: String::new() };
            return refuse_unread(core, &delivery.envelope, fault).await;
        }
        Err(error) => return Err(IntakeError::Undecodable(error.to_string())),
    };
    let hash = sha256_hex(&plain);
    let read = serde_json::from_slice::<ResearchRequest>(&plain).map_err(|e| malformed(&plain, &e));
    // Checking decodes documents: the budget has room for the body or for these, beside what was read.
    drop(plain);
    match read.and_then(checked) {
        Ok(request) => open(core, header, request, hash).await,
        Err(fault) => refuse_unread(core, &delivery.envelope, fault).await,
    }
}

/// Opens the session of a request that was checked, unless its account, its proofs or its id are refused.
async fn open(core: &Core, header: &Header, mut request: ResearchRequest, hash: String) -> Result<(), IntakeError> {
    let reply_to = header.reply_to.as_deref();
    let session = request.session_id.clone();
    let user = core.user_of(header);
    let account = match account(core, &request.options, user.as_deref(), header.tenant.as_deref()) {
        Ok(account) => account,
        Err(fault) => return refuse(core, &session, reply_to, fault).await,
    };
    if let Some(fault) = unproved(core, &request, &account, header.tenant.as_deref()).await? {
        return refuse(core, &session, reply_to, fault).await;
    }
    if let Err(fault) = fit_to_version(core.settings.emit_version, &mut request.options) {
        return refuse(core, &session, reply_to, fault).await;
    }
    let prior = prior(&mut request.options);
    let mut state = SessionState { account, ..drafted(core.clock.now(), &request, &prior, &hash, reply_to) };
    if let Err(error) = core.check_state(&state) {
        let fault = RequestFault {
            code: FailureCode::StateTooLarge,
            message: error.to_string(),
            pointer: "/sources".to_owned(),
        };
        return refuse(core, &session, reply_to, fault).await;
    }
    let record = SessionRecord { hash, user };
    let kept = core.services.content.put_named_if_absent(REQUESTS, session.as_str(), record.to_bytes()).await;
    if !SessionRecord::from_bytes(&kept.map_err(SendError::from)?).admits(&record) {
        let message = format!("session `{session}` exists with another request, or is another user's");
        let fault = RequestFault { code: FailureCode::SessionIdTaken, message, pointer: "/session_id".to_owned() };
        return refuse(core, &session, reply_to, fault).await;
    }
    if core.repeat_result(&session, reply_to).await?.is_some() {
        return Ok(());
    }
    put_texts(core, &mut state, request, prior).await?;
    core.publish_state(&state, 1, None, header.traceparent.as_deref()).await?;
    metrics().sessions.accepted();
    core.events.send(&session, EventKind::SessionAccepted { sources: state.sources.len() as u64 });
    Ok(())
}

/// Leaves out of `options` what states of `emit_version` cannot carry.
///
/// # Errors
/// They cannot carry research at all.
fn fit_to_version(emit_version: u32, options: &mut RequestOptions) -> Result<(), RequestFault> {
    if options.research.is_some() && emit_version < RESEARCH_VERSION {
        let message = format!(
            "workers of this fleet write states of version {emit_version}, and research needs {RESEARCH_VERSION}: set `emit_version`"
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
        // Workers that write an older version would take two passes of a session for one.
        research.max_refinements = Some(0);
    }
    Ok(())
}

/// Who pays: the tenant of the user or the one the message names, and the lower of what the configuration and the request allow.
fn account(
    core: &Core,
    options: &RequestOptions,
    user: Option<&str>,
    tenant: Option<&str>,
) -> Result<Account, RequestFault> {
    let configured = &core.settings.account;
    let tenant = tenant.filter(|t| !t.is_empty()).map(TenantId::new).transpose().map_err(|e| RequestFault {
        code: FailureCode::InvalidTenant,
        message: format!("the tenant of the message: {e}"),
        pointer: String::new(),
    })?;
    let tenant = core.settings.tenants.tenant(user, tenant).map_err(|foreign| RequestFault {
        code: FailureCode::TenantNotAllowed,
        message: foreign.to_string(),
        pointer: String::new(),
    })?;
    Ok(Account {
        tenant,
        max_spend_usd: lower(options.max_spend_usd, configured.max_spend_usd, f64::min),
        max_spend_tokens: lower(options.max_spend_tokens, configured.max_spend_tokens, u64::min),
        ..Account::default()
    })
}

/// The first source that refers to a text without proof that the tenant put it: the name of a text stands in every report of it. The
/// tenant is the one the message names, else that of its user, else the default one. Whether the text is there is not looked at.
async fn unproved(
    core: &Core,
    request: &ResearchRequest,
    account: &Account,
    named: Option<&str>,
) -> Result<Option<RequestFault>, SendError> {
    let named = named.filter(|name| !name.is_empty());
    let tenant = named.or(account.tenant.as_ref().map(TenantId::as_str)).unwrap_or_default();
    for (place, source) in request.sources.iter().enumerate() {
        let Some(content) = &source.content_ref else { continue };
        let message = match &source.content_proof {
            Some(proof) if core.services.content.proves(tenant, content, proof).await? => continue,
            Some(_) if tenant.is_empty() => {
                "content_proof is not that of this text and the default tenant; expected a proof made for the tenant \
                 that the message names"
                    .to_owned()
            }
            Some(_) => format!("content_proof is not that of this text and the tenant `{tenant}`"),
            None => {
                "content_ref needs a content_proof, got none: submit with `precis submit`, or send the document as \
                     content_base64"
                    .to_owned()
            }
        };
        let pointer = format!("/sources/{place}/content_proof");
        return Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }));
    }
    let Some(research) = &request.options.research else { return Ok(None) };
    for (place, corpus) in research.corpus.iter().enumerate() {
        if !is_proved(core, tenant, &corpus.manifest, corpus.proof.as_deref()).await? {
            let message = "a corpus needs the proof that its tenant put it: publish it with `precis corpus publish`, and submit with \
                           `precis submit`"
                .to_owned();
            let pointer = format!("/options/research/corpus/{place}/proof");
            return Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }));
        }
    }
    match &research.fork {
        Some(fork) if !is_proved(core, tenant, &fork.rounds, fork.proof.as_deref()).await? => {
            let message =
                "the rounds of a fork need the proof that their tenant put them: use `precis fork`".to_owned();
            let pointer = "/options/research/fork/proof".to_owned();
            Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }))
        }
        _ => Ok(None),
    }
}

/// Whether `proof` is there and is that of `content` and `tenant`.
async fn is_proved(core: &Core, tenant: &str, content: &ContentRef, proof: Option<&str>) -> Result<bool, SendError> {
    match proof {
        Some(proof) => Ok(core.services.content.proves(tenant, content, proof).await?),
        None => Ok(false),
    }
}

fn lower<T>(asked: Option<T>, allowed: Option<T>, of: impl Fn(T, T) -> T) -> Option<T> {
    match (asked, allowed) {
        (Some(asked), Some(allowed)) => Some(of(asked, allowed)),
        (asked, allowed) => asked.or(allowed),
    }
}

/// The id that a caller gave its message; what the body says of it is not read.
fn session_of(envelope: &Envelope) -> Option<SessionId> {
    let header = &envelope.header;
    SessionId::new(header.correlation_id.clone()).or_else(|_| SessionId::new(header.message_id.clone())).ok()
}

/// Refuses a request whose own id cannot be read.
async fn refuse_unread(core: &Core, envelope: &Envelope, fault: RequestFault) -> Result<(), IntakeError> {
    let Some(session) = session_of(envelope) else { return Err(IntakeError::Undecodable(fault.message)) };
    refuse(core, &session, envelope.header.reply_to.as_deref(), fault).await
}

/// Tells the caller alone: the id may be another session's, whose listeners would take the refusal for its result.
async fn refuse(
    core: &Core,
    session: &SessionId,
    reply_to: Option<&str>,
    fault: RequestFault,
) -> Result<(), IntakeError> {
    metrics().sessions.refused(&fault.code);
    tracing::info!(session_id = %session, code = %fault.code, pointer = %fault.pointer, "request refused");
    let info = ErrorInfo { pointer: Some(fault.pointer), ..stated(session, Status::Failed, fault.code, fault.message) };
    Ok(core.tell_caller(reply_to, info).await?)
}

/// Puts the texts and documents of a request into the content store, so that the state stays small, and names them in the state.
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
        // What is no Base64 was refused before.
        let inline = given.content_base64.as_deref().and_then(|text| inline(text).ok());
        if let Some(bytes) = given.content.map(Bytes::from).or(inline.map(Bytes::from)) {
            source.origin = Origin::Content(content.put(bytes).await?);
        }
    }
    Ok(())
}
