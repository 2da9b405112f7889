//! The key of a deployment, and its uses: it proves that a tenant put a text and that the fleet wrote a cache record, and it encrypts
//! what only the fleet may read.
//!
//! Pure: `fleet_key` reads and creates the key.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use precis_proto::source::ContentRef;
use ring::rand::{SecureRandom, SystemRandom};
use ring::{aead, hmac};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Kind of the named content that holds the key. It is never removed by retention.
pub(super) const KEYS: &str = "keys";
/// Id of the named content that holds the key.
pub(super) const FLEET: &str = "fleet";
/// Length of the key in bytes: as long as its tags.
pub(super) const KEY_BYTES: usize = 32;
/// Prefixes by purpose, so that no tag is valid for two purposes.
const PROOF: &[u8] = b"precis content proof 1";
const RECORD: &[u8] = b"precis cache record 1";
const NAME: &[u8] = b"precis cache name 1";
const LETTER: &[u8] = b"precis dead letter 1";

/// The key of a deployment (HMAC-SHA256). `Debug` hides it.
#[derive(Clone)]
pub struct FleetKey(hmac::Key);

impl FleetKey {
    /// Bytes that [`FleetKey::seal`] adds to a value.
    pub const TAG_BYTES: usize = KEY_BYTES;

    /// Builds a key from exactly 32 bytes; `None` for any other length.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        (bytes.len() == KEY_BYTES).then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, bytes)))
    }

    /// Returns the proof that `tenant` (empty for the default one) put `content`: 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn proof(&self, tenant: &str, content: &ContentRef) -> String {
        let tag = hmac::sign(&self.0, &proof_message(tenant, content));
        hexadecimal(&tag)
    }

    /// Returns the salted name of the record `key`, for stores whose names others can read: 64 lower-case hexadecimal digits. Someone
    /// who guesses the text behind a key cannot test whether its record exists.
    #[must_use]
    pub fn name(&self, key: &str) -> String {
        hexadecimal(&hmac::sign(&self.0, &[NAME, key.as_bytes()].join(&0)))
    }

    /// Whether `proof` is valid for `tenant` and `content`. Compares in constant time.
    #[must_use]
    pub fn proves(&self, tenant: &str, content: &ContentRef, proof: &str) -> bool {
        tag_of(proof).is_some_and(|tag| hmac::verify(&self.0, &proof_message(tenant, content), &tag).is_ok())
    }

    /// Encodes a cache record for a store that others can write to: the tag of `key` and `value`, then `value`.
    #[must_use]
    pub fn seal(&self, key: &str, value: &[u8]) -> Bytes {
        let tag = hmac::sign(&self.0, &record_message(key, value));
        Bytes::from([tag.as_ref(), value].concat())
    }

    /// Returns the value of a record that the fleet wrote under `key`; `None` for anything else.
    #[must_use]
    pub fn open(&self, key: &str, record: Bytes) -> Option<Bytes> {
        let (tag, value) = record.split_at_checked(KEY_BYTES)?;
        hmac::verify(&self.0, &record_message(key, value), tag).ok()?;
        Some(record.slice(KEY_BYTES..))
    }

    /// Encrypts `plain` for the fleet, authenticated together with `about`, which is not encrypted: 12 random bytes of nonce, the
    /// ciphertext, 16 bytes of tag. `None` if the system provides no random bytes.
    #[must_use]
    pub fn encrypt(&self, about: &[u8], mut plain: Vec<u8>) -> Option<Vec<u8>> {
        // Random, not counted: workers share the key and no counter. With one key that is safe for 2^32 messages (NIST SP 800-38D, 8.3), far
        // more than there are dead letters.
        let mut nonce = [0; aead::NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let unique = aead::Nonce::assume_unique_for_key(nonce);
        self.cipher()?.seal_in_place_append_tag(unique, aead::Aad::from(about), &mut plain).ok()?;
        Some([&nonce[..], &plain].concat())
    }

    /// Decrypts what [`FleetKey::encrypt`] returned for the same `about`; `None` for anything else.
    #[must_use]
    pub fn decrypt(&self, about: &[u8], text: Vec<u8>) -> Option<Vec<u8>> {
        let (nonce, rest) = text.split_at_checked(aead::NONCE_LEN)?;
        let (nonce, mut rest) = (aead::Nonce::try_assume_unique_for_key(nonce).ok()?, rest.to_vec());
        let length = self.cipher()?.open_in_place(nonce, aead::Aad::from(about), &mut rest).ok()?.len();
        rest.truncate(length);
        Some(rest)
    }

    /// A derived key, so that the HMAC key is not used for encryption too.
    fn cipher(&self) -> Option<aead::LessSafeKey> {
        let key = hmac::sign(&self.0, LETTER);
        aead::UnboundKey::new(&aead::AES_256_GCM, key.as_ref()).ok().map(aead::LessSafeKey::new)
    }
}

