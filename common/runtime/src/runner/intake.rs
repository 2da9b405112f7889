//! A request becomes a session: checked, its texts put into the content store, published as revision 1.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use precis_proto::account::Account;
use precis_proto::event::EventKind;
use precis_proto::ids::sha256_hex;
use precis_proto::prior::{MAX_HISTORY_MESSAGES, MAX_PRIOR_BLOCKS, Prior};
use precis_proto::request::{
    MAX_QUERY_CHARS, MAX_SOURCES, REQUEST_SCHEMA_VERSION, RequestOptions, RequestSource, ResearchRequest,
};
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::source::{ContentRef, Origin, Source};
use precis_proto::state::{STATE_SCHEMA_VERSION, SessionState};
use precis_proto::{Phase, SessionId, SourceId, TenantId};

use super::outbox::SendError;
use super::session::stated;
use super::settle::{Outcome, Settlement, settle};
use super::unkept::{content_code, content_failure, content_policy};
use super::worker::Core;
use crate::broker::{Delivery, Outgoing, Route};
use crate::content::ContentError;
use crate::telemetry::metrics;

/// Kind of the named contents that tell a repeated request from another one under the same id.
pub(super) const REQUESTS: &str = "requests";

/// What is wrong with a request, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    code: &'static str,
    message: String,
    pointer: String,
}

/// Takes a delivery from the queue of requests to its end.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    core.failpoints.hit("intake.received").await;
    let accepted = accept(&core, &delivery).await;
    match accepted {
        Ok(()) => {
            core.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
        Err(Refusal::Undecodable(reason)) => {
            tracing::warn!(reason, "undecodable request without a session id");
            core.bury(delivery, "undecodable").await;
        }
        Err(Refusal::Unavailable(error)) => {
            tracing::warn!(%error, "request not taken yet");
            match error {
                SendError::Content(fault) => without_content(&core, delivery, &fault).await,
                SendError::Broker(_) | SendError::TooLarge(_) => drop(delivery.requeue().await),
            }
        }
    }
}

/// The content store takes nothing: the request comes again later, a few times. Then its caller is told.
async fn without_content(core: &Core, delivery: Delivery, fault: &ContentError) {
    let header = &delivery.envelope.header;
    let policy = content_policy(fault, core.settings.policy);
    let told = match settle(&Outcome::Transient(content_code(fault)), header.attempt, &policy) {
        Settlement::Retry { delay, attempt } => {
            let mut envelope = delivery.envelope.clone();
            envelope.header.attempt = attempt;
            core.broker.publish(Outgoing { route: Route::after(delay, delivery.queue.clone()), envelope }).await.is_ok()
        }
        _ => match delivery.envelope.decode::<ResearchRequest>() {
            Ok(request) => {
                let failure = content_failure(&request.session_id, fault);
                core.tell_failure(header.reply_to.as_deref(), failure).await.is_ok()
            }
            Err(_) => true,
        },
    };
    core.failpoints.hit("ack.before").await;
    let _ = if told { delivery.ack().await } else { delivery.requeue().await };
}

enum Refusal {
    /// Nobody can be told.
    Undecodable(String),
    /// Not now.
    Unavailable(SendError),
}

impl From<SendError> for Refusal {
    fn from(error: SendError) -> Self {
        Self::Unavailable(error)
    }
}

