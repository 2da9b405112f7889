//! `POST /v1/sessions`: accepts a request, as JSON or as a form with files. When it answers 202, the session has a record and its request is stored by the broker.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::request::ResearchRequest;
use precis_proto::research::ResearchOptions;
use precis_proto::response::Status;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::records::{AcceptedSession, ActiveSessions, AskedBy, is_removed, read_accepted, withdraw_accepted};
use precis_runtime::runner::{RESULTS, SESSION_BYTES};
use precis_runtime::telemetry::TraceContext;
use precis_runtime::telemetry::spans::accept_span;

use super::proofs::check_proofs;
use super::submission::{Submission, document_response, removed_before};
use super::{dry_run, form, request_body, session_key, webhook};
use crate::binding::bind_collections;
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;
use crate::reading;
use crate::standing::{SessionDocument, escape_segment};

/// Accepts the request in `body`.
pub(super) async fn submit(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let known = &[dry_run::DRY_RUN];
    let Submission { caller, key, parameters } = Submission::read(&door, &headers, query.as_deref(), known)?;
    let is_dry = dry_run::is_asked(&parameters)?;
    door.may_submit(&caller).await?;
    if is_dry {
        return dry_run::dry_run(&door, &caller, &headers, body).await;
    }
    let boundary = form::boundary(&headers)?;
    if boundary.is_none() {
        reading::check_json(&headers)?;
    }
    let limits = door.parts.limits;
    let announced = reading::announced_size(&headers, limits.request_bytes)?;
    let session = session_key::session_id(&door.parts.content, &caller, key.as_deref()).await?;
    let earlier = match key {
        Some(_) => accepted_before(&door, &session).await?,
        None => None,
    };
    let is_new = earlier.is_none();
    if is_new {
        door.is_keeping_up().await?;
    }
    let memory = door.memory(announced.unwrap_or(limits.request_bytes)).await;
    let (request, bytes) = match boundary {
        Some(boundary) => form::read(&door, &caller, &session, body, boundary).await?,
        None => {
            let body = reading::whole(body, limits.request_bytes, &limits).await?;
            (request_body::parse_request(&body, &session)?, body.len() as u64)
        }
    };
    let mut request = request_body::check_request(request)?;
    check_proofs(&door, &caller, &request).await?;
    webhook::check(&door, &caller, &request)?;
    let asked = request.options.research.clone();
    bind_collections(&door, &caller, &mut request, research_options(earlier.as_ref())).await?;
    // Only looked at: the worker that takes the session counts it.
    door.may_store(&caller, bytes.saturating_add(SESSION_BYTES), false).await?;
    let trace = trace_of(&headers, &session);
    let accepting = Accepting { caller, request, asked, trace, is_new, has_key: key.is_some() };
    let standing = accepting.accept_without_caller(&door).await?;
    drop(memory);
    let path = format!("/v1/sessions/{}", escape_segment(session.as_str()));
    Ok(document_response(&door, StatusCode::ACCEPTED, &standing, &path))
}

/// A request that was read and checked.
struct Accepting {
    caller: Caller,
    request: ResearchRequest,
    /// Its research options as they were sent.
    asked: Option<ResearchOptions>,
    trace: TraceContext,
    /// Whether its key was not there when it came.
    is_new: bool,
    has_key: bool,
}

