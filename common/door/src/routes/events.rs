//! `GET /v1/sessions/{id}/events`: the events of a session as they happen, and again from where a reader left off.
//!
//! What is sent is what the log has: a reader who comes back gets the same events with the same ids, whatever door it comes to. Where the
//! log has a gap, an event `snapshot` says where the session stands.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use precis_proto::SessionId;
use precis_proto::event::{Event, EventKind};
use precis_runtime::records::{AcceptedSession, EndedSession, read_accepted};
use precis_runtime::store::{EventId, LoggedEvent};
use tokio::time::{Instant, timeout_at};

use super::parameters;
use super::show::id_in_path;
use crate::door::Door;
use crate::limits::{HEARTBEAT, LOOK_AGAIN};
use crate::problem::Problem;
use crate::wakeups::Wakeup;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Media type of the stream.
const EVENT_STREAM: &str = "text/event-stream";
/// Number in the id of an end that the log does not have: after all of its millisecond.
const END: u64 = u64::MAX;
/// Events read from the log at once.
const AT_ONCE: usize = 100;

/// Streams events.
pub(super) async fn events(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (_, record) = door.read_session(&headers, &id_in_path(id)).await?;
    parameters::read(query.as_deref(), &[])?;
    let last = last_seen(&headers)?;
    if let Some(last) = last
        && door.is_end(&record.session_id, last).await?
    {
        // The reader has everything; this status tells browsers not to come back.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // Before the first look into the log: an event in between must wake.
    let wakeup = door.wakeups.wait_for(&record.session_id);
    let (due, beat) = (Look::First, Instant::now() + HEARTBEAT);
    let follower = Follower { door, record, last, wakeup, due, is_behind: false, is_over: false, beat };
    let frames = stream::unfold(follower, |mut follower| async {
        let bytes = follower.next().await?;
        Some((Ok::<_, Infallible>(bytes), follower))
    });
    let fields = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-store")];
    // A proxy that buffers would hold events back.
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((StatusCode::OK, fields, unbuffered, Body::from_stream(frames)).into_response())
}

/// The id of the last event that the reader has.
fn last_seen(headers: &HeaderMap) -> Result<Option<EventId>, Problem> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let id = value.to_str().ok().and_then(EventId::from_text);
    id.map(Some).ok_or_else(|| Problem::invalid("invalid_last_event_id", "Last-Event-ID is not the id of an event"))
}

impl Door {
    /// Whether `last` is the id of the last event of `session`.
    async fn is_end(&self, session: &SessionId, last: EventId) -> Result<bool, Problem> {
        if last.number == END {
            return self.ended_session(session).await.map(|ended| ended.is_some());
        }
        let found = self.parts.store.events().from(session, Some(last), 1).await.unwrap_or_default();
        Ok(found.first().is_some_and(|event| event.id == last && is_last(&event.json)))
    }
}

/// Why a follower looks before it waits again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It does not.
    No,
    /// It has just begun.
    First,
    /// It was woken.
    Woken,
    /// Nothing woke it for a while: it looks for all that follow the session.
    Turn,
}

/// Follows the events of one session for one reader.
struct Follower {
    door: Arc<Door>,
    record: AcceptedSession,
    /// The last event that the reader has.
    last: Option<EventId>,
    wakeup: Wakeup,
    due: Look,
    /// Whether the log had more events than were read.
    is_behind: bool,
    /// Whether the end was told.
    is_over: bool,
    /// When the next sign of life is due.
    beat: Instant,
}

