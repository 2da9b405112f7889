//! The archive: canonical texts kept under their hash, so that a report can be verified later.
//!
//! `{place}/{source id, encoded}/{hash}.txt` holds a text, and `{hash}.json` next to it its sidecar. The place is a directory, with
//! folders of mode 0700 and files of mode 0600, or a bucket; a file appears complete or not at all. Texts are opaque here; the caller
//! decides which are worth keeping.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `archived_text` | a text in the archive, and its sidecar |
//! | `directory` | an archive in a directory |
//! | `objects` | an archive in an object store |

mod archived_text;
mod directory;
mod objects;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use precis_proto::ids::sha256_hex;
use precis_proto::source::{ContentRef, Source, SourceText};
use precis_proto::{Block, DocumentFormat, SourceId, Timestamp};

use archived_text::check_hash;
use directory::Inode;
use objects::Objects;

use crate::content::{ContentError, ContentStore};

pub use archived_text::{ArchivedText, MAX_TEXT_BYTES, Sidecar};

/// Longest encoded id that becomes a directory name unhashed; file systems allow 255 bytes.
const MAX_NAME_BYTES: usize = 150;

/// The folder of researchers' raw notes, which are not the text of a source and are never cited.
pub const NOTES: &str = "research-notes";

/// The archived texts of one place.
#[derive(Debug, Clone)]
pub struct Archive {
    place: ArchiveBackend,
    /// Why nothing can be put, if that is known.
    closed: Option<String>,
    /// The store of a fleet that the place is part of: nothing is put while that store is not there.
    content: Option<ContentStore>,
    /// What a directory was when it was opened; nothing is put into another one in its place.
    opened: Option<Inode>,
}

/// Why a text could not be archived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The content store that the archive is part of is away or full, which passes.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// It does not match its hash, or cannot be written.
    #[error("{0}")]
    Unwritable(String),
}

#[derive(Debug, Clone)]
enum ArchiveBackend {
    Directory(PathBuf),
    Objects(Objects),
}

impl Archive {
    /// Opens the archive at `place`: a directory, created for its owner only if missing (an existing one keeps its permissions), or
    /// `s3://bucket/prefix`, without connecting. Blocks; for startup.
    ///
    /// # Errors
    /// The directory cannot be created or written to, or the address is not that of a usable bucket.
    pub fn open(place: PathBuf) -> io::Result<Self> {
        let place = ArchiveBackend::from_place(place)?;
        let opened = match &place {
            ArchiveBackend::Directory(dir) => Some(directory::open(dir)?),
            ArchiveBackend::Objects(_) => None,
        };
        Ok(Self { place, closed: None, content: None, opened })
    }

    /// The archive at `place`, which is in the place of `content`, the store of a fleet: it is there if the store is. Creates nothing yet.
    ///
    /// # Errors
    /// The address is not that of a usable bucket.
    pub fn within(content: ContentStore, place: PathBuf) -> io::Result<Self> {
        Ok(Self { place: ArchiveBackend::from_place(place)?, closed: None, content: Some(content), opened: None })
    }

    /// Opens the archive at `place`. If that fails, returns an archive that refuses every put with the reason, so that sessions
    /// continue without one.
    #[must_use]
    pub fn open_or_closed(place: PathBuf) -> Self {
        match Self::open(place.clone()) {
            Ok(archive) => archive,
            Err(error) => {
                let closed = format!("cannot write to the archive {}: {error}", place.display());
                tracing::warn!(reason = closed, "archive unavailable; sessions continue without it");
                Self { place: ArchiveBackend::Directory(place), closed: Some(closed), content: None, opened: None }
            }
        }
    }

    /// Opens the archive at `place` for reading and cleaning; creates nothing.
    ///
    /// # Errors
    /// The address is not that of a usable bucket.
    pub fn reading(place: PathBuf) -> io::Result<Self> {
        Ok(Self {
            place: ArchiveBackend::from_place(place)?,
            closed: Some("the archive is open for reading only".to_owned()),
            content: None,
            opened: None,
        })
    }

    /// Whether texts may be put.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// Checks that a bucket accepts writes; a directory was checked when it was opened.
    ///
    /// # Errors
    /// The store's error.
    pub async fn probe(&self) -> io::Result<()> {
        match &self.place {
            ArchiveBackend::Directory(_) => Ok(()),
            ArchiveBackend::Objects(objects) => objects.probe().await,
        }
    }

