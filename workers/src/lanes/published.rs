//! Corpora in the content store: a manifest lists the files of an index by hash. It is immutable, so that every worker searches the same
//! index, and a repeat gives the same hits.

use std::path::Path;

use bytes::Bytes;
use precis_corpus::{Corpus, CorpusError, IndexPlace, is_packed_name, pack, unpack};
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore};
use serde::{Deserialize, Serialize};

use super::Shelf;

/// Version of the manifest format.
const VERSION: u32 = 1;
/// Largest manifest that is read, and largest total size of its files, in bytes.
const MAX_MANIFEST_BYTES: usize = 64 << 20;
const MAX_BYTES: u64 = 16 << 30;

/// The manifest of a corpus.
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

/// Why a corpus cannot be published or opened.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The content store failed.
    #[error("{0}")]
    Content(#[from] ContentError),
    /// The files are not a corpus of this version.
    #[error("{0}")]
    Corpus(#[from] CorpusError),
    /// The manifest is invalid or too large.
    #[error("the manifest of the corpus {0}")]
    Manifest(&'static str),
}

/// A corpus that was put into the content store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedCorpus {
    /// Its manifest, by which requests name it.
    pub manifest: ContentRef,
    /// Its files.
    pub files: Vec<ContentRef>,
    /// Their size together, in bytes.
    pub bytes: u64,
}

/// Puts the corpus at `place` into the content store; returns its manifest's hash and the numbers of its files and bytes. Content that is
/// already stored is not written again.
///
/// # Errors
/// [`PublishedError`].
pub async fn publish(place: &IndexPlace, content: &ContentStore) -> Result<(ContentRef, usize, u64), PublishedError> {
    let published = publish_corpus(place, content).await?;
    Ok((published.manifest, published.files.len(), published.bytes))
}

/// As [`publish`], with what it put.
///
/// # Errors
/// [`PublishedError`].
pub async fn publish_corpus(place: &IndexPlace, content: &ContentStore) -> Result<PublishedCorpus, PublishedError> {
    let here = place.clone();
    let files = tokio::task::spawn_blocking(move || pack(&here)).await;
    let files = files.map_err(|_| PublishedError::Manifest("could not be created"))??;
    let mut manifest = Manifest { version: VERSION, name: name_of(place.folder()), files: Vec::new() };
    for file in files {
        let path = file.path.clone();
        #[expect(clippy::disallowed_methods, reason = "this program wrote it, in a folder of its own")]
        let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
        let gone = || CorpusError::Unusable("one of its files is missing; publish it again".to_owned());
        let bytes = read.ok().and_then(Result::ok).ok_or_else(gone)?;
        let size = bytes.len() as u64;
        let reference = content.put(Bytes::from(bytes)).await?;
        manifest.files.push(ManifestFile { name: file.name, content: reference, bytes: size });
    }
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let files = manifest.files.iter().map(|file| file.content.clone()).collect();
    let json = serde_json::to_vec(&manifest).map_err(|_| PublishedError::Manifest("could not be created"))?;
    // The manifest comes last: all the files it lists are in the store by then.
    Ok(PublishedCorpus { manifest: content.put(Bytes::from(json)).await?, files, bytes })
}

fn name_of(folder: &Path) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Parses a manifest and checks its limits.
fn read(bytes: &[u8]) -> Result<Manifest, PublishedError> {
    if bytes.len() > MAX_MANIFEST_BYTES {
        return Err(PublishedError::Manifest("is too large"));
    }
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|_| PublishedError::Manifest("is not valid"))?;
    if manifest.version != VERSION {
        return Err(PublishedError::Manifest("has a version that this program does not read"));
    }
    // The names are untrusted: one that leads out of the directory would overwrite other files.
    if manifest.files.iter().any(|file| !is_packed_name(&file.name)) {
        return Err(PublishedError::Manifest("has a file name that leads out of its directory"));
    }
    // Checked addition: the sizes are declared by the manifest, and a sum that wraps around would pass the limit.
    let total = manifest.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
    if total.is_none_or(|total| total > MAX_BYTES) {
        return Err(PublishedError::Manifest("lists too many bytes"));
    }
    Ok(manifest)
}

