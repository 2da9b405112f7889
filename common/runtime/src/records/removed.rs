//! Marks of sessions that were removed on demand. While there is one, its id is not given to another session: a request that arrives once
//! more, because it was sent or delivered twice, must not begin again what its caller took back. Retention removes marks as it removes texts.

use bytes::Bytes;
use precis_proto::SessionId;

use crate::content::{ContentError, ContentStore};

/// Kind of the named contents that are these marks; they are empty.
pub const REMOVED: &str = "removed";

/// Marks `session` as removed. Idempotent; the first mark counts for retention.
///
/// # Errors
/// [`ContentError`].
pub async fn mark_removed(content: &ContentStore, session: &SessionId) -> Result<(), ContentError> {
    content.put_named_if_absent(REMOVED, session.as_str(), Bytes::new()).await.map(drop)
}

/// Whether `session` was removed on demand, or is to be removed once it has ended.
///
/// # Errors
/// [`ContentError`].
pub async fn is_removed(content: &ContentStore, session: &SessionId) -> Result<bool, ContentError> {
    content.get_named(REMOVED, session.as_str()).await.map(|mark| mark.is_some())
}
