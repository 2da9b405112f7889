//! The logs of events of the store in memory.

use bytes::Bytes;
use precis_proto::SessionId;

use super::MemoryStore;
use crate::clock::unix_time;
use crate::store::StoreError;
use crate::store::event_log::{EventId, EventLog, LOG_KEPT, LoggedEvent};

/// Sessions whose events are kept; the one whose last event is the oldest goes first. At a few hundred bytes an event and most sessions far
/// below their limit, some tens of megabytes (chosen, not measured).
const SESSIONS: usize = 1_000;

impl MemoryStore {
    // Without failpoints: events are sent by a task of their own, whose operations would shift those of the work.
    pub(in crate::store) async fn add_events(&self, events: &[(SessionId, Bytes)]) -> Result<(), StoreError> {
        let now_ms = u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX);
        self.act(|state, now| {
            for (session, json) in events {
                let log = state.events.entry(session.clone()).or_insert_with(|| EventLog::new(now));
                log.add(json.clone(), now_ms, now);
            }
            if state.events.len() > SESSIONS {
                state.events.retain(|_, log| now.saturating_duration_since(log.last) < LOG_KEPT);
            }
            while state.events.len() > SESSIONS
                && let Some(oldest) = state.events.iter().min_by_key(|(_, log)| log.last).map(|(id, _)| id.clone())
            {
                state.events.remove(&oldest);
            }
        })
    }

    pub(in crate::store) async fn remove_events(&self, session: &SessionId) -> Result<(), StoreError> {
        self.act(|state, _| drop(state.events.remove(session)))
    }

    pub(in crate::store) async fn events_from(
        &self,
        session: &SessionId,
        from: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        self.act(|state, now| {
            let log = state.events.get(session);
            let log = log.filter(|log| now.saturating_duration_since(log.last) < LOG_KEPT);
            log.map(|log| log.from(from, limit)).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_events_of_the_longest_silent_session_go_first() {
        let store = MemoryStore::new();
        let session = |n: usize| SessionId::new(format!("s{n}")).expect("an id");
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
