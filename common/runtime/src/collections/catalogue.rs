//! Makes, finds, lists and removes collections.

use bytes::Bytes;
use precis_proto::CollectionId;

use super::record::{COLLECTIONS, Collection, REMOVED, read, to_json};
use crate::content::{ContentError, ContentStore};
use crate::records::{id_of, list_kind, list_name};

/// What became of a wish for a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// It is there: made now, or by the same wish before.
    There(Collection),
    /// Another one has its id.
    Taken,
    /// One with its id was removed.
    Removed,
    /// The tenant has as many as it may have.
    TooMany,
}

/// Collections of a tenant, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCollections {
    /// The collections of the page.
    pub collections: Vec<Collection>,
    /// Where the next page begins; `None` if there is none.
    pub next: Option<String>,
}

/// Makes `wanted`, unless its tenant has `most` collections: as exactly as several doors can count at once. The same wish again is the same
/// collection.
///
/// # Errors
/// [`ContentError`].
pub async fn create_collection(
    content: &ContentStore,
    wanted: &Collection,
    most: usize,
) -> Result<Created, ContentError> {
    let id = wanted.id.as_str();
    let earlier = content.get_named(COLLECTIONS, id).await?;
    if earlier.is_none() {
        if content.get_named(REMOVED, id).await?.is_some() {
            return Ok(Created::Removed);
        }
        let kind = tenant_kind(wanted.tenant.as_deref());
        if content.ordered_ids(&kind, None, most.max(1)).await?.len() >= most {
            return Ok(Created::TooMany);
        }
    }
    let kept: Collection = read(&content.put_named_if_absent(COLLECTIONS, id, to_json(wanted)).await?)?;
    if kept.tenant != wanted.tenant || kept.name != wanted.name {
        return Ok(Created::Taken);
    }
    // After the record: a marker without one would be a row that nobody can read. A crash in between is mended by the repeat.
    content.put_named_if_absent(&tenant_kind(kept.tenant.as_deref()), &place(&kept), Bytes::new()).await?;
    Ok(Created::There(kept))
}

/// Returns the collection of `tenant` with this id. One look-up for any text, and one answer for what is another tenant's and what is not
/// there.
///
/// # Errors
/// [`ContentError`].
pub async fn read_collection(
    content: &ContentStore,
    tenant: Option<&str>,
    id: &str,
) -> Result<Option<Collection>, ContentError> {
    let kept = content.get_named(COLLECTIONS, id).await?;
    let kept = kept.map(|kept| read::<Collection>(&kept)).transpose()?;
    Ok(kept.filter(|kept| kept.tenant.as_deref() == tenant))
}

