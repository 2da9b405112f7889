//! The format of a message: 4 bytes of magic, the lengths of header and body (4 and 8 bytes, big-endian), header, body.
//!
//! Lengths are checked against a limit before anything is read, and memory grows with the bytes received, never with the length
//! announced.

use std::io::{self, Read, Write};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const MARK: [u8; 4] = *b"PRC1";
const PREFIX_BYTES: usize = 16;

/// Header and body.
pub(super) type FramedMessage = (Vec<u8>, Vec<u8>);

/// Why no message was read.
#[derive(Debug)]
pub(super) enum FrameError {
    /// The stream ended before or within a message, or failed.
    Ended,
    /// The bytes are not a message, or the message is longer than allowed.
    Malformed(&'static str),
}

fn prefix(header: &[u8], body: &[u8]) -> io::Result<[u8; PREFIX_BYTES]> {
    let header = u32::try_from(header.len()).map_err(io::Error::other)?;
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&MARK);
    prefix[4..8].copy_from_slice(&header.to_be_bytes());
    prefix[8..].copy_from_slice(&(body.len() as u64).to_be_bytes());
    Ok(prefix)
}

/// Returns the lengths of header and body if their sum is within `limit`.
fn lengths(prefix: [u8; PREFIX_BYTES], limit: usize) -> Result<(u64, u64), FrameError> {
    let [m0, m1, m2, m3, h0, h1, h2, h3, body @ ..] = prefix;
    if [m0, m1, m2, m3] != MARK {
        return Err(FrameError::Malformed("wrong first bytes"));
    }
    let (header, body) = (u64::from(u32::from_be_bytes([h0, h1, h2, h3])), u64::from_be_bytes(body));
    // The sender chooses both lengths: their sum may overflow.
    match header.checked_add(body) {
        Some(sum) if sum <= limit as u64 => Ok((header, body)),
        _ => Err(FrameError::Malformed("longer than allowed")),
    }
}

/// Returns `part` if it is complete.
fn whole(part: Vec<u8>, length: u64) -> Result<Vec<u8>, FrameError> {
    if part.len() as u64 == length { Ok(part) } else { Err(FrameError::Ended) }
}

/// Writes a message.
pub(super) async fn send(to: &mut (impl AsyncWrite + Unpin), header: &[u8], body: &[u8]) -> io::Result<()> {
    to.write_all(&prefix(header, body)?).await?;
    to.write_all(header).await?;
    to.write_all(body).await?;
    to.flush().await
}

/// Reads a message of at most `limit` bytes.
pub(super) async fn receive(from: &mut (impl AsyncRead + Unpin), limit: usize) -> Result<FramedMessage, FrameError> {
    let mut start = [0; PREFIX_BYTES];
    from.read_exact(&mut start).await.map_err(|_| FrameError::Ended)?;
    let (header, body) = lengths(start, limit)?;
    // In separate buffers: a document is large, and the header is kept longer.
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    (&mut *from).take(header).read_to_end(&mut head).await.map_err(|_| FrameError::Ended)?;
    from.take(body).read_to_end(&mut rest).await.map_err(|_| FrameError::Ended)?;
    Ok((whole(head, header)?, whole(rest, body)?))
}

/// As [`send`], blocking.
pub(super) fn write(to: &mut impl Write, header: &[u8], body: &[u8]) -> io::Result<()> {
    to.write_all(&prefix(header, body)?)?;
    to.write_all(header)?;
    to.write_all(body)?;
    to.flush()
}

/// As [`receive`], blocking.
pub(super) fn read(from: &mut impl Read, limit: usize) -> Result<FramedMessage, FrameError> {
    let mut start = [0; PREFIX_BYTES];
    from.read_exact(&mut start).map_err(|_| FrameError::Ended)?;
    let (header, body) = lengths(start, limit)?;
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    from.by_ref().take(header).read_to_end(&mut head).map_err(|_| FrameError::Ended)?;
    from.take(body).read_to_end(&mut rest).map_err(|_| FrameError::Ended)?;
    Ok((whole(head, header)?, whole(rest, body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_message_reads_back_as_it_was_written_on_either_side() {
        for (header, body) in [(&b""[..], &b""[..]), (b"{}", b""), (b"", b"abc"), (b"head", &[7; 70_000])] {
            let mut bytes = Vec::new();
            write(&mut bytes, header, body).expect("memory takes it");
            assert_eq!(read(&mut bytes.as_slice(), 80_000).expect("a message"), (header.to_vec(), body.to_vec()));
            let mut sent = Vec::new();
            send(&mut sent, header, body).await.expect("memory takes it");
            assert_eq!(sent, bytes);
            let received = receive(&mut sent.as_slice(), 80_000).await.expect("a message");
            assert_eq!(received, (header.to_vec(), body.to_vec()));
        }
    }

    #[test]
    fn the_limit_counts_header_and_body_together() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"12345", b"67890").expect("memory takes it");
        assert!(matches!(read(&mut bytes.as_slice(), 9), Err(FrameError::Malformed(_))));
        assert!(read(&mut bytes.as_slice(), 10).is_ok());
        assert!(read(&mut bytes.as_slice(), 11).is_ok());
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let mut huge = Vec::from(*b"PRC1");
        huge.extend([0xff; 12]);
        let mut cut = Vec::new();
        write(&mut cut, b"head", b"body").expect("memory takes it");
        cut.pop();
        assert!(matches!(read(&mut &b""[..], 100), Err(FrameError::Ended)));
        assert!(matches!(read(&mut cut.as_slice(), 100), Err(FrameError::Ended)));
        assert!(matches!(read(&mut huge.as_slice(), usize::MAX), Err(FrameError::Malformed(_))));
        assert!(matches!(read(&mut &b"HTTP/1.1 200 OK\r\n"[..], 100), Err(FrameError::Malformed(_))));
    }
}
