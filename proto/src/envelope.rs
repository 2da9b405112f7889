//! Header and body as they travel; how bodies are encoded and how large they may be.

use std::io::Read;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Timestamp;

/// Bodies larger than this are compressed, in bytes.
pub const COMPRESS_ABOVE_BYTES: usize = 4 * 1024;
/// Largest body as it travels, in bytes: below the 16 MiB at which current brokers close the channel.
pub const MAX_WIRE_BYTES: usize = 15 * 1024 * 1024;
/// Largest body after decompression, in bytes.
pub const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// Largest window that a compressed body may ask for, as a power of two: [`MAX_BODY_BYTES`].
const MAX_WINDOW_LOG: u32 = 25;
/// Largest event, in bytes.
pub const MAX_EVENT_BYTES: usize = 64 * 1024;
/// Largest control message, in bytes.
pub const MAX_CONTROL_BYTES: usize = 4 * 1024;
/// Largest state message before compression, in bytes.
pub const MAX_STATE_BYTES: usize = 1024 * 1024;
/// Texts larger than this travel by reference, in bytes.
pub const INLINE_TEXT_BYTES: usize = 64 * 1024;
/// `content_encoding` of a compressed body.
pub const ZSTD: &str = "zstd";

/// What kind of message a body is: the AMQP property `type`.
pub mod message_type {
    /// [`crate::request::ResearchRequest`].
    pub const REQUEST: &str = "research.request";
    /// [`crate::state::SessionState`].
    pub const STATE: &str = "session.state";
    /// [`crate::job::Job`].
    pub const JOB: &str = "job";
    /// [`crate::job::JobAnswer`].
    pub const ANSWER: &str = "job.answer";
    /// [`crate::response::Response`].
    pub const RESULT: &str = "session.result";
    /// [`crate::event::Event`].
    pub const EVENT: &str = "session.event";
    /// [`crate::control::Control`].
    pub const CONTROL: &str = "control";
}

/// What travels beside a body, in AMQP properties and headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// One of [`message_type`].
    pub message_type: String,
    /// Job id, session id or state identity; repeats carry the same.
    pub message_id: String,
    /// Session id, or the job id of an answer.
    pub correlation_id: String,
    /// Where an answer goes.
    pub reply_to: Option<String>,
    /// `zstd` or nothing.
    pub content_encoding: Option<String>,
    /// Version of the body's layout.
    pub schema_version: u32,
    /// Revision of the session.
    pub revision: u64,
    /// Names this publish: a returned delivery carries the one it had, a second copy has another.
    pub copy: String,
    /// Which try, from 1; 0 is read as 1.
    pub attempt: u32,
    /// Not to be worked on after this.
    pub deadline: Option<Timestamp>,
    /// Phase or job kind, for metrics and dead letters.
    pub subject: String,
    /// Why it was given up on; only on dead letters.
    pub dead_reason: Option<String>,
    /// On whose behalf the session was asked for.
    pub tenant: Option<String>,
    /// Who published it, as the broker has verified; absent where the publisher did not say.
    pub user: Option<String>,
    /// Who published it first, where a worker or an operator publishes it again. Said by `user`, and to be believed only of those.
    pub first_user: Option<String>,
    /// W3C trace context.
    pub traceparent: Option<String>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Beside the body.
    pub header: Header,
    /// JSON, compressed as the header says.
    pub body: Bytes,
}

/// Why a message cannot be encoded or decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Over a size limit.
    #[error("{what} of {bytes} bytes is over the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size; at least this much where reading stopped.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// An encoding this build does not know.
    #[error("unknown content encoding `{0}`")]
    UnknownEncoding(String),
    /// Compressed bytes that do not decompress.
    #[error("the body does not decompress")]
    Corrupt,
    /// Not the JSON it should be; position and kind of fault, never the content.
    #[error("the body is not the JSON expected: {0}")]
    Json(String),
}

