//! Converts envelopes to AMQP properties and headers, and back.
//!
//! Ids, type and encodings are properties, so that any client and the management UI can show them; the rest are headers named
//! `x-precis-…`, and `traceparent`. Reading is tolerant: other programs send few of them, and a header of an unexpected type is
//! ignored.

use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use precis_proto::Timestamp;
use precis_proto::envelope::{Envelope, Header};

use crate::broker::{BrokerError, Death};

const SCHEMA_VERSION: &str = "x-precis-schema-version";
const REVISION: &str = "x-precis-revision";
const COPY: &str = "x-precis-copy";
const ATTEMPT: &str = "x-precis-attempt";
const WAITS: &str = "x-precis-waits";
const DEADLINE: &str = "x-precis-deadline-ms";
const SUBJECT: &str = "x-precis-subject";
const DEAD_REASON: &str = "x-precis-dead-reason";
const TENANT: &str = "x-precis-tenant";
const FIRST_USER: &str = "x-precis-first-user";
const TRACEPARENT: &str = "traceparent";
/// Longest header text that is read, in bytes; the rest is cut off. All texts of the fleet are shorter. A republished message keeps the
/// headers it came with, and these must fit into one frame.
const MAX_HEADER_BYTES: usize = 1024;
/// Shown in the management UI.
const APP_ID: &str = concat!("precis/", env!("CARGO_PKG_VERSION"));
/// AMQP delivery mode 2: the broker stores the message on disk.
const PERSISTENT: u8 = 2;

/// Returns the properties of a message with `header`.
///
/// # Errors
/// [`BrokerError::Refused`] for an id of more than 255 bytes, which AMQP cannot encode.
pub(super) fn write(header: &Header) -> Result<BasicProperties, BrokerError> {
    let mut properties = BasicProperties::default()
        .with_delivery_mode(PERSISTENT)
        .with_content_type("application/json".into())
        .with_app_id(APP_ID.into())
        .with_timestamp(u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default())
        .with_headers(headers(header));
    if let Some(kind) = short("type", &header.message_type)? {
        properties = properties.with_type(kind);
    }
    if let Some(id) = short("message id", &header.message_id)? {
        properties = properties.with_message_id(id);
    }
    if let Some(id) = short("correlation id", &header.correlation_id)? {
        properties = properties.with_correlation_id(id);
    }
    if let Some(address) = short("reply address", header.reply_to.as_deref().unwrap_or_default())? {
        properties = properties.with_reply_to(address);
    }
    if let Some(encoding) = short("content encoding", header.content_encoding.as_deref().unwrap_or_default())? {
        properties = properties.with_content_encoding(encoding);
    }
    Ok(properties)
}

/// Converts a text to an AMQP short string; `None` if it is empty.
///
/// # Errors
/// [`BrokerError::Refused`] over 255 bytes.
pub(super) fn short(what: &str, text: &str) -> Result<Option<ShortString>, BrokerError> {
    if text.is_empty() {
        return Ok(None);
    }
    let refused = |_| BrokerError::Refused(format!("a {what} must have at most 255 bytes in AMQP, got {}", text.len()));
    ShortString::try_new(text).map(Some).map_err(refused)
}

fn headers(header: &Header) -> FieldTable {
    let mut table = FieldTable::default();
    let mut number = |name: &str, value: u64| {
        table.insert(name.into(), AMQPValue::LongLongInt(i64::try_from(value).unwrap_or(i64::MAX)));
    };
    number(SCHEMA_VERSION, header.schema_version.into());
    number(REVISION, header.revision);
    number(ATTEMPT, header.attempt.into());
    if header.waits > 0 {
        number(WAITS, header.waits.into());
    }
    if let Some(deadline) = header.deadline {
        table.insert(DEADLINE.into(), AMQPValue::LongLongInt(deadline.0));
    }
    let texts = [
        (COPY, Some(&header.copy)),
        (SUBJECT, Some(&header.subject)),
        (DEAD_REASON, header.dead_reason.as_ref()),
        (TENANT, header.tenant.as_ref()),
        (FIRST_USER, header.first_user.as_ref()),
        (TRACEPARENT, header.traceparent.as_ref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|t| !t.is_empty()) {
            table.insert(name.into(), AMQPValue::LongString(text.as_str().into()));
        }
    }
    table
}