impl Accepting {
    /// The same as [`Self::accept`], in a task of its own: a caller that hangs up now must not leave a session that is kept and never
    /// published.
    async fn accept_without_caller(self, door: &Arc<Door>) -> Result<SessionDocument, Problem> {
        match tokio::spawn(self.accept(Arc::clone(door))).await {
            Ok(accepted) => accepted,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    /// Keeps the session, and publishes its request; returns where the session stands.
    ///
    /// # Errors
    /// 409, 413, 429, 503.
    async fn accept(self, door: Arc<Door>) -> Result<SessionDocument, Problem> {
        let Self { caller, mut request, asked, trace, is_new, has_key } = self;
        let (mut record, mut message) = prepare(&door, &caller, &request, trace)?;
        let kept = door.keep(&caller, &record, is_new).await?;
        if !kept.admits(&record) && asked.as_ref().is_some_and(|asked| !asked.collections.is_empty()) {
            // Another door took the same request at the same time, and found another version to be the newest.
            request.options.research = asked;
            bind_collections(&door, &caller, &mut request, research_options(Some(&kept))).await?;
            (record, message) = prepare(&door, &caller, &request, trace)?;
        }
        drop(request);
        if !kept.admits(&record) {
            return Err(Problem::key_reused());
        }
        begin_session(&door, &caller, (&kept, is_new), message, has_key).await
    }
}

/// Counts a session that is new, and publishes one that no worker has taken; returns where it stands.
///
/// # Errors
/// 429, 503.
pub(super) async fn begin_session(
    door: &Door,
    caller: &Caller,
    (kept, is_new): (&AcceptedSession, bool),
    message: Outgoing,
    has_key: bool,
) -> Result<SessionDocument, Problem> {
    if is_new {
        door.begin(caller, kept).await?;
    }
    let standing = match is_new && !has_key {
        // Nobody else knows its id, so nobody can have begun with it.
        true => door.new_document(kept),
        false => door.document(kept).await?,
    };
    if standing.status == Status::Queued {
        // Also if it was published before: a door may have died in between, and workers know a repeated request by its record.
        publish(door, kept, has_key, message).await?;
    }
    Ok(standing)
}

/// The research options of a request as it was accepted before.
fn research_options(earlier: Option<&AcceptedSession>) -> Option<&ResearchOptions> {
    earlier.and_then(|record| record.options.research.as_ref())
}

/// The record of the session of a key, if it is there.
///
/// # Errors
/// 409 if it was removed. 503.
async fn accepted_before(door: &Door, session: &SessionId) -> Result<Option<AcceptedSession>, Problem> {
    let content = &door.parts.content;
    if is_removed(content, session).await? {
        return Err(removed_before("session"));
    }
    Ok(read_accepted(content, session.as_str()).await?)
}

/// The trace that the session is part of: the caller's, or one that begins where the request is accepted.
pub(super) fn trace_of(headers: &HeaderMap, session: &SessionId) -> TraceContext {
    let given = headers.get("traceparent").and_then(|value| TraceContext::parse(value.to_str().ok()?));
    given.unwrap_or_else(|| accept_span(TraceContext::start(), session.as_str()))
}

/// The record of a request, and its message.
pub(super) fn prepare(
    door: &Door,
    caller: &Caller,
    request: &ResearchRequest,
    trace: TraceContext,
) -> Result<(AcceptedSession, Outgoing), Problem> {
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: request.session_id.to_string(),
        correlation_id: request.session_id.to_string(),
        tenant: caller.tenant.clone(),
        traceparent: Some(trace.to_string()),
        ..Header::default()
    };
    let too_large = |detail: String| {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, FailureCode::RequestTooLarge.as_str(), detail)
            .with_remedy("send fewer or shorter sources in one request")
    };
    let plain = serde_json::to_vec(request).map_err(|error| too_large(error.to_string()))?;
    // As workers compute it: the hash of what is published, before it is compressed.
    let hash = sha256_hex(&plain);
    let envelope = Envelope::from_json(header, plain).map_err(|error| too_large(error.to_string()))?;
    let route =
        Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
    let asked_by = AskedBy::Http { token: caller.token.clone() };
    let record = AcceptedSession::of(request, hash, caller.tenant.clone(), asked_by, door.parts.clock.now());
    Ok((record, Outgoing { route, envelope }))
}

/// Publishes the request. If that fails, the record of a request without a key is removed again: its caller has no way to come back to it.
async fn publish(door: &Door, record: &AcceptedSession, has_key: bool, mut message: Outgoing) -> Result<(), Problem> {
    let user = door.link.broker().map(|broker| broker.user().map(str::to_owned));
    let published = match user {
        Ok(user) => {
            message.envelope.header.user = user;
            door.link.publish(message).await
        }
        Err(away) => Err(away),
    };
    if published.is_err() && !has_key {
        withdraw_accepted(&door.parts.content, record).await?;
        if let AskedBy::Http { token } = &record.asked_by {
            ActiveSessions::of(token.as_deref(), RESULTS).unmark(&door.parts.content, &record.session_id).await?;
        }
    }
    published
}
