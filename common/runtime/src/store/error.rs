//! What a store says that cannot be reached.

/// The store could not be reached, or said no.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store is unavailable: {0}")]
pub struct StoreError(pub String);
