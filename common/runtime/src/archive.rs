//! The archive: canonical texts kept under their hash, so that a report can be proved later.
//!
//! `{dir}/{source id, encoded}/{hash}.txt` holds a text and `{hash}.json` beside it what it was. Directories are 0700, files
//! 0600; a file appears whole or not at all. What a text says, and which are worth keeping, is not known here.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use precis_proto::ids::sha256_hex;
use precis_proto::source::{ContentRef, Source, SourceText};
use precis_proto::{SourceId, Timestamp};
use serde::{Deserialize, Serialize};

const PRIVATE_DIR: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
/// Longest encoded id that becomes a directory name as it is; file systems take 255 bytes.
const MAX_NAME_BYTES: usize = 150;

/// A directory of archived texts.
#[derive(Debug, Clone)]
pub struct Archive {
    dir: PathBuf,
    /// Why nothing can be put here, where that is known already.
    closed: Option<String>,
}

/// A text that lies in the archive, by the 64 digits of its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// The digits; what the file holds is proved when it is read.
    pub hex: String,
    /// When it was last put here.
    pub archived_at: Timestamp,
}

/// What lies beside an archived text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The source it is the text of.
    pub source_id: SourceId,
    /// For readers.
    pub title: String,
    /// Where a reader finds the original.
    pub url: Option<String>,
    /// What the original was.
    pub content_type: Option<String>,
    /// Characters of the text.
    pub chars: u64,
    /// Pages marked in the text; 0 where it has none.
    pub pages: u32,
    /// When it was last put here.
    pub archived_at: Timestamp,
}

impl Archive {
    /// Opens `dir`, which is created where it is missing and made private where it is not. Blocking: for startup.
    ///
    /// # Errors
    /// `dir` cannot be created, made private or written to.
    pub fn open(dir: PathBuf) -> io::Result<Self> {
        private_dir(&dir)?;
        let probe = temporary(&dir, "probe");
        private_file(&probe, b"")?;
        fs::remove_file(probe)?;
        Ok(Self { dir, closed: None })
    }

    /// Opens `dir`; where that fails, an archive that takes nothing and says why, so that sessions go on without one.
    #[must_use]
    pub fn open_or_closed(dir: PathBuf) -> Self {
        match Self::open(dir.clone()) {
            Ok(archive) => archive,
            Err(error) => {
                let closed = format!("the archive {} cannot be written: {error}", dir.display());
                tracing::warn!(reason = closed, "sessions go on without an archive");
                Self { dir, closed: Some(closed) }
            }
        }
    }

    /// The archive in `dir` for reading and cleaning: nothing is made.
    #[must_use]
    pub fn reading(dir: PathBuf) -> Self {
        Self { dir, closed: Some("it is open for reading".to_owned()) }
    }

