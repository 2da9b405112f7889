//! Header and body of a message, the encoding of bodies, and the size limits.
//!
//! ```
//! use precis_proto::envelope::{Envelope, Header, ZSTD};
//!
//! let small = Envelope::encode(Header::default(), &"a short body")?;
//! assert_eq!(small.header.content_encoding, None);
//! assert_eq!(small.decode::<String>()?, "a short body");
//!
//! let large = Envelope::encode(Header::default(), &"a".repeat(10_000))?;
//! assert_eq!(large.header.content_encoding.as_deref(), Some(ZSTD));
//! assert!(large.decode_within::<String>(1_000).is_err());
//! # Ok::<(), precis_proto::envelope::CodecError>(())
//! ```

use std::io::Read;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Bodies larger than this are compressed, in bytes.
pub const COMPRESS_ABOVE_BYTES: usize = 4 * 1024;
/// Largest body on the wire, in bytes: below the 16 MiB at which current brokers close the channel.
pub const MAX_WIRE_BYTES: usize = 15 * 1024 * 1024;
/// Largest body after decompression, in bytes.
pub const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// Largest zstd window that a compressed body may request, as a power of two: [`MAX_BODY_BYTES`].
const MAX_WINDOW_LOG: u32 = 25;
/// Largest event, in bytes.
pub const MAX_EVENT_BYTES: usize = 64 * 1024;
/// Largest control message, in bytes.
pub const MAX_CONTROL_BYTES: usize = 4 * 1024;
/// Largest state message before compression, in bytes.
pub const MAX_STATE_BYTES: usize = 1024 * 1024;
/// Texts larger than this are sent by reference, in bytes.
pub const INLINE_TEXT_BYTES: usize = 64 * 1024;
/// `content_encoding` of a compressed body.
pub const ZSTD: &str = "zstd";

/// Message types: the values of the AMQP property `type`.
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
    /// [`crate::response::Response`] to a request that was refused: its session has not begun, or is another request's.
    pub const REFUSAL: &str = "request.refused";
    /// [`crate::event::Event`].
    pub const EVENT: &str = "session.event";
    /// [`crate::control::Control`].
    pub const CONTROL: &str = "control";
    /// [`crate::webhook::WebhookDelivery`].
    pub const WEBHOOK: &str = "webhook.delivery";
}

/// The metadata of a message, sent in AMQP properties and headers. Its JSON is that of a queue on disk; fields that are missing there have
/// their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// One of [`message_type`].
    pub message_type: String,
    /// Job id, session id or state id; a repeated publish has the same id.
    pub message_id: String,
    /// Session id, or for an answer the job id.
    pub correlation_id: String,
    /// Queue to send the answer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// `zstd`, or absent for an uncompressed body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_encoding: Option<String>,
    /// Schema version of the body.
    pub schema_version: u32,
    /// Revision of the session.
    pub revision: u64,
    /// Id of this publish: a redelivery has the same one, a second publish another.
    pub copy: String,
    /// Number of the attempt, from 1; 0 is read as 1.
    pub attempt: u32,
    /// How often a session's message was put off because another worker seems to hold the session.
    pub waits: u32,
    /// The message must not be worked on after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Phase or job kind, for metrics and dead letters.
    pub subject: String,
    /// Why the message was given up on; set on dead letters only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_reason: Option<String>,
    /// Tenant that the session is charged to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// User that published the message, verified by the broker; absent if the publisher did not set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// User that first published the message, if a worker or an operator publishes it again. Set by `user`, and trusted only if that is a
    /// worker or an operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_user: Option<String>,
    /// W3C trace context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// A message: header and encoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The metadata.
    pub header: Header,
    /// JSON, compressed if `content_encoding` in the header says so.
    pub body: Bytes,
}

/// Why a message cannot be encoded or decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// A size limit is exceeded.
    #[error("{what} of {bytes} bytes exceeds the limit of {limit}")]
    TooLarge {
        /// What is too large: the body or the message.
        what: &'static str,
        /// Its size in bytes; a lower bound if reading stopped at the limit.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The content encoding is unknown to this version.
    #[error("unknown content encoding `{0}`")]
    UnknownEncoding(String),
    /// The body cannot be decompressed, or compressed.
    #[error("the body cannot be decompressed")]
    Corrupt,
    /// The body is not the expected JSON; contains the position and kind of the fault, never the content.
    #[error("the body is not the expected JSON: {0}")]
    Json(String),
}

impl Envelope {
    /// Encodes `body` as JSON, compressed above [`COMPRESS_ABOVE_BYTES`].
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] above [`MAX_BODY_BYTES`] plain or [`MAX_WIRE_BYTES`] compressed.
    pub fn encode<T: Serialize>(header: Header, body: &T) -> Result<Self, CodecError> {
        let plain = serde_json::to_vec(body).map_err(|e| CodecError::Json(e.to_string()))?;
        Self::from_json(header, plain)
    }

    /// Encodes a body that is JSON already, like [`Envelope::encode`].
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

    /// Creates a message with JSON bytes as they are, for readers without decompression.
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] above [`MAX_WIRE_BYTES`].
    pub fn without_compression(mut header: Header, plain: Bytes) -> Result<Self, CodecError> {
        check("message", plain.len(), MAX_WIRE_BYTES)?;
        header.content_encoding = None;
        Ok(Self { header, body: plain })
    }

    /// Returns the body as decompressed but unparsed JSON bytes.
    ///
    /// # Errors
    /// [`CodecError`] for sizes over the limits, unknown encodings and corrupt bytes.
    pub fn plain_body(&self) -> Result<Bytes, CodecError> {
        self.plain_body_within(MAX_BODY_BYTES)
    }

    /// Returns the body like [`Envelope::plain_body`], and stops decompressing one of more than `limit` bytes.
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
                // The sender chooses the window: without a bound, a tiny message could make the decoder allocate far more than the limit.
                decoder.window_log_max(MAX_WINDOW_LOG).map_err(|_| CodecError::Corrupt)?;
                let mut plain = Vec::new();
                // One byte over the limit is enough to detect an oversized body, and bounds the memory for a decompression bomb.
                let most = limit as u64 + 1;
                decoder.take(most).read_to_end(&mut plain).map_err(|_| CodecError::Corrupt)?;
                check("body", plain.len(), limit)?;
                Ok(Bytes::from(plain))
            }
            // Cut, because the sender chooses the word and errors are logged.
            Some(other) => Err(CodecError::UnknownEncoding(other.chars().take(40).collect())),
        }
    }

    /// Parses the body.
    ///
    /// # Errors
    /// As [`Envelope::plain_body`], and [`CodecError::Json`] if it is not a `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        self.decode_within(MAX_BODY_BYTES)
    }

    /// Parses a body of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Envelope::plain_body_within`], and [`CodecError::Json`] if it is not a `T`.
    pub fn decode_within<T: DeserializeOwned>(&self, limit: usize) -> Result<T, CodecError> {
        serde_json::from_slice(&self.plain_body_within(limit)?).map_err(|e| CodecError::Json(json_fault(&e)))
    }
}

fn check(what: &'static str, bytes: usize, limit: usize) -> Result<(), CodecError> {
    if bytes > limit { Err(CodecError::TooLarge { what, bytes, limit }) } else { Ok(()) }
}

/// Returns position and kind of a JSON fault, without the text around it, which may be private.
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
    fn a_frame_with_an_oversized_window_is_refused() {
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
