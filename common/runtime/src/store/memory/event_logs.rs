//! The logs of events as the store in memory has them, and what of them outlives the process.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use tokio::time::Instant;

use super::kept_events::{EventHead, KeptEvents, decode, encode, encode_removal};
use crate::clock::unix_time;
use crate::journal::{Journal, OpenJournalError, Opening};
use crate::store::event_log::{EventId, EventLog, LOG_KEPT, LoggedEvent};

/// Sessions whose events are kept; the one whose last event is the oldest goes first. At a few hundred bytes an event and most sessions far
/// below their limit, some tens of megabytes (chosen, not measured).
pub(super) const SESSIONS: usize = 1_000;
/// Bytes of the record of an event in the journal, beside its JSON, about.
const RECORD_BYTES: u64 = 100;

/// The logs of all sessions.
#[derive(Debug, Default)]
pub(super) struct EventLogs {
    by_session: HashMap<SessionId, EventLog>,
    /// Bytes of all records in the journal, about.
    bytes: u64,
    /// Where they are kept on disk, if they are. Nobody waits for it: a process that is killed leaves every event that a reader was sent, a
    /// power failure may cost the latest, which a reader that has them is told by a snapshot.
    journal: Option<Journal>,
}

impl EventLogs {
    /// Reads the logs in `dir`, which is created if it is missing, without those whose last event is too old at `now_ms`, and keeps later
    /// events there. Blocks.
    ///
    /// # Errors
    /// [`OpenJournalError`].
    pub(super) fn open(dir: &Path, now_ms: u64) -> Result<Self, OpenJournalError> {
        let (mut logs, now) = (Self::default(), Instant::now());
        let opening = Opening::read(dir, |entry| {
            logs.apply(decode(entry)?, now);
            Ok(())
        })?;
        logs.by_session.retain(|_, log| {
            let last_ms = log.entries().back().map_or(0, |last| last.id.ms);
            let age = Duration::from_millis(now_ms.saturating_sub(last_ms));
            // Where there is no instant before the start of the machine, the log is kept for longer.
            log.last = now.checked_sub(age).unwrap_or(now);
            age < LOG_KEPT
        });
        logs.forget_oldest(now);
        logs.bytes = logs.by_session.values().map(record_bytes).sum();
        logs.journal = Some(opening.begin(logs.live())?);
        Ok(logs)
    }

    fn apply(&mut self, kept: KeptEvents, now: Instant) {
        match kept {
            KeptEvents::Added(events) => {
                for (session, event) in events {
                    self.by_session.entry(session).or_insert_with(|| EventLog::new(now)).push(event, now);
                }
            }
            KeptEvents::Removed(session) => drop(self.by_session.remove(&session)),
        }
    }

    /// Adds events, in this order.
    pub(super) fn add(&mut self, events: &[(SessionId, Bytes)], now_ms: u64, now: Instant) {
        let mut heads = Vec::with_capacity(events.len());
        for (session, json) in events {
            let log = self.by_session.entry(session.clone()).or_insert_with(|| EventLog::new(now));
            let before = record_bytes(log);
            let id = log.add(json.clone(), now_ms, now);
            self.bytes = self.bytes + record_bytes(log) - before;
            heads.push(EventHead::new(session, id, json));
        }
        self.keep(|| encode(heads, events.iter().map(|(_, json)| json)), now);
        self.forget_oldest(now);
    }

    /// Removes the logs of the longest silent sessions above [`SESSIONS`]. A start does the same with what it reads.
    fn forget_oldest(&mut self, now: Instant) {
        if self.by_session.len() <= SESSIONS {
            return;
        }
        self.forget_expired(now);
        while self.by_session.len() > SESSIONS
            && let Some(oldest) = self.by_session.iter().min_by_key(|(_, log)| log.last).map(|(id, _)| id.clone())
        {
            self.by_session.remove(&oldest);
        }
        self.bytes = self.by_session.values().map(record_bytes).sum();
    }

    fn forget_expired(&mut self, now: Instant) {
        self.by_session.retain(|_, log| now.saturating_duration_since(log.last) < LOG_KEPT);
        self.bytes = self.by_session.values().map(record_bytes).sum();
    }

    /// Removes the log of a session.
    pub(super) fn remove(&mut self, session: &SessionId, now: Instant) {
        if let Some(log) = self.by_session.remove(session) {
            self.bytes -= record_bytes(&log);
            self.keep(|| encode_removal(session), now);
        }
    }

    /// Removes all logs, also on disk.
    pub(super) fn clear(&mut self) {
        (self.by_session, self.bytes) = (HashMap::new(), 0);
        if let Some(journal) = &self.journal {
            journal.compact(self.live());
        }
    }

    /// Keeps nothing more on disk, as the end of the process would.
    pub(super) fn close(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.close();
        }
    }

    /// The events of a session from `from` on, that one included, or from the first one; at most `limit`.
    pub(super) fn from(
        &self,
        session: &SessionId,
        from: Option<EventId>,
        limit: usize,
        now: Instant,
    ) -> Vec<LoggedEvent> {
        let log = self.by_session.get(session).filter(|log| now.saturating_duration_since(log.last) < LOG_KEPT);
        log.map(|log| log.from(from, limit)).unwrap_or_default()
    }

    /// Appends a record, of a batch of events as one: a process that is killed leaves all of it or nothing.
    fn keep(&mut self, record: impl FnOnce() -> Vec<u8>, now: Instant) {
        let Some(journal) = &self.journal else { return };
        // Without effect if it fails, which is told once: the logs go on in memory.
        if journal.append(&record()).is_err() {
            let failure = self.journal.take().and_then(|journal| journal.failure());
            tracing::warn!(?failure, "events of sessions are no longer kept on disk");
        } else if journal.is_long(self.bytes) {
            let journal = journal.clone();
            self.forget_expired(now);
            journal.compact(self.live());
        }
    }

    /// Everything that a start must find: one record for each session.
    fn live(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        let all = |log: &EventLog| log.entries().iter().cloned().collect::<Vec<_>>();
        let logs: Vec<_> = self.by_session.iter().map(|(session, log)| (session.clone(), all(log))).collect();
        Box::new(logs.into_iter().map(|(session, events)| {
            let heads = events.iter().map(|event| EventHead::new(&session, event.id, &event.json)).collect();
            encode(heads, events.iter().map(|event| &event.json))
        }))
    }
}

fn record_bytes(log: &EventLog) -> u64 {
    log.bytes() + log.entries().len() as u64 * RECORD_BYTES
}

/// The time by which events get their ids.
pub(super) fn unix_ms() -> u64 {
    u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
