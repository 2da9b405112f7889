//! The error of the store.

/// The store could not be reached, or refused the operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store is unavailable: {0}")]
pub struct StoreError(pub String);
