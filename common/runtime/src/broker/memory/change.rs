//! The entries of a journal of queues: what changed, as bytes.
//!
//! An entry holds everything that changed in one step, so that a step, such as the way of a dead letter from one queue to another, is in
//! the journal whole or not at all. Each change is a kind (1 byte), a length (4 bytes, big-endian) and as many bytes. A message is the
//! length of its JSON, its JSON, and its body; the rest is JSON.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use precis_proto::Timestamp;
use precis_proto::envelope::{Envelope, Header};
use serde::{Deserialize, Serialize};

use super::queue::QueuedMessage;
use crate::broker::message::Death;
use crate::broker::topology::{DeadLetter, Topology};
use crate::journal::UnknownEntry;

// These numbers are in journals on disk: a new kind gets a new one, and none is used again.
const DECLARE: u8 = 1;
const PUSH: u8 = 2;
const DELIVER: u8 = 3;
const REMOVE: u8 = 4;
const STRAND: u8 = 5;
const CLEAR_STRANDED: u8 = 6;

/// Bytes of a message in the journal beyond its body, about: names, numbers and the header.
const MESSAGE_BYTES: usize = 400;

/// Something that changed in a broker, as a journal holds it.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// These parts were declared.
    Declare(Topology),
    /// A message arrived in a queue.
    Push(PlacedMessage),
    /// A message was handed to a consumer: unless it is removed, it has been returned once more.
    Deliver(Place),
    /// A message has left its queue.
    Remove(Place),
    /// A dead letter waits for its target to be declared.
    Strand(DeadLetter, QueuedMessage),
    /// No dead letter waits any more.
    ClearStranded,
}

/// Where a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) queue: String,
    pub(super) sequence: u64,
}

/// A message in its place.
#[derive(Debug, Clone)]
pub(super) struct PlacedMessage {
    pub(super) place: Place,
    pub(super) message: QueuedMessage,
    /// How often it was returned.
    pub(super) returns: u32,
    /// When it expires, by the clock of the broker.
    pub(super) expires: Option<Timestamp>,
}

/// What the journal says of a message beside its body.
#[derive(Serialize, Deserialize)]
struct MessageRecord<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Cow<'a, Place>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    route: Option<Cow<'a, DeadLetter>>,
    #[serde(default)]
    returns: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
    key: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    death: Option<Cow<'a, Death>>,
    header: Cow<'a, Header>,
}

/// The bytes of a message in a journal, about.
pub(super) fn journal_bytes(message: &QueuedMessage) -> u64 {
    (MESSAGE_BYTES + message.envelope.body.len()) as u64
}

impl Change {
    /// Appends the bytes of this change to an entry.
    pub(super) fn encode(&self, entry: &mut Vec<u8>) {
        let kind = match self {
            Self::Declare(_) => DECLARE,
            Self::Push(_) => PUSH,
            Self::Deliver(_) => DELIVER,
            Self::Remove(_) => REMOVE,
            Self::Strand(..) => STRAND,
            Self::ClearStranded => CLEAR_STRANDED,
        };
        entry.push(kind);
        append_framed(entry, |entry| match self {
            Self::Declare(topology) => json(entry, topology),
            Self::Push(placed) => {
                let PlacedMessage { place, message, returns, expires } = placed;
                let place = Some(Cow::Borrowed(place));
                let record = MessageRecord { place, returns: *returns, expires: *expires, ..record(message) };
                message_bytes(entry, &record, message);
            }
            Self::Deliver(place) | Self::Remove(place) => json(entry, place),
            Self::Strand(route, message) => {
                let record = MessageRecord { route: Some(Cow::Borrowed(route)), ..record(message) };
                message_bytes(entry, &record, message);
            }
            Self::ClearStranded => {}
        });
    }

    /// Reads the changes of an entry.
    ///
    /// # Errors
    /// [`UnknownEntry`] for a kind or a form that this version does not know.
    pub(super) fn decode_all(mut entry: &[u8]) -> Result<Vec<Self>, UnknownEntry> {
        let mut changes = Vec::new();
        while let Some((kind, rest)) = entry.split_first() {
            let (change, rest) = block(rest).ok_or_else(|| unknown("a change that is cut off"))?;
            changes.push(Self::decode(*kind, change)?);
            entry = rest;
        }
        Ok(changes)
    }

