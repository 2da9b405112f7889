//! `GET` and `POST /v1/sessions/{id}/webhook`: how far the delivery of a session's webhook is, and once more. And whom a request may name.

use std::sync::Arc;

use axum::extract::Path;
use axum::extract::State;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::failure_code::FailureCode;
use precis_proto::request::ResearchRequest;
use precis_proto::webhook::WebhookPayload;
use precis_proto::{SessionId, Timestamp};
use precis_runtime::runner::webhook_message;
use precis_runtime::webhooks::{DeliveryRecord, DeliveryState, WebhookRefusal, read_delivery};
use schemars::JsonSchema;
use serde::Serialize;

use super::control::to_end;
use super::json;
use super::show::id_in_path;
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;

/// How far the delivery of a session's webhook is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookDocument {
    /// `webhook-id`: the same for every attempt.
    id: String,
    /// The name of the endpoint, or the address without its secrets.
    target: String,
    /// `pending`, `delivered` or `failed`.
    #[schemars(extend("enum" = DeliveryState::ALL.map(DeliveryState::as_str)))]
    state: &'static str,
    /// Attempts since it was last asked for.
    attempts: u32,
    /// When the last attempt ended.
    last_at: Option<Timestamp>,
    /// Why it did not succeed, beginning with a code.
    reason: Option<String>,
    /// When the next attempt is, at the earliest.
    next_at: Option<Timestamp>,
    /// What is sent.
    payload: WebhookPayload,
}

impl WebhookDocument {
    fn of(record: DeliveryRecord) -> Self {
        let target = record.shown_target();
        let (last_at, reason) = record.last.map_or((None, None), |last| (Some(last.at), last.reason));
        Self {
            id: record.delivery.webhook_id,
            target,
            state: record.state.as_str(),
            attempts: record.attempts,
            last_at,
            reason,
            next_at: record.next_at,
            payload: record.delivery.payload,
        }
    }
}

/// Checks that the request names nobody whom this fleet does not tell for the caller's tenant, as the worker will.
///
/// # Errors
/// 422.
pub(super) fn check(door: &Door, caller: &Caller, request: &ResearchRequest) -> Result<(), Problem> {
    let Some(target) = &request.options.webhook else { return Ok(()) };
    let endpoints = &door.parts.webhooks;
    let refused = match endpoints.is_empty() {
        true => WebhookRefusal::of_no_endpoints(target),
        false => match endpoints.receiver(target, caller.tenant.as_deref()) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        },
    };
    let code = FailureCode::WebhookNotAllowed.as_str();
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, refused.message)
        .at(format!("/options/webhook/{}", refused.field))
        .with_remedy("name an endpoint of the fleet's configuration, or leave options.webhook out"))
}

/// Shows how far the delivery is.
pub(super) async fn show(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (_, record) = door.read_session(&headers, &id_in_path(id)).await?;
    Ok(json(StatusCode::OK, &WebhookDocument::of(delivery(&door, &record.session_id).await?)))
}

/// Sends it once more, whether it was delivered or given up.
pub(super) async fn again(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let record = to_end(&door, &id_in_path(id), &headers).await?;
    let delivery = delivery(&door, &record.session_id).await?;
    let mut message = webhook_message(&delivery.again(door.parts.clock.now()), 1);
    message.envelope.header.user = door.link.broker()?.user().map(str::to_owned);
    door.link.publish(message).await?;
    Ok(json(StatusCode::ACCEPTED, &WebhookDocument::of(delivery)))
}

async fn delivery(door: &Door, session: &SessionId) -> Result<DeliveryRecord, Problem> {
    let record = read_delivery(&door.parts.content, session).await?;
    record.ok_or_else(|| {
        let detail = "no webhook of this session was tried: its request names none, or it has not ended, or nobody sends webhooks";
        Problem::new(StatusCode::NOT_FOUND, "no_webhook", detail)
    })
}
