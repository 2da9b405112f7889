//! What comes before a session is opened: all checks that may refuse its request, then the records that take its id.

use precis_proto::account::Account;
use precis_proto::envelope::Header;
use precis_proto::failure_code::FailureCode;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestOptions, ResearchRequest};
use precis_proto::state::{RESEARCH_VERSION, SessionState, VISITS_VERSION};
use precis_proto::{LifeId, SessionId, TenantId};

use super::core::Core;
use super::drafted_session::{draft_state, prior};
use super::limits::cut_titles;
use super::outbox::SendError;
use super::quotas::{self, SESSION_BYTES};
use super::removal::is_gone;
use super::request_fault::RequestFault;
use super::request_references::{bind_collections, missing_proof, not_told};
use super::session_record::{REQUESTS, SessionRecord};
use crate::content::Reserved;
use crate::records::{AcceptedSession, AskedBy, keep_accepted};

/// Why a session is not opened.
pub(super) enum NotOpened {
    /// The request is refused.
    Refused(RequestFault),
    /// It cannot be accepted at present.
    Unavailable(SendError),
}

impl From<RequestFault> for NotOpened {
    fn from(fault: RequestFault) -> Self {
        Self::Refused(fault)
    }
}

impl From<SendError> for NotOpened {
    fn from(error: SendError) -> Self {
        Self::Unavailable(error)
    }
}

/// A request that passed all checks.
pub(super) struct DraftedRequest {
    pub(super) state: SessionState,
    pub(super) prior: Prior,
    pub(super) record: SessionRecord,
}

/// Checks a valid request against its user, its account, what it refers to, and the size of its state; nothing is kept.
pub(super) async fn draft(
    core: &Core,
    header: &Header,
    request: &mut ResearchRequest,
    hash: String,
) -> Result<DraftedRequest, NotOpened> {
    let (user, tenant) = (core.user_of(header), header.tenant.as_deref());
    unverified(core, user.as_deref()).map_or(Ok(()), Err)?;
    let account = account(core, &request.options, user.as_deref(), tenant)?;
    missing_proof(core, request, &account, tenant).await?.map_or(Ok(()), Err)?;
    bind_collections(core, request, &account, tenant).await??;
    fit_to_version(core.settings.emit_version, &mut request.options)?;
    let mut cut = cut_titles(request);
    let prior = prior(&mut request.options);
    let life = LifeId::new(format!("{:032x}", rand::random::<u128>())).ok();
    let reply_to = header.reply_to.as_deref();
    let mut state = SessionState { account, life, ..draft_state(core.clock.now(), request, &prior, &hash, reply_to) };
    state.warnings.append(&mut cut);
    core.check_state(&state).map_err(|error| RequestFault {
        code: FailureCode::StateTooLarge,
        message: error.to_string(),
        pointer: "/sources".to_owned(),
    })?;
    not_told(core, request, tenant, state.account.tenant.as_ref()).map_or(Ok(()), Err)?;
    Ok(DraftedRequest { state, prior, record: SessionRecord { hash, user } })
}

/// Keeps the records by which the id of a request of `bytes` is taken, and reserves what it stores. The records before anything else is kept:
/// of two requests under one id, the later one is refused here. Put-if-absent, so that the redelivery of an accepted request is admitted and
/// continues.
pub(super) async fn take_id<'a>(
    core: &'a Core,
    header: &Header,
    (request, state): (&ResearchRequest, &SessionState),
    record: &SessionRecord,
    bytes: u64,
) -> Result<Option<Reserved<'a>>, NotOpened> {
    let (content, session) = (&core.services.content, &request.session_id);
    let earlier = content.get_named(REQUESTS, session.as_str()).await.map_err(SendError::from)?;
    if earlier.as_ref().is_some_and(|kept| !SessionRecord::from_bytes(kept).admits(record)) {
        return Err(id_taken(session).into());
    }
    if earlier.is_none() && is_gone(content, session).await.map_err(SendError::from)? {
        // Delivered or sent once more after its caller took it back.
        return Err(id_removed(session).into());
    }
    let tenant = state.account.tenant.as_ref();
    let stored = stored(core, earlier.is_some(), tenant, record.user.as_deref(), bytes).await??;
    // First the one that a door writes before it publishes the request: an id that it gave out is not for a request that came over the
    // broker.
    let named = header.tenant.clone().filter(|name| !name.is_empty()).or_else(|| tenant.map(ToString::to_string));
    let asked_by = AskedBy::Amqp { user: record.user.clone() };
    let accepted = AcceptedSession::of(request, record.hash.clone(), named, asked_by, core.clock.now());
    let is_ours = keep_accepted(content, &accepted).await.map_err(SendError::from)?.admits(&accepted);
    if !is_ours || !is_kept(core, session, record).await? {
        return Err(id_taken(session).into());
    }
    Ok(stored)
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
pub(super) fn fit_to_version(emit_version: u32, options: &mut RequestOptions) -> Result<(), RequestFault> {
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
