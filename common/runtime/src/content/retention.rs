//! Removes old content, and asks the store for the time by which content is old.

use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt, PutMode, PutPayload};
use precis_proto::Timestamp;

use super::error::{ContentError, unavailable};
use super::kept_contents::KeptContents;
use super::key::KEYS;
use super::names;
use super::store::ContentStore;

impl ContentStore {
    /// Removes content last put more than `hours` ago, by hash and by name; returns how many. The user's files and the fleet key are
    /// kept.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`]; some content may be removed by then.
    pub async fn remove_older_than(&self, hours: u32) -> Result<u64, ContentError> {
        self.remove_older_than_except(hours, &[], &KeptContents::default()).await
    }

    /// As [`ContentStore::remove_older_than`], without the named contents of these `kinds` and the contents that are `kept`.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`]; some content may be removed by then.
    pub async fn remove_older_than_except(
        &self,
        hours: u32,
        kinds: &[String],
        kept: &KeptContents,
    ) -> Result<u64, ContentError> {
        let (limit, now) = (Duration::from_secs(u64::from(hours) * 3600), self.time().await?);
        let except: Vec<Path> = kinds.iter().map(|kind| names::all_named(kind)).collect();
        let mut removed = 0;
        for prefix in [names::BLOBS, names::NAMED] {
            for path in self.older_than(now, limit, prefix).await? {
                let is_kept = prefix == names::BLOBS && path.filename().is_some_and(|hex| kept.holds(hex));
                if !is_kept && !except.iter().any(|kind| path.prefix_matches(kind)) {
                    removed += u64::from(self.remove_if_old(&path, now, limit).await?);
                }
            }
        }
        Ok(removed)
    }

    /// Removes contents of `kind` last put more than `hours` ago, by name, but none that has a namesake of the kind `unless`; returns how
    /// many.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`]; some content may be removed by then.
    pub async fn remove_named_older_than(
        &self,
        kind: &str,
        unless: Option<&str>,
        hours: u32,
    ) -> Result<u64, ContentError> {
        let (limit, now) = (Duration::from_secs(u64::from(hours) * 3600), self.time().await?);
        let mut removed = 0;
        for path in self.older_than(now, limit, names::all_named(kind).as_ref()).await? {
            let is_held = match unless {
                Some(other) => self.is_there(&names::namesake(&path, other)).await?,
                None => false,
            };
            if !is_held {
                removed += u64::from(self.remove_if_old(&path, now, limit).await?);
            }
        }
        Ok(removed)
    }

    /// Removes contents of `kind` last put more than `hours` ago, by name, and then their namesakes of the kinds `also` in this order,
    /// whatever their age; returns how many. A crash may leave namesakes behind.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`]; some content may be removed by then.
    pub async fn remove_named_with(&self, kind: &str, also: &[&str], hours: u32) -> Result<u64, ContentError> {
        let (limit, now) = (Duration::from_secs(u64::from(hours) * 3600), self.time().await?);
        let mut removed = 0;
        for path in self.older_than(now, limit, names::all_named(kind).as_ref()).await? {
            // Whoever removes the one removes the other: there is none for another process to meet later.
            if self.remove_if_old(&path, now, limit).await? {
                removed += 1;
                for also in also {
                    removed += u64::from(self.remove(&names::namesake(&path, also)).await?);
                }
            }
        }
        Ok(removed)
    }

    async fn is_there(&self, path: &Path) -> Result<bool, ContentError> {
        match self.objects().head(path).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(e) => Err(unavailable(e)),
        }
    }

    /// The time by the clock that dates the objects of this store, which is another machine's: writes an object and reads its date.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn time(&self) -> Result<Timestamp, ContentError> {
        let probe = names::clock_probe();
        self.presence()
            .write(self.objects().as_ref(), &probe, PutPayload::new(), PutMode::Overwrite)
            .await?
            .map_err(unavailable)?;
        let object = self.objects().head(&probe).await.map_err(unavailable)?;
        Ok(Timestamp(object.last_modified.timestamp_millis()))
    }

    /// Lists what retention may remove of `prefix`: everything last put at least `limit` ago, except the fleet key.
    async fn older_than(&self, now: Timestamp, limit: Duration, prefix: &str) -> Result<Vec<Path>, ContentError> {
        let all: Vec<ObjectMeta> =
            self.objects().list(Some(&Path::from(prefix))).try_collect().await.map_err(unavailable)?;
        let keys = names::all_named(KEYS);
        let old = all.into_iter().filter(|m| age(m, now) >= limit && !m.location.prefix_matches(&keys));
        Ok(old.map(|object| object.location).collect())
    }

    /// Removes a listed object; returns whether it did. Its age is read again: the listing of a large store takes long, and content that
    /// was put again meanwhile must stay.
    async fn remove_if_old(&self, path: &Path, now: Timestamp, limit: Duration) -> Result<bool, ContentError> {
        match self.objects().head(path).await {
            Ok(object) if age(&object, now) >= limit => {}
            Ok(_) | Err(object_store::Error::NotFound { .. }) => return Ok(false),
            Err(e) => return Err(unavailable(e)),
        }
        self.remove(path).await
    }
}

/// The time from when an object was written to `now`; zero if it lies in the future.
fn age(object: &ObjectMeta, now: Timestamp) -> Duration {
    let age_ms = now.0.saturating_sub(object.last_modified.timestamp_millis());
    Duration::from_millis(u64::try_from(age_ms).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::unix_time;

    #[tokio::test]
    async fn what_is_put_again_after_the_listing_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = ContentStore::directory(dir.path()).expect("opens");
        let limit = Duration::from_secs(50 * 3_600);
        let mut texts = Vec::new();
        for text in ["renewed", "old", "gone"] {
            let content = store.put(text.into()).await.expect("put");
            let file = std::fs::File::options().write(true).open(dir.path().join(names::blob(&content).as_ref()));
            let long_ago = std::time::UNIX_EPOCH + unix_time() - 2 * limit;
            file.and_then(|file| file.set_modified(long_ago)).expect("aged");
            texts.push(content);
        }
        let now = store.time().await.expect("dated");
        let listed = store.older_than(now, limit, names::BLOBS).await.expect("listed");
        assert_eq!(listed.len(), 3);
        store.put("renewed".into()).await.expect("put again");
        store.objects().delete(&names::blob(&texts[2])).await.expect("removed by another process");
        let mut removed = 0;
        for path in &listed {
            removed += u32::from(store.remove_if_old(path, now, limit).await.expect("removed"));
        }
        assert_eq!(removed, 1);
        assert_eq!(store.get(&texts[0]).await.expect("kept"), "renewed");
        assert_eq!(store.get(&texts[1]).await, Err(ContentError::Missing(texts[1].clone())));
    }
}
