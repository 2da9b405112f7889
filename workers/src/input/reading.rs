//! Inspects a file: whether it can be a document, and the hash of its bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use precis_extract::refused_by_head;
use precis_proto::ids::hex;
use precis_proto::source::ContentRef;
use precis_runtime::files::{Links, MAX_READ, open_regular};
use sha2::{Digest, Sha256};

/// Bytes at the start of a file that decide whether it can be a document.
const HEAD_BYTES: usize = 8_192;
/// Bytes read at a time; chosen, not measured.
const BLOCK_BYTES: usize = 256 * 1_024;

/// The result of a first look at a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FirstLook {
    /// Possibly a document; the hash of its bytes.
    Document(ContentRef),
    /// Not a document, but for example an image, an archive or a program; the reason why extraction would refuse it.
    Other(String),
    /// Too large; its size in bytes, as far as known.
    TooLarge(u64),
}

/// Reads the regular file `path`, a path without links, once and in blocks, unless it is larger than `max_bytes`. A file given by name
/// (`named`) always counts as a document: extraction then reports what it really is.
///
/// # Errors
/// The file cannot be opened or read, is not a regular file (any more), has become a link, or takes longer than [`MAX_READ`].
pub(super) fn look(path: &Path, max_bytes: u64, named: bool) -> io::Result<FirstLook> {
    let mut file = open_regular(path, Links::Refused)?;
    let since = Instant::now();
    let size = file.metadata()?.len();
    let mut block = vec![0; BLOCK_BYTES];
    let mut hash = Sha256::new();
    let mut total = 0;
    loop {
        let filled = fill(&mut file, &mut block)?;
        let bytes = &block[..filled];
        let head = &bytes[..filled.min(HEAD_BYTES)];
        if total == 0
            && !named
            && let Some(refused) = refused_by_head(head)
        {
            return Ok(FirstLook::Other(refused.to_string()));
        }
        total += filled as u64;
        // Both the reported and the counted size are checked: a file may grow, and some files report no size until they are read.
        if size.max(total) > max_bytes {
            return Ok(FirstLook::TooLarge(size.max(total)));
        }
        if filled == 0 {
            let name = format!("sha256:{}", hex(&hash.finalize()));
            return Ok(FirstLook::Document(name.parse().expect("64 digits of a hash")));
        }
        hash.update(bytes);
        if since.elapsed() > MAX_READ {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "reading took too long"));
        }
    }
}

fn fill(file: &mut File, block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_the_limit_by_one_byte_is_too_large() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().canonicalize().expect("resolved").join("long.txt");
        std::fs::write(&path, vec![b'a'; 2_000]).expect("written");
        assert_eq!(look(&path, 1_999, false).expect("looked at"), FirstLook::TooLarge(2_000));
        assert_eq!(
            look(&path, 2_000, false).expect("looked at"),
            FirstLook::Document(ContentRef::from_bytes(&[b'a'; 2_000]))
        );
    }

    #[test]
    fn a_named_file_is_a_document_in_any_format() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().canonicalize().expect("resolved").join("x.png");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0").expect("written");
        let refused = "a document that looks like png is not supported".to_owned();
        assert_eq!(look(&path, 100, false).expect("looked at"), FirstLook::Other(refused));
        assert!(matches!(look(&path, 100, true).expect("looked at"), FirstLook::Document(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_replaced_by_a_pipe_or_link_is_not_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let real = dir.path().canonicalize().expect("resolved");
        std::fs::write(real.join("a.txt"), "text").expect("written");
        std::os::unix::fs::symlink(real.join("a.txt"), real.join("b.txt")).expect("linked");
        let made = std::process::Command::new("mkfifo").arg(real.join("c.txt")).status().expect("mkfifo");
        assert!(made.success());
        for name in ["b.txt", "c.txt"] {
            assert_eq!(look(&real.join(name), 100, true).expect_err(name).kind(), io::ErrorKind::InvalidInput);
        }
    }
}
