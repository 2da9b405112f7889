//! The bytes of one cached value on disk. Big-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `precisC1`: magic and version |
//! | 32 | SHA-256 of everything after it, to detect torn or altered files |
//! | 8 | expiry, milliseconds since the Unix epoch |
//! | 4 | length of the key |
//! | … | key, then value |

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"precisC1";

/// A value, its key and its expiry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValueRecord<'a> {
    pub(super) expires_ms: u64,
    pub(super) key: &'a str,
    pub(super) value: &'a [u8],
}

/// Encodes a file. Keys are short; one over 4 GiB would not read back.
pub(super) fn encode(record: &ValueRecord<'_>) -> Vec<u8> {
    let key = record.key.as_bytes();
    let mut content = Vec::with_capacity(52 + key.len() + record.value.len());
    content.extend_from_slice(MAGIC);
    content.extend_from_slice(&[0; 32]);
    content.extend_from_slice(&record.expires_ms.to_be_bytes());
    content.extend_from_slice(&u32::try_from(key.len()).unwrap_or(u32::MAX).to_be_bytes());
    content.extend_from_slice(key);
    content.extend_from_slice(record.value);
    let digest = Sha256::digest(&content[40..]);
    content[8..40].copy_from_slice(&digest);
    content
}

/// Decodes a file; `None` if it is not a complete, unaltered record.
pub(super) fn decode(content: &[u8]) -> Option<ValueRecord<'_>> {
    let (magic, rest) = content.split_first_chunk::<8>()?;
    let (digest, rest) = rest.split_first_chunk::<32>()?;
    if magic != MAGIC || digest[..] != Sha256::digest(rest)[..] {
        return None;
    }
    let (expires_ms, rest) = rest.split_first_chunk::<8>()?;
    let (key_len, rest) = rest.split_first_chunk::<4>()?;
    let (key, value) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*key_len)).ok()?)?;
    Some(ValueRecord { expires_ms: u64::from_be_bytes(*expires_ms), key: std::str::from_utf8(key).ok()?, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_any_altered_or_missing_byte_is_noticed() {
        let record = ValueRecord { expires_ms: 1_800_000_000_000, key: "digest:é", value: b"value" };
        let content = encode(&record);
        assert_eq!(decode(&content), Some(record));
        for at in 0..content.len() {
            let mut altered = content.clone();
            altered[at] ^= 1;
            assert_eq!(decode(&altered), None, "byte {at} altered");
            assert_eq!(decode(&content[..at]), None, "cut at {at}");
        }
        assert_eq!(decode(&[content.as_slice(), b"x"].concat()), None);
    }
}
