//! The cache of handlers: values by family and key. An unavailable store and an unreadable value both count as a miss.
//!
//! Handlers see nothing else of the store. Fences, leases, limits and ceilings belong to the runner:
//!
//! ```compile_fail,E0599
//! async fn run<K: precis_proto::job::JobKind>(ctx: &precis_runtime::runner::JobContext<K>) {
//!     let _ = ctx.cache().claim(ctx.session_id(), 1, "me", std::time::Duration::from_secs(1)).await;
//! }
//! ```
//!
//! ```
//! use precis_runtime::cache::{CacheFamily, CacheKey};
//!
//! async fn run<K: precis_proto::job::JobKind>(ctx: &precis_runtime::runner::JobContext<K>) {
//!     let key = CacheKey::new(CacheFamily::TokenCount, "o200k:ab");
//!     let _: Option<u64> = ctx.cache().get(&key).await;
//! }
//! ```

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::ContentStore;
use crate::store::{SharedValues, Store};

const HOUR: Duration = Duration::from_secs(3_600);
const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The kind of a cached value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheFamily {
    /// A digest of a text.
    Digest,
    /// A summary of a text.
    Summary,
    /// A model's verdict on a statement with its passages.
    Verdict,
    /// The result of reading a document, or a page in a given version.
    Extraction,
    /// A page read by a paid service; it may change by tomorrow.
    PageOfService,
    /// The token count of a text.
    TokenCount,
    /// The vectors of a text's passages.
    Meaning,
}

impl CacheFamily {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Digest,
        Self::Summary,
        Self::Verdict,
        Self::Extraction,
        Self::PageOfService,
        Self::TokenCount,
        Self::Meaning,
    ];

    /// The prefix of its keys; also the label of its hits and misses.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Summary => "summary",
            Self::Verdict => "verdict",
            Self::Extraction | Self::PageOfService => "extract",
            Self::TokenCount => "tokens",
            Self::Meaning => "meaning",
        }
    }

    /// How long its values are kept.
    #[must_use]
    pub fn retention(self) -> Duration {
        match self {
            Self::Digest | Self::Summary | Self::Verdict | Self::Extraction | Self::TokenCount | Self::Meaning => MONTH,
            Self::PageOfService => HOUR,
        }
    }
}

/// The key of a value: its family, and everything the value depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheKey {
    family: CacheFamily,
    text: String,
}

impl CacheKey {
    /// A key of `family`. The family's prefix is added to `text` unless it is already there.
    #[must_use]
    pub fn new(family: CacheFamily, text: impl Into<String>) -> Self {
        let text = text.into();
        let has_prefix = text.strip_prefix(family.prefix()).is_some_and(|rest| rest.starts_with(':'));
        Self { family, text: if has_prefix { text } else { format!("{}:{text}", family.prefix()) } }
    }

    /// The key as used in the store.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The cached value last read for a key; the expected value of the next [`Cache::replace`].
#[derive(Debug)]
pub struct CacheEntry<T> {
    bytes: Option<Bytes>,
    /// The value; `None` if there is none, or it cannot be read.
    pub value: Option<T>,
}

/// The store as handlers see it. Hits and misses are counted by family.
///
/// ```
/// use precis_runtime::cache::{Cache, CacheFamily, CacheKey};
/// use precis_runtime::store::{MemoryStore, Store};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let store = Store::Memory(MemoryStore::new());
/// let cache = Cache::from(&store);
/// let key = CacheKey::new(CacheFamily::TokenCount, "o200k:ab");
/// assert_eq!(cache.keep(&key, &7_u64).await, None);
/// assert_eq!(cache.keep(&key, &8_u64).await, Some(7), "the first writer wins");
/// assert_eq!(cache.get::<u64>(&key).await, Some(7));
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cache<'a> {
    values: SharedValues<'a>,
    /// The content store of the lease that uses the cache.
    content: Option<&'a ContentStore>,
}

impl<'a> From<&'a Store> for Cache<'a> {
    fn from(store: &'a Store) -> Self {
        Self { values: store.values(), content: None }
    }
}

impl<'a> Cache<'a> {
    /// The cache of a lease that reads its texts from `content`. Once that store was away or full for the lease, nothing is kept: what the
    /// lease makes then, it may have made of less than there is.
    pub(crate) fn of_lease(store: &'a Store, content: &'a ContentStore) -> Self {
        Self { values: store.values(), content: Some(content) }
    }

    fn is_believed(&self) -> bool {
        self.content.is_none_or(|content| content.outage().is_none())
    }

    /// Returns the value of `key`; `None` if there is none, it cannot be read, or the store is unavailable.
    pub async fn get<T: DeserializeOwned>(&self, key: &CacheKey) -> Option<T> {
        self.entry(key).await.value
    }

