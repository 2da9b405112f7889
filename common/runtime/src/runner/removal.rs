//! Removes a session on demand: everything that retention would remove of it, at once. Texts stay until their retention is over, because they
//! are kept by their hash and may belong to other sessions too.

use precis_proto::SessionId;

use super::outbox::RESULTS;
use super::session_record::REQUESTS;
use super::session_view;
use crate::content::{ContentError, ContentStore};
use crate::records::{ACCEPTED, AcceptedSession, ENDED, REMOVED, mark_removed, read_accepted, withdraw_accepted};
use crate::store::Store;
use crate::webhooks::WEBHOOKS;

/// Removes what is kept of the session of `record`, which has ended: its index entry, records, result and events. Idempotent. From now on its
/// id is not given to another session, until the mark of the removal is past its retention.
///
/// # Errors
/// [`ContentError`]; the rest is then removed by retention.
pub async fn remove_session(
    content: &ContentStore,
    store: &Store,
    record: &AcceptedSession,
) -> Result<(), ContentError> {
    mark_removed(content, &record.session_id).await?;
    // First what it is found by: from then on nobody sees a part of it.
    withdraw_accepted(content, record).await?;
    remove_rest(content, &record.session_id).await?;
    // Best effort: they end by themselves.
    let _ = store.events().remove(&record.session_id).await;
    session_view::forget(store, &record.session_id).await;
    Ok(())
}

async fn remove_rest(content: &ContentStore, session: &SessionId) -> Result<u64, ContentError> {
    let mut removed = 0;
    for kind in [WEBHOOKS, RESULTS, ENDED, REQUESTS] {
        // Looked for first: a bucket does not tell whether it removed anything.
        if content.get_named(kind, session.as_str()).await?.is_some() {
            removed += u64::from(content.remove_named(kind, session.as_str()).await?);
        }
    }
    Ok(removed)
}

/// Removes what is left of sessions that were removed on demand: those that ended only afterwards, and what a worker kept that did not know;
/// returns how many contents.
///
/// # Errors
/// [`ContentError`]; some may be removed by then.
pub(super) async fn finish_removals(content: &ContentStore) -> Result<u64, ContentError> {
    let mut removed = 0;
    for (id, _) in content.list_named(REMOVED).await? {
        let Ok(session) = SessionId::new(id) else { continue };
        if let Some(record) = read_accepted(content, session.as_str()).await? {
            if content.get_named(RESULTS, session.as_str()).await?.is_none() {
                // Still under way: its cancellation was sent.
                continue;
            }
            withdraw_accepted(content, &record).await?;
            removed += 1;
        }
        removed += remove_rest(content, &session).await?;
    }
    Ok(removed)
}

/// Whether the id of `session` is that of a session that was removed.
///
/// # Errors
/// [`ContentError`].
pub(super) async fn is_gone(content: &ContentStore, session: &SessionId) -> Result<bool, ContentError> {
    // One that is still under way has its record: it must end, or nobody would remove it.
    Ok(crate::records::is_removed(content, session).await?
        && content.get_named(ACCEPTED, session.as_str()).await?.is_none())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use precis_proto::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::records::{AskedBy, IndexFilter, keep_accepted, list_sessions};
    use crate::store::MemoryStore;

    async fn session(content: &ContentStore, id: &str, has_ended: bool) -> AcceptedSession {
        let request = json!({ "schema_version": 2, "session_id": id, "query": "Why?", "sources": [] });
        let request = serde_json::from_value(request).expect("a request");
        let asked_by = AskedBy::Amqp { user: None };
        let record = AcceptedSession::of(&request, String::new(), None, asked_by, Timestamp(7));
        keep_accepted(content, &record).await.expect("kept");
        for kind in [REQUESTS, RESULTS, ENDED].into_iter().take(if has_ended { 3 } else { 1 }) {
            content.put_named_if_absent(kind, id, Bytes::from_static(b"x")).await.expect("kept");
        }
        record
    }

    async fn left(content: &ContentStore, id: &str) -> usize {
        let mut left = 0;
        for kind in [ACCEPTED, REQUESTS, RESULTS, ENDED] {
            left += usize::from(content.get_named(kind, id).await.expect("read").is_some());
        }
        left + list_sessions(content, &IndexFilter::default(), None, 9).await.expect("listed").sessions.len()
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_removed_session_but_its_mark() {
        let (content, store) = (ContentStore::in_memory(), Store::Memory(MemoryStore::new()));
        let record = session(&content, "s", true).await;
        let event = (record.session_id.clone(), Bytes::from_static(b"{}"));
        store.events().add(&[event]).await.expect("in memory");
        assert!(!is_gone(&content, &record.session_id).await.expect("read"));
        for _ in 0..2 {
            remove_session(&content, &store, &record).await.expect("removed");
            assert_eq!(left(&content, "s").await, 0);
            assert!(store.events().from(&record.session_id, None, 9).await.expect("in memory").is_empty());
            assert!(is_gone(&content, &record.session_id).await.expect("read"));
        }
    }

    #[tokio::test]
    async fn a_session_that_was_under_way_goes_when_it_has_ended() {
        let content = ContentStore::in_memory();
        let running = session(&content, "s", false).await;
        mark_removed(&content, &running.session_id).await.expect("marked");
        assert_eq!(finish_removals(&content).await, Ok(0));
        assert_eq!(left(&content, "s").await, 3);
        assert!(!is_gone(&content, &running.session_id).await.expect("read"), "it must end");
        session(&content, "s", true).await;
        assert_eq!(finish_removals(&content).await, Ok(4));
        assert_eq!(left(&content, "s").await, 0);
        // What a worker kept that did not know.
        content.put_named_if_absent(RESULTS, "s", Bytes::new()).await.expect("kept");
        assert_eq!(finish_removals(&content).await, Ok(1));
    }
}
