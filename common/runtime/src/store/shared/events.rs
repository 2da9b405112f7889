//! The events of sessions, kept for readers that come later or come back.

use bytes::Bytes;
use precis_proto::SessionId;

use crate::store::StoreError;
use crate::store::event_log::{EventId, LoggedEvent};
use crate::store::handle::{Store, each};

/// Access to the logs of a store.
#[derive(Debug, Clone, Copy)]
pub struct SharedEvents<'a>(&'a Store);

impl Store {
    /// The logs of events of this store.
    #[must_use]
    pub fn events(&self) -> SharedEvents<'_> {
        SharedEvents(self)
    }
}

impl SharedEvents<'_> {
    /// Adds events, each as JSON, to the log of its session in this order, and drops what is above
    /// [`LOGGED_EVENTS`](crate::store::LOGGED_EVENTS).
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; some may have been added.
    pub async fn add(self, events: &[(SessionId, Bytes)]) -> Result<(), StoreError> {
        each!(self.0, s => s.add_events(events).await)
    }

    /// Removes the log of `session`.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn remove(self, session: &SessionId) -> Result<(), StoreError> {
        each!(self.0, s => s.remove_events(session).await)
    }

    /// Returns the events of `session` from `from` on, that one included, or from the first one that is kept; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn from(
        self,
        session: &SessionId,
        from: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        each!(self.0, s => s.events_from(session, from, limit).await)
    }
}
