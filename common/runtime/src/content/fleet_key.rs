//! The key of a deployment, kept in its content store: created with the store, read, and read again when it may have changed.
//!
//! It is in the content store because anyone who can read that store can read every text anyway. So the right to read the store is the
//! right to refer to its contents; someone who can only publish to the broker, or only write to Redis, does not have the key. No
//! configuration is needed.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::source::ContentRef;
use tokio::time::Instant;

use super::error::ContentError;
use super::key::{FLEET, FleetKey, KEY_BYTES, KEYS};
use super::presence::absent;
use super::store::ContentStore;

/// How long a key that was read is used before a tag that does not match makes this process read it again: invalid tags must not cause
/// a request each.
const RENEWED: Duration = Duration::from_secs(10);
/// Longest read of the key.
const PATIENCE: Duration = Duration::from_secs(5);

impl ContentStore {
    /// Returns the key of this deployment, read once per process. A store that only this process uses gets its key here, on first use; that
    /// of a fleet gets it from [`ContentStore::create`] alone.
    ///
    /// # Errors
    /// [`ContentError`] if it can be neither read nor created.
    pub async fn fleet_key(&self) -> Result<FleetKey, ContentError> {
        self.key_read_within(Duration::MAX).await
    }

    /// Returns the key as it is now. It differs from the one read before only if the content store was lost or cleared.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub(crate) async fn renewed_fleet_key(&self) -> Result<FleetKey, ContentError> {
        self.key_read_within(RENEWED).await
    }

    async fn key_read_within(&self, age: Duration) -> Result<FleetKey, ContentError> {
        // Locked while the key is read: of concurrent callers only one reads.
        let mut held = self.held_key().0.lock().await;
        if let Some((key, read)) = &*held
            && read.elapsed() < age
        {
            return Ok(key.clone());
        }
        // Bounded, because every record of Redis waits for this lock, and a hanging mount answers nothing.
        let read = tokio::time::timeout(PATIENCE, self.read_or_make_key()).await;
        let key =
            read.unwrap_or_else(|_| Err(ContentError::Unavailable("the fleet key was not read in time".to_owned())))?;
        *held = Some((key.clone(), Instant::now()));
        Ok(key)
    }

    async fn read_or_make_key(&self) -> Result<FleetKey, ContentError> {
        let kept = match self.get_named(KEYS, FLEET).await? {
            Some(bytes) => bytes,
            // Nothing but `create` makes the key of a shared store, which is the mark that the store is there.
            None if self.is_shared() => return Err(absent()),
            None => {
                let fresh = rand::random::<[u8; KEY_BYTES]>();
                // Put if absent: of processes that start together, all use the key of the first.
                self.put_named_if_absent(KEYS, FLEET, Bytes::copy_from_slice(&fresh)).await?
            }
        };
        FleetKey::from_bytes(&kept).ok_or_else(|| {
            let found = kept.len();
            ContentError::Unavailable(format!(
                "the fleet key (named/{KEYS}/{FLEET}) has {found} bytes, expected {KEY_BYTES}; remove it"
            ))
        })
    }

    /// Returns the proof that `tenant` put `content`, to be sent next to a `content_ref`.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub async fn proof(&self, tenant: &str, content: &ContentRef) -> Result<String, ContentError> {
        Ok(self.fleet_key().await?.proof(tenant, content))
    }

    /// Whether `proof` is valid for `tenant` and `content`, also under a key created since this process read it. Does not check whether
    /// the content exists.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub async fn proves(&self, tenant: &str, content: &ContentRef, proof: &str) -> Result<bool, ContentError> {
        let is_valid = |key: FleetKey| key.proves(tenant, content, proof);
        Ok(is_valid(self.fleet_key().await?) || is_valid(self.renewed_fleet_key().await?))
    }
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt;

    use super::super::names;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_handles_have_one_key_and_a_new_one_is_noticed() {
        let content = ContentStore::in_memory();
        let text = ContentRef::from_bytes(b"text");
        let proof = content.clone().proof("", &text).await.expect("in memory");
        assert!(content.proves("", &text, &proof).await.expect("in memory"));
        let elsewhere = ContentStore::in_memory().proof("", &text).await.expect("in memory");
        assert!(!content.proves("", &text, &elsewhere).await.expect("in memory"), "another deployment");
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_was_replaced_is_read_again_after_a_time() {
        let content = ContentStore::in_memory();
        let text = ContentRef::from_bytes(b"text");
        let proof = content.fleet_key().await.expect("in memory").proof("", &text);
        content.objects().delete(&names::named_path(KEYS, FLEET)).await.expect("in memory");
        content.put_named_if_absent(KEYS, FLEET, Bytes::from_static(&[7; KEY_BYTES])).await.expect("in memory");
        for (seconds, is_new) in [(9, false), (1, true)] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            let key = content.renewed_fleet_key().await.expect("in memory");
            assert_eq!(key.proof("", &text) != proof, is_new, "{seconds}");
        }
    }
}
