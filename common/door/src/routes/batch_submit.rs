//! `POST /v1/batches`: accepts many questions about the same documents, each as a session of its own, with one bound of dollars.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::SessionId;
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::request::{MAX_QUERY_CHARS, REQUEST_SCHEMA_VERSION, RequestOptions, RequestSource, ResearchRequest};
use precis_proto::research::ResearchOptions;
use precis_runtime::records::{Batch, is_removed, keep_batch, read_accepted, read_batch};
use precis_runtime::runner::SESSION_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proofs::check_proofs;
use super::submission::{Submission, document_response};
use super::submit::{begin_session, prepare, trace_of};
use super::{batch_show, json_body, request_body, session_key, webhook};
use crate::binding::bind_collections;
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::BATCH_QUESTIONS;
use crate::problem::Problem;
use crate::reading;
use crate::shares::shares;

/// Version of the record.
const RECORD_VERSION: u32 = 1;

/// Many questions about the same documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBatch {
    /// Version of the request, as in a single one.
    #[schemars(range(min = 1, max = REQUEST_SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The questions: each becomes a session.
    #[schemars(length(min = 1, max = BATCH_QUESTIONS), inner(length(min = 1, max = MAX_QUERY_CHARS)))]
    pub questions: Vec<String>,
    /// The sources of every session, as in a single request.
    #[serde(default)]
    pub sources: Vec<RequestSource>,
    /// The options of every session, as in a single request.
    #[serde(default)]
    pub options: RequestOptions,
    /// What all sessions may spend on models together, in US dollars: each gets an equal share, the first ones what is left over.
    #[schemars(range(min = 0.0))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<f64>,
}

/// Accepts a batch.
pub(super) async fn submit(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let Submission { caller, key, .. } = Submission::read(&door, &headers, query.as_deref(), &[])?;
    let Some(key) = key else {
        let detail = "a batch needs an Idempotency-Key: sent again with it, a batch that was cut off goes on";
        return Err(Problem::invalid("idempotency_key_missing", detail));
    };
    reading::check_json(&headers)?;
    let (limits, content) = (door.parts.limits, &door.parts.content);
    reading::announced_size(&headers, limits.batch_bytes)?;
    let memory = door.memory(limits.batch_bytes).await;
    let body = reading::whole(body, limits.batch_bytes, &limits).await?;
    let asked: NewBatch = json_body::parse_body(&body)?;
    check_batch(&asked, limits.batch_questions)?;
    let id = session_key::batch_id(content, &caller, &key).await?;
    for _ in &asked.questions {
        door.may_submit(&caller).await?;
    }
    let earlier = read_batch(content, caller.tenant.as_deref(), &id).await?;
    if earlier.is_none() {
        door.is_keeping_up().await?;
    }
    let hash = sha256_hex(&serde_json::to_vec(&asked).expect("it was JSON"));
    let sessions = (1..=asked.questions.len()).map(|n| SessionId::new(format!("{id}-{n:03}")).expect("digits"));
    let mut requests = requests(asked.clone(), sessions.collect())?;
    let research = bound(&door, &caller, &mut requests[0], earlier.as_ref()).await?;
    let each = (body.len() as u64).saturating_add(SESSION_BYTES);
    door.may_store(&caller, each.saturating_mul(requests.len() as u64), false).await?;
    let wanted = Batch {
        schema_version: RECORD_VERSION,
        id: id.clone(),
        tenant: caller.tenant.clone(),
        accepted_at: door.parts.clock.now(),
        request_sha256: hash,
        max_usd: asked.max_usd,
        research,
        sessions: requests.iter().map(|request| request.session_id.clone()).collect(),
    };
    let kept = keep_batch(content, &wanted).await?;
    if kept.request_sha256 != wanted.request_sha256 || kept.tenant != wanted.tenant {
        return Err(Problem::key_reused());
    }
    for mut request in requests {
        // Of two doors at once, the versions of the one whose record is kept.
        request.options.research = kept.research.clone();
        accept(&door, &caller, &request, &headers).await?;
    }
    drop(memory);
    let document = batch_show::document(&door, &kept).await?;
    Ok(document_response(&door, StatusCode::ACCEPTED, &document, &format!("/v1/batches/{id}")))
}

/// Checks what a single request does not have.
fn check_batch(asked: &NewBatch, most: usize) -> Result<(), Problem> {
    let fault =
        |code: &str, detail: String, at: &str| Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail).at(at));
    let count = asked.questions.len();
    if !(1..=most).contains(&count) {
        let detail = format!("a batch must have 1 to {most} questions, got {count}");
        return fault("invalid_question_count", detail, "/questions");
    }
    match asked.max_usd.filter(|usd| !usd.is_finite() || *usd < 0.0) {
        Some(usd) => {
            fault(FailureCode::InvalidCeiling.as_str(), format!("max_usd must be at least 0, got {usd}"), "/max_usd")
        }
        None => Ok(()),
    }
}

/// The requests of a batch, checked as workers will, each with its share of the bound. Pure.
fn requests(asked: NewBatch, sessions: Vec<SessionId>) -> Result<Vec<ResearchRequest>, Problem> {
    let shares = asked.max_usd.map(|max_usd| shares(max_usd, sessions.len()));
    let NewBatch { schema_version, questions, sources, options, .. } = asked;
    let one = |(place, (session_id, query)): (usize, (SessionId, String))| {
        let mut options = options.clone();
        if let Some(share) = shares.as_ref().map(|shares| shares[place]) {
            options.max_spend_usd = Some(options.max_spend_usd.map_or(share, |given| given.min(share)));
        }
        let request = ResearchRequest { schema_version, session_id, query, sources: sources.clone(), options };
        request_body::check_request(request).map_err(|problem| match problem.pointer.as_deref() {
            Some("/query") => problem.at(format!("/questions/{place}")),
            _ => problem,
        })
    };
    sessions.into_iter().zip(questions).enumerate().map(one).collect()
}

/// Checks once for all sessions what they refer to, and returns what they search, with the versions of collections.
async fn bound(
    door: &Door,
    caller: &Caller,
    first: &mut ResearchRequest,
    earlier: Option<&Batch>,
) -> Result<Option<ResearchOptions>, Problem> {
    check_proofs(door, caller, first).await?;
    webhook::check(door, caller, first)?;
    bind_collections(door, caller, first, earlier.and_then(|batch| batch.research.as_ref())).await?;
    Ok(first.options.research.clone())
}

/// Accepts a session of a batch, unless it was accepted before. One that was removed stays away.
async fn accept(door: &Door, caller: &Caller, request: &ResearchRequest, headers: &HeaderMap) -> Result<(), Problem> {
    let (content, session) = (&door.parts.content, &request.session_id);
    if is_removed(content, session).await? {
        return Ok(());
    }
    let is_new = read_accepted(content, session.as_str()).await?.is_none();
    let (record, message) = prepare(door, caller, request, trace_of(headers, session))?;
    let kept = door.keep(caller, &record, is_new).await?;
    if !kept.admits(&record) {
        return Err(Problem::key_reused());
    }
    begin_session(door, caller, (&kept, is_new), message, true).await.map(drop)
}
