//! The bytes of one entry. Big-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | a mark, to find entries behind damaged bytes |
//! | 4 | length of the entry |
//! | 8 | position up to which the journal was durable when this was written |
//! | 16 | start of the SHA-256 of the fields above and the entry, to detect torn or altered bytes |
//! | … | the entry |

use sha2::{Digest, Sha256};

const MARK: [u8; 4] = [0xf1, b'p', b'J', 0x01];
const DIGEST_BYTES: usize = 16;
/// Bytes of a frame without its entry.
pub(super) const FRAME_BYTES: usize = 4 + 4 + 8 + DIGEST_BYTES;

/// An entry as it was read, and what its frame says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// Everything before this position was durable when the entry was written.
    pub(super) durable: u64,
    pub(super) entry: &'a [u8],
}

/// Appends the frame of `entry` to `to`; `None`, and nothing is appended, if the entry is longer than a frame can say (4 GiB).
pub(super) fn encode(entry: &[u8], durable: u64, to: &mut Vec<u8>) -> Option<()> {
    let length = u32::try_from(entry.len()).ok()?.to_be_bytes();
    let durable = durable.to_be_bytes();
    to.reserve(FRAME_BYTES + entry.len());
    to.extend_from_slice(&MARK);
    to.extend_from_slice(&length);
    to.extend_from_slice(&durable);
    to.extend_from_slice(&digest(length, durable, entry));
    to.extend_from_slice(entry);
    Some(())
}

/// The length of the entry of a frame that begins with these bytes; `None` if they are not the beginning of one.
pub(super) fn entry_bytes(start: &[u8]) -> Option<usize> {
    let (mark, rest) = start.split_first_chunk::<4>()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    (*mark == MARK).then(|| usize::try_from(u32::from_be_bytes(*length)).ok()).flatten()
}

/// Reads the frame at the start of `bytes`; `None` if it is not whole and unaltered.
pub(super) fn decode(bytes: &[u8]) -> Option<Frame<'_>> {
    let length = entry_bytes(bytes)?;
    let (stated, rest) = bytes.get(4..)?.split_first_chunk::<4>()?;
    let (durable, rest) = rest.split_first_chunk::<8>()?;
    let (seal, rest) = rest.split_first_chunk::<DIGEST_BYTES>()?;
    let entry = rest.get(..length)?;
    (*seal == digest(*stated, *durable, entry)).then(|| Frame { durable: u64::from_be_bytes(*durable), entry })
}

/// Returns whether `bytes` hold, at any offset, a whole frame that says that `position` was passed by what was durable.
pub(super) fn tells_of(bytes: &[u8], position: u64) -> bool {
    let starts = bytes.windows(MARK.len()).enumerate().filter(|(_, at)| *at == MARK).map(|(at, _)| at);
    starts.into_iter().any(|at| decode(&bytes[at..]).is_some_and(|frame| frame.durable > position))
}

fn digest(length: [u8; 4], durable: [u8; 8], entry: &[u8]) -> [u8; DIGEST_BYTES] {
    let whole = Sha256::new().chain_update(length).chain_update(durable).chain_update(entry).finalize();
    let mut start = [0; DIGEST_BYTES];
    start.copy_from_slice(&whole[..DIGEST_BYTES]);
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(entry: &[u8], durable: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(entry, durable, &mut bytes).expect("short");
        bytes
    }

    #[test]
    fn a_frame_reads_back_and_any_altered_or_missing_byte_is_noticed() {
        let bytes = framed("é entry".as_bytes(), 7);
        assert_eq!(decode(&bytes), Some(Frame { durable: 7, entry: "é entry".as_bytes() }));
        assert_eq!(decode(&[bytes.as_slice(), b"more"].concat()).expect("the first").entry, "é entry".as_bytes());
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert_eq!(decode(&altered), None, "byte {at} altered");
            assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
        }
        assert_eq!(decode(&framed(b"", 0)).expect("an empty entry").entry, b"");
    }

    #[test]
    fn a_later_frame_proves_durability_and_a_torn_one_does_not() {
        let later = [b"\xf1pJ torn".as_slice(), &framed(b"entry", 100)].concat();
        for (position, told) in [(99, true), (100, false), (101, false)] {
            assert_eq!(tells_of(&later, position), told, "{position}");
        }
        assert!(!tells_of(&later[..later.len() - 1], 0));
    }
}
