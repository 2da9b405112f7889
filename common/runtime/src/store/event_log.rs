//! The log of a session's events as plain data: ids in order, the latest of them, and no more of progress than a reader can follow.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::event::{Event, EventKind};
use tokio::time::Instant;

/// Most events of a session that are kept; earlier ones are dropped.
pub const LOGGED_EVENTS: usize = 1_000;
/// How long the events of a session are kept after its last one.
pub const LOG_KEPT: Duration = Duration::from_secs(24 * 3_600);
/// Shortest time between two logged events of the progress of a phase; the last one is always logged. At one a second, the log holds the
/// progress of a quarter of an hour.
const PROGRESS: Duration = Duration::from_secs(1);
/// Sessions whose progress is remembered; more make all forget, which costs an event each.
const REMEMBERED: usize = 1_024;

/// The id of a logged event: milliseconds by the clock of the store, and a number within the millisecond. Later events of a session have
/// greater ids, also after the store was wiped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// Number within the millisecond.
    pub number: u64,
}

impl EventId {
    /// Reads `MS-NUMBER`, as [`fmt::Display`] writes it; `None` for any other text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (ms, number) = text.split_once('-')?;
        let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let id = Self { ms: ms.parse().ok()?, number: number.parse().ok()? };
        (plain(ms) && plain(number)).then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.number)
    }
}

/// An event of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its id.
    pub id: EventId,
    /// Its JSON.
    pub json: Bytes,
}

/// The events of one session in memory.
#[derive(Debug)]
pub(super) struct EventLog {
    entries: VecDeque<LoggedEvent>,
    /// Bytes of the JSON of all entries.
    bytes: u64,
    pub(super) last: Instant,
}

impl EventLog {
    pub(super) fn new(now: Instant) -> Self {
        Self { entries: VecDeque::new(), bytes: 0, last: now }
    }

    /// Adds an event at `now_ms`, and drops the oldest above [`LOGGED_EVENTS`]. Returns the id of the event.
    pub(super) fn add(&mut self, json: Bytes, now_ms: u64, now: Instant) -> EventId {
        let id = match self.entries.back().map(|last| last.id) {
            // A clock that went back must not order a later event before an earlier one.
            Some(last) if last.ms >= now_ms => EventId { ms: last.ms, number: last.number + 1 },
            Some(_) | None => EventId { ms: now_ms, number: 0 },
        };
        self.push(LoggedEvent { id, json }, now);
        id
    }

    /// Adds an event that has its id, and drops the oldest above [`LOGGED_EVENTS`].
    pub(super) fn push(&mut self, event: LoggedEvent, now: Instant) {
        self.bytes += event.json.len() as u64;
        self.entries.push_back(event);
        self.last = now;
        if self.entries.len() > LOGGED_EVENTS
            && let Some(dropped) = self.entries.pop_front()
        {
            self.bytes -= dropped.json.len() as u64;
        }
    }

    /// All entries, from the oldest.
    pub(super) fn entries(&self) -> &VecDeque<LoggedEvent> {
        &self.entries
    }

    /// Bytes of the JSON of all entries.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the events from `from` on, that one included, or from the first one; at most `limit`.
    pub(super) fn from(&self, from: Option<EventId>, limit: usize) -> Vec<LoggedEvent> {
        let wanted = self.entries.iter().filter(|event| from.is_none_or(|from| event.id >= from));
        wanted.take(limit).cloned().collect()
    }
}

/// Holds back progress that follows other progress of its session too fast.
#[derive(Debug, Default)]
pub(crate) struct ProgressGate(HashMap<SessionId, Instant>);

impl ProgressGate {
    /// Whether `event` is logged at `now`.
    pub(crate) fn admits(&mut self, event: &Event, now: Instant) -> bool {
        let EventKind::JobsProgress { done, total, .. } = &event.kind else { return true };
        let last = self.0.get(&event.session_id);
        if done < total && last.is_some_and(|last| now.saturating_duration_since(*last) < PROGRESS) {
            return false;
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.insert(event.session_id.clone(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::{Phase, Timestamp};

    use super::*;

    #[test]
    fn ids_round_trip_and_are_ordered_by_time_then_number() {
        for (text, id) in [
            ("7-0", Some(EventId { ms: 7, number: 0 })),
            ("18446744073709551615-1", Some(EventId { ms: u64::MAX, number: 1 })),
            ("18446744073709551616-1", None),
            ("7", None),
            ("-", None),
            ("7-", None),
            ("+7-0", None),
            ("7-0-0", None),
            ("7-0 ", None),
            ("", None),
        ] {
            assert_eq!(EventId::from_text(text), id, "{text}");
            assert!(id.is_none_or(|id| id.to_string() == text));
        }
        assert!(EventId { ms: 7, number: 9 } < EventId { ms: 8, number: 0 });
    }

    #[test]
    fn a_log_keeps_the_last_events_in_order_whatever_the_clock_does() {
        let now = Instant::now();
        let mut log = EventLog::new(now);
        for (n, ms) in [5, 5, 4, 6].into_iter().enumerate() {
            log.add(Bytes::from(n.to_string()), ms, now);
        }
        let ids: Vec<String> = log.from(None, 9).iter().map(|event| event.id.to_string()).collect();
        assert_eq!(ids, ["5-0", "5-1", "5-2", "6-0"]);
        let from = log.from(EventId::from_text("5-1"), 2);
        assert_eq!(from.iter().map(|event| &event.json[..]).collect::<Vec<_>>(), [b"1", b"2"]);
        for count in [LOGGED_EVENTS - 1, LOGGED_EVENTS, LOGGED_EVENTS + 1] {
            let mut log = EventLog::new(now);
            for n in 0..count {
                log.add(Bytes::from(n.to_string()), 1, now);
            }
            let kept = log.from(None, usize::MAX);
            assert_eq!(
                (kept.len(), kept.first().map(|event| event.id.number)),
                (count.min(LOGGED_EVENTS), Some((count - count.min(LOGGED_EVENTS)) as u64))
            );
        }
    }

    #[test]
    fn progress_is_logged_once_a_second_and_at_its_end() {
        let mut gate = ProgressGate::default();
        let start = Instant::now();
        let event = |session: &str, done: u64| Event {
            session_id: SessionId::new(session).expect("an id"),
            at: Timestamp(0),
            kind: EventKind::JobsProgress { phase: Phase::Digest, done, total: 9 },
        };
        for (session, done, ms, is_logged) in
            [("a", 1, 0, true), ("a", 2, 999, false), ("b", 2, 999, true), ("a", 3, 1_000, true), ("a", 9, 1_001, true)]
        {
            assert_eq!(
                gate.admits(&event(session, done), start + Duration::from_millis(ms)),
                is_logged,
                "{session} {ms}"
            );
        }
        let other = Event { kind: EventKind::SessionAccepted { sources: 1 }, ..event("a", 1) };
        assert!(gate.admits(&other, start));
    }
}
