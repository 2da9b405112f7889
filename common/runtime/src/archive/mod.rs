//! The archive: canonical texts kept under their hash, so that a report can be proved later.
//!
//! `{place}/{source id, encoded}/{hash}.txt` holds a text and `{hash}.json` beside it what it was. The place is a directory, whose
//! folders are 0700 and files 0600, or a bucket; a file appears whole or not at all. What a text says, and which are worth
//! keeping, is not known here.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `archived_text` | a text in the archive, and what lies beside it |
//! | `directory` | an archive in a directory |
//! | `objects` | an archive in an object store |

mod archived_text;
mod directory;
mod objects;

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use precis_proto::ids::sha256_hex;
use precis_proto::source::{ContentRef, Source, SourceText};
use precis_proto::{Block, DocumentFormat, SourceId, Timestamp};

use archived_text::checked;
use objects::Objects;

pub use archived_text::{ArchivedText, MAX_TEXT_BYTES, Sidecar};

/// Longest encoded id that becomes a directory name as it is; file systems take 255 bytes.
const MAX_NAME_BYTES: usize = 150;

/// The folder of what researchers noted: no text of a source, and cited by nothing.
pub const NOTES: &str = "research-notes";

/// Archived texts in one place.
#[derive(Debug, Clone)]
pub struct Archive {
    place: ArchiveBackend,
    /// Why nothing can be put here, where that is known already.
    closed: Option<String>,
}

#[derive(Debug, Clone)]
enum ArchiveBackend {
    Directory(PathBuf),
    Objects(Objects),
}

impl Archive {
    /// Opens the archive at `place`: a directory, which is created for its owner alone where it is missing and keeps its permissions
    /// where it is not, or `s3://bucket/prefix`, to which nobody connects yet. Blocking: for startup.
    ///
    /// # Errors
    /// The directory cannot be created or written to; the address names no bucket that can be used.
    pub fn open(place: PathBuf) -> io::Result<Self> {
        let place = ArchiveBackend::named(place)?;
        if let ArchiveBackend::Directory(dir) = &place {
            directory::open(dir)?;
        }
        Ok(Self { place, closed: None })
    }

    /// Opens the archive at `place`; where that fails, an archive that takes nothing and says why, so that sessions go on without
    /// one.
    #[must_use]
    pub fn open_or_closed(place: PathBuf) -> Self {
        match Self::open(place.clone()) {
            Ok(archive) => archive,
            Err(error) => {
                let closed = format!("the archive {} cannot be written: {error}", place.display());
                tracing::warn!(reason = closed, "sessions go on without an archive");
                Self { place: ArchiveBackend::Directory(place), closed: Some(closed) }
            }
        }
    }

    /// The archive at `place` for reading and cleaning: nothing is made.
    ///
    /// # Errors
    /// The address names no bucket that can be used.
    pub fn reading(place: PathBuf) -> io::Result<Self> {
        Ok(Self { place: ArchiveBackend::named(place)?, closed: Some("it is open for reading".to_owned()) })
    }

    /// Whether texts may be put here.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// Whether a bucket takes and gives; a directory was tried when it was opened.
    ///
    /// # Errors
    /// What the store says.
    pub async fn probe(&self) -> io::Result<()> {
        match &self.place {
            ArchiveBackend::Directory(_) => Ok(()),
            ArchiveBackend::Objects(objects) => objects.probe().await,
        }
    }

