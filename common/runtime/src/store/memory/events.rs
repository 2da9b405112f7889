//! The logs of events of the store in memory, as the store is asked for them.

use bytes::Bytes;
use precis_proto::SessionId;

use super::MemoryStore;
use super::event_logs::unix_ms;
use crate::store::StoreError;
use crate::store::event_log::{EventId, LoggedEvent};

impl MemoryStore {
    // Without failpoints: events are sent by a task of their own, whose operations would shift those of the work.
    pub(in crate::store) async fn add_events(&self, events: &[(SessionId, Bytes)]) -> Result<(), StoreError> {
        let now_ms = unix_ms();
        self.act(|state, now| state.events.add(events, now_ms, now))
    }

    pub(in crate::store) async fn remove_events(&self, session: &SessionId) -> Result<(), StoreError> {
        self.act(|state, now| state.events.remove(session, now))
    }

    pub(in crate::store) async fn events_from(
        &self,
        session: &SessionId,
        from: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        self.act(|state, now| state.events.from(session, from, limit, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::event_logs::SESSIONS;

    #[tokio::test]
    async fn the_events_of_the_longest_silent_session_go_first() {
        let session = |n: usize| SessionId::new(format!("s{n}")).expect("an id");
        let store = MemoryStore::new();
        for n in 0..=SESSIONS {
            store.add_events(&[(session(n), Bytes::from_static(b"{}"))]).await.expect("in memory");
            tokio::time::sleep(std::time::Duration::from_micros(1)).await;
        }
        for (n, is_kept) in [(0, false), (1, true), (SESSIONS, true)] {
            assert_eq!(
                store.events_from(&session(n), None, 9).await.expect("in memory").len(),
                usize::from(is_kept),
                "{n}"
            );
        }
        store.set_available(false);
        assert!(store.events_from(&session(1), None, 9).await.is_err());
    }
}