/// Returns up to `limit` collections of `tenant` after the place `after`, newest first.
///
/// # Errors
/// [`ContentError`].
pub async fn list_collections(
    content: &ContentStore,
    tenant: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Result<ListedCollections, ContentError> {
    let places = content.ordered_ids(&tenant_kind(tenant), after, limit.saturating_add(1)).await?;
    let next = places.get(limit).and(places.get(limit.saturating_sub(1))).cloned();
    let mut collections = Vec::new();
    for place in places.iter().take(limit) {
        // Gone if it is being removed.
        collections.extend(read_collection(content, tenant, id_of(place)).await?);
    }
    Ok(ListedCollections { collections, next })
}

/// Removes a collection: from now on it is neither found nor listed. What it held is removed by retention, so that sessions that search it
/// can end. Idempotent.
///
/// # Errors
/// [`ContentError`].
pub async fn remove_collection(content: &ContentStore, collection: &Collection) -> Result<(), ContentError> {
    let id = collection.id.as_str();
    content.put_named_if_absent(REMOVED, id, Bytes::new()).await?;
    content.remove_named(&tenant_kind(collection.tenant.as_deref()), &place(collection)).await?;
    content.remove_named(COLLECTIONS, id).await.map(drop)
}

/// Returns the ids of all collections there are, of every tenant.
///
/// # Errors
/// [`ContentError`].
pub async fn collection_ids(content: &ContentStore) -> Result<Vec<CollectionId>, ContentError> {
    let ids = content.list_named(COLLECTIONS).await?;
    Ok(ids.into_iter().filter_map(|(id, _)| CollectionId::new(id).ok()).collect())
}

/// Whether a collection was removed.
///
/// # Errors
/// [`ContentError`].
pub async fn is_collection_removed(content: &ContentStore, id: &CollectionId) -> Result<bool, ContentError> {
    content.get_named(REMOVED, id.as_str()).await.map(|mark| mark.is_some())
}

fn place(collection: &Collection) -> String {
    list_name(collection.created_at, collection.id.as_str())
}

fn tenant_kind(tenant: Option<&str>) -> String {
    list_kind(COLLECTIONS, tenant)
}

/// All collections, whether or not they were removed.
pub(super) async fn all_ids(content: &ContentStore) -> Result<Vec<CollectionId>, ContentError> {
    let mut ids = content.list_named(COLLECTIONS).await?;
    ids.extend(content.list_named(REMOVED).await?);
    let mut ids: Vec<CollectionId> = ids.into_iter().filter_map(|(id, _)| CollectionId::new(id).ok()).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

#[cfg(test)]
pub(super) mod tests {
    use precis_proto::Timestamp;

    use super::*;
    use crate::records::is_list_name;

    pub(in crate::collections) fn new_collection(id: &str, tenant: Option<&str>, ms: i64) -> Collection {
        Collection {
            schema_version: super::super::record::RECORD_VERSION,
            id: CollectionId::new(id).expect("an id"),
            tenant: tenant.map(str::to_owned),
            name: "laws".to_owned(),
            created_at: Timestamp(ms),
            token: None,
        }
    }

    async fn list_pages(content: &ContentStore, tenant: Option<&str>, limit: usize) -> Vec<Vec<String>> {
        let (mut pages, mut place) = (Vec::new(), None);
        loop {
            let page = list_collections(content, tenant, place.as_deref(), limit).await.expect("listed");
            pages.push(page.collections.iter().map(|one| one.id.to_string()).collect());
            place = page.next;
            match &place {
                None => return pages,
                Some(place) => assert!(is_list_name(place), "{place}"),
            }
        }
    }

    #[tokio::test]
    async fn a_tenant_sees_its_own_collections_newest_first() {
        let content = ContentStore::in_memory();
        for (id, tenant, ms) in [("a", Some("t"), 1), ("b", Some("t"), 20), ("c", None, 3), ("d", Some("t"), 300)] {
            let made = create_collection(&content, &new_collection(id, tenant, ms), 9).await.expect("made");
            assert!(matches!(made, Created::There(_)), "{id}");
        }
        assert_eq!(list_pages(&content, Some("t"), 9).await, [["d", "b", "a"]]);
        assert_eq!(list_pages(&content, Some("t"), 2).await, [vec!["d", "b"], vec!["a"]]);
        assert_eq!(list_pages(&content, Some("t"), 3).await, [["d", "b", "a"]], "no empty page");
        assert_eq!(list_pages(&content, None, 1).await, [["c"]]);
        assert_eq!(list_pages(&content, Some("u"), 1).await, [[""; 0]]);
        let found = async |tenant, id| read_collection(&content, tenant, id).await.expect("read").is_some();
        assert!(found(Some("t"), "a").await && !found(None, "a").await && !found(Some("u"), "a").await);
        for absent in ["", "..", "%2E", "a/..", &"x".repeat(9_999)] {
            assert!(!found(Some("t"), absent).await);
        }
    }

    #[tokio::test]
    async fn one_wish_is_one_collection_and_a_removed_one_stays_away() {
        let content = ContentStore::in_memory();
        let first = new_collection("a", None, 1);
        let make = async |wanted: &Collection| create_collection(&content, wanted, 9).await.expect("answered");
        assert_eq!(make(&first).await, Created::There(first.clone()));
        assert_eq!(
            make(&Collection { created_at: Timestamp(9), ..first.clone() }).await,
            Created::There(first.clone())
        );
        assert_eq!(make(&Collection { name: "other".to_owned(), ..first.clone() }).await, Created::Taken);
        assert_eq!(make(&new_collection("a", Some("t"), 1)).await, Created::Taken);
        for _ in 0..2 {
            remove_collection(&content, &first).await.expect("removed");
            assert_eq!(list_pages(&content, None, 9).await, [[""; 0]]);
            assert_eq!(make(&first).await, Created::Removed);
        }
    }

    #[tokio::test]
    async fn a_tenant_has_as_many_as_it_may_have() {
        for (most, is_made) in [(1, false), (2, false), (3, true)] {
            let content = ContentStore::in_memory();
            for id in ["a", "b"] {
                create_collection(&content, &new_collection(id, None, 1), 9).await.expect("made");
            }
            let made = create_collection(&content, &new_collection("c", None, 1), most).await.expect("answered");
            assert_eq!(made != Created::TooMany, is_made, "{most}");
            let again = create_collection(&content, &new_collection("a", None, 1), most).await.expect("answered");
            assert!(matches!(again, Created::There(_)), "what is there is there");
            let other = create_collection(&content, &new_collection("d", Some("t"), 1), 1).await.expect("answered");
            assert!(matches!(other, Created::There(_)), "another tenant");
        }
    }
}