async fn accept(core: &Core, delivery: &Delivery) -> Result<(), Refusal> {
    let header = &delivery.envelope.header;
    let reply_to = header.reply_to.as_deref();
    let plain = delivery.envelope.plain_body().map_err(|e| Refusal::Undecodable(e.to_string()))?;
    let request = match serde_json::from_slice::<ResearchRequest>(&plain).map_err(|e| malformed(&e)).and_then(checked) {
        Ok(request) => request,
        Err(fault) => {
            // The caller is told where an id can be read; a reply address alone is enough for the id of the message.
            let session =
                SessionId::new(header.correlation_id.clone()).or_else(|_| SessionId::new(header.message_id.clone()));
            let Ok(session) = session else { return Err(Refusal::Undecodable(fault.message)) };
            return refuse(core, &session, reply_to, fault).await;
        }
    };
    let session = request.session_id.clone();
    let account = match account(core, &request.options, header.tenant.as_deref()) {
        Ok(account) => account,
        Err(fault) => return refuse(core, &session, reply_to, fault).await,
    };
    let hash = sha256_hex(&plain);
    let kept = core.services.content.put_named_if_absent(REQUESTS, session.as_str(), Bytes::from(hash.clone())).await;
    if kept.map_err(SendError::from)? != hash.as_bytes() {
        let message = format!("session `{session}` exists with another request");
        return refuse(
            core,
            &session,
            reply_to,
            Fault { code: "session_id_taken", message, pointer: "/session_id".to_owned() },
        )
        .await;
    }
    if core.repeat_result(&session, reply_to).await?.is_some() {
        return Ok(());
    }
    let state = SessionState { account, ..open(core, request, hash, reply_to).await? };
    core.publish_state(&state, 1, None, header.traceparent.as_deref()).await?;
    metrics().sessions.accepted();
    core.events.send(&session, EventKind::SessionAccepted { sources: state.sources.len() as u64 });
    Ok(())
}

/// Who pays: the tenant the message names, and the lower of what the configuration and the request allow.
fn account(core: &Core, options: &RequestOptions, tenant: Option<&str>) -> Result<Account, Fault> {
    let configured = &core.settings.account;
    let tenant = tenant.filter(|t| !t.is_empty()).map(TenantId::new).transpose().map_err(|e| Fault {
        code: "invalid_tenant",
        message: format!("the tenant of the message: {e}"),
        pointer: String::new(),
    })?;
    Ok(Account {
        tenant,
        max_spend_usd: lower(options.max_spend_usd, configured.max_spend_usd, f64::min),
        max_spend_tokens: lower(options.max_spend_tokens, configured.max_spend_tokens, u64::min),
        ..Account::default()
    })
}

fn lower<T>(asked: Option<T>, allowed: Option<T>, of: impl Fn(T, T) -> T) -> Option<T> {
    match (asked, allowed) {
        (Some(asked), Some(allowed)) => Some(of(asked, allowed)),
        (asked, allowed) => asked.or(allowed),
    }
}

fn malformed(error: &serde_json::Error) -> Fault {
    Fault { code: "malformed_request", message: precis_proto::envelope::json_fault(error), pointer: String::new() }
}

/// The rules that types do not state. Pointers are RFC 6901.
fn checked(request: ResearchRequest) -> Result<ResearchRequest, Fault> {
    let fault = |code, message: String, pointer: String| Err(Fault { code, message, pointer });
    if request.schema_version == 0 || request.schema_version > REQUEST_SCHEMA_VERSION {
        let message =
            format!("schema_version {} is not between 1 and {REQUEST_SCHEMA_VERSION}", request.schema_version);
        return fault("unsupported_version", message, "/schema_version".to_owned());
    }
    let chars = request.query.chars().count();
    if request.query.trim().is_empty() {
        return fault("empty_query", "the query is empty".to_owned(), "/query".to_owned());
    }
    if chars > MAX_QUERY_CHARS {
        let message = format!("the query of {chars} characters is over the limit of {MAX_QUERY_CHARS}");
        return fault("query_too_long", message, "/query".to_owned());
    }
    if request.sources.is_empty() {
        return fault("no_sources", "the request names no source".to_owned(), "/sources".to_owned());
    }
    if request.sources.len() > MAX_SOURCES {
        let message = format!("{} sources are over the limit of {MAX_SOURCES}", request.sources.len());
        return fault("too_many_sources", message, "/sources".to_owned());
    }
    if let Some(usd) = request.options.max_spend_usd.filter(|usd| !usd.is_finite() || *usd < 0.0) {
        let message = format!("{usd} US dollars is no ceiling: a number of at least 0 is");
        return fault("invalid_ceiling", message, "/options/max_spend_usd".to_owned());
    }
    let (said, blocks) = (request.options.history.len(), request.options.prior_context.len());
    if said > MAX_HISTORY_MESSAGES {
        let message = format!("{said} messages are over the limit of {MAX_HISTORY_MESSAGES}");
        return fault("history_too_long", message, "/options/history".to_owned());
    }
    if blocks > MAX_PRIOR_BLOCKS {
        let message = format!("{blocks} pieces of earlier context are over the limit of {MAX_PRIOR_BLOCKS}");
        return fault("too_much_prior_context", message, "/options/prior_context".to_owned());
    }
    let mut ids = BTreeSet::new();
    for (place, source) in request.sources.iter().enumerate() {
        if !ids.insert(&source.source_id) {
            let message = format!("source id `{}` appears twice", source.source_id);
            return fault("duplicate_source_id", message, format!("/sources/{place}/source_id"));
        }
        if source.url.is_none() && source.content.is_none() && source.content_ref.is_none() {
            let message = "a source needs one of url, content and content_ref".to_owned();
            return fault("source_without_content", message, format!("/sources/{place}"));
        }
        if source.content.is_some() && source.content_ref.is_some() {
            let message = "a source has either content or content_ref".to_owned();
            return fault("ambiguous_source", message, format!("/sources/{place}"));
        }
    }
    Ok(request)
}