    /// Whether texts may be put here.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// The texts of a source, in no order; none where the archive has never heard of it. A sidecar that cannot be read says only
    /// that its text is old.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub async fn filed(&self, source_id: &SourceId) -> io::Result<Vec<Filed>> {
        let dir = self.dir.join(encode_id(source_id));
        tokio::task::spawn_blocking(move || list(&dir)).await.map_err(io::Error::other)?
    }

    /// Keeps the text of `source`; `bytes` are what `text.content` names. A text that is there already stays as it is.
    ///
    /// # Errors
    /// In words: `bytes` are not what they are said to be, or a file cannot be written.
    pub async fn put(&self, source: &Source, text: &SourceText, bytes: &[u8], now: Timestamp) -> Result<(), String> {
        let dir = self.dir.join(encode_id(&source.source_id));
        let name = text.content.clone();
        let sidecar = Sidecar {
            source_id: source.source_id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            content_type: source.content_type.clone(),
            chars: text.chars,
            pages: text.pages,
            archived_at: now,
        };
        let failed = |reason: String| format!("archive the text of {}: {reason}", source.source_id);
        if let Some(reason) = &self.closed {
            return Err(reason.clone());
        }
        let bytes = bytes.to_vec();
        let work = move || write_both(&dir, &name, &bytes, &sidecar);
        let written = tokio::task::spawn_blocking(work).await.map_err(|e| failed(e.to_string()))?;
        written.map_err(|e| failed(e.to_string()))
    }

    /// The text of a source kept under `hex`, the 64 digits of its hash; `None` where there is none.
    ///
    /// # Errors
    /// `InvalidInput` where `hex` is no hash, `InvalidData` where the bytes are not what their name says, or what reading
    /// gives.
    pub async fn get(&self, source_id: &SourceId, hex: &str) -> io::Result<Option<Vec<u8>>> {
        let name: ContentRef =
            format!("sha256:{hex}").parse().map_err(|e| io::Error::new(ErrorKind::InvalidInput, e))?;
        let dir = self.dir.join(encode_id(source_id));
        tokio::task::spawn_blocking(move || read_checked(&dir, &name)).await.map_err(io::Error::other)?
    }

    /// Removes texts last put here more than `hours` before `now`, and returns how many. Touches no file it did not name.
    ///
    /// # Errors
    /// The directory cannot be listed, or a file cannot be removed.
    pub async fn remove_older_than(&self, hours: u64, now: Timestamp) -> io::Result<usize> {
        let dir = self.dir.clone();
        let age = Duration::from_secs(hours.saturating_mul(3_600));
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or(0));
        // A limit before all time removes nothing.
        let Some(limit) = now.checked_sub(age) else { return Ok(0) };
        tokio::task::spawn_blocking(move || remove_before(&dir, limit)).await.map_err(io::Error::other)?
    }
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

fn write_both(dir: &Path, name: &ContentRef, bytes: &[u8], sidecar: &Sidecar) -> io::Result<()> {
    if ContentRef::of(bytes) != *name {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("its bytes are not {name}")));
    }
    private_dir(dir)?;
    // The sidecar first: its time is the age of both, and a text kept again must not look old.
    replace(&dir.join(format!("{}.json", name.hex())), &serde_json::to_vec_pretty(sidecar)?)?;
    match read_checked(dir, name) {
        Ok(Some(_)) => Ok(()),
        _ => replace(&text_path(dir, name), bytes),
    }
}

fn text_path(dir: &Path, name: &ContentRef) -> PathBuf {
    dir.join(format!("{}.txt", name.hex()))
}

fn read_checked(dir: &Path, name: &ContentRef) -> io::Result<Option<Vec<u8>>> {
    match fs::read(text_path(dir, name)) {
        Ok(bytes) if ContentRef::of(&bytes) == *name => Ok(Some(bytes)),
        Ok(_) => Err(io::Error::new(ErrorKind::InvalidData, format!("the archived text is not {name}"))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn list(dir: &Path) -> io::Result<Vec<Filed>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut filed = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let hex = name.strip_suffix(".txt").filter(|hex| format!("sha256:{hex}").parse::<ContentRef>().is_ok());
        if let Some(hex) = hex {
            let sidecar = fs::read(path.with_extension("json")).ok();
            let sidecar = sidecar.and_then(|bytes| serde_json::from_slice::<Sidecar>(&bytes).ok());
            let archived_at = sidecar.map_or(Timestamp(0), |sidecar| sidecar.archived_at);
            filed.push(Filed { hex: hex.to_owned(), archived_at });
        }
    }
    Ok(filed)
}

/// Creates `dir` for its owner alone, or takes the rights of others away.
fn private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(dir)?;
    if fs::metadata(dir)?.permissions().mode() & 0o777 != PRIVATE_DIR {
        fs::set_permissions(dir, Permissions::from_mode(PRIVATE_DIR))?;
    }
    Ok(())
}

/// Writes a file that is not there yet.
fn private_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Gives `path` its content in one step; whatever happens, nothing half-written has that name.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let new = temporary(dir, "new");
    private_file(&new, bytes).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// A name nobody else uses: process and count.
fn temporary(dir: &Path, what: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    dir.join(format!(".{what}-{}-{count}.tmp", std::process::id()))
}