impl Envelope {
    /// Writes `body` as JSON, compressed above [`COMPRESS_ABOVE_BYTES`].
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] above [`MAX_BODY_BYTES`] plain or [`MAX_WIRE_BYTES`] compressed.
    pub fn encode<T: Serialize>(header: Header, body: &T) -> Result<Self, CodecError> {
        let plain = serde_json::to_vec(body).map_err(|e| CodecError::Json(e.to_string()))?;
        Self::from_json(header, plain)
    }

    /// The same for JSON bytes already at hand.
    ///
    /// # Errors
    /// As [`Envelope::encode`].
    pub fn from_json(mut header: Header, plain: impl Into<Bytes>) -> Result<Self, CodecError> {
        let plain = plain.into();
        check("body", plain.len(), MAX_BODY_BYTES)?;
        let body = if plain.len() > COMPRESS_ABOVE_BYTES {
            header.content_encoding = Some(ZSTD.to_owned());
            Bytes::from(zstd::bulk::compress(&plain, 3).map_err(|_| CodecError::Corrupt)?)
        } else {
            header.content_encoding = None;
            plain
        };
        check("message", body.len(), MAX_WIRE_BYTES)?;
        Ok(Self { header, body })
    }

    /// JSON bytes as they are, for readers that need not know compression.
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] above [`MAX_WIRE_BYTES`].
    pub fn uncompressed(mut header: Header, plain: Bytes) -> Result<Self, CodecError> {
        check("message", plain.len(), MAX_WIRE_BYTES)?;
        header.content_encoding = None;
        Ok(Self { header, body: plain })
    }

    /// The body as plain JSON bytes, still unread.
    ///
    /// # Errors
    /// [`CodecError`] for sizes over the limits, unknown encodings and corrupt bytes.
    pub fn plain_body(&self) -> Result<Bytes, CodecError> {
        self.plain_body_within(MAX_BODY_BYTES)
    }

    /// The same for a body that has at most `limit` bytes; a larger one is not unfolded any further.
    ///
    /// # Errors
    /// As [`Envelope::plain_body`].
    pub fn plain_body_within(&self, limit: usize) -> Result<Bytes, CodecError> {
        let limit = limit.min(MAX_BODY_BYTES);
        check("message", self.body.len(), MAX_WIRE_BYTES)?;
        match self.header.content_encoding.as_deref() {
            None | Some("" | "identity" | "utf-8") => {
                check("body", self.body.len(), limit)?;
                Ok(self.body.clone())
            }
            Some(ZSTD) => {
                let mut decoder = zstd::Decoder::new(&self.body[..]).map_err(|_| CodecError::Corrupt)?;
                decoder.window_log_max(MAX_WINDOW_LOG).map_err(|_| CodecError::Corrupt)?;
                let mut plain = Vec::new();
                // One byte over the limit is enough to know that it is over.
                let most = limit as u64 + 1;
                decoder.take(most).read_to_end(&mut plain).map_err(|_| CodecError::Corrupt)?;
                check("body", plain.len(), limit)?;
                Ok(Bytes::from(plain))
            }
            Some(other) => Err(CodecError::UnknownEncoding(other.chars().take(40).collect())),
        }
    }

    /// Reads the body.
    ///
    /// # Errors
    /// As [`Envelope::plain_body`], and [`CodecError::Json`] where it is not a `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        self.decode_within(MAX_BODY_BYTES)
    }

    /// Reads a body that has at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Envelope::plain_body_within`], and [`CodecError::Json`] where it is not a `T`.
    pub fn decode_within<T: DeserializeOwned>(&self, limit: usize) -> Result<T, CodecError> {
        serde_json::from_slice(&self.plain_body_within(limit)?).map_err(|e| CodecError::Json(json_fault(&e)))
    }
}

fn check(what: &'static str, bytes: usize, limit: usize) -> Result<(), CodecError> {
    if bytes > limit { Err(CodecError::TooLarge { what, bytes, limit }) } else { Ok(()) }
}

/// Position and kind of a JSON fault without the text it was found in, which may be private.
#[must_use]
pub fn json_fault(error: &serde_json::Error) -> String {
    format!("{:?} fault at line {} column {}", error.classify(), error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_compressed_only_above_the_limit() {
        for (len, packed) in
            [(COMPRESS_ABOVE_BYTES - 3, false), (COMPRESS_ABOVE_BYTES - 2, false), (COMPRESS_ABOVE_BYTES - 1, true)]
        {
            // Two bytes are the quotes of the JSON string.
            let text = "x".repeat(len);
            let envelope = Envelope::encode(Header::default(), &text).expect("encodes");
            assert_eq!(envelope.header.content_encoding.is_some(), packed, "{len}");
            assert_eq!(envelope.decode::<String>().expect("decodes"), text);
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_fills_memory() {
        let bomb = zstd::bulk::compress(&vec![b' '; MAX_BODY_BYTES + 10], 3).expect("compresses");
        let header = Header { content_encoding: Some(ZSTD.to_owned()), ..Header::default() };
        let envelope = Envelope { header, body: Bytes::from(bomb) };
        assert!(matches!(envelope.decode::<String>(), Err(CodecError::TooLarge { what: "body", .. })));
    }

    #[test]
    fn a_body_is_unfolded_up_to_its_limit() {
        const LIMIT: usize = 10_000;
        for (bytes, fits) in [(LIMIT - 1, true), (LIMIT, true), (LIMIT + 1, false), (100 * LIMIT, false)] {
            let plain = vec![b' '; bytes];
            let packed = Bytes::from(zstd::bulk::compress(&plain, 3).expect("compresses"));
            let header = Header { content_encoding: Some(ZSTD.to_owned()), ..Header::default() };
            for envelope in
                [Envelope { header, body: packed }, Envelope { header: Header::default(), body: plain.into() }]
            {
                let too_large =
                    matches!(envelope.plain_body_within(LIMIT), Err(CodecError::TooLarge { limit: LIMIT, .. }));
                assert_eq!(too_large, !fits, "{bytes}");
            }
        }
    }

    #[test]
    fn a_frame_that_asks_for_a_larger_window_than_any_body_has_is_refused() {
        // A magic number, no content size, and a window of 2^26 bytes; then an empty last block.
        for (log, is_read) in [(MAX_WINDOW_LOG, true), (MAX_WINDOW_LOG + 1, false)] {
            let window = u8::try_from((log - 10) << 3).expect("a byte");
            let body = Bytes::from(vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, window, 0x01, 0x00, 0x00]);
            let header = Header { content_encoding: Some(ZSTD.to_owned()), ..Header::default() };
            assert_eq!(Envelope { header, body }.plain_body().is_ok(), is_read, "{log}");
        }
    }

    #[test]
    fn a_fault_names_the_place_and_not_the_content() {
        let envelope = Envelope { header: Header::default(), body: Bytes::from_static(b"{\"secret\": nope}") };
        let message = envelope.decode::<serde_json::Value>().expect_err("fails").to_string();
        assert!(message.contains("column") && !message.contains("secret"), "{message}");
    }

    #[test]
    fn deep_nesting_is_a_fault_and_not_a_crash() {
        let body = Bytes::from("[".repeat(100_000));
        let envelope = Envelope { header: Header::default(), body };
        assert!(matches!(envelope.decode::<serde_json::Value>(), Err(CodecError::Json(_))));
    }
}