/// Tells the caller; nothing is kept under the id, which may be another session's.
async fn refuse(core: &Core, session: &SessionId, reply_to: Option<&str>, fault: Fault) -> Result<(), Refusal> {
    metrics().sessions.refused(fault.code);
    tracing::info!(session_id = %session, code = fault.code, pointer = %fault.pointer, "request refused");
    let info = ErrorInfo { pointer: Some(fault.pointer), ..stated(session, Status::Failed, fault.code, fault.message) };
    let plain = serde_json::to_vec(&Response::failure(info)).expect("a failure is plain data");
    Ok(core.send_response(session, reply_to, Bytes::from(plain)).await?)
}

async fn open(
    core: &Core,
    mut request: ResearchRequest,
    request_hash: String,
    reply_to: Option<&str>,
) -> Result<SessionState, SendError> {
    let now = core.clock.now();
    let prior = prior(core, &mut request.options).await?;
    let mut sources = Vec::with_capacity(request.sources.len());
    for source in request.sources {
        sources.push(taken_in(core, source).await?);
    }
    let deadline = request
        .options
        .deadline_seconds
        .map(|s| now.plus_ms(i64::try_from(s).unwrap_or(i64::MAX).saturating_mul(1_000)));
    Ok(SessionState {
        schema_version: STATE_SCHEMA_VERSION,
        session_id: request.session_id,
        revision: 1,
        phase: Phase::first(),
        epoch: 0,
        query: request.query,
        options: request.options,
        reply_to: reply_to.map(str::to_owned),
        request_hash,
        created_at: now,
        deadline,
        prior,
        account: Account::default(),
        stop_requested: false,
        sources,
        findings: Vec::new(),
        draft: None,
        phases: Vec::new(),
        warnings: Vec::new(),
        ledger: Vec::new(),
        calls: Vec::new(),
        gathered: std::collections::BTreeMap::new(),
        content_fidelity: precis_proto::fidelity::ContentFidelity::default(),
        dropped_content_ids: Vec::new(),
        content_archive_hashes: std::collections::BTreeMap::new(),
        raw_notes: Vec::new(),
        token_usage: Vec::new(),
    })
}

/// What was before the session, taken out of its options into the content store, so that the state stays small.
async fn prior(core: &Core, options: &mut RequestOptions) -> Result<Option<ContentRef>, SendError> {
    let prior = Prior {
        project_context: std::mem::take(&mut options.project_context),
        context: std::mem::take(&mut options.prior_context),
        history: std::mem::take(&mut options.history),
    };
    if prior.is_empty() {
        return Ok(None);
    }
    let json = serde_json::to_vec(&prior).expect("texts are plain data");
    Ok(Some(core.services.content.put(Bytes::from(json)).await?))
}