    /// Lists the texts of a source, in no order; empty for an unknown source. A text whose sidecar cannot be read counts as old.
    ///
    /// # Errors
    /// The place cannot be listed.
    pub async fn texts_of(&self, source_id: &SourceId) -> io::Result<Vec<ArchivedText>> {
        let folder = encode_id(source_id);
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let dir = dir.join(folder);
                blocking(move || directory::list(&dir)).await
            }
            ArchiveBackend::Objects(objects) => objects.list(&folder).await,
        }
    }

    /// Keeps the text of `source` with its structure; `bytes` are the content of `text.content`. A text that exists already is kept as
    /// it is.
    ///
    /// # Errors
    /// [`ArchiveError`].
    pub async fn put(
        &self,
        source: &Source,
        text: &SourceText,
        bytes: &[u8],
        blocks: Vec<Block>,
        now: Timestamp,
    ) -> Result<(), ArchiveError> {
        self.check_open()?;
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
        let written = self.write(text.content.clone(), bytes.to_vec(), sidecar).await?;
        let unwritable = |reason| format!("cannot archive the text of {}: {reason}", source.source_id);
        written.map_err(|reason| ArchiveError::Unwritable(unwritable(reason)))
    }

    /// Keeps the raw notes `name` of a researcher under [`NOTES`]; notes that exist already are kept as they are.
    ///
    /// # Errors
    /// As [`Archive::put`].
    pub async fn put_notes(&self, name: &ContentRef, bytes: &[u8], now: Timestamp) -> Result<(), ArchiveError> {
        self.check_open()?;
        let source_id = SourceId::new(NOTES).map_err(|error| ArchiveError::Unwritable(error.to_string()))?;
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
        let written = self.write(name.clone(), bytes.to_vec(), sidecar).await?;
        written.map_err(|reason| ArchiveError::Unwritable(format!("cannot archive the raw notes {name}: {reason}")))
    }

    fn check_open(&self) -> Result<(), ArchiveError> {
        self.closed.clone().map_or(Ok(()), |reason| Err(ArchiveError::Unwritable(reason)))
    }

    /// The inner error is one of the text or of the place alone.
    async fn write(&self, name: ContentRef, bytes: Vec<u8>, sidecar: Sidecar) -> Result<io::Result<()>, ContentError> {
        let folder = encode_id(&sidecar.source_id);
        let bytes = match check_hash(&name, bytes) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error)),
        };
        match &self.place {
            ArchiveBackend::Directory(dir) => {
                let (dir, content, opened) = (dir.clone(), self.content.clone(), self.opened);
                let written = tokio::task::spawn_blocking(move || {
                    let write = |dir: &Path| directory::write(&dir.join(&folder), &name, &bytes, &sidecar);
                    // Through the store as it is now: a path may lead below a volume that was unmounted.
                    let inside = content.and_then(|content| {
                        content.inside(|root, store| {
                            let dir = root.join(dir.strip_prefix(store).map_err(io::Error::other)?);
                            directory::make(&dir)?;
                            write(&dir)
                        })
                    });
                    inside.unwrap_or_else(|| {
                        Ok(opened.map_or(Ok(()), |inode| directory::check(&dir, inode)).and_then(|()| write(&dir)))
                    })
                });
                written.await.unwrap_or_else(|error| Ok(Err(io::Error::other(error))))
            }
            ArchiveBackend::Objects(objects) => match objects.write(&folder, &name, bytes, &sidecar).await {
                Err(error) if self.content.is_some() => Err(ContentError::Unavailable(error.to_string())),
                written => Ok(written),
            },
        }
    }

    /// Returns the text of a source kept under `hex`, the 64 digits of its hash; `None` if there is none.
    ///
    /// # Errors
    /// `InvalidInput` if `hex` is not a hash, `InvalidData` if the bytes do not match it, or the error of reading.
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

    /// Removes texts last put more than `hours` before `now`; returns how many. Touches no file the archive did not write.
    ///
    /// # Errors
    /// The place cannot be listed, or a file cannot be removed.
    pub async fn remove_older_than(&self, hours: u64, now: Timestamp) -> io::Result<usize> {
        let age = Duration::from_secs(hours.saturating_mul(3_600));
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or(0));
        // A limit before the start of time removes nothing.
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
    /// Parses a place: a directory as a path or `file:///directory`, or a bucket as `s3://bucket/prefix`.
    fn from_place(place: PathBuf) -> io::Result<Self> {
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

/// Runs `work` on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Returns the directory name of a source: letters, digits, `_`, `-` and inner dots stay, every other byte becomes `%` and two
/// hexadecimal digits; a long name is cut and ends with `~` and its hash. Different ids have different names.
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
