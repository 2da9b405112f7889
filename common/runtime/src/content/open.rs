//! Opens an object store from an address.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use rustix::fs::{Mode, OFlags};
use url::Url;

use super::names;

/// Why a content store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Not a URL, or not the URL of a supported store.
    #[error("a content store URL must be `file:///directory`, `s3://bucket/prefix` or `memory:`, got {0}")]
    Url(String),
    /// The bucket cannot be used as named and configured.
    #[error("cannot open content bucket {bucket}: {reason}")]
    Bucket {
        /// Its name.
        bucket: String,
        /// The reason.
        reason: String,
    },
    /// The directory cannot be created or opened.
    #[error("cannot open content directory {dir}: {reason}")]
    Directory {
        /// Its path.
        dir: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// What an address names.
#[derive(Debug, Clone)]
pub(super) enum StoreAddress {
    /// The memory of this process.
    Memory,
    /// A directory of this machine.
    Directory(PathBuf),
    /// A bucket, or what is under a prefix of it.
    Bucket(Url),
}

impl StoreAddress {
    pub(super) fn parse(url: &str) -> Result<Self, OpenError> {
        let url = Url::parse(url).map_err(|e| OpenError::Url(format!("a text that is not a URL ({e})")))?;
        match url.scheme() {
            "memory" => Ok(Self::Memory),
            "file" => {
                let dir = url.to_file_path().map_err(|()| OpenError::Url("a file URL with a host".to_owned()))?;
                Ok(Self::Directory(dir))
            }
            "s3" => Ok(Self::Bucket(url)),
            scheme => Err(OpenError::Url(format!("`{scheme}:`"))),
        }
    }

    /// Opens what is there, without connecting; creates nothing.
    pub(super) fn objects(&self) -> Result<Arc<dyn ObjectStore>, OpenError> {
        match self {
            Self::Memory => Ok(Arc::new(InMemory::new())),
            Self::Directory(dir) => existing(dir),
            Self::Bucket(url) => bucket(url),
        }
    }
}

/// Opens the store at `url`, without connecting; creates nothing.
pub(crate) fn objects(url: &str) -> Result<Arc<dyn ObjectStore>, OpenError> {
    StoreAddress::parse(url)?.objects()
}

/// Opens a directory that need not be there: each operation finds it as it is then, so a volume may be mounted later.
fn existing(dir: &FilePath) -> Result<Arc<dyn ObjectStore>, OpenError> {
    let below_root = Path::from_absolute_path(dir)
        .map_err(|e| OpenError::Directory { dir: dir.to_owned(), reason: e.to_string() })?;
    Ok(Arc::new(PrefixStore::new(LocalFileSystem::new().with_fsync(true), below_root)))
}

/// Opens everything under `/prefix` of a bucket. Results are written with conditional puts, which the server must support.
fn bucket(url: &Url) -> Result<Arc<dyn ObjectStore>, OpenError> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(OpenError::Url(
            "an s3 URL with credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead".to_owned(),
        ));
    }
    let name = url.host_str().ok_or_else(|| OpenError::Url("an s3 URL without a bucket".to_owned()))?;
    let failed = |reason: String| OpenError::Bucket { bucket: name.to_owned(), reason };
    crate::http::install_tls();
    let bucket = AmazonS3Builder::from_env().with_bucket_name(name).build().map_err(|e| failed(e.to_string()))?;
    let prefix = Path::from_url_path(url.path()).map_err(|e| failed(e.to_string()))?;
    Ok(match prefix.parts().next() {
        None => Arc::new(bucket),
        Some(_) => Arc::new(PrefixStore::new(bucket, prefix)),
    })
}

/// A directory held open, as a place to write to: what is written goes there even if something else takes its path meanwhile, such as the
/// empty mount point of an unmounted volume. It must outlive every write to its objects.
#[derive(Debug)]
pub(super) struct HeldDirectory {
    objects: PrefixStore<LocalFileSystem>,
    /// Closed with the value; the objects refer to its number.
    open: OwnedFd,
}

impl HeldDirectory {
    /// Opens `dir`, which must be there.
    pub(super) fn open(dir: &FilePath) -> io::Result<Self> {
        let open = rustix::fs::open(dir, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        // Linux alone leads from an open directory to it by a path; elsewhere the path is taken, which may have changed.
        let held = match cfg!(target_os = "linux") {
            true => Path::from(format!("proc/self/fd/{}", open.as_raw_fd())),
            false => Path::from_absolute_path(dir).map_err(io::Error::other)?,
        };
        Ok(Self { objects: PrefixStore::new(LocalFileSystem::new().with_fsync(true), held), open })
    }

    pub(super) fn objects(&self) -> &PrefixStore<LocalFileSystem> {
        &self.objects
    }

    /// A path to the directory, which was at `dir`, whatever is there now; valid as long as this value.
    pub(super) fn path(&self, dir: &FilePath) -> PathBuf {
        match cfg!(target_os = "linux") {
            true => PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd())),
            false => dir.to_owned(),
        }
    }
}

/// Creates a directory if it is missing, and opens it. All content is inside two private directories, so the permissions of those inside them do not matter.
pub(super) fn local(dir: &FilePath) -> Result<LocalFileSystem, OpenError> {
    let failed = |reason: String| OpenError::Directory { dir: dir.to_owned(), reason };
    private(dir)?;
    LocalFileSystem::new_with_prefix(dir).map_err(|e| failed(e.to_string()))
}

/// Creates what a store needs of `dir`, readable by its owner only.
pub(super) fn private(dir: &FilePath) -> Result<(), OpenError> {
    for sub in [names::BLOBS, names::NAMED] {
        private_dirs(&dir.join(sub))
            .map_err(|e| OpenError::Directory { dir: dir.to_owned(), reason: e.to_string() })?;
    }
    Ok(())
}

fn private_dirs(dir: &FilePath) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_store_or_says_what_would() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = Url::from_directory_path(dir.path()).expect("absolute").to_string();
        for fine in [file.as_str(), "memory:", "s3://bucket", "s3://bucket/some/prefix"] {
            assert!(objects(fine).is_ok(), "{fine}: {:?}", objects(fine).err());
        }
        assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0, "nothing is created");
        for (wrong, reason) in [
            ("/var/lib/precis", "got a text that is not a URL"),
            ("file://host/x", "got a file URL with a host"),
            ("gs://bucket", "got `gs:`"),
            ("https://user:hunter2@host/", "got `https:`"),
        ] {
            let error = objects(wrong).expect_err(wrong).to_string();
            assert!(error.contains(reason) && !error.contains("hunter2"), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_held_directory_is_written_to_whatever_takes_its_path() {
        use object_store::ObjectStoreExt;

        let home = tempfile::tempdir().expect("a directory");
        let (dir, aside) = (home.path().join("content"), home.path().join("aside"));
        std::fs::create_dir(&dir).expect("created");
        let held = HeldDirectory::open(&dir).expect("opened");
        std::fs::rename(&dir, &aside).and_then(|()| std::fs::create_dir(&dir)).expect("unmounted");
        held.objects().put(&Path::from("blobs/ab/text"), "text".into()).await.expect("written");
        assert_eq!(std::fs::read_dir(&dir).expect("the mount point").count(), 0);
        assert_eq!(std::fs::read(aside.join("blobs/ab/text")).expect("there"), b"text");
    }
}