impl Follower {
    /// Returns what to send next; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            // In a box: a reader waits most of the time, and must not keep the room for a look meanwhile.
            let text = Box::pin(self.look()).await;
            if !text.is_empty() {
                self.beat = Instant::now() + HEARTBEAT;
                return Some(Bytes::from(text));
            }
            let look = Instant::now() + LOOK_AGAIN;
            tokio::select! {
                woken = timeout_at(look.min(self.beat), self.wakeup.wait()) => self.due = match woken {
                    Ok(()) => Look::Woken,
                    Err(_) if self.wakeup.take_turn(LOOK_AGAIN) => Look::Turn,
                    Err(_) => Look::No,
                },
                () = self.door.stopping.cancelled() => return None,
            }
            if Instant::now() >= self.beat {
                if Box::pin(self.is_removed()).await {
                    return None;
                }
                self.beat = Instant::now() + HEARTBEAT;
                return Some(Bytes::from_static(b": alive\n\n"));
            }
        }
        None
    }

    /// Looks, if that is due, and returns the text of what is new. The end of the session is looked for only where the log has nothing: with
    /// many readers, looks at the content store are what a stream costs.
    async fn look(&mut self) -> String {
        if self.due == Look::No {
            return String::new();
        }
        let mut text = self.news(None).await;
        if text.is_empty() {
            let ended = self.door.ended_session(&self.record.session_id).await.ok().flatten();
            if ended.is_some() {
                // Once more: the last event is logged after the result is kept, so the log that is read now has it, or has lost it.
                text = self.news(ended.as_ref()).await;
            }
        }
        if self.due == Look::Turn && !text.is_empty() {
            self.door.wakeups.wake(&self.record.session_id);
        }
        self.due = match self.due {
            Look::First if !text.is_empty() => Look::First,
            Look::Woken | Look::Turn if self.is_behind => Look::Woken,
            // What happens from now on wakes.
            _ => Look::No,
        };
        text
    }

    /// Whether the session was removed, so that nothing more will happen to it. A store that is away does not say so.
    async fn is_removed(&self) -> bool {
        let id = self.record.session_id.as_str();
        matches!(read_accepted(&self.door.parts.content, id).await, Ok(None))
    }

    /// The text of all events since the last one.
    async fn news(&mut self, ended: Option<&EndedSession>) -> String {
        let mut text = String::new();
        // A store that is away has nothing to say; the end of the session is told all the same.
        let mut read = self.read_log().await;
        let is_gap = |read: &Option<VecDeque<LoggedEvent>>| {
            let first = read.as_ref().map(|found| found.front().map(|event| event.id));
            self.last.is_some() && first.is_some_and(|first| first != self.last)
        };
        if is_gap(&read) {
            // Not in the log: too old, of another session, or of the future; or the log was wiped. Then all that the log has.
            text.push_str(&self.snapshot().await);
            self.last = None;
            read = self.read_log().await;
        }
        self.is_behind = read.as_ref().is_some_and(|found| found.len() >= AT_ONCE);
        let mut found = read.unwrap_or_default();
        if self.last.is_some() {
            found.pop_front();
        }
        for event in found {
            self.last = Some(event.id);
            self.is_over |= is_last(&event.json);
            text.push_str(&frame(Some(event.id), kind(&event), &event.json));
        }
        if let Some(ended) = ended.filter(|_| !self.is_behind && !self.is_over) {
            text.push_str(&self.end(ended));
        }
        text
    }

    /// The events from the last one on, that one included; `None` if the store cannot be read.
    async fn read_log(&self) -> Option<VecDeque<LoggedEvent>> {
        let read = self.door.parts.store.events().from(&self.record.session_id, self.last, AT_ONCE).await;
        read.ok().map(VecDeque::from)
    }

    /// Says where the session stands, instead of events that are not there any more.
    async fn snapshot(&mut self) -> String {
        match self.door.document(&self.record).await {
            Ok(document) => frame(None, "snapshot", &serde_json::to_vec(&document).expect("plain data")),
            Err(_) => String::new(),
        }
    }

    /// Tells the end of a session whose last event the log does not have.
    fn end(&mut self, ended: &EndedSession) -> String {
        self.is_over = true;
        let kind = EventKind::SessionFinished { status: ended.status };
        let event = Event { session_id: self.record.session_id.clone(), at: ended.ended_at, kind };
        let ms = u64::try_from(ended.ended_at.0).unwrap_or_default().max(self.last.map_or(0, |last| last.ms));
        let id = EventId { ms, number: END };
        frame(Some(id), event.kind.as_str(), &serde_json::to_vec(&event).expect("plain data"))
    }
}

fn kind(event: &LoggedEvent) -> &'static str {
    serde_json::from_slice::<Event>(&event.json).map_or("message", |event| event.kind.as_str())
}

fn is_last(json: &[u8]) -> bool {
    serde_json::from_slice::<Event>(json).is_ok_and(|event| matches!(event.kind, EventKind::SessionFinished { .. }))
}

/// An event as text of a stream. JSON has no line breaks outside of its strings, and none in them.
fn frame(id: Option<EventId>, kind: &str, json: &[u8]) -> String {
    let id = id.map_or(String::new(), |id| format!("id: {id}\n"));
    format!("{id}event: {kind}\ndata: {}\n\n", String::from_utf8_lossy(json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_one_event_whatever_is_in_it() {
        let id = EventId { ms: 7, number: 1 };
        assert_eq!(frame(Some(id), "warned", b"{}"), "id: 7-1\nevent: warned\ndata: {}\n\n");
        let json = serde_json::to_vec(&serde_json::json!({ "a": "x\n\ndata: y\r" })).expect("plain data");
        assert_eq!(frame(None, "warned", &json).lines().count(), 3);
    }

    #[test]
    fn the_last_event_is_an_id_or_the_request_is_invalid() {
        let of = |text: &str| last_seen(&[(LAST_EVENT_ID, text.parse().expect("a value"))].into_iter().collect());
        assert_eq!(of("7-1"), Ok(Some(EventId { ms: 7, number: 1 })));
        assert_eq!(last_seen(&HeaderMap::new()), Ok(None));
        for wrong in ["", "7", "../..", "end"] {
            assert_eq!(of(wrong).expect_err("invalid").status, 400, "{wrong}");
        }
    }
}