/// Opens the corpus of `manifest`, unpacked into `dir`, which is empty.
///
/// # Errors
/// [`PublishedError`].
pub(super) async fn open(manifest: &ContentRef, content: &ContentStore, dir: &Path) -> Result<Shelf, PublishedError> {
    let name = unpack_into(manifest, content, dir).await?;
    let place = IndexPlace::from_unpacked(dir);
    let opened = tokio::task::spawn_blocking(move || Corpus::open(&place)).await;
    let corpus = opened.map_err(|_| PublishedError::Manifest("could not be opened"))??;
    Ok(Shelf { name, corpus, _unpacked: None })
}

/// Writes the files of the corpus of `manifest` to `dir`, which is empty or not there; returns its name.
///
/// # Errors
/// [`PublishedError`].
pub async fn unpack_into(manifest: &ContentRef, content: &ContentStore, dir: &Path) -> Result<String, PublishedError> {
    let bytes = content.get(manifest).await?;
    let manifest = read(&bytes)?;
    for file in &manifest.files {
        let bytes = content.get(&file.content).await?;
        // Check the actual size: the limit above was checked against the declared sizes.
        if bytes.len() as u64 != file.bytes {
            return Err(PublishedError::Manifest("declares a wrong size for a file"));
        }
        let (dir, name) = (dir.to_owned(), file.name.clone());
        let written = tokio::task::spawn_blocking(move || unpack(&dir, &name, &bytes)).await;
        written.map_err(|_| PublishedError::Manifest("could not be unpacked"))??;
    }
    Ok(manifest.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, bytes: u64, spaces: usize) -> Vec<u8> {
        let content = ContentRef::from_bytes(b"x");
        let json = serde_json::json!({ "version": VERSION, "name": "n", "files": [{ "name": name, "content": content, "bytes": bytes }] });
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().max(spaces), b' ');
        text
    }

    #[test]
    fn a_manifest_is_read_within_its_limits() {
        for (name, bytes, spaces, want) in [
            ("table.bin", MAX_BYTES - 1, 0, None),
            ("table.bin", MAX_BYTES, 0, None),
            ("table.bin", MAX_BYTES + 1, 0, Some("lists too many bytes")),
            ("table.bin", 1, MAX_MANIFEST_BYTES - 1, None),
            ("table.bin", 1, MAX_MANIFEST_BYTES, None),
            ("table.bin", 1, MAX_MANIFEST_BYTES + 1, Some("is too large")),
            ("../table.bin", 1, 0, Some("has a file name that leads out of its directory")),
        ] {
            let said = read(&manifest(name, bytes, spaces)).err().map(|error| error.to_string());
            assert_eq!(said, want.map(|want| format!("the manifest of the corpus {want}")), "{name} {bytes} {spaces}");
        }
        let other =
            String::from_utf8(manifest("table.bin", 1, 0)).expect("JSON").replace("\"version\":1", "\"version\":2");
        let said = read(other.as_bytes()).err().map(|error| error.to_string());
        assert_eq!(said.as_deref(), Some("the manifest of the corpus has a version that this program does not read"));
        assert!(read(b"{}").is_err());
    }

    #[tokio::test]
    async fn a_file_of_another_size_than_its_manifest_says_is_refused() {
        let content = ContentStore::in_memory();
        let file = content.put(Bytes::from_static(b"four")).await.expect("in memory");
        for (bytes, is_of_size) in [(3, false), (4, true), (5, false)] {
            let files = vec![ManifestFile { name: "table.bin".to_owned(), content: file.clone(), bytes }];
            let json = serde_json::to_vec(&Manifest { version: VERSION, name: "n".to_owned(), files }).expect("plain");
            let manifest = content.put(Bytes::from(json)).await.expect("in memory");
            let dir = tempfile::tempdir().expect("a directory");
            let said = open(&manifest, &content, dir.path()).await.expect_err("it is no index").to_string();
            assert_eq!(!said.contains("wrong size"), is_of_size, "{bytes}: {said}");
        }
    }
}