    /// Keeps `value` unless `key` has one: the first writer wins, so that all readers see one value. Returns the value another writer
    /// has kept; `None` if `value` was kept, the kept one cannot be read, the store is unavailable, or the lease is not believed.
    pub async fn keep<T: Serialize + DeserializeOwned>(&self, key: &CacheKey, value: &T) -> Option<T> {
        if !self.is_believed() {
            return None;
        }
        let bytes = Bytes::from(serde_json::to_vec(value).ok()?);
        let kept = self.values.put_if_absent(key.as_str(), bytes.clone(), key.family.retention()).await.ok()?;
        // Equal bytes may also be another writer's: then it makes no difference who was first.
        if kept == bytes { None } else { serde_json::from_slice(&kept).ok() }
    }

    /// Returns the value of `key`, to be [replaced](Self::replace) later.
    pub async fn entry<T: DeserializeOwned>(&self, key: &CacheKey) -> CacheEntry<T> {
        let bytes = self.values.get(key.as_str()).await.ok().flatten();
        let value = bytes.as_ref().and_then(|bytes| serde_json::from_slice(bytes).ok());
        CacheEntry { bytes, value }
    }

    /// Replaces the value that was `found` under `key` by `value`; does nothing if it has changed since, the store is unavailable, or the
    /// lease is not believed.
    pub async fn replace<T: Serialize>(&self, key: &CacheKey, found: &CacheEntry<T>, value: &T) {
        if !self.is_believed() {
            return;
        }
        let Ok(bytes) = serde_json::to_vec(value) else { return };
        // An outage costs the next reader the same work again, never the job.
        let _ = self
            .values
            .compare_and_set(key.as_str(), found.bytes.as_deref(), bytes.into(), key.family.retention())
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ContentError;
    use crate::store::MemoryStore;

    #[test]
    fn a_key_begins_with_the_word_of_its_family_once() {
        for (family, text, expected) in [
            (CacheFamily::Digest, "digest:v1:a", "digest:v1:a"),
            (CacheFamily::TokenCount, "o200k:ab", "tokens:o200k:ab"),
            (CacheFamily::PageOfService, "3:elsewhere", "extract:3:elsewhere"),
            (CacheFamily::Summary, "summaryless", "summary:summaryless"),
        ] {
            assert_eq!(CacheKey::new(family, text).as_str(), expected);
        }
    }

    #[tokio::test]
    async fn the_first_writer_wins_and_what_cannot_be_read_is_a_miss() {
        let memory = MemoryStore::new();
        let store = Store::Memory(memory.clone());
        let (cache, key) = (Cache::from(&store), CacheKey::new(CacheFamily::TokenCount, "o200k:ab"));
        assert_eq!(cache.get::<u64>(&key).await, None);
        assert_eq!((cache.keep(&key, &7_u64).await, cache.keep(&key, &8_u64).await), (None, Some(7)));
        assert_eq!((cache.get(&key).await, cache.get::<bool>(&key).await), (Some(7_u64), None));
        assert_eq!(cache.keep(&key, &true).await, None, "what stands is no such value");
        memory.set_available(false);
        assert_eq!((cache.get::<u64>(&key).await, cache.keep(&key, &9_u64).await), (None, None));
    }

    #[tokio::test]
    async fn a_value_is_replaced_only_by_a_writer_that_has_seen_it() {
        let store = Store::Memory(MemoryStore::new());
        let (cache, key) = (Cache::from(&store), CacheKey::new(CacheFamily::Extraction, "page"));
        let absent = cache.entry(&key).await;
        cache.replace(&key, &absent, &1_u64).await;
        cache.replace(&key, &absent, &2_u64).await;
        assert_eq!(cache.get::<u64>(&key).await, Some(1), "the second had not seen the first");
        let found = cache.entry(&key).await;
        cache.replace(&key, &found, &3_u64).await;
        assert_eq!(cache.get::<u64>(&key).await, Some(3));
    }

    #[tokio::test]
    async fn a_lease_that_met_an_outage_of_its_content_store_keeps_nothing() {
        let home = tempfile::tempdir().expect("a directory");
        let url = format!("file://{}", home.path().join("content").display());
        let content = ContentStore::create(&url).await.expect("made").with_outage_watch();
        let store = Store::Memory(MemoryStore::new());
        let cache = Cache::of_lease(&store, &content);
        let key = |text: &str| CacheKey::new(CacheFamily::Extraction, text);
        cache.keep(&key("before"), &1_u64).await;
        let found = cache.entry(&key("before")).await;
        content.meet(ContentError::Unavailable("away".to_owned()));
        assert_eq!(cache.keep(&key("after"), &2_u64).await, None);
        cache.replace(&key("before"), &found, &2_u64).await;
        assert_eq!((cache.get(&key("before")).await, cache.get::<u64>(&key("after")).await), (Some(1_u64), None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_kept_as_long_as_its_family_says() {
        let store = Store::Memory(MemoryStore::new());
        let cache = Cache::from(&store);
        for family in [CacheFamily::PageOfService, CacheFamily::Summary] {
            let key = CacheKey::new(family, "a");
            cache.keep(&key, &1_u64).await;
            tokio::time::advance(family.retention() - Duration::from_secs(1)).await;
            assert_eq!(cache.get::<u64>(&key).await, Some(1), "{family:?}");
            tokio::time::advance(Duration::from_secs(2)).await;
            assert_eq!(cache.get::<u64>(&key).await, None, "{family:?}");
        }
    }
}
