//! Corpora in the content store: a manifest that names the files of an index, each by its hash. It never changes, so that every worker that
//! opens it searches the same, and a repeat gives the same hits.

use std::path::Path;

use bytes::Bytes;
use precis_corpus::{Corpus, CorpusError, Place, is_packed_name, packed, unpack};
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore};
use serde::{Deserialize, Serialize};

use super::Shelf;

/// Raised when the manifest changes its form.
const VERSION: u32 = 1;
/// Largest manifest that is read, and most bytes of all its files.
const MAX_MANIFEST_BYTES: usize = 64 << 20;
const MAX_BYTES: u64 = 16 << 30;

/// What names a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    /// Name of the folder, for readers.
    name: String,
    files: Vec<ManifestFile>,
}

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    name: String,
    content: ContentRef,
    bytes: u64,
}

/// Why a corpus is not there.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The content store does not give or take something.
    #[error("{0}")]
    Content(#[from] ContentError),
    /// What it gives is no corpus of this version.
    #[error("{0}")]
    Corpus(#[from] CorpusError),
    /// The manifest is none, or too large.
    #[error("the manifest of the corpus {0}")]
    Manifest(&'static str),
}

/// Puts the corpus at `place` into the content store, with the number of its files and bytes. What is there already is not written again.
///
/// # Errors
/// [`PublishedError`].
pub async fn publish(place: &Place, content: &ContentStore) -> Result<(ContentRef, usize, u64), PublishedError> {
    let here = place.clone();
    let files = tokio::task::spawn_blocking(move || packed(&here)).await;
    let files = files.map_err(|_| PublishedError::Manifest("could not be made"))??;
    let mut manifest = Manifest { version: VERSION, name: name_of(place.folder()), files: Vec::new() };
    for file in files {
        let path = file.path.clone();
        let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
        let gone = || CorpusError::Unusable("a file of it is gone; publish it again".to_owned());
        let bytes = read.ok().and_then(Result::ok).ok_or_else(gone)?;
        let size = bytes.len() as u64;
        let reference = content.put(Bytes::from(bytes)).await?;
        manifest.files.push(ManifestFile { name: file.name, content: reference, bytes: size });
    }
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let count = manifest.files.len();
    let json = serde_json::to_vec(&manifest).map_err(|_| PublishedError::Manifest("could not be made"))?;
    Ok((content.put(Bytes::from(json)).await?, count, bytes))
}

fn name_of(folder: &Path) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Opens the corpus of `manifest`, unpacked into `dir`, which is empty.
///
/// # Errors
/// [`PublishedError`].
pub(super) async fn open(manifest: &ContentRef, content: &ContentStore, dir: &Path) -> Result<Shelf, PublishedError> {
    let bytes = content.get(manifest).await?;
    if bytes.len() > MAX_MANIFEST_BYTES {
        return Err(PublishedError::Manifest("is too large"));
    }
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|_| PublishedError::Manifest("is none"))?;
    if manifest.version != VERSION || manifest.files.iter().any(|file| !is_packed_name(&file.name)) {
        return Err(PublishedError::Manifest("is one of another version"));
    }
    let total = manifest.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
    if total.is_none_or(|total| total > MAX_BYTES) {
        return Err(PublishedError::Manifest("names too many bytes"));
    }
    for file in &manifest.files {
        let bytes = content.get(&file.content).await?;
        let (dir, name) = (dir.to_owned(), file.name.clone());
        let written = tokio::task::spawn_blocking(move || unpack(&dir, &name, &bytes)).await;
        written.map_err(|_| PublishedError::Manifest("could not be unpacked"))??;
    }
    let place = Place::unpacked(dir);
    let opened = tokio::task::spawn_blocking(move || Corpus::open(&place)).await;
    let corpus = opened.map_err(|_| PublishedError::Manifest("could not be opened"))??;
    Ok(Shelf { name: manifest.name, corpus, _unpacked: None })
}
