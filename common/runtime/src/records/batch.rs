//! The record of a batch: one request for many sessions. The sessions are those of its ids; what becomes of them, they tell themselves.

use bytes::Bytes;
use precis_proto::research::ResearchOptions;
use precis_proto::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

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

/// Keeps `batch` unless its id has one; returns the one that is kept.
///
/// # Errors
/// [`ContentError`], also if the record that is there cannot be read.
pub async fn keep_batch(content: &ContentStore, batch: &Batch) -> Result<Batch, ContentError> {
    let json = serde_json::to_vec(batch).expect("a record is plain data");
    decode(&content.put_named_if_absent(BATCHES, &batch.id, Bytes::from(json)).await?)
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
