//! Reductions in the content store, each under the hash of its bytes.

use bytes::Bytes;
use precis_proto::source::{ContentRef, Reduction};
use precis_runtime::content::{ContentError, ContentStore};

/// Keeps a reduction under the hash of its bytes.
///
/// # Errors
/// [`ContentError`] where the content store does not take it.
pub async fn store(reduction: &Reduction, content: &ContentStore) -> Result<ContentRef, ContentError> {
    let bytes = serde_json::to_vec(reduction).expect("a reduction has string keys and finite numbers");
    content.put(Bytes::from(bytes)).await
}

/// Reads a reduction back.
///
/// # Errors
/// [`ContentError`] where it is missing, or is none.
pub async fn load(reference: &ContentRef, content: &ContentStore) -> Result<Reduction, ContentError> {
    let bytes = content.get(reference).await?;
    serde_json::from_slice(&bytes).map_err(|_| ContentError::Corrupt(reference.clone()))
}