/// Returns the envelope of a received message.
pub(super) fn read(properties: &BasicProperties, body: Vec<u8>) -> Envelope {
    let text = |property: &Option<ShortString>| property.as_ref().map(ToString::to_string);
    // What is missing gets a default and is no fault: another service that sends a request need not know our headers.
    let headers = properties.headers().as_ref();
    let header = Header {
        message_type: text(properties.kind()).unwrap_or_default(),
        message_id: text(properties.message_id()).unwrap_or_default(),
        correlation_id: text(properties.correlation_id()).unwrap_or_default(),
        reply_to: text(properties.reply_to()),
        content_encoding: text(properties.content_encoding()),
        schema_version: number(headers, SCHEMA_VERSION).unwrap_or_default(),
        revision: number(headers, REVISION).unwrap_or_default(),
        copy: string(headers, COPY).unwrap_or_default(),
        attempt: number(headers, ATTEMPT).unwrap_or_default(),
        waits: number(headers, WAITS).unwrap_or_default(),
        deadline: integer(headers, DEADLINE).map(Timestamp),
        subject: string(headers, SUBJECT).unwrap_or_default(),
        dead_reason: string(headers, DEAD_REASON),
        tenant: string(headers, TENANT),
        user: text(properties.user_id()),
        first_user: string(headers, FIRST_USER),
        traceparent: string(headers, TRACEPARENT),
    };
    Envelope { header, body: body.into() }
}

/// How often the broker has redelivered this message; counted on quorum queues only.
pub(super) fn delivery_count(properties: &BasicProperties) -> u32 {
    number(properties.headers().as_ref(), "x-delivery-count").unwrap_or_default()
}

/// Returns the latest entry of `x-death`, which the broker puts first.
pub(super) fn death(properties: &BasicProperties) -> Option<Death> {
    let Some(AMQPValue::FieldArray(deaths)) = field(properties.headers().as_ref(), "x-death") else { return None };
    let Some(AMQPValue::FieldTable(latest)) = deaths.as_slice().first() else { return None };
    let latest = Some(latest);
    Some(Death { reason: string(latest, "reason")?, queue: string(latest, "queue")? })
}

fn field<'a>(table: Option<&'a FieldTable>, name: &str) -> Option<&'a AMQPValue> {
    table?.inner().get(name)
}

fn string(table: Option<&FieldTable>, name: &str) -> Option<String> {
    match field(table, name)? {
        AMQPValue::LongString(text) => {
            let text = std::str::from_utf8(text.as_bytes()).ok()?;
            Some(text[..text.floor_char_boundary(MAX_HEADER_BYTES)].to_owned())
        }
        AMQPValue::ShortString(text) => Some(text.to_string()),
        _ => None,
    }
}

fn integer(table: Option<&FieldTable>, name: &str) -> Option<i64> {
    match *field(table, name)? {
        AMQPValue::ShortShortInt(n) => Some(n.into()),
        AMQPValue::ShortShortUInt(n) => Some(n.into()),
        AMQPValue::ShortInt(n) => Some(n.into()),
        AMQPValue::ShortUInt(n) => Some(n.into()),
        AMQPValue::LongInt(n) => Some(n.into()),
        AMQPValue::LongUInt(n) => Some(n.into()),
        AMQPValue::LongLongInt(n) => Some(n),
        _ => None,
    }
}