fn remove_before(dir: &Path, limit: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for source in fs::read_dir(dir)? {
        let source = source?;
        if !source.file_type()?.is_dir() {
            continue;
        }
        for entry in fs::read_dir(source.path())? {
            let path = entry?.path();
            if is_sidecar(&path) && fs::symlink_metadata(&path)?.modified()? < limit {
                // The text first: a sidecar without its text is found again, a text without sidecar would stay for ever.
                remove_if_there(&path.with_extension("txt"))?;
                remove_if_there(&path)?;
                removed += 1;
            }
        }
        // Fails where something is left in it, and should.
        let _ = fs::remove_dir(source.path());
    }
    Ok(removed)
}

fn is_sidecar(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.strip_suffix(".json").is_some_and(|hex| format!("sha256:{hex}").parse::<ContentRef>().is_ok())
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;

    use precis_proto::source::{Origin, Quality};

    fn id(text: &str) -> SourceId {
        SourceId::new(text).expect("an id")
    }

    fn source(name: &str, text: &str) -> (Source, SourceText) {
        let content = ContentRef::of(text.as_bytes());
        let given = Source {
            source_id: id(name),
            title: "A title".to_owned(),
            url: None,
            origin: Origin::Content(content.clone()),
            content_type: Some("text/plain".to_owned()),
            quality: Quality::Medium,
            published_at: None,
            protected: false,
            relevance: 0.0,
            text: None,
            reduction: None,
            failure: None,
        };
        (given, SourceText { content, chars: text.chars().count() as u64, tokens: 1, pages: 2 })
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    fn now() -> Timestamp {
        let ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        Timestamp(i64::try_from(ms).expect("a near date"))
    }

    #[tokio::test]
    async fn a_text_is_kept_privately_under_its_hash_with_what_it_was() {
        let home = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(home.path().join("a/b")).expect("writable");
        let (given, text) = source("s-1", "wörds");
        for _ in 0..2 {
            archive.put(&given, &text, "wörds".as_bytes(), Timestamp(5)).await.expect("kept");
        }
        let hex = text.content.hex();
        assert_eq!(archive.get(&given.source_id, hex).await.expect("readable"), Some("wörds".into()));
        assert_eq!(archive.get(&id("s-2"), hex).await.expect("readable"), None);
        let dir = home.path().join("a/b/s-1");
        let sidecar = fs::read(dir.join(format!("{hex}.json"))).expect("beside it");
        let sidecar: Sidecar = serde_json::from_slice(&sidecar).expect("a sidecar");
        assert_eq!((sidecar.chars, sidecar.pages, sidecar.archived_at), (5, 2, Timestamp(5)));
        assert_eq!(fs::read_dir(&dir).expect("listed").count(), 2);
        assert_eq!((mode(&dir), mode(home.path().join("a/b").as_path())), (0o700, 0o700));
        assert_eq!(mode(&dir.join(format!("{hex}.txt"))), 0o600);
        assert_eq!(mode(&dir.join(format!("{hex}.json"))), 0o600);
    }

    #[tokio::test]
    async fn bytes_that_are_not_what_their_name_says_are_neither_kept_nor_given() {
        let home = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(home.path().to_owned()).expect("writable");
        let (given, text) = source("s", "words");
        assert!(archive.put(&given, &text, b"others", Timestamp(0)).await.is_err());
        archive.put(&given, &text, b"words", Timestamp(0)).await.expect("kept");
        let path = home.path().join("s").join(format!("{}.txt", text.content.hex()));
        fs::write(&path, "flipped").expect("ours");
        let error = archive.get(&given.source_id, text.content.hex()).await.expect_err("not those bytes");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        archive.put(&given, &text, b"words", Timestamp(0)).await.expect("mended");
        assert!(archive.get(&given.source_id, text.content.hex()).await.expect("readable").is_some());
        for bad in ["", "../../etc/passwd", &text.content.hex().to_uppercase()] {
            let error = archive.get(&given.source_id, bad).await.expect_err("no hash");
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
    }

    #[tokio::test]
    async fn writers_of_the_same_text_do_not_disturb_each_other() {
        let home = tempfile::tempdir().expect("a directory");
        let archive = Arc::new(Archive::open(home.path().to_owned()).expect("writable"));
        let (given, text) = source("s", "words");
        let puts = (0..16).map(|_| archive.put(&given, &text, b"words", Timestamp(0)));
        for put in futures_util::future::join_all(puts).await {
            put.expect("kept");
        }
        assert_eq!(fs::read_dir(home.path().join("s")).expect("listed").count(), 2);
    }

    #[test]
    fn an_id_from_outside_is_never_a_path() {
        for (given, expected) in [
            ("plain-Id_9", "plain-Id_9"),
            ("v1.2", "v1.2"),
            (".", "%2E"),
            ("..", "%2E%2E"),
            (".hidden", "%2Ehidden"),
            ("end.", "end%2E"),
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
            ("a/b\\c", "a%2Fb%5Cc"),
            ("100%", "100%25"),
            ("~", "%7E"),
            ("é", "%C3%A9"),
        ] {
            assert_eq!(encode_id(&id(given)), expected);
        }
    }

    #[test]
    fn a_long_id_keeps_a_name_of_its_own() {
        let (a, b) = (encode_id(&id(&"é/".repeat(60))), encode_id(&id(&format!("{}x", "é/".repeat(60)))));
        assert!(a.len() <= MAX_NAME_BYTES && b.len() <= MAX_NAME_BYTES);
        assert_ne!(a, b);
        assert_eq!(encode_id(&id(&"a".repeat(MAX_NAME_BYTES))), "a".repeat(MAX_NAME_BYTES));
        assert!(encode_id(&id(&"a".repeat(MAX_NAME_BYTES + 1))).contains('~'));
    }

    #[tokio::test]
    async fn the_texts_of_a_source_are_found_and_a_changed_one_is_not_given() {
        let home = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(home.path().to_owned()).expect("writable");
        for (words, at) in [("older", 1), ("newer", 2)] {
            let (given, text) = source("s", words);
            archive.put(&given, &text, words.as_bytes(), Timestamp(at)).await.expect("kept");
        }
        let reader = Archive::reading(home.path().to_owned());
        let filed = reader.filed(&id("s")).await.expect("listed");
        let newest = filed.iter().max_by_key(|f| f.archived_at).expect("two of them");
        assert_eq!((filed.len(), reader.get(&id("s"), &newest.hex).await.expect("read")), (2, Some("newer".into())));
        fs::write(home.path().join("s").join(format!("{}.txt", newest.hex)), "changed").expect("ours");
        let error = reader.get(&id("s"), &newest.hex).await.expect_err("not those bytes");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(reader.filed(&id("unknown")).await.expect("nothing").is_empty());
    }

    #[tokio::test]
    async fn an_archive_that_cannot_be_written_says_why_and_stops_nobody() {
        let home = tempfile::tempdir().expect("a directory");
        fs::write(home.path().join("file"), "in the way").expect("written");
        let archive = Archive::open_or_closed(home.path().join("file/archive"));
        assert!(!archive.is_open());
        let (given, text) = source("s", "words");
        let reason = archive.put(&given, &text, b"words", Timestamp(0)).await.expect_err("closed");
        assert!(reason.contains("cannot be written"), "{reason}");
    }

    #[tokio::test]
    async fn only_old_texts_are_removed_and_nothing_else() {
        let home = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(home.path().to_owned()).expect("writable");
        let (given, text) = source("s", "words");
        archive.put(&given, &text, b"words", Timestamp(0)).await.expect("kept");
        fs::write(home.path().join("s/notes.json"), "mine").expect("written");
        let later = now().plus_ms(2 * 3_600_000);
        assert_eq!(archive.remove_older_than(3, later).await.expect("listed"), 0);
        assert_eq!(archive.remove_older_than(1, later).await.expect("listed"), 1);
        assert_eq!(archive.get(&given.source_id, text.content.hex()).await.expect("readable"), None);
        assert!(home.path().join("s/notes.json").exists());
        assert_eq!(archive.remove_older_than(u64::MAX, later).await.expect("listed"), 0);
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_refused_at_once() {
        let home = tempfile::tempdir().expect("a directory");
        fs::write(home.path().join("file"), "").expect("written");
        assert!(Archive::open(home.path().join("file")).is_err());
        assert!(Archive::open(home.path().join("file/below")).is_err());
    }
}
