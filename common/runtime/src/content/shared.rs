//! The store of a fleet: made once, checked, watched for outages.

use std::io;
use std::path::Path as FilePath;

use super::error::ContentError;
use super::open::{self, OpenError, StoreAddress};
use super::presence;
use super::store::ContentStore;

impl ContentStore {
    /// Makes the store at `url`, unless it is there: its directories and its fleet key. Only a process that is alone may call it, such as
    /// `precis topology apply`: a worker would take the place of a store that is away.
    ///
    /// # Errors
    /// [`CreateError`].
    pub async fn create(url: &str) -> Result<Self, CreateError> {
        let address = StoreAddress::parse(url)?;
        if let StoreAddress::Directory(dir) = &address {
            open::private(dir)?;
        }
        // As a store of this process alone, it makes a key if there is none.
        let alone = Self::open(url)?.unshared();
        // Before the key: without one nobody works on the store.
        if matches!(address, StoreAddress::Bucket(_)) && !alone.keeps_the_first(&new_probe()).await? {
            return Err(CreateError::Unconditional);
        }
        alone.fleet_key().await?;
        Ok(Self::open(url)?)
    }

    /// Checks that the store is there now; always so for a store that only this process uses.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`] if it has no fleet key, or does not answer.
    pub async fn check(&self) -> Result<(), ContentError> {
        self.presence().check(self.objects().as_ref()).await
    }

    /// Whether a fleet shares this store: it may be away, and is waited for.
    pub(crate) fn is_shared(&self) -> bool {
        self.presence().is_shared()
    }

    /// Runs `work`, which blocks, on a path to the directory of this store and on its usual one, which may lead elsewhere meanwhile: for
    /// files that lie in it beside its content. The inner error is that of `work`. `None` for a store that is no directory which a fleet shares.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`] if the store is not there, [`ContentError::Full`] if it has no room.
    pub(crate) fn inside<T>(
        &self,
        work: impl FnOnce(&FilePath, &FilePath) -> io::Result<T>,
    ) -> Option<Result<io::Result<T>, ContentError>> {
        let dir = self.presence().dir()?;
        Some(presence::inside(dir, |held| work(held, dir)))
    }

    /// The first outage that an operation through this handle met; `None` for a store that only this process uses, which nobody waits for.
    pub(crate) fn outage(&self) -> Option<ContentError> {
        self.outages().first_outage().filter(|_| self.is_shared())
    }

    /// Remembers an outage that another worker met while it worked for this handle's lease.
    pub(crate) fn meet(&self, fault: ContentError) {
        self.outages().meet(fault);
    }

    /// Waits until an operation through any handle meets an outage; returns at once if one did since the last wait.
    pub async fn outage_noticed(&self) {
        self.outages().wait_for_outage().await;
    }
}

/// A name that no probe had before.
fn new_probe() -> String {
    format!("create-{:032x}", rand::random::<u128>())
}

/// Why a store cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its key can be neither read nor created.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// Its server ignores the condition of a put.
    #[error("the server ignores conditional puts (If-None-Match), so a session may get two results")]
    Unconditional,
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use precis_proto::source::ContentRef;
    use url::Url;

    use super::*;

    fn url(dir: &FilePath) -> String {
        Url::from_directory_path(dir).expect("absolute").to_string()
    }

    fn files(dir: &FilePath) -> usize {
        std::fs::read_dir(dir).into_iter().flatten().count()
    }

    #[tokio::test]
    async fn a_store_that_was_never_created_is_unavailable_and_stays_empty() {
        let dir = tempfile::tempdir().expect("a directory");
        for place in [dir.path().to_owned(), dir.path().join("not there")] {
            let store = ContentStore::open(&url(&place)).expect("an address");
            let text = ContentRef::from_bytes(b"text");
            let refusals = [
                store.check().await.err(),
                store.put("text".into()).await.err(),
                store.get(&text).await.err(),
                store.get_named("result", "s").await.err(),
                store.put_named_if_absent("result", "s", Bytes::new()).await.err(),
                store.list_named("result").await.err(),
                store.fleet_key().await.err(),
                store.time().await.err(),
                store.remove_older_than(1).await.err(),
            ];
            for refusal in refusals {
                let Some(ContentError::Unavailable(reason)) = refusal else { panic!("{refusal:?}") };
                assert!(reason.contains("precis topology apply"), "{reason}");
            }
        }
        assert_eq!(files(dir.path()), 0);
    }

    #[tokio::test]
    async fn a_store_that_goes_and_comes_back_is_the_same_store() {
        let home = tempfile::tempdir().expect("a directory");
        let (dir, aside) = (home.path().join("content"), home.path().join("aside"));
        let store = ContentStore::create(&url(&dir)).await.expect("made");
        let (text, key) =
            (store.put("text".into()).await.expect("kept"), store.proof("", &ContentRef::from_bytes(b"")).await);
        std::fs::rename(&dir, &aside).expect("unmounted");
        std::fs::create_dir(&dir).expect("the mount point");
        assert!(matches!(store.get(&text).await, Err(ContentError::Unavailable(_))), "not missing");
        assert!(matches!(store.put("other".into()).await, Err(ContentError::Unavailable(_))));
        assert_eq!(files(&dir), 0, "nothing is created in the mount point");
        std::fs::remove_dir(&dir).and_then(|()| std::fs::rename(&aside, &dir)).expect("mounted again");
        assert_eq!(store.get(&text).await.expect("there"), "text");
        assert_eq!(
            ContentStore::create(&url(&dir)).await.expect("there").proof("", &ContentRef::from_bytes(b"")).await,
            key
        );
        let missing = ContentRef::from_bytes(b"never put");
        assert_eq!(store.get(&missing).await, Err(ContentError::Missing(missing)));
    }
}
