//! A submission as a form (RFC 7578): the request, and then files, each of which becomes a source of it. A file is stored as it arrives, and
//! the request refers to it by its hash: sent again with the same key, it is the same request.

use std::error::Error;
use std::fmt;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use multer::{Field, Multipart};
use precis_proto::failure_code::FailureCode;
use precis_proto::request::{MAX_CONTENT_TYPE_BYTES, MAX_SOURCES, RequestSource, ResearchRequest};
use precis_proto::source::Quality;
use precis_proto::{SessionId, SourceId};

use super::{file_name, request_body};
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;
use crate::reading;

/// Name of the part that is the request.
const REQUEST: &str = "request";
/// What senders call bytes that they know nothing of.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// Returns the text between the parts of a form; `None` if the body is no form.
///
/// # Errors
/// 400 for a form without one.
pub(super) fn boundary(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("multipart/form-data") {
        return Ok(None);
    }
    let boundary = multer::parse_boundary(given);
    boundary.map(Some).map_err(|_| malformed_form("the Content-Type of a form must have a boundary"))
}

/// Reads the form of the session `id` in `body`, and stores its files for `caller`. Returns the request with its files as sources, not checked
/// otherwise, and the size of the request alone.
///
/// # Errors
/// 400, 408, 413, 422, 429, 503.
pub(super) async fn read(
    door: &Door,
    caller: &Caller,
    id: &SessionId,
    body: Body,
    boundary: String,
) -> Result<(ResearchRequest, u64), Problem> {
    let limits = door.parts.limits;
    let paced = reading::body_parts(body, limits.request_bytes, limits).map_err(Broken);
    let mut form = Multipart::new(paced, boundary);
    let mut first = form.next_field().await.map_err(fault)?.ok_or_else(|| no_request("the form has no parts"))?;
    if first.name() != Some(REQUEST) {
        return Err(no_request("the first part of the form must have the name `request`"));
    }
    let json = whole(&mut first).await?;
    drop(first);
    let mut request = request_body::parse_request(&json, id)?;
    while let Some(mut file) = form.next_field().await.map_err(fault)? {
        let name = file_name::check_name(file.file_name())?.to_owned();
        let Ok(source_id) = SourceId::new(name.as_str()) else { return Err(file_name::invalid()) };
        if request.sources.len() >= MAX_SOURCES {
            let detail = format!("a request must have at most {MAX_SOURCES} sources");
            let code = FailureCode::TooManySources.as_str();
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail).at("/sources"));
        }
        let content_type = content_type(&file);
        let bytes = whole(&mut file).await?;
        let (content_ref, content_proof) = door.store_document(caller, bytes).await?;
        request.sources.push(RequestSource {
            source_id,
            title: name,
            url: None,
            pdf_url: None,
            snippet: None,
            content: None,
            content_base64: None,
            content_ref: Some(content_ref),
            content_proof: Some(content_proof),
            content_type,
            quality: Quality::default(),
            published_at: None,
            protected: false,
        });
    }
    Ok((request, json.len() as u64))
}

/// The type of a file as far as its sender knows it.
fn content_type(file: &Field<'_>) -> Option<String> {
    let given = file.content_type().map(ToString::to_string);
    given.filter(|kind| kind != UNKNOWN_TYPE && kind.len() <= MAX_CONTENT_TYPE_BYTES)
}

/// Reads a part of a form whole.
///
/// # Errors
/// As [`fault`].
pub(super) async fn whole(field: &mut Field<'_>) -> Result<Bytes, Problem> {
    let mut read = BytesMut::new();
    while let Some(bytes) = field.chunk().await.map_err(fault)? {
        read.extend_from_slice(&bytes);
    }
    Ok(read.freeze())
}

/// Why a body cannot be read on, on its way through the reader of forms.
#[derive(Debug)]
pub(super) struct Broken(pub(super) Problem);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl Error for Broken {}

/// What is wrong with a form.
pub(super) fn fault(error: multer::Error) -> Problem {
    match error {
        multer::Error::StreamReadFailed(error) => match error.downcast::<Broken>() {
            Ok(broken) => broken.0,
            Err(_) => malformed_form("the form cannot be read"),
        },
        multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders
        | multer::Error::IncompleteStream => {
            Problem::invalid("incomplete_body", "the body ended before the end of the form")
        }
        // Without the words of the reader, which may repeat what was sent.
        _ => malformed_form("the form cannot be read: its parts or their heads are not well-formed"),
    }
}

fn malformed_form(detail: &str) -> Problem {
    Problem::invalid("malformed_form", detail)
}

fn no_request(detail: &str) -> Problem {
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, FailureCode::MalformedRequest.as_str(), detail);
    problem.with_remedy("send the request first, as a part with the name `request`, and then the files: curl -F request=@request.json -F file=@paper.pdf")
}
