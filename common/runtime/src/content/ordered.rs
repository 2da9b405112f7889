//! Named content in the order of its ids: what an index needs.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;

use super::error::{ContentError, unavailable};
use super::names;
use super::store::ContentStore;

impl ContentStore {
    /// Returns the first `limit` ids of `kind` after `after`, ascending by their bytes. Ids must be made of `[A-Za-z0-9_-]`: then a bucket
    /// returns them in this order itself, and a page of up to 1,000 ids costs one request. A directory is listed whole.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn ordered_ids(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, ContentError> {
        let listed = match self.is_ordered() {
            true => self.ordered_by_store(kind, after, limit).await,
            false => self.ordered_here(kind, after, limit).await,
        };
        // The list of a directory that went away ends early.
        self.outages().note(self.check().await)?;
        listed
    }

    async fn ordered_by_store(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, ContentError> {
        let (prefix, objects) = (names::all_named(kind), self.objects());
        let listed = match after {
            Some(after) => objects.list_with_offset(Some(&prefix), &names::named_path(kind, after)),
            None => objects.list(Some(&prefix)),
        };
        // Those without an id are left out before they count: a short page means that there are no more.
        let ids = listed.try_filter_map(async |object| Ok(names::id_of(&object.location)));
        ids.take(limit).try_collect().await.map_err(unavailable)
    }

    async fn ordered_here(&self, kind: &str, after: Option<&str>, limit: usize) -> Result<Vec<String>, ContentError> {
        let mut listed = self.objects().list(Some(&names::all_named(kind)));
        let mut first = BTreeSet::new();
        while let Some(object) = listed.next().await {
            let Some(id) = names::id_of(&object.map_err(unavailable)?.location) else { continue };
            if after.is_none_or(|after| id.as_str() > after) {
                first.insert(id);
                if first.len() > limit {
                    first.pop_last();
                }
            }
        }
        Ok(first.into_iter().collect())
    }

    /// Returns the kinds of named content there is that begin with `prefix`, descending.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn kinds(&self, prefix: &str) -> Result<Vec<String>, ContentError> {
        let listed = self.objects().list_with_delimiter(Some(&Path::from(names::NAMED))).await.map_err(unavailable)?;
        self.outages().note(self.check().await)?;
        let mut kinds: Vec<String> = listed.common_prefixes.iter().filter_map(names::id_of).collect();
        kinds.retain(|kind| kind.starts_with(prefix));
        kinds.sort_by(|a, b| b.cmp(a));
        Ok(kinds)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    async fn filled(store: &ContentStore) {
        for (kind, id) in [("day-2", "b"), ("day-2", "a"), ("day-2", "c"), ("day-10", "x"), ("results", "a")] {
            store.put_named_if_absent(kind, id, Bytes::new()).await.expect("kept");
        }
    }

    #[tokio::test]
    async fn ids_come_in_order_from_a_place_on_and_kinds_newest_first() {
        let dir = tempfile::tempdir().expect("a directory");
        for store in [ContentStore::in_memory(), ContentStore::directory(dir.path()).expect("opens")] {
            filled(&store).await;
            assert_eq!(store.ordered_ids("day-2", None, 9).await.expect("listed"), ["a", "b", "c"]);
            assert_eq!(store.ordered_ids("day-2", None, 2).await.expect("listed"), ["a", "b"]);
            assert_eq!(store.ordered_ids("day-2", Some("a"), 1).await.expect("listed"), ["b"]);
            assert_eq!(store.ordered_ids("day-2", Some("c"), 1).await.expect("listed"), [""; 0]);
            assert_eq!(store.kinds("day-").await.expect("listed"), ["day-2", "day-10"]);
        }
    }

    #[tokio::test]
    async fn a_store_that_lists_in_order_gives_the_same_page() {
        let store = ContentStore::in_memory();
        filled(&store).await;
        for (after, limit) in [(None, 9), (None, 2), (Some("a"), 1), (Some("b"), 2), (Some("c"), 1)] {
            let here = store.ordered_here("day-2", after, limit).await.expect("listed");
            assert_eq!(store.ordered_by_store("day-2", after, limit).await.expect("listed"), here, "{after:?} {limit}");
        }
    }
}
