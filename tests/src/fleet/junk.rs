//! Messages no worker can do anything with, in every queue that this build works on.

use bytes::Bytes;
use precis_proto::Phase;
use precis_proto::envelope::{Envelope, Header, MAX_BODY_BYTES, ZSTD, message_type};
use precis_runtime::broker::{Outgoing, Route, names};
use serde_json::json;

/// Nesting that would end a careless parser's stack.
const DEPTH: usize = 100_000;

/// The phases and kinds that this build has handlers for: other queues have no reader, for junk or for anything.
const PHASES: [Phase; 6] =
    [Phase::Extraction, Phase::Digest, Phase::Summarization, Phase::Compression, Phase::Synthesis, Phase::Evaluation];
const KINDS: [&str; 4] = ["extraction", "digest", "summarization", "compression"];

/// What is wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    NotJson,
    Types,
    Depth,
    Bomb,
    NotUtf8,
    UnknownType,
    Older,
    Newer,
    NoProperties,
    Corrupt,
    UnknownEncoding,
    Empty,
    Large,
}

const WRONGS: [Wrong; 13] = [
    Wrong::NotJson,
    Wrong::Types,
    Wrong::Depth,
    Wrong::Bomb,
    Wrong::NotUtf8,
    Wrong::UnknownType,
    Wrong::Older,
    Wrong::Newer,
    Wrong::NoProperties,
    Wrong::Corrupt,
    Wrong::UnknownEncoding,
    Wrong::Empty,
    Wrong::Large,
];

/// The name of junk `number`, which is its message id unless it has none.
#[must_use]
pub fn name(number: usize) -> String {
    format!("junk-{number}")
}

/// `count` messages, by turns of each kind for requests, sessions of each phase and jobs of each kind. Whoever answers one answers
/// to `reply_to`.
///
/// # Panics
/// Never: they are built in memory.
#[must_use]
pub fn junk(count: usize, reply_to: &str) -> Vec<Outgoing> {
    let bomb = zeros(MAX_BODY_BYTES + 1_024);
    (0..count).map(|number| message(number, reply_to, &bomb)).collect()
}

fn message(number: usize, reply_to: &str, bomb: &Bytes) -> Outgoing {
    let wrong = WRONGS[number % WRONGS.len()];
    let turn = number / WRONGS.len();
    let (route, kind) = match turn % 3 {
        0 => (ingress(), message_type::REQUEST),
        1 => (Route::queue(names::session_queue(PHASES[turn % PHASES.len()])), message_type::STATE),
        _ => (Route::queue(names::job_queue(KINDS[turn % KINDS.len()])), message_type::JOB),
    };
    let header = Header {
        message_type: if wrong == Wrong::UnknownType { "nobody.knows".to_owned() } else { kind.to_owned() },
        message_id: name(number),
        correlation_id: name(number),
        reply_to: Some(reply_to.to_owned()),
        content_encoding: match wrong {
            Wrong::Bomb | Wrong::Corrupt => Some(ZSTD.to_owned()),
            Wrong::UnknownEncoding => Some("gzip".to_owned()),
            _ => None,
        },
        ..Header::default()
    };
    let header = if wrong == Wrong::NoProperties { Header::default() } else { header };
    Outgoing { route, envelope: Envelope { header, body: body(wrong, number, reply_to, bomb) } }
}

pub(super) fn ingress() -> Route {
    Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true }
}

fn body(wrong: Wrong, number: usize, reply_to: &str, bomb: &Bytes) -> Bytes {
    let name = name(number);
    let json = match wrong {
        Wrong::NotJson => return Bytes::from_static(b"this is {not JSON"),
        Wrong::Depth => return Bytes::from("[".repeat(DEPTH)),
        Wrong::Bomb => return bomb.clone(),
        Wrong::NotUtf8 => return Bytes::from_static(b"{\"query\": \"\xff\xfe\xc0\"}"),
        Wrong::Corrupt => return Bytes::from_static(b"not a zstd frame"),
        Wrong::Empty => return Bytes::new(),
        Wrong::Large => return Bytes::from(vec![b'x'; 2 * 1024 * 1024]),
        Wrong::Types => json!({ "schema_version": "two", "session_id": 7, "query": [], "sources": "all of them" }),
        Wrong::UnknownType | Wrong::NoProperties | Wrong::UnknownEncoding => json!({}),
        // As a request too old to be read; as a state of version 0 without any document, which ends as any session does.
        Wrong::Older => json!({
            "schema_version": 0, "session_id": name, "revision": 1, "phase": "evaluation", "query": "q", "sources": [],
            "reply_to": reply_to,
        }),
        // A state of a version to come is no junk to a newer worker: it is parked.
        Wrong::Newer => json!({ "schema_version": 3, "sources": 1, "body": name }),
    };
    Bytes::from(json.to_string())
}

/// A zstd frame of `bytes` zero bytes, in a few dozen bytes: made by hand of run-length blocks, since a test needs no compressor.
///
/// Frame format of RFC 8878: magic number, a header with window descriptor and no checksum, blocks of at most 128 KiB.
pub(super) fn zeros(bytes: usize) -> Bytes {
    const BLOCK: usize = 128 * 1024;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(BLOCK);
        left -= size;
        // Last flag, block type 1 (run length), size; three bytes, little endian; then the byte that is repeated.
        let head = u32::from(left == 0) | (1 << 1) | (u32::try_from(size).expect("a block") << 3);
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.push(b' ');
    }
    Bytes::from(frame)
}

#[cfg(test)]
mod tests {
    use precis_proto::envelope::CodecError;

    use super::*;

    #[test]
    fn a_bomb_is_small_and_unpacks_to_more_than_may_be() {
        let frame = zeros(1_000_000);
        let header = Header { content_encoding: Some(ZSTD.to_owned()), ..Header::default() };
        let fine = Envelope { header: header.clone(), body: frame };
        assert_eq!(fine.plain_body().expect("a frame").len(), 1_000_000);
        let bomb = Envelope { header, body: zeros(MAX_BODY_BYTES + 1) };
        assert!(bomb.body.len() < 2_000);
        assert!(matches!(bomb.plain_body(), Err(CodecError::TooLarge { .. })));
    }
}