/// A source as the session carries it: its text in the content store, so that the state stays small.
async fn taken_in(core: &Core, source: RequestSource) -> Result<Source, SendError> {
    let source_id: SourceId = source.source_id;
    let origin = match (source.content, source.content_ref, source.url.as_ref()) {
        (Some(text), ..) => {
            let put = core.services.content.put(Bytes::from(text)).await;
            Origin::Content(put?)
        }
        (None, Some(content), _) => Origin::Content(content),
        (None, None, Some(url)) => Origin::Url(url.clone()),
        (None, None, None) => unreachable!("checked before"),
    };
    Ok(Source {
        source_id,
        title: source.title,
        url: source.url,
        origin,
        content_type: source.content_type,
        quality: source.quality,
        published_at: source.published_at,
        protected: source.protected,
        relevance: 0.0,
        text: None,
        reduction: None,
        failure: None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fault_of(change: impl FnOnce(&mut Value)) -> Option<(&'static str, String)> {
        let mut body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content": "x" }] });
        change(&mut body);
        let request = serde_json::from_value(body).map_err(|e| malformed(&e));
        request.and_then(checked).err().map(|f| (f.code, f.pointer))
    }

    #[test]
    fn each_rule_names_its_code_and_its_place() {
        let long = |chars: usize| json!("x".repeat(chars));
        assert_eq!(fault_of(|_| ()), None);
        assert_eq!(fault_of(|b| b["query"] = long(MAX_QUERY_CHARS)), None);
        type Row<'a> = (&'a dyn Fn(&mut Value), &'a str, &'a str);
        let said = json!({ "role": "user", "content": "x" });
        let block = json!({ "text": "x" });
        let over = |of: &Value, most: usize| json!(vec![of.clone(); most + 1]);
        let table: [Row<'_>; 13] = [
            (
                &|b| b["options"] = json!({ "history": over(&said, MAX_HISTORY_MESSAGES) }),
                "history_too_long",
                "/options/history",
            ),
            (
                &|b| b["options"] = json!({ "prior_context": over(&block, MAX_PRIOR_BLOCKS) }),
                "too_much_prior_context",
                "/options/prior_context",
            ),
            (&|b| b["options"] = json!({ "history": [{ "role": "system", "content": "x" }] }), "malformed_request", ""),
            (&|b| b["options"] = json!({ "max_spend_usd": -0.5 }), "invalid_ceiling", "/options/max_spend_usd"),
            (&|b| b["schema_version"] = json!(3), "unsupported_version", "/schema_version"),
            (&|b| b["schema_version"] = json!(0), "unsupported_version", "/schema_version"),
            (&|b| b["query"] = json!(" \n"), "empty_query", "/query"),
            (&|b| b["query"] = long(MAX_QUERY_CHARS + 1), "query_too_long", "/query"),
            (&|b| b["sources"] = json!([]), "no_sources", "/sources"),
            (&|b| b["sources"][0] = json!({ "source_id": "a" }), "source_without_content", "/sources/0"),
            (
                &|b| b["sources"] = json!([b["sources"][0], b["sources"][0]]),
                "duplicate_source_id",
                "/sources/1/source_id",
            ),
            (&|b| b["unknown"] = json!(1), "malformed_request", ""),
            (&|b| b["session_id"] = json!(""), "malformed_request", ""),
        ];
        for (change, code, pointer) in table {
            assert_eq!(fault_of(change), Some((code, pointer.to_owned())));
        }
    }

    #[test]
    fn the_number_of_sources_is_limited() {
        for (count, refused) in [(MAX_SOURCES - 1, false), (MAX_SOURCES, false), (MAX_SOURCES + 1, true)] {
            let sources: Vec<Value> =
                (0..count).map(|i| json!({ "source_id": format!("s{i}"), "content": "x" })).collect();
            assert_eq!(fault_of(|b| b["sources"] = json!(sources)).is_some(), refused, "{count}");
        }
    }
}
