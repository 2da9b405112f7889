//! Why a content store did not do what it was asked for.

use std::io;

use precis_proto::source::ContentRef;

/// Why content could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The content does not exist; permanent, unless its writer is still running.
    #[error("content {0} is missing")]
    Missing(ContentRef),
    /// The stored bytes do not match the hash; permanent.
    #[error("content {0} does not match its hash")]
    Corrupt(ContentRef),
    /// Larger than the limit; permanent.
    #[error("content must have at most {limit} bytes, got {bytes}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// No space left; transient, but seldom resolves itself.
    #[error("the content store is full: {0}")]
    Full(String),
    /// The store cannot be reached, or refuses; transient.
    #[error("the content store is unavailable: {0}")]
    Unavailable(String),
}

impl ContentError {
    /// Whether the store as a whole may be at fault, not one content.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Full(_) | Self::Unavailable(_) => true,
            Self::Missing(_) | Self::Corrupt(_) | Self::TooLarge { .. } => false,
        }
    }

    /// The name of this kind of error in metrics.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Full(_) => "full",
            Self::Unavailable(_) => "unavailable",
            Self::Missing(_) => "missing",
            Self::Corrupt(_) => "corrupt",
            Self::TooLarge { .. } => "too_large",
        }
    }
}

/// Checks the size of one content, in bytes.
pub(super) fn within(bytes: u64, limit: u64) -> Result<(), ContentError> {
    if bytes > limit { Err(ContentError::TooLarge { bytes, limit }) } else { Ok(()) }
}

pub(super) fn unavailable(error: object_store::Error) -> ContentError {
    let message = error.to_string();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(at) = cause {
        match at.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => return ContentError::Full(message),
            _ => cause = at.source(),
        }
    }
    ContentError::Unavailable(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_differs_from_an_unavailable_one() {
        let error =
            |kind: io::ErrorKind| object_store::Error::Generic { store: "x", source: Box::new(io::Error::from(kind)) };
        for (kind, is_full) in [
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::QuotaExceeded, true),
            (io::ErrorKind::PermissionDenied, false),
        ] {
            assert_eq!(matches!(unavailable(error(kind)), ContentError::Full(_)), is_full, "{kind:?}");
        }
    }
}
