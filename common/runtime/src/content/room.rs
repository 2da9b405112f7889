//! Whether the store of a fleet can be written to and has room for work, and how much where a directory can tell.

use std::sync::LazyLock;

use bytes::Bytes;
use object_store::{ObjectStoreExt, PutMode};
use rustix::fs::{StatVfs, StatVfsMountFlags};

use super::error::{ContentError, unavailable};
use super::names;
use super::store::ContentStore;

/// Least room for workers to take requests, in bytes: a few sessions of small documents, so that those under way can end (chosen from
/// 1.4 MB a session of eight texts of 10 kB).
pub const ROOM_BYTES: u64 = 16 * 1024 * 1024;
/// Kind of the named contents that test for room; retention removes one that a crash left behind.
const ROOM: &str = "room";

impl ContentStore {
    /// Bytes free where the store is a directory that a fleet shares; `None` for every other store, and where the system does not tell.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        self.volume().map(|volume| volume.f_bavail.saturating_mul(volume.f_frsize))
    }

    fn volume(&self) -> Option<StatVfs> {
        rustix::fs::statvfs(self.presence().dir()?).ok()
    }

    /// Checks that work can go on with this store: it is there, may be written to, and has room. A store that was found full is written to,
    /// because a quota shows in no other way.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`], [`ContentError::Full`].
    pub async fn check_usable(&self) -> Result<(), ContentError> {
        self.check().await?;
        writable(self.volume().map(|volume| volume.f_flag))?;
        enough(self.free_bytes())?;
        if self.outages().is_full() && self.is_shared() {
            self.write_room().await?;
            self.outages().set_full(false);
        }
        Ok(())
    }

    /// Writes as much as is room, and removes it. In a task of its own: whoever waits may give up on a slow store, and what was written must
    /// be removed all the same. A process has one name for it, so that probes that overlap do not add up.
    async fn write_room(&self) -> Result<(), ContentError> {
        static NAME: LazyLock<String> = LazyLock::new(|| format!("{:032x}", rand::random::<u128>()));
        let store = self.clone();
        let probing = tokio::spawn(async move {
            let probe = names::named_path(ROOM, &NAME);
            let bytes = Bytes::from(vec![1; usize::try_from(ROOM_BYTES).unwrap_or(usize::MAX)]);
            let objects = store.objects().as_ref();
            let written = store.presence().write(objects, &probe, bytes.into(), PutMode::Overwrite).await;
            // Also after a failure: part of it may be there.
            let _ = store.objects().delete(&probe).await;
            written?.map_err(unavailable)
        });
        probing.await.unwrap_or_else(|error| Err(ContentError::Unavailable(error.to_string())))
    }
}

/// Systems mount a volume read-only once it has errors: it is there and can be read, and no session can go on with it.
fn writable(volume: Option<StatVfsMountFlags>) -> Result<(), ContentError> {
    match volume {
        Some(flags) if flags.contains(StatVfsMountFlags::RDONLY) => Err(ContentError::Unavailable(
            "its volume is mounted read-only, expected one that can be written to; look at the system's log for errors of the volume, \
             then mount it again"
                .to_owned(),
        )),
        Some(_) | None => Ok(()),
    }
}

fn enough(free: Option<u64>) -> Result<(), ContentError> {
    match free {
        Some(free) if free < ROOM_BYTES => Err(ContentError::Full(format!(
            "{free} bytes are free, expected at least {ROOM_BYTES}; make room at content_url"
        ))),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_full_below_the_least_room() {
        for (free, is_full) in [
            (None, false),
            (Some(0), true),
            (Some(ROOM_BYTES - 1), true),
            (Some(ROOM_BYTES), false),
            (Some(ROOM_BYTES + 1), false),
        ] {
            assert_eq!(matches!(enough(free), Err(ContentError::Full(_))), is_full, "{free:?}");
        }
    }

    #[test]
    fn a_volume_that_is_read_only_is_not_usable() {
        for (flags, is_usable) in [
            (None, true),
            (Some(StatVfsMountFlags::empty()), true),
            (Some(StatVfsMountFlags::NOSUID), true),
            (Some(StatVfsMountFlags::RDONLY), false),
            (Some(StatVfsMountFlags::RDONLY | StatVfsMountFlags::NOSUID), false),
        ] {
            assert_eq!(writable(flags).is_ok(), is_usable, "{flags:?}");
        }
    }

    #[tokio::test]
    async fn a_full_store_is_usable_once_writable() {
        let dir = tempfile::tempdir().expect("a directory");
        let url = format!("file://{}", dir.path().join("content").display());
        let store = ContentStore::create(&url).await.expect("made");
        assert!(store.free_bytes().is_some_and(|free| free > 0));
        let _ = store.outages().note::<()>(Err(ContentError::Full("x".to_owned())));
        assert!(store.outages().is_full());
        assert_eq!(store.check_usable().await, Ok(()));
        assert!(!store.outages().is_full());
        assert!(store.list_named(ROOM).await.expect("listed").is_empty());
    }
}
