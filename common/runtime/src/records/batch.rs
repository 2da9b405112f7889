//! The record of a batch: one request for many sessions. The sessions are those of its ids; what becomes of them, they tell themselves.

use bytes::Bytes;
use precis_proto::research::ResearchOptions;
use precis_proto::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::newest_first::{id_of, list_kind, list_name};
use crate::content::{ContentError, ContentStore};

/// Kind of the named contents that hold these records.
const BATCHES: &str = "batches";

/// A batch. Written once; has no text of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Version of this record; readers ignore fields they do not know.
    pub schema_version: u32,
    /// Its id.
    pub id: String,
    /// The tenant it was submitted for; `None` for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// SHA-256 of the request, in hexadecimal digits.
    pub request_sha256: String,
    /// What all its sessions may spend together, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<f64>,
    /// What its sessions search, with the versions of collections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<ResearchOptions>,
    /// Its sessions, in the order of the questions.
    pub sessions: Vec<SessionId>,
}

/// Batches of a tenant, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedBatches {
    /// The batches of the page; may be fewer than asked for, or none, although there is a next one.
    pub batches: Vec<Batch>,
    /// Where the next page begins; `None` if there is none.
    pub next: Option<String>,
}

/// Keeps `batch` unless its id has one, and its place in the list of its tenant; returns the one that is kept.
///
/// # Errors
/// [`ContentError`], also if the record that is there cannot be read.
pub async fn keep_batch(content: &ContentStore, batch: &Batch) -> Result<Batch, ContentError> {
    let json = serde_json::to_vec(batch).expect("a record is plain data");
    let kept = decode(&content.put_named_if_absent(BATCHES, &batch.id, Bytes::from(json)).await?)?;
    // After the record, so that no place is without one. A crash in between is mended by the repeat of the request.
    let kind = list_kind(BATCHES, kept.tenant.as_deref());
    content.put_named_if_absent(&kind, &list_name(kept.accepted_at, &kept.id), Bytes::new()).await?;
    Ok(kept)
}

/// Returns up to `limit` batches of `tenant` after the place `after`, newest first.
///
/// # Errors
/// [`ContentError`], also if a record cannot be read.
pub async fn list_batches(
    content: &ContentStore,
    tenant: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Result<ListedBatches, ContentError> {
    let names = content.ordered_ids(&list_kind(BATCHES, tenant), after, limit.saturating_add(1)).await?;
    let next = names.get(limit).and(names.get(limit.saturating_sub(1))).cloned();
    let mut batches = Vec::new();
    for name in names.iter().take(limit) {
        // Gone if retention is removing it.
        batches.extend(read_batch(content, tenant, id_of(name)).await?);
    }
    Ok(ListedBatches { batches, next })
}

/// Returns the batch of `tenant` with this id. Any text may be asked for.
///
/// # Errors
/// [`ContentError`], also if it cannot be read.
pub async fn read_batch(content: &ContentStore, tenant: Option<&str>, id: &str) -> Result<Option<Batch>, ContentError> {
    let kept = content.get_named(BATCHES, id).await?.map(|kept| decode(&kept)).transpose()?;
    Ok(kept.filter(|batch| batch.tenant.as_deref() == tenant))
}

fn decode(kept: &[u8]) -> Result<Batch, ContentError> {
    let unreadable = |_| ContentError::Unavailable("the record of the batch cannot be parsed".to_owned());
    serde_json::from_slice(kept).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::is_list_name;

    fn accepted(id: &str, tenant: Option<&str>, ms: i64) -> Batch {
        Batch {
            schema_version: 1,
            id: id.to_owned(),
            tenant: tenant.map(str::to_owned),
            accepted_at: Timestamp(ms),
            request_sha256: "one".to_owned(),
            max_usd: None,
            research: None,
            sessions: Vec::new(),
        }
    }

    async fn pages(content: &ContentStore, tenant: Option<&str>, limit: usize) -> Vec<Vec<String>> {
        let (mut pages, mut place) = (Vec::new(), None);
        loop {
            let page = list_batches(content, tenant, place.as_deref(), limit).await.expect("listed");
            pages.push(page.batches.into_iter().map(|batch| batch.id).collect());
            place = page.next;
            match &place {
                None => return pages,
                Some(place) => assert!(is_list_name(place), "{place}"),
            }
        }
    }

    #[tokio::test]
    async fn a_tenant_lists_its_own_batches_newest_first() {
        let content = ContentStore::in_memory();
        for (id, tenant, ms) in [("a", Some("t"), 1), ("b", Some("t"), 20), ("c", None, 3), ("d", Some("t"), 300)] {
            for _ in 0..2 {
                keep_batch(&content, &accepted(id, tenant, ms)).await.expect("kept");
            }
        }
        assert_eq!(pages(&content, Some("t"), 9).await, [["d", "b", "a"]]);
        assert_eq!(pages(&content, Some("t"), 2).await, [vec!["d", "b"], vec!["a"]]);
        assert_eq!(pages(&content, Some("t"), 3).await, [["d", "b", "a"]], "no empty page");
        assert_eq!(
            (pages(&content, None, 1).await, pages(&content, Some("u"), 1).await),
            (vec![vec!["c".to_owned()]], vec![vec![]])
        );
        // A place whose record is gone is no row.
        content.remove_named(BATCHES, "b").await.expect("removed");
        assert_eq!(pages(&content, Some("t"), 1).await, [vec!["d"], vec![], vec!["a"]]);
    }

    #[tokio::test]
    async fn the_first_record_of_a_batch_stays_and_is_its_tenants() {
        let content = ContentStore::in_memory();
        let batch = |hash: &str| Batch {
            schema_version: 1,
            id: "b".to_owned(),
            tenant: Some("t".to_owned()),
            accepted_at: Timestamp(7),
            request_sha256: hash.to_owned(),
            max_usd: Some(0.5),
            research: None,
            sessions: vec![SessionId::new("b-001").expect("an id")],
        };
        assert_eq!(keep_batch(&content, &batch("one")).await, Ok(batch("one")));
        assert_eq!(keep_batch(&content, &batch("other")).await, Ok(batch("one")));
        assert_eq!(read_batch(&content, Some("t"), "b").await, Ok(Some(batch("one"))));
        for (tenant, id) in [(None, "b"), (Some("u"), "b"), (Some("t"), ""), (Some("t"), "../b")] {
            assert_eq!(read_batch(&content, tenant, id).await, Ok(None));
        }
    }
}
