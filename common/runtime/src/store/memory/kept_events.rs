//! The records of events that outlive the process: a line that says whose they are, and their JSON as it was logged.

use bytes::Bytes;
use precis_proto::SessionId;
use serde::{Deserialize, Serialize};

use crate::journal::UnknownEntry;
use crate::store::event_log::{EventId, LoggedEvent};

/// What a record says.
#[derive(Debug, PartialEq)]
pub(super) enum KeptEvents {
    /// These were logged, in this order.
    Added(Vec<(SessionId, LoggedEvent)>),
    /// The log of a session was removed.
    Removed(SessionId),
}

/// The first line of a record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordHead {
    Added(Vec<EventHead>),
    Removed(SessionId),
}

/// Whose an event is, and how many bytes of the record are its JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EventHead {
    session: SessionId,
    ms: u64,
    number: u64,
    bytes: usize,
}

impl EventHead {
    pub(super) fn new(session: &SessionId, id: EventId, json: &Bytes) -> Self {
        Self { session: session.clone(), ms: id.ms, number: id.number, bytes: json.len() }
    }
}

/// The record of events, with the JSON of each.
pub(super) fn encode<'a>(heads: Vec<EventHead>, json: impl Iterator<Item = &'a Bytes>) -> Vec<u8> {
    let mut record = line(&RecordHead::Added(heads));
    json.for_each(|json| record.extend_from_slice(json));
    record
}

/// The record of a removal.
pub(super) fn encode_removal(session: &SessionId) -> Vec<u8> {
    line(&RecordHead::Removed(session.clone()))
}

fn line(head: &RecordHead) -> Vec<u8> {
    let mut line = serde_json::to_vec(head).expect("plain data");
    line.push(b'\n');
    line
}

/// Reads a record.
///
/// # Errors
/// [`UnknownEntry`] if it has another form.
pub(super) fn decode(record: &[u8]) -> Result<KeptEvents, UnknownEntry> {
    let unknown = || UnknownEntry("events in another form".to_owned());
    let end = record.iter().position(|byte| *byte == b'\n').ok_or_else(unknown)?;
    let mut rest = &record[end + 1..];
    match serde_json::from_slice(&record[..end]).map_err(|_| unknown())? {
        RecordHead::Removed(session) => Ok(KeptEvents::Removed(session)),
        RecordHead::Added(heads) => {
            let mut events = Vec::with_capacity(heads.len());
            for EventHead { session, ms, number, bytes } in heads {
                let (json, others) = rest.split_at_checked(bytes).ok_or_else(unknown)?;
                let id = EventId { ms, number };
                events.push((session, LoggedEvent { id, json: Bytes::copy_from_slice(json) }));
                rest = others;
            }
            Ok(KeptEvents::Added(events))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_and_others_are_unknown() {
        let session = SessionId::new("a/é \"b").expect("an id");
        let events = [("{\"a\":\"\\n\"}", 7), ("", u64::MAX)]
            .map(|(json, ms)| LoggedEvent { id: EventId { ms, number: 1 }, json: Bytes::from_static(json.as_bytes()) });
        let heads = events.iter().map(|event| EventHead::new(&session, event.id, &event.json)).collect();
        let record = encode(heads, events.iter().map(|event| &event.json));
        let whole = events.map(|event| (session.clone(), event)).to_vec();
        assert_eq!(decode(&record), Ok(KeptEvents::Added(whole)));
        assert_eq!(decode(&encode_removal(&session)), Ok(KeptEvents::Removed(session)));
        for cut in 0..record.len() {
            assert!(decode(&record[..cut]).is_err(), "cut at {cut}");
        }
        assert!(decode(b"{\"moved\":\"s\"}\n").is_err());
    }
}
