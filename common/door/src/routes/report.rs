//! `GET /v1/sessions/{id}/report.md`, `/report.html`, `/archive/{sha256}`, `/archive.zip` and `POST …/verify`: the report for people, its texts, and whether
//! it holds.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use precis_proto::ids::sha256_hex;
use precis_proto::response::{ReportData, Response as SessionResult};
use precis_proto::source::ContentRef;
use precis_runtime::config::TokenScope;
use precis_runtime::content::ContentError;
use precis_runtime::runner::RESULTS;

use super::json;
use super::result::not_ended;
use super::show::id_in_path;
use crate::door::Door;
use crate::problem::Problem;
use crate::reports::ReportForm;

type Id = Result<Path<String>, PathRejection>;
/// A page is shown without script, and without anything from elsewhere.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox";

/// The report as Markdown.
pub(super) async fn markdown(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    let report = door.report(&id_in_path(id), &headers).await?;
    let text = door.parts.reports.render(report, ReportForm::Markdown).await?;
    Ok(report_response("text/markdown; charset=utf-8", text.into_bytes().into()))
}

/// The report as a page.
pub(super) async fn html(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    let report = door.report(&id_in_path(id), &headers).await?;
    let text = door.parts.reports.render(report, ReportForm::Html).await?;
    Ok(report_response("text/html; charset=utf-8", text.into_bytes().into()))
}

/// Whether the report holds against its texts.
pub(super) async fn verify(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    let report = door.report(&id_in_path(id), &headers).await?;
    Ok(json(StatusCode::OK, &door.parts.reports.verify(report).await?))
}

/// The report with its texts, as `precis result --out` writes them.
pub(super) async fn zip(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    let report = door.report(&id_in_path(id), &headers).await?;
    let most = door.parts.limits.archive_bytes;
    let Some(bytes) = door.parts.reports.zip_report(report, most).await? else { return Err(too_large(most)) };
    let tag = format!("\"{}\"", sha256_hex(&bytes));
    let fields = [(ETAG, tag), (CONTENT_DISPOSITION, "attachment; filename=\"report.zip\"".to_owned())];
    Ok((fields, report_response("application/zip", bytes.into())).into_response())
}

fn too_large(most: u64) -> Problem {
    let detail = format!("the files of the report have more than {most} bytes together");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "archive_too_large", detail)
        .with_remedy("read the result, and each text with GET …/archive/{sha256}")
}

/// A text that the report names, and no other.
pub(super) async fn text(
    State(door): State<Arc<Door>>,
    place: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (id, hash) = place.map(|Path(place)| place).unwrap_or_default();
    let report = door.report(&id, &headers).await?;
    let text = report.data.as_ref().and_then(|data| of_report(data, &hash)).ok_or_else(unknown_text)?;
    match door.parts.content.get(&text).await {
        Ok(bytes) => Ok(report_response("text/plain; charset=utf-8", bytes)),
        Err(ContentError::Missing(_)) => Err(unknown_text()),
        Err(error) => Err(error.into()),
    }
}

/// The text with the hash `hex`, if a source of the report has it.
fn of_report(data: &ReportData, hex: &str) -> Option<ContentRef> {
    let named = format!("sha256:{hex}");
    let hashes = data.sources.iter().filter_map(|source| source.source_text_hash.as_deref());
    hashes.into_iter().find(|hash| *hash == named)?.parse().ok()
}

fn unknown_text() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "unknown_text", "the report of this session has no text with this hash")
        .with_remedy("`source_text_hash` in the sources of the result names its texts; a text is removed when its retention is over")
}

fn report_response(kind: &'static str, body: bytes::Bytes) -> Response {
    let fields = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "private, no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
    ];
    (StatusCode::OK, fields, body).into_response()
}

impl Door {
    /// The whole result of a session that ended with a report.
    ///
    /// # Errors
    /// 404, 409 if it has not ended or has no report, 503.
    async fn report(&self, id: &str, headers: &HeaderMap) -> Result<SessionResult, Problem> {
        let caller = self.caller(headers, TokenScope::Read)?;
        let record = self.session(&caller, id).await?;
        let content = &self.parts.content;
        let kept = content.get_named(RESULTS, record.session_id.as_str()).await?.ok_or_else(not_ended)?;
        let unreadable = |_| ContentError::Unavailable("the result cannot be parsed".to_owned());
        let mut response: SessionResult = serde_json::from_slice(&kept).map_err(unreadable)?;
        if let Some(whole) = &response.whole {
            response = serde_json::from_slice(&content.get(&whole.content_ref).await?).map_err(unreadable)?;
        }
        if response.data.is_none() {
            let problem = Problem::new(StatusCode::CONFLICT, "no_report", "the session ended without a report");
            return Err(problem.with_remedy("GET …/result says why"));
        }
        Ok(response)
    }
}