fn hexadecimal(tag: &hmac::Tag) -> String {
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for FleetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FleetKey")
    }
}

/// Purpose, tenant and hash, separated by a zero byte, which none of them contains.
fn proof_message(tenant: &str, content: &ContentRef) -> Vec<u8> {
    [PROOF, tenant.as_bytes(), content.hex().as_bytes()].join(&0)
}

/// Purpose, length of the key, key and value: unambiguous for any key and value.
fn record_message(key: &str, value: &[u8]) -> Vec<u8> {
    [RECORD, &(key.len() as u64).to_be_bytes(), key.as_bytes(), value].concat()
}

fn tag_of(proof: &str) -> Option<Vec<u8>> {
    let is_plain =
        proof.len() == 2 * KEY_BYTES && proof.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !is_plain {
        return None;
    }
    (0..proof.len()).step_by(2).map(|at| u8::from_str_radix(&proof[at..at + 2], 16).ok()).collect()
}

/// The key as this process last read it. Shared by all handles of a store.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldKey(pub(super) Arc<Mutex<Option<(FleetKey, Instant)>>>);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> FleetKey {
        FleetKey::from_bytes(&[byte; KEY_BYTES]).expect("32 bytes")
    }

    #[test]
    fn only_key_holders_know_the_name_of_a_record() {
        let name = key(1).name("call:0a");
        assert_eq!((name.len(), key(1).name("call:0a")), (64, name.clone()));
        for other in [key(2).name("call:0a"), key(1).name("call:0b"), key(1).name("search:0a"), key(1).name("")] {
            assert_ne!(other, name);
        }
    }

    #[test]
    fn a_key_has_exactly_32_bytes() {
        for (bytes, is_key) in [(0, false), (KEY_BYTES - 1, false), (KEY_BYTES, true), (KEY_BYTES + 1, false)] {
            assert_eq!(FleetKey::from_bytes(&vec![1; bytes]).is_some(), is_key, "{bytes}");
        }
    }

    /// The same as Python's `hmac.new(key, b"precis content proof 1\0legal\0" + hash.encode(), "sha256").hexdigest()`.
    #[test]
    fn a_proof_is_what_the_documentation_says() {
        let content = ContentRef::from_bytes(b"");
        let expected = "9c682f23f27a1a041d5b26a8f17cb788b8bc5dfcf2066af0c22869d74fafbca0";
        assert_eq!(key(7).proof("legal", &content), expected);
    }

    #[test]
    fn a_proof_holds_for_its_tenant_its_text_and_its_key_only() {
        let (text, other) = (ContentRef::from_bytes(b"text"), ContentRef::from_bytes(b"other"));
        let proof = key(1).proof("legal", &text);
        let last = if proof.ends_with('0') { "1" } else { "0" };
        let changed = format!("{}{last}", &proof[..63]);
        let table = [
            (key(1), "legal", &text, proof.clone(), true),
            (key(2), "legal", &text, proof.clone(), false),
            (key(1), "", &text, proof.clone(), false),
            (key(1), "billing", &text, proof.clone(), false),
            (key(1), "legal", &other, proof.clone(), false),
            (key(1), "legal", &text, changed, false),
            (key(1), "legal", &text, proof.to_uppercase(), false),
            (key(1), "legal", &text, proof[..62].to_owned(), false),
            (key(1), "legal", &text, format!("{proof}00"), false),
            (key(1), "legal", &text, String::new(), false),
            (key(1), "legal", &text, "é".repeat(32), false),
        ];
        for (key, tenant, content, proof, holds) in table {
            assert_eq!(key.proves(tenant, content, &proof), holds, "{tenant} {proof}");
        }
    }

    #[test]
    fn a_record_opens_under_its_own_name_unchanged_and_not_otherwise() {
        let record = key(1).seal("digest:a", b"value");
        assert_eq!(key(1).open("digest:a", record.clone()).as_deref(), Some(b"value".as_slice()));
        assert_eq!(key(1).open("digest:b", record.clone()), None, "moved to another name");
        assert_eq!(key(2).open("digest:a", record.clone()), None, "another fleet's");
        for at in 0..record.len() {
            let mut changed = record.to_vec();
            changed[at] ^= 1;
            assert_eq!(key(1).open("digest:a", Bytes::from(changed)), None, "byte {at}");
            assert_eq!(key(1).open("digest:a", record.slice(..at)), None, "cut at {at}");
        }
        let shifted = key(1).seal("digest:av", b"alue");
        assert_ne!(record, shifted);
        assert_eq!(key(1).open("digest:a", Bytes::from([&shifted[..KEY_BYTES], b"value"].concat())), None);
    }
}
