//! The files of a body that adds some: as a form (RFC 7578), or as JSON that names documents which the tenant stored before.

use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use multer::Multipart;
use precis_proto::failure_code::FailureCode;
use precis_proto::source::{CONTENT_PROOF_CHARS, ContentRef};
use precis_runtime::collections::CollectionFile;
use precis_runtime::content::ContentError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{file_name, form, json_body};
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;
use crate::reading;

/// Files of a form that are counted and stored together, at most, and their bytes, after which no more are read before. Chosen: a file of a
/// few kilobytes is read in less time than a disk takes to make it durable.
const MAX_TOGETHER: usize = 64;
const MAX_TOGETHER_BYTES: usize = 4 * 1_024 * 1_024;
/// Files that are made durable at once: a disk does that for many in the time of one.
const AT_ONCE: usize = 16;

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
    let (mut files, mut waiting) = (Vec::new(), Together::default());
    while let Some(mut part) = form.next_field().await.map_err(form::fault)? {
        check_count(files.len() + waiting.files.len() + 1, limits.added_files)?;
        let name = file_name::check_name(part.file_name())?.to_owned();
        waiting.add(name, form::whole(&mut part).await?);
        if waiting.is_full() {
            files.extend(store(door, caller, std::mem::take(&mut waiting)).await?);
        }
    }
    files.extend(store(door, caller, waiting).await?);
    some(files)
}

/// Files that are stored together.
#[derive(Debug, Default)]
struct Together {
    files: Vec<(String, Bytes)>,
    bytes: usize,
}

impl Together {
    fn add(&mut self, name: String, bytes: Bytes) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        self.files.push((name, bytes));
    }

    /// Whether they are to be stored before more are read.
    fn is_full(&self) -> bool {
        self.files.len() >= MAX_TOGETHER || self.bytes >= MAX_TOGETHER_BYTES
    }
}

/// Stores files for `caller`; all are durable then, or it failed.
async fn store(door: &Door, caller: &Caller, together: Together) -> Result<Vec<CollectionFile>, Problem> {
    if together.files.is_empty() {
        return Ok(Vec::new());
    }
    // Counted before they are stored: a crash in between counts what is not there, and never the other way round.
    door.may_store(caller, together.bytes as u64, true).await?;
    let content = &door.parts.content;
    let stored = together.files.into_iter().map(async |(name, document)| {
        let bytes = document.len() as u64;
        let content = content.put(document).await?;
        Ok::<_, ContentError>(CollectionFile { name, content, bytes })
    });
    Ok(stream::iter(stored).buffered(AT_ONCE).try_collect().await?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_stored_together_up_to_a_number_and_a_size() {
        for (files, is_full) in [(MAX_TOGETHER - 1, false), (MAX_TOGETHER, true), (MAX_TOGETHER + 1, true)] {
            let mut together = Together::default();
            (0..files).for_each(|n| together.add(n.to_string(), Bytes::from_static(b"x")));
            assert_eq!(together.is_full(), is_full, "{files}");
        }
        for (bytes, is_full) in
            [(MAX_TOGETHER_BYTES - 1, false), (MAX_TOGETHER_BYTES, true), (MAX_TOGETHER_BYTES + 1, true)]
        {
            let mut together = Together::default();
            together.add("a".to_owned(), Bytes::from(vec![0; bytes]));
            assert_eq!(together.is_full(), is_full, "{bytes}");
        }
    }
}