    /// The texts of a source, in no order; none where the archive has never heard of it. A sidecar that cannot be read says only
    /// that its text is old.
    ///
    /// # Errors
    /// The place cannot be listed.
    pub async fn filed(&self, source_id: &SourceId) -> io::Result<Vec<ArchivedText>> {
        let folder = encode_id(source_id);
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let dir = dir.join(folder);
                blocking(move || directory::list(&dir)).await
            }
            ArchiveBackend::Objects(objects) => objects.list(&folder).await,
        }
    }

    /// Keeps the text of `source` with its structure; `bytes` are what `text.content` names. A text that is there already stays as it
    /// is.
    ///
    /// # Errors
    /// In words: `bytes` are not what they are said to be, or a file cannot be written.
    pub async fn put(
        &self,
        source: &Source,
        text: &SourceText,
        bytes: &[u8],
        blocks: Vec<Block>,
        now: Timestamp,
    ) -> Result<(), String> {
        if let Some(reason) = &self.closed {
            return Err(reason.clone());
        }
        let sidecar = Sidecar {
            source_id: source.source_id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            content_type: source.content_type.clone(),
            original_sha256: source.original().cloned(),
            chars: text.chars,
            pages: text.pages,
            archived_at: now,
            blocks,
        };
        let written = self.write(text.content.clone(), bytes.to_vec(), sidecar).await;
        written.map_err(|reason| format!("archive the text of {}: {reason}", source.source_id))
    }

    /// Keeps the raw notes `name` of a researcher, under [`NOTES`]; notes that are there already stay as they are.
    ///
    /// # Errors
    /// As [`Archive::put`].
    pub async fn put_notes(&self, name: &ContentRef, bytes: &[u8], now: Timestamp) -> Result<(), String> {
        if let Some(reason) = &self.closed {
            return Err(reason.clone());
        }
        let source_id = SourceId::new(NOTES).map_err(|error| error.to_string())?;
        let sidecar = Sidecar {
            source_id,
            title: "Raw notes of a researcher".to_owned(),
            url: None,
            content_type: Some(DocumentFormat::PlainText.mime().to_owned()),
            original_sha256: None,
            chars: String::from_utf8_lossy(bytes).chars().count() as u64,
            pages: 0,
            archived_at: now,
            blocks: Vec::new(),
        };
        let written = self.write(name.clone(), bytes.to_vec(), sidecar).await;
        written.map_err(|reason| format!("archive the raw notes {name}: {reason}"))
    }

    async fn write(&self, name: ContentRef, bytes: Vec<u8>, sidecar: Sidecar) -> io::Result<()> {
        let folder = encode_id(&sidecar.source_id);
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let dir = dir.join(folder);
                blocking(move || directory::write(&dir, &name, &checked(&name, bytes)?, &sidecar)).await
            }
            ArchiveBackend::Objects(objects) => objects.write(&folder, &name, checked(&name, bytes)?, &sidecar).await,
        }
    }

    /// The text of a source kept under `hex`, the 64 digits of its hash; `None` where there is none.
    ///
    /// # Errors
    /// `InvalidInput` where `hex` is no hash, `InvalidData` where the bytes are not what their name says, or what reading
    /// gives.
    pub async fn get(&self, source_id: &SourceId, hex: &str) -> io::Result<Option<Vec<u8>>> {
        let name: ContentRef =
            format!("sha256:{hex}").parse().map_err(|e| io::Error::new(ErrorKind::InvalidInput, e))?;
        let folder = encode_id(source_id);
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let dir = dir.join(folder);
                blocking(move || directory::read(&dir, &name)).await
            }
            ArchiveBackend::Objects(objects) => objects.read(&folder, &name).await,
        }
    }

    /// Removes texts last put here more than `hours` before `now`, and returns how many. Touches no file it did not name.
    ///
    /// # Errors
    /// The place cannot be listed, or a file cannot be removed.
    pub async fn remove_older_than(&self, hours: u64, now: Timestamp) -> io::Result<usize> {
        let age = Duration::from_secs(hours.saturating_mul(3_600));
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or(0));
        // A limit before all time removes nothing.
        let Some(limit) = now.checked_sub(age) else { return Ok(0) };
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let dir = dir.clone();
                blocking(move || directory::remove_before(&dir, limit)).await
            }
            ArchiveBackend::Objects(objects) => objects.remove_before(limit).await,
        }
    }
}

impl ArchiveBackend {
    /// A directory by its path or as `file:///directory`, or a bucket as `s3://bucket/prefix`.
    fn named(place: PathBuf) -> io::Result<Self> {
        let url = place.to_str().filter(|text| text.contains("://")).and_then(|text| url::Url::parse(text).ok());
        let Some(url) = url else { return Ok(Self::Directory(place)) };
        match url.scheme() {
            "file" => {
                let refused = |()| io::Error::new(ErrorKind::InvalidInput, "a file URL with a host");
                url.to_file_path().map(Self::Directory).map_err(refused)
            }
            _ => Objects::open(url.as_str()).map(Self::Objects),
        }
    }
}

/// Runs `work` where it may wait for a disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// The directory name of a source: letters, digits, `_`, `-` and inner dots stay, every other byte becomes `%` and two
/// hexadecimal digits; a long one is cut and closed with `~` and its hash. Different ids have different names.
#[must_use]
pub fn encode_id(id: &SourceId) -> String {
    let bytes = id.as_str().as_bytes();
    let mut name = String::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        let is_inner = at > 0 && at + 1 < bytes.len();
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => name.push(char::from(*byte)),
            b'.' if is_inner => name.push('.'),
            other => name.push_str(&format!("%{other:02X}")),
        }
    }
    if name.len() > MAX_NAME_BYTES {
        name.truncate(MAX_NAME_BYTES - 65);
        name.push('~');
        name.push_str(&sha256_hex(bytes));
    }
    name
}

#[cfg(test)]
mod tests;
