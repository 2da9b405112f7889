//! Ids as newtypes over text, so that a session id is never mistaken for a source id.
//!
//! ```
//! use precis_proto::ids::{IdError, JobId};
//! use precis_proto::SessionId;
//!
//! let session = SessionId::new("dam-1")?;
//! assert_eq!(session.as_str(), "dam-1");
//! assert_eq!(SessionId::new(""), Err(IdError::Empty));
//!
//! // The same work of the same session always has the same job id.
//! let job = JobId::derive(&session, "extraction", "extraction", "source-1", 0);
//! assert_eq!(job, JobId::derive(&session, "extraction", "extraction", "source-1", 0));
//! assert_ne!(job, JobId::derive(&session, "extraction", "extraction", "source-2", 0));
//! # Ok::<(), IdError>(())
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

/// Longest accepted id, in bytes. AMQP short strings hold 255 bytes, and headers add prefixes.
pub const MAX_ID_BYTES: usize = 200;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty.
    #[error("an id must not be empty")]
    Empty,
    /// The text is longer than [`MAX_ID_BYTES`].
    #[error("an id must have at most {MAX_ID_BYTES} bytes, got {0}")]
    TooLong(usize),
    /// The text contains a control character, which would break a log line or a header.
    #[error("an id must not contain control characters")]
    Control,
}

fn check(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong(text.len()));
    }
    if text.chars().any(char::is_control) {
        return Err(IdError::Control);
    }
    Ok(())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks `text` and wraps it: 1 to [`MAX_ID_BYTES`] bytes, no control characters.
            ///
            /// # Errors
            /// [`IdError`] with the rule that `text` breaks.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                check(&text)?;
                Ok(Self(text))
            }

            /// Returns the id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    };
}

id! {
    /// Id of a session: one request from question to report. Chosen by the caller.
    SessionId
}
id! {
    /// Id of a document within a session. Chosen by the caller; encoded before it is used in a path.
    SourceId
}
id! {
    /// The tenant that a session is charged to. Chosen by the caller; spending limits apply per tenant.
    TenantId
}
id! {
    /// Id of one life of a session, made when its request was accepted: an id may be used again once its result has been removed, and a
    /// request that is delivered twice is accepted twice.
    LifeId
}
id! {
    /// Id of a collection of documents. Given by the fleet.
    CollectionId
}
id! {
    /// Id of one unit of work; the same work of the same session always has the same id.
    JobId
}

impl JobId {
    /// Derives the id of a job: SHA-256 over session, phase, kind, content key and epoch, each preceded by its length.
    ///
    /// `content_key` identifies the content the job works on (a hash, a source id, a topic); `epoch` counts how often the session has
    /// entered the phase.
    #[must_use]
    pub fn derive(session: &SessionId, phase: &str, kind: &str, content_key: &str, epoch: u32) -> Self {
        let mut hash = Sha256::new();
        for part in [session.as_str(), phase, kind, content_key, &epoch.to_string()] {
            // The length separates the parts: without it, different parts could concatenate to the same bytes and share an id.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self(hex(&hash.finalize()))
    }
}

/// Returns `bytes` as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}

/// Returns the SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_refused_when_empty_too_long_or_holding_control_characters() {
        assert_eq!(SourceId::new(""), Err(IdError::Empty));
        assert!(SourceId::new("x".repeat(MAX_ID_BYTES - 1)).is_ok());
        assert!(SourceId::new("x".repeat(MAX_ID_BYTES)).is_ok());
        assert_eq!(SourceId::new("x".repeat(MAX_ID_BYTES + 1)), Err(IdError::TooLong(MAX_ID_BYTES + 1)));
        assert_eq!(SourceId::new("a\nb"), Err(IdError::Control));
        assert!(serde_json::from_str::<SessionId>("\"a\\u0000\"").is_err());
    }

    #[test]
    fn a_job_id_depends_on_every_part_and_its_boundaries() {
        let s = |t: &str| SessionId::new(t).expect("valid");
        let base = JobId::derive(&s("s"), "digest", "digest", "k", 0);
        assert_eq!(base, JobId::derive(&s("s"), "digest", "digest", "k", 0));
        for other in [
            JobId::derive(&s("t"), "digest", "digest", "k", 0),
            JobId::derive(&s("s"), "diges", "tdigest", "k", 0),
            JobId::derive(&s("s"), "digest", "digest", "l", 0),
            JobId::derive(&s("s"), "digest", "digest", "k", 1),
        ] {
            assert_ne!(base, other);
        }
    }
}
