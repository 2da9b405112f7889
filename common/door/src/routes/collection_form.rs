//! The files of a body that adds some: as a form (RFC 7578), or as JSON that names documents which the tenant stored before.

use axum::body::Body;
use axum::http::StatusCode;
use futures_util::TryStreamExt;
use multer::Multipart;
use precis_proto::failure_code::FailureCode;
use precis_proto::source::{CONTENT_PROOF_CHARS, ContentRef};
use precis_runtime::collections::CollectionFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{file_name, form, json_body};
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;
use crate::reading;

/// Files to add, stored before with `PUT /v1/content/{sha256}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFiles {
    /// The files; each takes the place of one with the same name.
    pub files: Vec<NewFile>,
}

/// A file to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFile {
    /// Its name, without folders; its extension tells what it is where its bytes do not.
    pub name: String,
    /// The `content_ref` of the answer to its `PUT`.
    pub content_ref: ContentRef,
    /// The `content_proof` of that answer.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    pub content_proof: String,
}

/// Reads a form, and stores its files for `caller`.
///
/// # Errors
/// 400, 408, 413, 422, 429, 503.
pub(super) async fn read(
    door: &Door,
    caller: &Caller,
    body: Body,
    boundary: String,
) -> Result<Vec<CollectionFile>, Problem> {
    let limits = door.parts.limits;
    let paced = reading::body_parts(body, limits.request_bytes, limits).map_err(form::Broken);
    let mut form = Multipart::new(paced, boundary);
    let mut files = Vec::new();
    while let Some(mut part) = form.next_field().await.map_err(form::fault)? {
        check_count(files.len() + 1, limits.added_files)?;
        let name = file_name::check_name(part.file_name())?.to_owned();
        let bytes = form::whole(&mut part).await?;
        let size = bytes.len() as u64;
        let (content, _) = door.store_document(caller, bytes).await?;
        files.push(CollectionFile { name, content, bytes: size });
    }
    some(files)
}

/// Reads JSON that names documents, and renews their retention: from the next version on they stand.
///
/// # Errors
/// 400, 422, 503.
pub(super) async fn read_named_files(
    door: &Door,
    caller: &Caller,
    body: &[u8],
) -> Result<Vec<CollectionFile>, Problem> {
    let NewFiles { files: asked } = json_body::parse_body(body)?;
    check_count(asked.len(), door.parts.limits.added_files)?;
    let tenant = caller.tenant.as_deref().unwrap_or_default();
    let content = &door.parts.content;
    let mut files = Vec::new();
    for (place, file) in asked.into_iter().enumerate() {
        let at = |field: &str| format!("/files/{place}/{field}");
        file_name::check_name(Some(&file.name)).map_err(|problem| problem.at(at("name")))?;
        // The hash of a text is in every report that uses it, so knowing it proves nothing.
        if !content.proves(tenant, &file.content_ref, &file.content_proof).await? {
            let detail = "content_proof does not match this content and tenant";
            let code = FailureCode::ContentNotProved.as_str();
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
                .at(at("content_proof"))
                .with_remedy(
                    "store the document with PUT /v1/content/{sha256}, and send the content_proof of its answer",
                ));
        }
        let bytes = match content.get(&file.content_ref).await {
            Ok(bytes) => bytes,
            Err(error) if error.is_outage() => return Err(error.into()),
            Err(_) => return Err(gone_problem().at(at("content_ref"))),
        };
        let size = bytes.len() as u64;
        content.put(bytes).await?;
        files.push(CollectionFile { name: file.name, content: file.content_ref, bytes: size });
    }
    some(files)
}

fn gone_problem() -> Problem {
    let detail = "the document is not in the content store any more";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_content", detail)
        .with_remedy("store it again with PUT /v1/content/{sha256}")
}

fn some(files: Vec<CollectionFile>) -> Result<Vec<CollectionFile>, Problem> {
    if files.is_empty() {
        let detail = "the body has no files";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, FailureCode::MalformedRequest.as_str(), detail)
            .with_remedy("send each file as a part of a form: curl -F file=@paper.pdf -F file=@minutes.docx"));
    }
    Ok(files)
}

fn check_count(files: usize, most: usize) -> Result<(), Problem> {
    if files <= most {
        return Ok(());
    }
    let detail = format!("one body may add at most {most} files");
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_files", detail)
        .with_remedy("send the files in several bodies"))
}
