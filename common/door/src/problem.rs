//! What went wrong, as `application/problem+json` (RFC 9457) with the codes of the wire.

use axum::http::StatusCode;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use precis_proto::failure_code::{FailureCode, FailureKind};
use precis_proto::response::ErrorInfo;
use precis_runtime::content::ContentError;
use schemars::JsonSchema;
use serde::Serialize;

const RATE_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE: HeaderName = HeaderName::from_static("ratelimit");
/// Media type of a problem.
pub const PROBLEM: &str = "application/problem+json";
/// Seconds after which a caller may try again where the broker or the content store is away.
const AWAY_SECONDS: u32 = 2;

/// What went wrong. Contains no text of a document and no secret. Small, since every handler may return it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
    /// Stable code; callers may branch on it.
    pub code: String,
    /// What was found, and what was expected.
    pub detail: String,
    /// JSON pointer (RFC 6901) to the fault in the body.
    pub pointer: Option<Box<str>>,
    /// What to do about it.
    pub remedy: Option<Box<str>>,
    /// The methods that the address has.
    pub allow: Option<&'static str>,
    /// The limit that the caller has reached.
    pub limit: Option<Box<ReachedLimit>>,
}

/// A limit that a caller has reached, for the fields `RateLimit-Policy` and `RateLimit`
/// ([draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachedLimit {
    /// Its name: letters only.
    pub name: &'static str,
    /// How many there may be.
    pub quota: u64,
    /// In how many seconds; `None` for a number at once.
    pub window: Option<u32>,
}

impl ReachedLimit {
    fn policy(&self) -> String {
        let window = self.window.map_or(String::new(), |seconds| format!(";w={seconds}"));
        format!("\"{}\";q={}{window}", self.name, self.quota)
    }

    fn state(&self, again_after: Option<u32>) -> String {
        let reset = again_after.map_or(String::new(), |seconds| format!(";t={seconds}"));
        format!("\"{}\";r=0{reset}", self.name)
    }
}

/// A problem as it is sent (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct ProblemDocument<'a> {
    /// `urn:precis:problem:` and the code.
    #[serde(rename = "type")]
    kind: String,
    /// The reason phrase of the status.
    title: &'a str,
    /// The HTTP status.
    status: u16,
    /// Stable code; callers may branch on it.
    code: &'a str,
    /// What was found, and what was expected.
    detail: &'a str,
    /// JSON pointer (RFC 6901) to the fault in the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
}

impl Problem {
    /// A problem without pointer and remedy.
    #[must_use]
    pub fn new(status: StatusCode, code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            retry_after: None,
            code: code.into(),
            detail: detail.into(),
            pointer: None,
            remedy: None,
            allow: None,
            limit: None,
        }
    }

    /// This problem with a remedy.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<Box<str>>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// This problem with the place of the fault in the body.
    #[must_use]
    pub fn at(self, pointer: impl Into<Box<str>>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }

    /// This problem, which may be over after `seconds`.
    #[must_use]
    pub fn again_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// This problem, because of `limit`.
    #[must_use]
    pub fn with_limit(self, limit: ReachedLimit) -> Self {
        Self { limit: Some(Box::new(limit)), ..self }
    }

    /// A session that there is not, or that belongs to another tenant: the same words for both.
    #[must_use]
    pub fn unknown_session() -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown_session", "there is no session with this id")
            .with_remedy("list sessions with GET /v1/sessions; a session is removed when its retention is over")
    }

    /// A collection that there is not, or that belongs to another tenant: the same words for both.
    #[must_use]
    pub fn unknown_collection() -> Self {
        let code = FailureCode::UnknownCollection.as_str();
        Self::new(StatusCode::NOT_FOUND, code, "there is no collection with this id")
            .with_remedy("list collections with GET /v1/collections")
    }

    /// A batch that there is not, or that belongs to another tenant: the same words for both.
    #[must_use]
    pub fn unknown_batch() -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown_batch", "there is no batch with this id")
            .with_remedy("list sessions with GET /v1/sessions; a batch is removed when its retention is over")
    }

    /// A key that was used with another request.
    #[must_use]
    pub fn key_reused() -> Self {
        let detail = "this Idempotency-Key was used with another request";
        Self::new(StatusCode::CONFLICT, "idempotency_key_reused", detail)
            .with_remedy("use a new key for a new request, and the same key only to send the same request again")
    }

    /// An address that there is not.
    #[must_use]
    pub fn unknown_address() -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown_address", "there is nothing at this address")
            .with_remedy("GET /openapi.json lists all addresses")
    }

    /// A fault in a query parameter or a header field.
    #[must_use]
    pub fn invalid(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// The broker does not take a message, for this reason.
    #[must_use]
    pub fn broker_away(reason: &str) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "broker_unavailable", format!("the broker takes no messages: {reason}"))
            .with_remedy(
                "send the request again with the same Idempotency-Key: it is worked on once, however often it arrives",
            )
            .again_after(AWAY_SECONDS)
    }
}

