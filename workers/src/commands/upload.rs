//! Documents of a submission: named in the request first, and uploaded once the request is within the limits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use precis_proto::SourceId;
use precis_proto::request::{RequestSource, ResearchRequest};
use precis_proto::source::{ContentRef, Quality};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::files::{FileLimits, Links, read_regular};

use crate::cli::exit::{CommandFailure, Exit};
use crate::input::source::{InputOrigin, InputSource};

/// The files of a request that are not uploaded yet, by the source they are.
#[derive(Debug, Default)]
pub(super) struct Uploads {
    files: BTreeMap<SourceId, PathBuf>,
    /// Largest file, in bytes.
    max_bytes: u64,
}

impl Uploads {
    /// Returns the files among `inputs`, each of which may have at most `max_bytes`.
    pub(super) fn of(inputs: &[InputSource], max_bytes: u64) -> Self {
        let file = |input: &InputSource| match &input.origin {
            InputOrigin::File { path, .. } => Some((input.source_id.clone(), path.clone())),
            InputOrigin::Url(_) => None,
        };
        Self { files: inputs.iter().filter_map(file).collect(), max_bytes }
    }

    /// What the files have together, in bytes, as far as it can be told now.
    pub(super) fn bytes(&self) -> u64 {
        self.files.values().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).sum()
    }

    /// Uploads the files, and names in `request` what was uploaded: a file may have changed since it was collected.
    ///
    /// # Errors
    /// [`Exit::Failed`] if a file cannot be read or uploaded; [`Exit::Unreachable`] if the content store is not there.
    pub(super) async fn put(
        &self,
        request: &mut ResearchRequest,
        content: &ContentStore,
    ) -> Result<(), CommandFailure> {
        for source in &mut request.sources {
            if let Some(path) = self.files.get(&source.source_id) {
                source.content_ref = Some(upload(path.clone(), content, self.max_bytes).await?);
            }
        }
        Ok(())
    }
}

/// Returns a document as a request names it.
pub(super) fn request_source(input: &InputSource) -> RequestSource {
    let (url, content_ref) = match &input.origin {
        InputOrigin::Url(url) => (Some(url.clone()), None),
        InputOrigin::File { content, .. } => (input.url.clone(), Some(content.clone())),
    };
    RequestSource {
        source_id: input.source_id.clone(),
        title: input.title.clone(),
        url,
        pdf_url: None,
        snippet: None,
        content: None,
        content_base64: None,
        content_ref,
        content_proof: None,
        content_type: input.content_type.clone(),
        quality: Quality::default(),
        published_at: None,
        protected: false,
    }
}

async fn upload(path: PathBuf, content: &ContentStore, max_bytes: u64) -> Result<ContentRef, CommandFailure> {
    let shown = path.display().to_string();
    let failure = |exit, e: String| CommandFailure::new(exit, "upload_failed", format!("upload {shown}: {e}"));
    let failed = |e: String| failure(Exit::Failed, e);
    // Links are refused when collecting and again here: a file swapped for a link in between must not be uploaded.
    let read = tokio::task::spawn_blocking(move || read_regular(&path, Links::Refused, FileLimits::bytes(max_bytes)));
    let bytes = read.await.map_err(|e| failed(e.to_string()))?.map_err(|e| failed(e.to_string()))?;
    content.put(Bytes::from(bytes)).await.map_err(|e| match e {
        ContentError::Unavailable(_) => failure(Exit::Unreachable, e.to_string()),
        ContentError::Missing(_) | ContentError::Corrupt(_) | ContentError::TooLarge { .. } | ContentError::Full(_) => {
            failed(e.to_string())
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::input::collect;

    #[tokio::test]
    async fn a_file_is_uploaded_to_the_limit_of_its_collection() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().canonicalize().expect("there").join("a.txt");
        std::fs::write(&path, "four").expect("written");
        let collected =
            collect(std::slice::from_ref(&path), &[], 4, None, &CancellationToken::new()).expect("collected");
        let content = ContentStore::in_memory();
        for (limit, is_uploaded) in [(3, false), (4, true), (5, true)] {
            let mut request = ResearchRequest {
                schema_version: 2,
                session_id: precis_proto::SessionId::new("s").expect("an id"),
                query: "q".to_owned(),
                sources: collected.sources.iter().map(request_source).collect(),
                options: Default::default(),
            };
            let uploads = Uploads::of(&collected.sources, limit);
            assert_eq!(uploads.put(&mut request, &content).await.is_ok(), is_uploaded, "{limit}");
        }
    }
}
