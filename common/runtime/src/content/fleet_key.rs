//! The key of a deployment in its content store: read, made by whoever asks first, read again where it may have changed.
//!
//! It lies in the content store, because whoever may read that store may read every text anyway: reading the store is the right to
//! refer to its contents, and nobody who can only publish to the broker, or only write to Redis, has it. Nothing has to be configured.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::source::ContentRef;
use tokio::time::Instant;

use super::key::{FleetKey, KEY_BYTES, KEYS};
use super::store::{ContentError, ContentStore};

/// Id of the named content that is the key.
const FLEET: &str = "fleet";
/// A key that was read this recently is not read again because of a tag that does not fit it: wrong tags cost nobody a request.
const RENEWED: Duration = Duration::from_secs(10);

impl ContentStore {
    /// The key of this deployment, made by whoever asks first and read once.
    ///
    /// # Errors
    /// [`ContentError`] where it can be neither read nor made.
    pub async fn fleet_key(&self) -> Result<FleetKey, ContentError> {
        self.key_read_within(Duration::MAX).await
    }

    /// The key as it is now: another one where somebody removed it, which nothing but a lost or cleared store explains.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub(crate) async fn renewed_fleet_key(&self) -> Result<FleetKey, ContentError> {
        self.key_read_within(RENEWED).await
    }

    async fn key_read_within(&self, age: Duration) -> Result<FleetKey, ContentError> {
        // Held while it is read: of many that ask at once one reads.
        let mut held = self.held_key().0.lock().await;
        if let Some((key, read)) = &*held
            && read.elapsed() < age
        {
            return Ok(key.clone());
        }
        let key = self.read_or_make_key().await?;
        *held = Some((key.clone(), Instant::now()));
        Ok(key)
    }

    async fn read_or_make_key(&self) -> Result<FleetKey, ContentError> {
        let standing = match self.get_named(KEYS, FLEET).await? {
            Some(bytes) => bytes,
            None => {
                let fresh = rand::random::<[u8; KEY_BYTES]>();
                self.put_named_if_absent(KEYS, FLEET, Bytes::copy_from_slice(&fresh)).await?
            }
        };
        FleetKey::from_bytes(&standing).ok_or_else(|| {
            let found = standing.len();
            ContentError::Unavailable(format!(
                "the fleet key (named/{KEYS}/{FLEET}) has {found} bytes, expected {KEY_BYTES}; remove it"
            ))
        })
    }

    /// The proof that `tenant` put `content`, which a request shows beside a `content_ref`.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub async fn proof(&self, tenant: &str, content: &ContentRef) -> Result<String, ContentError> {
        Ok(self.fleet_key().await?.proof(tenant, content))
    }

    /// Whether `proof` is that of `tenant` and `content`, also under a key that was made since this process read it. Says nothing of
    /// whether the content is there.
    ///
    /// # Errors
    /// As [`ContentStore::fleet_key`].
    pub async fn proves(&self, tenant: &str, content: &ContentRef, proof: &str) -> Result<bool, ContentError> {
        let fits = |key: FleetKey| key.proves(tenant, content, proof);
        Ok(fits(self.fleet_key().await?) || fits(self.renewed_fleet_key().await?))
    }
}

#[cfg(test)]
mod tests {
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
}