/// The refusal of a request by the rules of the wire.
impl From<ErrorInfo> for Problem {
    fn from(error: ErrorInfo) -> Self {
        let problem = Self::new(status_of(&error.code), error.code.as_str(), error.message);
        Self { pointer: error.pointer.map(Into::into), remedy: error.remedy.map(Into::into), ..problem }
    }
}

impl Problem {
    /// The content store does not answer.
    #[must_use]
    pub fn content_away() -> Self {
        let detail = "the content store cannot be used now";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, FailureCode::ContentStoreUnavailable.as_str(), detail)
            .with_remedy("try again later; GET /readyz says when the door is ready")
            .again_after(AWAY_SECONDS)
    }
}

/// The content store cannot be used. Its own words may have paths in them, and stay in the log.
impl From<ContentError> for Problem {
    fn from(error: ContentError) -> Self {
        tracing::warn!(%error, "the content store did not answer a caller");
        Self::content_away()
    }
}

/// The status of a refusal with this code.
fn status_of(code: &FailureCode) -> StatusCode {
    match (code, code.kind()) {
        (FailureCode::RequestTooLarge | FailureCode::DocumentTooLarge, _) => StatusCode::PAYLOAD_TOO_LARGE,
        (FailureCode::StorageQuotaReached, _) => StatusCode::TOO_MANY_REQUESTS,
        (FailureCode::SessionIdTaken, _) => StatusCode::CONFLICT,
        (_, FailureKind::ContentStore) => StatusCode::SERVICE_UNAVAILABLE,
        (
            _,
            FailureKind::Request
            | FailureKind::Session
            | FailureKind::Cancelled
            | FailureKind::Defect
            | FailureKind::DeadLetter
            | FailureKind::Unknown,
        ) => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let document = ProblemDocument {
            kind: format!("urn:precis:problem:{}", self.code),
            title: status.canonical_reason().unwrap_or_default(),
            status: self.status,
            code: &self.code,
            detail: &self.detail,
            pointer: self.pointer.as_deref(),
            remedy: self.remedy.as_deref(),
        };
        let body = serde_json::to_vec(&document).expect("a problem is plain data");
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(limit) = &self.limit {
            for (name, value) in [(RATE_POLICY, limit.policy()), (RATE, limit.state(self.retry_after))] {
                headers.insert(name, HeaderValue::from_str(&value).expect("letters and digits"));
            }
        }
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_its_code_place_and_remedy_under_a_fitting_status() {
        for (code, status) in [
            (FailureCode::EmptyQuery, 422),
            (FailureCode::RequestTooLarge, 413),
            (FailureCode::DocumentTooLarge, 413),
            (FailureCode::StorageQuotaReached, 429),
            (FailureCode::SessionIdTaken, 409),
            (FailureCode::ContentStoreFull, 503),
        ] {
            let error = ErrorInfo::new(precis_proto::response::Status::Failed, code.clone(), "words");
            let problem = Problem::from(ErrorInfo { pointer: Some("/query".to_owned()), ..error });
            assert_eq!((problem.status, problem.code.as_str()), (status, code.as_str()));
            assert_eq!((problem.pointer.as_deref(), problem.detail.as_str()), (Some("/query"), "words"));
        }
    }

    #[test]
    fn what_the_content_store_says_stays_in_the_log() {
        let problem = Problem::from(ContentError::Unavailable("/srv/secret".to_owned()));
        assert!(!format!("{problem:?}").contains("secret"));
        assert_eq!((problem.status, problem.retry_after), (503, Some(AWAY_SECONDS)));
    }
}
