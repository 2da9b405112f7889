//! Opens an object store from an address.

use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
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

/// Opens the store at `url`, without connecting.
pub(crate) fn objects(url: &str) -> Result<Arc<dyn ObjectStore>, OpenError> {
    let url = Url::parse(url).map_err(|e| OpenError::Url(format!("a text that is not a URL ({e})")))?;
    match url.scheme() {
        "memory" => Ok(Arc::new(InMemory::new())),
        "file" => {
            let dir = url.to_file_path().map_err(|()| OpenError::Url("a file URL with a host".to_owned()))?;
            Ok(Arc::new(local(&dir)?.with_fsync(true)))
        }
        "s3" => bucket(&url),
        scheme => Err(OpenError::Url(format!("`{scheme}:`"))),
    }
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

/// Opens a directory. All content is inside two private directories, so the permissions of those inside them do not matter.
pub(super) fn local(dir: &FilePath) -> Result<LocalFileSystem, OpenError> {
    let failed = |reason: String| OpenError::Directory { dir: dir.to_owned(), reason };
    for sub in [names::BLOBS, names::NAMED] {
        private_dirs(&dir.join(sub)).map_err(|e| failed(e.to_string()))?;
    }
    LocalFileSystem::new_with_prefix(dir).map_err(|e| failed(e.to_string()))
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
}