fn number<N: TryFrom<i64>>(table: Option<&FieldTable>, name: &str) -> Option<N> {
    integer(table, name).and_then(|n| N::try_from(n).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Header {
        Header {
            message_type: "session.state".to_owned(),
            message_id: "id".to_owned(),
            correlation_id: "correlation".to_owned(),
            reply_to: Some("somewhere".to_owned()),
            content_encoding: Some("zstd".to_owned()),
            schema_version: 2,
            revision: 1 << 40,
            copy: "copy".to_owned(),
            attempt: 3,
            waits: 7,
            deadline: Some(Timestamp(1_800_000_000_123)),
            subject: "planning".to_owned(),
            dead_reason: Some("why, é".to_owned()),
            tenant: Some("a tenant".to_owned()),
            // Set by the publisher, which knows the user of its connection.
            user: None,
            first_user: Some("somebody".to_owned()),
            traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for header in [full(), Header::default()] {
            let properties = write(&header).expect("short ids");
            assert_eq!(read(&properties, b"body".to_vec()).header, header);
            assert_eq!(*properties.delivery_mode(), Some(PERSISTENT));
        }
    }

    #[test]
    fn other_header_types_are_ignored_and_any_number_width_read() {
        for (name, value, read_as) in [
            (REVISION, AMQPValue::LongInt(7), Header { revision: 7, ..Header::default() }),
            (REVISION, AMQPValue::ShortShortUInt(7), Header { revision: 7, ..Header::default() }),
            (REVISION, AMQPValue::LongLongInt(-7), Header::default()),
            (ATTEMPT, AMQPValue::LongLongInt(1 << 40), Header::default()),
            (ATTEMPT, AMQPValue::LongString("3".into()), Header::default()),
            (COPY, AMQPValue::ShortString("c".into()), Header { copy: "c".to_owned(), ..Header::default() }),
            (COPY, AMQPValue::LongString([0xff_u8].as_slice().into()), Header::default()),
            (TRACEPARENT, AMQPValue::Void, Header::default()),
            (DEADLINE, AMQPValue::Double(1.0), Header::default()),
        ] {
            let mut headers = FieldTable::default();
            headers.insert(name.into(), value.clone());
            let properties = BasicProperties::default().with_headers(headers);
            assert_eq!(read(&properties, Vec::new()).header, read_as, "{name}: {value:?}");
        }
        assert_eq!(read(&BasicProperties::default(), Vec::new()).header, Header::default());
    }

    #[test]
    fn a_header_is_read_up_to_its_limit() {
        for (bytes, read_as) in [
            (MAX_HEADER_BYTES - 1, MAX_HEADER_BYTES - 1),
            (MAX_HEADER_BYTES, MAX_HEADER_BYTES),
            (MAX_HEADER_BYTES + 1, MAX_HEADER_BYTES),
        ] {
            let mut headers = FieldTable::default();
            headers.insert(TENANT.into(), AMQPValue::LongString("x".repeat(bytes).into()));
            let properties = BasicProperties::default().with_headers(headers);
            assert_eq!(read(&properties, Vec::new()).header.tenant.map(|tenant| tenant.len()), Some(read_as));
        }
    }

    #[test]
    fn every_message_says_when_it_was_published_and_by_what() {
        let properties = write(&Header::default()).expect("short");
        let now = u64::try_from(jiff::Timestamp::now().as_second()).expect("after 1970");
        assert!(properties.timestamp().as_ref().is_some_and(|at| (now - 60..=now).contains(at)), "{properties:?}");
        assert_eq!(properties.app_id().as_ref().map(|id| id.as_str()), Some(APP_ID));
    }

    #[test]
    fn an_id_too_long_for_amqp_is_refused_and_not_cut() {
        let header = Header { message_id: "x".repeat(256), ..Header::default() };
        assert!(matches!(write(&header), Err(BrokerError::Refused(_))));
    }

    #[test]
    fn the_first_death_is_reported_and_a_malformed_one_ignored() {
        let death_of = |value: AMQPValue| {
            let mut headers = FieldTable::default();
            headers.insert("x-death".into(), value);
            death(&BasicProperties::default().with_headers(headers))
        };
        let entry = |reason: &str, queue: &str| {
            let mut table = FieldTable::default();
            table.insert("reason".into(), AMQPValue::LongString(reason.into()));
            table.insert("queue".into(), AMQPValue::LongString(queue.into()));
            AMQPValue::FieldTable(table)
        };
        let both = AMQPValue::FieldArray(vec![entry("rejected", "work"), entry("expired", "tier")].into());
        assert_eq!(death_of(both), Some(Death { reason: "rejected".to_owned(), queue: "work".to_owned() }));
        assert_eq!(death_of(AMQPValue::FieldArray(Vec::new().into())), None);
        assert_eq!(death_of(AMQPValue::FieldArray(vec![AMQPValue::Void].into())), None);
        assert_eq!(death_of(AMQPValue::Void), None);
        assert_eq!(death(&BasicProperties::default()), None);
    }
}
