//! A first look at a file: whether it can be a document, and the hash of its bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use precis_proto::ids::hex;
use precis_proto::source::ContentRef;
use sha2::{Digest, Sha256};

/// How much of a file is looked at to tell text from the rest, in bytes.
const HEAD_BYTES: usize = 8_192;
/// PDF readers accept a header anywhere in this many bytes (ISO 32000-1, implementation note 13).
const PDF_HEADER_BYTES: usize = 1_024;
/// Bytes read at a time; chosen, not measured.
const BLOCK_BYTES: usize = 256 * 1_024;

/// What a first look found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It may be a document.
    Document(ContentRef),
    /// It is an image, an archive, a program or the like.
    Other,
    /// It has more bytes than allowed; how many, as far as known.
    TooLarge(u64),
}

/// Looks at the regular file `path`, and reads it once, in blocks, unless it is larger than `max_bytes`. What somebody named
/// (`named`) is taken for a document whatever it looks like: extraction then says what it is instead.
///
/// # Errors
/// It cannot be opened or read.
pub(super) fn look(path: &Path, max_bytes: u64, named: bool) -> io::Result<Look> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut block = vec![0; BLOCK_BYTES];
    let mut hash = Sha256::new();
    let mut total = 0;
    loop {
        let filled = fill(&mut file, &mut block)?;
        let bytes = &block[..filled];
        let head = &bytes[..filled.min(HEAD_BYTES)];
        if total == 0 && !named && !may_be_document(head) && !may_be_package(head, path) {
            return Ok(Look::Other);
        }
        total += filled as u64;
        // The size is asked for and counted: a file may grow, and some have no size until they are read.
        if size.max(total) > max_bytes {
            return Ok(Look::TooLarge(size.max(total)));
        }
        if filled == 0 {
            let name = format!("sha256:{}", hex(&hash.finalize()));
            return Ok(Look::Document(name.parse().expect("64 digits of a hash")));
        }
        hash.update(bytes);
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

/// Whether a file that begins with `head` can be a PDF or text. An empty one can: it was meant to be something.
fn may_be_document(head: &[u8]) -> bool {
    let is_pdf = head[..head.len().min(PDF_HEADER_BYTES)].windows(5).any(|w| w == b"%PDF-");
    let is_utf16 = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    is_pdf || is_utf16 || looks_like_text(head)
}

/// Whether a file that begins with `head` can be a DOCX or an EPUB: a ZIP archive that is called one. Other archives are not
/// opened to see what they hold.
fn may_be_package(head: &[u8], path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    head.starts_with(b"PK\x03\x04") && matches!(ending.as_deref(), Some("docx" | "epub"))
}

/// Text holds no NUL and hardly a control character; everything compressed or compiled does within a few hundred bytes.
fn looks_like_text(head: &[u8]) -> bool {
    let is_control = |b: &u8| *b < 0x20 && !matches!(*b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    !head.contains(&0) && head.iter().filter(|b| is_control(b)).count() * 50 <= head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_the_rest_by_their_bytes() {
        let table: [(&[u8], bool); 12] = [
            (b"", true),
            (b"Plain text.\n", true),
            ("Überraschung, 日本語".as_bytes(), true),
            (b"Caf\xe9 in Latin-1", true),
            (b"<!DOCTYPE html><p>x", true),
            (b"%PDF-1.7\n\x00\x01\x02", true),
            (b"\n\n%PDF-1.4 \x00", true),
            (b"\xff\xfeh\0i\0", true),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", false),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", false),
            (b"PK\x03\x04\x14\0\0\0", false),
            (b"\x7fELF\x02\x01\x01\0", false),
        ];
        for (bytes, expected) in table {
            assert_eq!(may_be_document(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn an_archive_is_a_document_where_it_is_called_one() {
        for (name, bytes, expected) in [
            ("a.docx", &b"PK\x03\x04\0"[..], true),
            ("b.EPUB", b"PK\x03\x04\0", true),
            ("c.zip", b"PK\x03\x04\0", false),
            ("d.docx", b"\x89PNG\0", false),
        ] {
            assert_eq!(may_be_package(bytes, Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_file_over_the_limit_by_one_byte_is_too_large() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("long.txt");
        std::fs::write(&path, vec![b'a'; 2_000]).expect("written");
        assert_eq!(look(&path, 1_999, false).expect("looked at"), Look::TooLarge(2_000));
        assert_eq!(look(&path, 2_000, false).expect("looked at"), Look::Document(ContentRef::of(&[b'a'; 2_000])));
    }

    #[test]
    fn what_somebody_named_is_a_document_whatever_it_looks_like() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.png");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0").expect("written");
        assert_eq!(look(&path, 100, false).expect("looked at"), Look::Other);
        assert!(matches!(look(&path, 100, true).expect("looked at"), Look::Document(_)));
    }
}
