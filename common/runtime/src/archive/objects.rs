//! An archive in an object store: same names as in a directory, but no file permissions; the owner of the bucket decides who may read
//! it.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use precis_proto::Timestamp;
use precis_proto::source::ContentRef;

use super::archived_text::{ArchivedText, MAX_SIDECAR_BYTES, MAX_TEXT_BYTES, Sidecar, check_hash, hash_named};
use crate::content::objects;

/// Object written and removed again to check that the store accepts writes.
const PROBE: &str = ".probe";

/// A bucket, or a part of one.
#[derive(Debug, Clone)]
pub(super) struct Objects(Arc<dyn ObjectStore>);

impl Objects {
    /// Opens a store by URL, without connecting.
    ///
    /// # Errors
    /// `InvalidInput` if it is not a URL, or not one of a usable store.
    pub(super) fn open(url: &str) -> io::Result<Self> {
        objects(url).map(Self).map_err(|e| io::Error::new(ErrorKind::InvalidInput, e))
    }

    pub(super) async fn probe(&self) -> io::Result<()> {
        let path = Path::from(PROBE);
        self.0.put(&path, PutPayload::new()).await?;
        Ok(self.0.delete(&path).await?)
    }

    /// Writes the text `name` of `folder` and its sidecar. A complete text that exists already is kept.
    pub(super) async fn write(
        &self,
        folder: &str,
        name: &ContentRef,
        bytes: Vec<u8>,
        sidecar: &Sidecar,
    ) -> io::Result<()> {
        // The sidecar first: its time is the age of both, and a text that is kept again must not look old.
        let beside = PutPayload::from_bytes(Bytes::from(serde_json::to_vec(sidecar)?));
        self.0.put(&file(folder, name.hex(), "json")?, beside).await?;
        let path = file(folder, name.hex(), "txt")?;
        let is_there = self.0.head(&path).await.is_ok_and(|meta| meta.size == bytes.len() as u64);
        if !is_there {
            self.0.put(&path, PutPayload::from_bytes(Bytes::from(bytes))).await?;
        }
        Ok(())
    }

    /// Reads the text `name` of `folder` and checks it against its hash.
    pub(super) async fn read(&self, folder: &str, name: &ContentRef) -> io::Result<Option<Vec<u8>>> {
        match self.bytes(&file(folder, name.hex(), "txt")?, MAX_TEXT_BYTES).await? {
            Some(bytes) => check_hash(name, bytes.to_vec()).map(Some),
            None => Ok(None),
        }
    }

    /// Lists the texts of `folder`.
    pub(super) async fn list(&self, folder: &str) -> io::Result<Vec<ArchivedText>> {
        let within = Path::parse(folder).map_err(io::Error::other)?;
        let metas: Vec<_> = self.0.list(Some(&within)).try_collect().await?;
        let mut filed = Vec::new();
        for path in metas.iter().map(|meta| &meta.location) {
            if let Some(hex) = path.filename().and_then(|name| hash_named(name, ".txt")) {
                let sidecar = self.bytes(&file(folder, hex, "json")?, MAX_SIDECAR_BYTES).await;
                // One that is too large cannot be read, as in a directory; any other failure is the store's.
                let sidecar = match sidecar {
                    Err(error) if error.kind() == ErrorKind::FileTooLarge => None,
                    read => read?,
                };
                let archived_at = sidecar.map_or(Timestamp(0), |bytes| Sidecar::archived_at(&bytes));
                filed.push(ArchivedText { hex: hex.to_owned(), archived_at });
            }
        }
        Ok(filed)
    }

    /// Removes the texts whose sidecars are older than `limit`; returns how many.
    pub(super) async fn remove_before(&self, limit: SystemTime) -> io::Result<usize> {
        let mut metas = self.0.list(None);
        let mut removed = 0;
        while let Some(meta) = metas.try_next().await? {
            let Some(hex) = meta.location.filename().and_then(|name| hash_named(name, ".json")) else { continue };
            if SystemTime::from(meta.last_modified) < limit {
                let text = meta.location.as_ref().replace(&format!("{hex}.json"), &format!("{hex}.txt"));
                let text = Path::parse(text).map_err(io::Error::other)?;
                removed += usize::from(self.remove_if_old(&text, &meta.location, limit).await?);
            }
        }
        Ok(removed)
    }

    /// Removes a listed text and its sidecar; returns whether it did. Its age is read again: a long listing is old when it ends, and a
    /// text that was put again meanwhile must stay.
    async fn remove_if_old(&self, text: &Path, sidecar: &Path, limit: SystemTime) -> io::Result<bool> {
        match self.0.head(sidecar).await {
            Ok(meta) if SystemTime::from(meta.last_modified) < limit => {}
            Ok(_) | Err(object_store::Error::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        // The text first: a sidecar without its text is found again, a text without its sidecar would stay for ever.
        self.remove(text).await?;
        self.remove(sidecar).await?;
        Ok(true)
    }

    /// Replaces the sidecar of a text by `bytes`.
    #[cfg(test)]
    pub(super) async fn damage(&self, folder: &str, hex: &str, bytes: Vec<u8>) {
        let path = file(folder, hex, "json").expect("a path");
        self.0.put(&path, PutPayload::from_bytes(Bytes::from(bytes))).await.expect("kept");
    }

    async fn remove(&self, path: &Path) -> io::Result<()> {
        match self.0.delete(path).await {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads an object of at most `limit` bytes; `FileTooLarge` if it has more.
    async fn bytes(&self, path: &Path, limit: u64) -> io::Result<Option<Bytes>> {
        match self.0.get(path).await {
            // Before the body is read into memory.
            Ok(found) if found.meta.size > limit => {
                let message = format!("{path} must have at most {limit} bytes, got {}", found.meta.size);
                Err(io::Error::new(ErrorKind::FileTooLarge, message))
            }
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn file(folder: &str, hex: &str, ending: &str) -> io::Result<Path> {
    Path::parse(format!("{folder}/{hex}.{ending}")).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_text_that_is_put_again_after_the_listing_is_kept() {
        let objects = Objects::open("memory://archive").expect("a store");
        let [text, sidecar] = ["s/a.txt", "s/a.json"].map(Path::from);
        for path in [&text, &sidecar] {
            objects.0.put(path, PutPayload::from_static(b"{}")).await.expect("kept");
        }
        let written = SystemTime::from(objects.0.head(&sidecar).await.expect("there").last_modified);
        let tick = Duration::from_millis(1);
        for (limit, is_removed) in
            [(written - tick, false), (written, false), (written + tick, true), (written + tick, false)]
        {
            assert_eq!(objects.remove_if_old(&text, &sidecar, limit).await.expect("removed"), is_removed);
            let is_there = objects.bytes(&text, 2).await.expect("readable").is_some();
            assert_eq!(is_there, limit <= written);
        }
    }
}
