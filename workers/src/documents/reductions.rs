//! Stores reductions in the content store, each under the hash of its bytes.

use bytes::Bytes;
use precis_proto::source::{ContentRef, Reduction};
use precis_runtime::content::{ContentError, ContentStore};

/// Stores a reduction and returns its reference.
///
/// # Errors
/// [`ContentError`] if the content store cannot be written.
pub async fn store(reduction: &Reduction, content: &ContentStore) -> Result<ContentRef, ContentError> {
    let bytes = serde_json::to_vec(reduction).expect("a reduction has string keys and finite numbers");
    content.put(Bytes::from(bytes)).await
}

/// Loads a reduction.
///
/// # Errors
/// [`ContentError`] if it is missing, or the content is not a reduction.
pub async fn load(reference: &ContentRef, content: &ContentStore) -> Result<Reduction, ContentError> {
    let bytes = content.get(reference).await?;
    serde_json::from_slice(&bytes).map_err(|_| ContentError::Corrupt(reference.clone()))
}
