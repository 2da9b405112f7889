//! Reads the bytes of a page under limits and decodes them as they arrive, so that a decompression bomb is stopped early.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

use super::error::FetchError;

/// Decoded bytes exempt from the ratio limit, since small pages compress well.
const FREE_BYTES: u64 = 256 << 10;

/// A response body being received.
#[derive(Debug)]
pub(super) struct BodyReader {
    /// Bytes received over the network.
    received: u64,
    limits: BodyLimits,
    content: Content,
}

/// Limits of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    /// Most bytes, decoded.
    pub(super) max_bytes: usize,
    /// Most decoded bytes for each byte received.
    pub(super) max_ratio: u64,
}

#[derive(Debug)]
enum Content {
    Plain(BoundedBuffer),
    Gzip(Box<MultiGzDecoder<BoundedBuffer>>),
}

/// Accepts bytes up to a limit, then fails.
#[derive(Debug)]
struct BoundedBuffer {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Write for BoundedBuffer {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        // Cannot underflow: no more than `limit` bytes are ever kept.
        if more.len() > self.limit - self.bytes.len() {
            self.is_full = true;
            return Err(io::Error::other("the limit is reached"));
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl BodyReader {
    /// Creates a reader for the given `Content-Encoding`; empty and `identity` mean none.
    ///
    /// # Errors
    /// `unsupported_encoding` for anything but gzip, the only encoding requested.
    pub(super) fn new(encoding: &str, limits: BodyLimits) -> Result<Self, FetchError> {
        let bounded = BoundedBuffer { bytes: Vec::new(), limit: limits.max_bytes, is_full: false };
        let content = match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Content::Plain(bounded),
            "gzip" | "x-gzip" => Content::Gzip(Box::new(MultiGzDecoder::new(bounded))),
            _ => {
                return Err(FetchError::permanent(
                    "unsupported_encoding",
                    "the page has an unsupported content encoding: expected none or gzip",
                ));
            }
        };
        Ok(Self { received: 0, limits, content })
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// `too_large`, `too_dense`, `broken_encoding`.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), FetchError> {
        self.received = self.received.saturating_add(chunk.len() as u64);
        let taken = match &mut self.content {
            Content::Plain(bounded) => bounded.write_all(chunk),
            Content::Gzip(decoder) => decoder.write_all(chunk),
        };
        self.judge(taken)
    }

    /// Returns the whole body.
    ///
    /// # Errors
    /// As [`Self::push`]; also `broken_encoding` if the compressed data is incomplete.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, FetchError> {
        if let Content::Gzip(decoder) = &mut self.content {
            // No bytes at all are an empty page, not a broken encoding.
            let finished = if self.received == 0 { Ok(()) } else { decoder.try_finish() };
            self.judge(finished)?;
        }
        Ok(match self.content {
            Content::Plain(bounded) => bounded.bytes,
            Content::Gzip(mut decoder) => std::mem::take(&mut decoder.get_mut().bytes),
        })
    }

    fn judge(&self, taken: io::Result<()>) -> Result<(), FetchError> {
        let (bounded, limits) = (self.decoded_body(), self.limits);
        // Checked before the error: the decoder reports a full buffer as an error of its own.
        if bounded.is_full {
            return Err(too_large(limits.max_bytes));
        }
        if bounded.bytes.len() as u64 > self.received.saturating_mul(limits.max_ratio).saturating_add(FREE_BYTES) {
            let ratio = limits.max_ratio;
            return Err(FetchError::permanent(
                "too_dense",
                format!("the decompressed page is more than {ratio} times its compressed size"),
            ));
        }
        taken.map_err(|_| {
            FetchError::permanent("broken_encoding", "the page is declared as gzip but cannot be decompressed")
        })
    }

    fn decoded_body(&self) -> &BoundedBuffer {
        match &self.content {
            Content::Plain(bounded) => bounded,
            Content::Gzip(decoder) => decoder.get_ref(),
        }
    }
}

pub(super) fn too_large(limit: usize) -> FetchError {
    FetchError::permanent("too_large", format!("the page is larger than {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    fn read(encoding: &str, max_bytes: usize, bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut body = BodyReader::new(encoding, BodyLimits { max_bytes, max_ratio: 100 }).map_err(|e| e.code)?;
        for chunk in bytes.chunks(1_000) {
            body.push(chunk).map_err(|e| e.code)?;
        }
        body.finish().map_err(|e| e.code)
    }

    #[test]
    fn a_body_comes_out_as_it_went_in() {
        let page: Vec<u8> = (0..50_000_u32).flat_map(u32::to_le_bytes).collect();
        for (encoding, bytes) in [("", page.clone()), ("identity", page.clone()), ("GZIP ", gzip(&page))] {
            assert_eq!(read(encoding, 1 << 20, &bytes), Ok(page.clone()), "{encoding}");
        }
        let twice = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(read("x-gzip", 100, &twice), Ok(b"one two".to_vec()));
        assert_eq!(read("gzip", 100, b""), Ok(Vec::new()));
    }

    #[test]
    fn the_byte_limit_holds_for_what_comes_out() {
        for (bytes, expected) in [(99, Ok(99)), (100, Ok(100)), (101, Err("too_large"))] {
            let page = vec![b'a'; bytes];
            assert_eq!(read("", 100, &page).map(|b| b.len()), expected);
            assert_eq!(read("gzip", 100, &gzip(&page)).map(|b| b.len()), expected);
        }
    }

    #[test]
    fn a_bomb_is_stopped_by_its_density() {
        assert_eq!(read("gzip", 1 << 30, &gzip(&vec![0; 8 << 20])), Err("too_dense"));
        assert!(read("gzip", 1 << 30, &gzip(&vec![0; 200 << 10])).is_ok());
    }

    #[test]
    fn what_came_and_a_free_share_bound_what_comes_out() {
        let free = usize::try_from(FREE_BYTES).expect("small");
        let read = |max_ratio: u64, page: &[u8]| {
            let mut body = BodyReader::new("gzip", BodyLimits { max_bytes: 1 << 30, max_ratio }).map_err(|e| e.code)?;
            body.push(page).map_err(|e| e.code)?;
            body.finish().map(|bytes| bytes.len()).map_err(|e| e.code)
        };
        for (bytes, expected) in [(free - 1, Ok(free - 1)), (free, Ok(free)), (free + 1, Err("too_dense"))] {
            assert_eq!(read(0, &gzip(&vec![0; bytes])), expected);
        }
        // The compressed sizes are nearly the same for nearly the same number of zeros.
        let received = gzip(&vec![0; free]).len();
        let mut seen = Vec::new();
        for bytes in free + received - 10..free + received + 10 {
            let page = gzip(&vec![0; bytes]);
            let left = (free + page.len()).checked_signed_diff(bytes).expect("near");
            assert_eq!(read(1, &page).is_ok(), left >= 0, "{bytes}");
            seen.push(left);
        }
        assert!([-1, 0, 1].iter().all(|left| seen.contains(left)), "{seen:?}");
    }

    #[test]
    fn an_encoding_that_is_not_what_it_says_is_refused() {
        let whole = gzip(b"words");
        assert_eq!(read("gzip", 100, &whole[..whole.len() - 1]), Err("broken_encoding"));
        assert_eq!(read("gzip", 100, b"<html>plain</html>"), Err("broken_encoding"));
        for other in ["br", "deflate", "zstd", "gzip, gzip"] {
            assert_eq!(read(other, 100, b""), Err("unsupported_encoding"), "{other}");
        }
    }
}