    fn decode(kind: u8, bytes: &[u8]) -> Result<Self, UnknownEntry> {
        let form = |_| unknown(&format!("a change of kind {kind} in another form"));
        Ok(match kind {
            DECLARE => Self::Declare(serde_json::from_slice(bytes).map_err(form)?),
            DELIVER => Self::Deliver(serde_json::from_slice(bytes).map_err(form)?),
            REMOVE => Self::Remove(serde_json::from_slice(bytes).map_err(form)?),
            CLEAR_STRANDED => Self::ClearStranded,
            PUSH | STRAND => {
                let (record, body) = block(bytes).ok_or_else(|| unknown("a message that is cut off"))?;
                let record: MessageRecord<'_> = serde_json::from_slice(record).map_err(form)?;
                let MessageRecord { place, route, returns, expires, key, death, header } = record;
                let envelope = Envelope { header: header.into_owned(), body: Bytes::copy_from_slice(body) };
                let death = death.map(|death| Arc::new(death.into_owned()));
                let message = QueuedMessage { envelope: Arc::new(envelope), routing_key: Arc::from(key), death };
                match (place, route) {
                    (Some(place), None) => {
                        Self::Push(PlacedMessage { place: place.into_owned(), message, returns, expires })
                    }
                    (None, Some(route)) => Self::Strand(route.into_owned(), message),
                    _ => return Err(unknown("a message without one place")),
                }
            }
            _ => return Err(unknown(&format!("a change of kind {kind}"))),
        })
    }
}

fn record(message: &QueuedMessage) -> MessageRecord<'_> {
    MessageRecord {
        place: None,
        route: None,
        returns: 0,
        expires: None,
        key: Cow::Borrowed(&message.routing_key),
        death: message.death.as_deref().map(Cow::Borrowed),
        header: Cow::Borrowed(&message.envelope.header),
    }
}

fn message_bytes(entry: &mut Vec<u8>, record: &MessageRecord<'_>, message: &QueuedMessage) {
    append_framed(entry, |entry| json(entry, record));
    entry.extend_from_slice(&message.envelope.body);
}

fn json(entry: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(entry, value).expect("plain data, written to memory");
}

/// Appends what `write` appends, behind its length. A message is far shorter than a length can say.
fn append_framed(entry: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = entry.len();
    entry.extend_from_slice(&[0; 4]);
    write(entry);
    let length = u32::try_from(entry.len() - at - 4).unwrap_or(u32::MAX);
    entry[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

/// Splits off a block that [`append_framed`] wrote.
fn block(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

fn unknown(what: &str) -> UnknownEntry {
    UnknownEntry(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(death: Option<Death>) -> QueuedMessage {
        let header = Header {
            message_type: "job".to_owned(),
            reply_to: Some("é".to_owned()),
            revision: 1 << 40,
            deadline: Some(Timestamp(-5)),
            ..Header::default()
        };
        let envelope = Arc::new(Envelope { header, body: Bytes::from_static(b"\x00body\xff") });
        QueuedMessage { envelope, routing_key: "key".into(), death: death.map(Arc::new) }
    }

    #[test]
    fn every_change_reads_back_as_it_was() {
        let place = Place { queue: "q".to_owned(), sequence: 7 };
        let death = Death { reason: "expired".to_owned(), queue: "tier".to_owned() };
        let placed = PlacedMessage {
            place: place.clone(),
            message: message(Some(death)),
            returns: 3,
            expires: Some(Timestamp(1_800_000_000_123)),
        };
        let route = DeadLetter { exchange: String::new(), routing_key: Some("dead".to_owned()) };
        let changes = [
            Change::Declare(Topology::standard()),
            Change::Push(placed),
            Change::Deliver(place.clone()),
            Change::Remove(place),
            Change::Strand(route, message(None)),
            Change::ClearStranded,
        ];
        let mut entry = Vec::new();
        changes.iter().for_each(|change| change.encode(&mut entry));
        let read = Change::decode_all(&entry).expect("all known");
        assert_eq!(format!("{read:?}"), format!("{changes:?}"));
        assert!(Change::decode_all(&entry[..entry.len() - 1]).is_err());
    }

    #[test]
    fn a_kind_of_a_newer_version_is_named() {
        let error = Change::decode_all(&[99, 0, 0, 0, 0]).expect_err("not known").to_string();
        assert_eq!(error, "a change of kind 99");
    }
}
