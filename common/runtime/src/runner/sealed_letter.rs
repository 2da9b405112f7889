//! Encrypts the body of a dead letter with the fleet key: messages may hold private text, and a dead letter stays in its queue until an
//! operator removes it.
//!
//! The headers stay readable. The body is AES-256-GCM under a key derived from the fleet key: 12 bytes of nonce, the ciphertext, 16
//! bytes of tag. The plaintext is a four-byte big-endian length, the content encoding of the message (of that length), and its body.
//! The message id is authenticated as associated data, so that a body cannot be moved to another message.

use bytes::Bytes;
use precis_proto::envelope::Envelope;

use crate::content::FleetKey;

/// The `content_encoding` of a sealed body.
pub const SEALED: &str = "precis-sealed-1";

/// Why a sealed body cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the body was not sealed with this fleet key, or was changed since; expected the fleet key that sealed it in the content store"
)]
pub struct NotOurs;

/// Returns `letter` with its body sealed; a sealed one unchanged. `None` if the system provides no random bytes.
#[must_use]
pub fn seal(letter: Envelope, key: &FleetKey) -> Option<Envelope> {
    if is_sealed(&letter) {
        return Some(letter);
    }
    let encoding = letter.header.content_encoding.as_deref().unwrap_or_default();
    let length = u32::try_from(encoding.len()).ok()?;
    let text = [&length.to_be_bytes()[..], encoding.as_bytes(), &letter.body].concat();
    let body = key.encrypt(letter.header.message_id.as_bytes(), text)?;
    let mut header = letter.header;
    header.content_encoding = Some(SEALED.to_owned());
    Some(Envelope { header, body: Bytes::from(body) })
}

/// Returns `letter` as it was before sealing; one that is not sealed, as older workers wrote them, unchanged.
///
/// # Errors
/// [`NotOurs`] if it cannot be decrypted.
pub fn open(letter: &Envelope, key: &FleetKey) -> Result<Envelope, NotOurs> {
    if !is_sealed(letter) {
        return Ok(letter.clone());
    }
    let text = key.decrypt(letter.header.message_id.as_bytes(), letter.body.to_vec()).ok_or(NotOurs)?;
    let (length, rest) = text.split_first_chunk().ok_or(NotOurs)?;
    let (encoding, body) = rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or(NotOurs)?;
    let encoding = std::str::from_utf8(encoding).map_err(|_| NotOurs)?;
    let mut header = letter.header.clone();
    header.content_encoding = (!encoding.is_empty()).then(|| encoding.to_owned());
    Ok(Envelope { header, body: Bytes::copy_from_slice(body) })
}

/// Whether the body is sealed.
#[must_use]
pub fn is_sealed(letter: &Envelope) -> bool {
    letter.header.content_encoding.as_deref() == Some(SEALED)
}

#[cfg(test)]
mod tests {
    use precis_proto::envelope::{Header, ZSTD};

    use super::*;

    fn shut(letter: Envelope) -> Envelope {
        seal(letter, &key(1)).expect("random bytes")
    }

    fn key(byte: u8) -> FleetKey {
        FleetKey::from_bytes(&[byte; 32]).expect("32 bytes")
    }

    fn letter(encoding: Option<&str>, body: &[u8]) -> Envelope {
        let content_encoding = encoding.map(str::to_owned);
        let header = Header { message_id: "s/7".to_owned(), content_encoding, ..Header::default() };
        Envelope { header, body: Bytes::copy_from_slice(body) }
    }

    #[test]
    fn what_was_sealed_opens_as_it_was() {
        for encoding in [None, Some(ZSTD), Some("gzip"), Some(&"é".repeat(300))] {
            for bytes in [0, 1, 15, 16, 17, 100_000] {
                let plain = letter(encoding, &vec![7; bytes]);
                let shut = shut(plain.clone());
                assert_eq!(shut.header.content_encoding.as_deref(), Some(SEALED));
                assert_eq!(open(&shut, &key(1)), Ok(plain), "{encoding:?} {bytes}");
            }
        }
    }

    #[test]
    fn it_is_sealed_once_and_never_twice_alike() {
        let plain = letter(Some(ZSTD), b"a private word");
        let letter = shut(plain.clone());
        assert_eq!(shut(letter.clone()), letter);
        assert_ne!(shut(plain).body, letter.body);
        assert!(!letter.body.windows(7).any(|part| part == b"private"));
    }

    #[test]
    fn one_that_is_not_sealed_is_read_as_it_is() {
        let plain = letter(None, b"{}");
        assert_eq!(open(&plain, &key(1)), Ok(plain));
    }

    #[test]
    fn it_opens_under_its_own_id_unchanged_and_by_its_own_fleet() {
        let shut = shut(letter(None, b"{}"));
        assert_eq!(open(&shut, &key(2)), Err(NotOurs));
        let mut moved = shut.clone();
        moved.header.message_id = "s/8".to_owned();
        assert_eq!(open(&moved, &key(1)), Err(NotOurs));
        for at in 0..shut.body.len() {
            let mut body = shut.body.to_vec();
            body[at] ^= 1;
            assert_eq!(open(&Envelope { body: Bytes::from(body), ..shut.clone() }, &key(1)), Err(NotOurs), "{at}");
            assert_eq!(open(&Envelope { body: shut.body.slice(..at), ..shut.clone() }, &key(1)), Err(NotOurs), "{at}");
        }
    }
}
